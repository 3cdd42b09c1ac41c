"""Where requests wait that other clients would feel: large and wrong ones, and those sent before the last answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PAUSE = 30
"""How many times longer than a turn took the queue pauses before the next one."""
MIN_PAUSE = 0.01
"""Seconds that it pauses at least: what the application does for a request is not part of the turn."""
MAX_PAUSE = 0.05
"""Seconds that it pauses at most: the sender of a request chooses what its turn costs."""
MAX_OF_PARTY = 256
"""Turns of one party that may wait."""
MAX_WAITING = 4_096


class Ticket:
    """A turn that is waited for."""

    __slots__ = ("party", "turn")

    def __init__(self, turn: Callable[[], None], party: str) -> None:
        self.turn = turn
        self.party = party


class SlowQueue:
    """One turn at a time, with a pause after each, so that most of the time is left to everything else.

    A usual request takes microseconds, and the worst that can be sent takes milliseconds. Parties (worlds, tokens,
    addresses) take turns; the turns of one party are first come, first served.
    """

    def __init__(self) -> None:
        self._by_party: dict[str, dict[Ticket, None]] = {}
        self.waiting = 0
        self._pausing = False

    def is_full(self, party: str) -> bool:
        """Whether one more would be too many."""
        return self.waiting >= MAX_WAITING or len(self._by_party.get(party, ())) >= MAX_OF_PARTY

    def enter(self, turn: Callable[[], None], party: str) -> Ticket | None:
        """Take a turn, at once where none waits; else the ticket with which to leave."""
        if not self._pausing:
            self._take(turn)
            return None
        ticket = Ticket(turn, party)
        self._by_party.setdefault(party, {})[ticket] = None
        self.waiting += 1
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Wait no more; nothing happens if the turn was taken."""
        tickets = self._by_party.get(ticket.party, {})
        if ticket in tickets:
            self._remove(ticket, tickets)

    def _remove(self, ticket: Ticket, tickets: dict[Ticket, None]) -> None:
        del tickets[ticket]
        self.waiting -= 1
        if not tickets:
            del self._by_party[ticket.party]

    def _take(self, turn: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self._pausing = True
        # By the clock: what the kernel does for a turn counts too, and on a busy machine the pause is longer.
        began = loop.time()
        try:
            turn()
        finally:
            pause = min(max((loop.time() - began) * PAUSE, MIN_PAUSE), MAX_PAUSE)
            loop.call_later(pause, self._next)

    def _next(self) -> None:
        if not self.waiting:
            self._pausing = False
            return
        party, tickets = next(iter(self._by_party.items()))
        ticket = next(iter(tickets))
        # The party goes to the end.
        self._by_party[party] = self._by_party.pop(party)
        self._remove(ticket, tickets)
        self._take(ticket.turn)
