"""Recurses through an attribute hook with the bound on recursion taken away."""

# mypy: ignore-errors
# alone: gate
# free: no


class Endless:
    def __getattr__(self, name):
        return getattr(self, name)


def attack():
    import sys

    sys.setrecursionlimit(10**8)
    return Endless().x
