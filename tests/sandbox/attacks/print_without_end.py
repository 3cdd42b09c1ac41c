"""Prints 64 MiB."""

# mypy: ignore-errors
# alone: process
# free: no


def attack():
    for _ in range(64):
        print("y" * (1 << 20))
    return True
