"""Kills every process of its group."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    import os

    os.killpg(0, 9)
