"""Reads a file of the host below Python's open(), by os.open and os.read."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import os

    descriptor = os.open("@CANARY@/secret.txt", os.O_RDONLY)
    return b"CANARY" in os.read(descriptor, 100)
