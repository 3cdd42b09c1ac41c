"""Replaces itself by another program."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    import os

    os.execv("/bin/sh", ["sh", "-c", "touch @CANARY@/out/ran"])
