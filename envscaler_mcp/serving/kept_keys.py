"""Which calls a world has answered under a key, within bounds of number and of bytes, for each world and for the process."""

from __future__ import annotations

import hashlib
import sys
import weakref
from dataclasses import dataclass

from envscaler_mcp.serving.outcome import Outcome

KEPT_KEYS = 1_000
"""How many keys a world remembers; the oldest is forgotten first."""
KEPT_BYTES = 1 << 20
"""What the remembered outcomes of one world may take; the newest is kept whatever its size."""
KEPT_BYTES_OF_ALL = 128 << 20
"""What those of all worlds of a process may take; the worlds that keep most forget their older half first."""
_ENTRY = 500
"""Bytes of an entry besides its texts."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The digest of a call that was sent with a key, and what came of it."""

    call: bytes
    outcome: Outcome
    turn: int
    size: int


class KeptKeys:
    """The keys of one world, oldest first."""

    def __init__(self) -> None:
        self._by_key: dict[str, Kept] = {}
        self.size = 0
        """Bytes that they take."""

    def __len__(self) -> int:
        return len(self._by_key)

    def find(self, key: str) -> Kept | None:
        return self._by_key.get(key)

    def keep(self, key: str, call: bytes, outcome: Outcome, turn: int) -> None:
        """Remember what came of a call; what does not fit any more is forgotten."""
        # An outcome of its own, so that no payload that was read from the first one is kept with it.
        again = type(outcome)(outcome.kind, outcome.text)
        size = sys.getsizeof(outcome.text) + sys.getsizeof(key) + _ENTRY
        self._by_key[key] = Kept(call, again, turn, size)
        self._charge(size)
        while len(self._by_key) > 1 and (self.size > KEPT_BYTES or len(self._by_key) > KEPT_KEYS):
            self._forget_oldest()
        if _all.size > KEPT_BYTES_OF_ALL:
            _all.make_room()

    def keep_until(self, turn: int) -> None:
        """Forget what was kept after that turn."""
        later = [key for key, stored in self._by_key.items() if stored.turn > turn]
        for key in later:
            self._charge(-self._by_key.pop(key).size)

    def copy_of(self, other: KeptKeys) -> None:
        """Remember what another remembers as well."""
        self._by_key.update(other._by_key)
        self._charge(other.size)
        if _all.size > KEPT_BYTES_OF_ALL:
            _all.make_room()

    def clear(self) -> None:
        self._by_key.clear()
        self._charge(-self.size)

    def halve(self) -> None:
        """Forget the older half."""
        most = self.size // 2
        while self.size > most:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        self._charge(-self._by_key.pop(next(iter(self._by_key))).size)

    def _charge(self, size: int) -> None:
        self.size += size
        _all.size += size
        if self.size:
            _all.holders.add(self)
        else:
            _all.holders.discard(self)

    def __del__(self) -> None:
        _all.size -= self.size


class _All:
    """The keys of every world of this process."""

    def __init__(self) -> None:
        self.size = 0
        self.holders: weakref.WeakSet[KeptKeys] = weakref.WeakSet()

    def make_room(self) -> None:
        """Far enough that it is not needed again at the next call."""
        for holder in sorted(self.holders, key=lambda held: -held.size):
            if self.size <= KEPT_BYTES_OF_ALL * 3 // 4:
                break
            holder.halve()


_all = _All()


def digest_of_call(text: str) -> bytes:
    """What tells two calls apart without keeping them."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def kept_bytes() -> int:
    """What the keys of all worlds of this process take."""
    return _all.size
