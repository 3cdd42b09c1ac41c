"""Computes a number that has more digits than the world has atoms, inside one instruction."""

# mypy: ignore-errors
# alone: process
# free: no


def attack():
    return len(str(7 ** (7**12))) > 0
