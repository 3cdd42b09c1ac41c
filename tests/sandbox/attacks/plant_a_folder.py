"""Makes a folder, which no bound on file sizes stops."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import os

    os.mkdir("@CANARY@/out/folder")
    return True
