"""Closes the channel under the worker."""

# mypy: ignore-errors
# alone: gate
# free: no


def attack():
    import os

    os.close(3)
    return False
