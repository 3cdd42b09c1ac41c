"""Leaves a symbolic link that leads somewhere else later."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import os

    os.symlink("/etc", "@CANARY@/out/link")
    return True
