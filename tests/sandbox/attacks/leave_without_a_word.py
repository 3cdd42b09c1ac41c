"""Ends the process in the middle of a call."""

# mypy: ignore-errors
# alone: gate
# free: no


def attack():
    import os

    os._exit(0)
