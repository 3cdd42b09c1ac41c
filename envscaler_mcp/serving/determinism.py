"""Time and chance for environment code, from the world's clock and seed.

Code that says `from datetime import datetime` or `import time, random, uuid` gets these modules instead of Python's, so
the same calls give the same records on every machine and on every day. All of it is counted: where a world stands is
three numbers, which makes a snapshot a copy of them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import random as real_random
from typing import Any, NamedTuple

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.formats import is_minute

DEFAULT_NOW = "2026-03-02T09:00"
_EPOCH = dt.datetime.fromisoformat("1970-01-01")


class Position(NamedTuple):
    """Where a world stands in its time and its chance."""

    now: str
    slept: float
    """Seconds that code has slept since `now`."""
    ids: int
    """How many unique ids have been drawn."""
    chance: tuple[str, int, float | None]
    """Seed, how many numbers have been drawn, and the second half of a pair of normal ones."""


class CountedRandom(real_random.Random):
    """Python's `Random`, whose state is its seed and how often it was asked."""

    _key = ""
    _drawn = 0

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin again; without a seed, with the one the world gives."""
        del version
        self._key = repr(a)
        self._drawn = 0
        self.gauss_next: float | None = None

    def random(self) -> float:
        """The next number from 0 up to 1."""
        return self.getrandbits(53) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        """The next `k` bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        bits = 0
        for _ in range(0, k, 512):
            text = f"{self._key}:{self._drawn}"
            bits = bits << 512 | int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace")).digest())
            self._drawn += 1
        return bits >> (-k % 512) if k else 0

    def getstate(self) -> tuple[Any, ...]:
        """Seed, count and pair."""
        return self._key, self._drawn, self.gauss_next

    def setstate(self, state: Any) -> None:
        """Go on from where `getstate` was."""
        self._key, self._drawn, self.gauss_next = state


class Sources:
    """One world's clock, ids and chance."""

    def __init__(self, seed: int, now: str = DEFAULT_NOW) -> None:
        self.seed = seed
        self.random = CountedRandom(f"world {seed}")
        self._ids = 0
        self._slept = 0.0
        self.set_clock(now)

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""
        if not is_minute(now):
            raise WorldError(f"A clock cannot show {now!r}; write a minute like {DEFAULT_NOW}.")
        self._now = now
        self._slept = 0.0
        self._start = dt.datetime.fromisoformat(now)

    @property
    def moment(self) -> dt.datetime:
        """The world's time, in UTC and without a zone."""
        return self._start + dt.timedelta(seconds=self._slept)

    @property
    def seconds(self) -> float:
        """The world's time in seconds since 1970."""
        return (self.moment - _EPOCH).total_seconds()

    def sleep(self, seconds: float) -> None:
        """Returns at once; the world's time moves forward."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self._slept += seconds

    def draw(self, purpose: str, size: int) -> bytes:
        """The next bytes of the world's random source."""
        self._ids += 1
        text = f"{self.seed}:{purpose}:{self._ids}".encode()
        return hashlib.shake_256(text).digest(size)

    def position(self) -> Position:
        """Where the world stands."""
        return Position(self._now, self._slept, self._ids, self.random.getstate())

    def go_to(self, position: Position) -> None:
        """Stand where the world stood then."""
        if position.now != self._now:
            self.set_clock(position.now)
        self._slept, self._ids = position.slept, position.ids
        self.random.setstate(position.chance)

    def fork(self) -> Sources:
        """Independent sources that go on from here."""
        twin = Sources(self.seed, self._now)
        twin.go_to(self.position())
        return twin
