"""Kills the process it was forked from."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    import os

    os.kill(os.getppid(), 9)
    return True
