"""How many bytes a process holds for its clients: requests that are not answered yet, and answers that are not read."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

MAX_HELD = 64 * 1024 * 1024
"""Bytes of all clients of one listener; beyond it, the holder with the most gives up its largest connections."""
_LEFT = MAX_HELD // 8
"""Bytes that are made free at once, so that not each packet is a reason to look for more."""


class Client(Protocol):
    """A connection that bytes are held for."""

    def give_up(self) -> None:
        """End it, and hold nothing for it any more."""


class HeldBytes:
    """The account."""

    def __init__(self, most: int = MAX_HELD) -> None:
        self._most = most
        self._left = min(_LEFT, most // 8)
        self._of: dict[Client, tuple[str, int]] = {}
        self._sums: Counter[str] = Counter()
        self.total = 0

    def hold(self, client: Client, holder: str, size: int) -> None:
        """So many bytes are held for a client now, in place of what was before."""
        self.forget(client)
        if size:
            self._of[client] = holder, size
            self._sums[holder] += size
            self.total += size
            if self.total > self._most:
                self._make_room()

    def forget(self, client: Client) -> None:
        """Nothing is held for a client any more."""
        holder, size = self._of.pop(client, ("", 0))
        if size:
            self.total -= size
            self._sums[holder] -= size
            if not self._sums[holder]:
                del self._sums[holder]

    def _make_room(self) -> None:
        while self.total > self._most - self._left:
            ((greedy, most), *others) = self._sums.most_common(2)
            # Until another holder has the most, or there is room.
            enough = max(most - (self.total - (self._most - self._left)), others[0][1] if others else 0)
            clients = sorted(
                ((size, client) for client, (holder, size) in self._of.items() if holder == greedy),
                key=lambda item: -item[0],
            )
            for _, client in clients:
                self.forget(client)
                client.give_up()
                if self._sums[greedy] <= enough:
                    break
