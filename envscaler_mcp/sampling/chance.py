"""Chance that is the same on every machine and in every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Draws that follow from a seed and a name alone."""

    def __init__(self, seed: int, name: str) -> None:
        self._state = int.from_bytes(sha256(f"{seed}/{name}".encode()).digest()[:8], "big")

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1."""
        return self._next() % bound

    def between(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return low + self.below(high - low + 1)

    def of(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], number: int) -> list[T]:
        """So many different ones, in the order drawn."""
        rest = list(choices)
        return [rest.pop(self.below(len(rest))) for _ in range(min(number, len(rest)))]

    def _next(self) -> int:
        # SplitMix64: a counter and a mixer, so that nothing depends on the library's generator.
        self._state = (self._state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return mixed ^ (mixed >> 31)
