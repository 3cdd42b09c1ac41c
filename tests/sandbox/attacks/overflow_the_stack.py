"""Lets C functions call each other until the stack is full."""

# mypy: ignore-errors
# alone: process
# free: no


def attack():
    thing = []
    for _ in range(200_000):
        thing = [thing]
    try:
        import sys

        sys.setrecursionlimit(10**8)
    except BaseException:
        pass
    return len(repr(thing)) == 0
