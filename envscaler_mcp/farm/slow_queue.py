"""Where requests wait that others would feel: large ones, and those of parties that asked wrongly a moment ago."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import cycle
from typing import Literal

REST = 30
"""How many times longer than a turn took the lane is closed for the next one."""
MOST_REST = 0.05
"""Seconds that it is closed at most: what a turn costs is chosen by the one who sends it."""
MOST_IN_LANE = 256
"""Turns of one party that may wait in one line."""
MOST_IN_LINE = 4_096
DISTRUST_SECONDS = 1.0
"""How long newcomers of a party that asked wrongly wait for their turn as well."""
_MOST_PARTIES = 10_000

Line = Literal["newcomers", "large", "offenders"]
_ORDER: tuple[Line, ...] = ("newcomers", "newcomers", "large", "newcomers", "newcomers", "offenders")
"""Which line has the next turn; an empty one is passed over."""


class Ticket:
    """A turn that waits."""

    __slots__ = ("line", "party", "turn")

    def __init__(self, turn: Callable[[], None], line: Line, party: str) -> None:
        self.turn = turn
        self.line: Line = line
        self.party = party


class _Queue:
    """One line: parties take turns in it, and the turns of one party are first come, first served."""

    def __init__(self) -> None:
        self._by_party: dict[str, dict[Ticket, None]] = {}
        self.count = 0

    def waiting_of(self, party: str) -> int:
        return len(self._by_party.get(party, ()))

    def put(self, ticket: Ticket) -> None:
        self._by_party.setdefault(ticket.party, {})[ticket] = None
        self.count += 1

    def next(self) -> Ticket:
        party = next(iter(self._by_party))
        tickets = self._by_party.pop(party)
        ticket = next(iter(tickets))
        del tickets[ticket]
        if tickets:
            # The party goes to the end of the line.
            self._by_party[party] = tickets
        self.count -= 1
        return ticket

    def remove(self, ticket: Ticket) -> None:
        tickets = self._by_party.get(ticket.party, {})
        if ticket in tickets:
            del tickets[ticket]
            self.count -= 1
            if not tickets:
                del self._by_party[ticket.party]


class Lane:
    """One turn at a time: however many there are, most of the time is left to everything else.

    What agents say is read in microseconds, and the worst that can be sent takes milliseconds.
    """

    def __init__(self) -> None:
        self._lines: dict[Line, _Queue] = {line: _Queue() for line in _ORDER}
        self._order = cycle(_ORDER)
        self._closed = False
        self._distrusted: dict[str, float] = {}
        self._latest = 0.0

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return sum(queue.count for queue in self._lines.values())

    def is_full(self, line: Line, party: str) -> bool:
        """Whether one more would be too many."""
        queue = self._lines[line]
        return queue.count >= MOST_IN_LINE or queue.waiting_of(party) >= MOST_IN_LANE

    def enter(self, turn: Callable[[], None], line: Line, party: str) -> Ticket | None:
        """Have a turn, at once where the lane is free; else the ticket with which to leave it."""
        if not self._closed:
            self._have(turn)
            return None
        ticket = Ticket(turn, line, party)
        self._lines[line].put(ticket)
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Wait no more; a turn that was had is no matter."""
        self._lines[ticket.line].remove(ticket)

    def distrust(self, party: str) -> None:
        """Let newcomers of this party wait for a turn for a moment; its open connections do not."""
        if len(self._distrusted) >= _MOST_PARTIES:
            self._distrusted.clear()
        self._distrusted[party] = self._latest = asyncio.get_running_loop().time() + DISTRUST_SECONDS

    def distrusts_any(self) -> bool:
        """Whether some party asked wrongly a moment ago."""
        return self._latest > asyncio.get_running_loop().time()

    def distrusts(self, party: str) -> bool:
        """Whether this party did."""
        return self._distrusted.get(party, 0.0) > asyncio.get_running_loop().time()

    def _have(self, turn: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self._closed = True
        # By the clock: what the system does for a turn counts too, and on a busy machine the rest is longer.
        began = loop.time()
        try:
            turn()
        finally:
            loop.call_later(min((loop.time() - began) * REST, MOST_REST), self._open)

    def _open(self) -> None:
        if not self.waiting:
            self._closed = False
            return
        while not (queue := self._lines[next(self._order)]).count:
            pass
        self._have(queue.next().turn)
