"""Runs a program."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import subprocess

    return b"uid=" in subprocess.run(["id"], capture_output=True).stdout
