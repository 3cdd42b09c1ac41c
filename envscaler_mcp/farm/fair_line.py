"""Who is next among requests that wait: those first whose work has cost least of late, by holder and then by world."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

FORGET = 10.0
"""Seconds until a second of work counts no more."""
LONGEST_DEBT = 10.0
"""Seconds that a party can stand behind one that has cost nothing."""

clock = time.monotonic
_arrivals = itertools.count()


class Party(NamedTuple):
    """Who a request is done for."""

    holder: str
    """Who has the world: a token, the address of a visitor, or the world where its owner opened it."""
    world: str = ""
    """The world, where there is one."""


class Costs:
    """What holders, and worlds of theirs, have cost of late: until when each stands behind those that cost nothing."""

    def __init__(self) -> None:
        self._until: dict[str | Party, float] = {}

    def charge(self, party: Party, seconds: float) -> None:
        """Count work that was done for a party."""
        now = clock()
        for payer in (party.holder, party):
            owed = max(self._until.get(payer, 0.0), now) + seconds * FORGET
            self._until[payer] = min(owed, now + LONGEST_DEBT)

    def due(self, payer: str | Party) -> float:
        """The moment by which its turn is ordered: now, or later where it has cost much."""
        return max(self._until.get(payer, 0.0), clock())

    def sweep(self) -> None:
        """Forget who owes nothing any more."""
        now = clock()
        for payer in [payer for payer, until in self._until.items() if until < now]:
            del self._until[payer]


class Ticket:
    """A turn that is waited for."""

    __slots__ = ("line", "party", "taken", "turn")

    def __init__(self, turn: Callable[[], None], party: Party, line: FairLine) -> None:
        self.turn = turn
        self.party = party
        self.line = line
        self.taken = False

    def leave(self) -> None:
        """Wait no more; nothing happens if the turn was taken."""
        self.line.leave(self)


@dataclass(slots=True)
class _Place:
    """The turns of one holder: those of each world in the order in which they came, and the worlds by what they cost."""

    worlds: dict[Party, dict[Ticket, None]] = field(default_factory=dict)
    order: list[tuple[float, int, Party]] = field(default_factory=list)
    waiting: int = 0


class FairLine:
    """Turns that wait."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._places: dict[str, _Place] = {}
        self._order: list[tuple[float, int, str]] = []
        self.waiting = 0

    def waiting_of(self, holder: str) -> int:
        """How many turns of one holder wait."""
        place = self._places.get(holder)
        return 0 if place is None else place.waiting

    def waiting_of_world(self, party: Party) -> int:
        """How many of these are for this world."""
        place = self._places.get(party.holder)
        return 0 if place is None else len(place.worlds.get(party, ()))

    def enter(self, turn: Callable[[], None], party: Party) -> Ticket:
        """Wait for a turn."""
        ticket = Ticket(turn, party, self)
        place = self._places.get(party.holder)
        if place is None:
            place = self._places[party.holder] = _Place()
            heapq.heappush(self._order, (self._costs.due(party.holder), next(_arrivals), party.holder))
        if party not in place.worlds:
            place.worlds[party] = {}
            heapq.heappush(place.order, (self._costs.due(party), next(_arrivals), party))
        place.worlds[party][ticket] = None
        place.waiting += 1
        self.waiting += 1
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Give a place up; it is passed over when its turn would come."""
        place = self._places.get(ticket.party.holder)
        tickets = None if place is None else place.worlds.get(ticket.party)
        if place is not None and tickets is not None and ticket in tickets:
            del tickets[ticket]
            place.waiting -= 1
            self.waiting -= 1

    def due(self) -> float | None:
        """When the world is due that is next: later than now where it has cost much; None where no turn waits."""
        place = self._first()
        return None if place is None else place.order[0][0]

    def serve(self) -> float:
        """Do the next turn, and charge its party; the seconds it took."""
        place = self._first()
        assert place is not None
        heapq.heappop(self._order)
        _, _, party = heapq.heappop(place.order)
        tickets = place.worlds[party]
        ticket = next(iter(tickets))
        self.leave(ticket)
        ticket.taken = True
        # By the clock: what the kernel does for a turn counts too.
        began = clock()
        try:
            ticket.turn()
        finally:
            seconds = clock() - began
            self._costs.charge(party, seconds)
            self._put_back(place, party)
        return seconds

    def _put_back(self, place: _Place, party: Party) -> None:
        if place.worlds[party]:
            heapq.heappush(place.order, (self._costs.due(party), next(_arrivals), party))
        else:
            del place.worlds[party]
        if place.order:
            heapq.heappush(self._order, (self._costs.due(party.holder), next(_arrivals), party.holder))
        else:
            del self._places[party.holder]

    def _first(self) -> _Place | None:
        """The holder that is next; those of which all have left are forgotten on the way."""
        while self._order:
            holder = self._order[0][2]
            place = self._places[holder]
            while place.order and not place.worlds[place.order[0][2]]:
                del place.worlds[heapq.heappop(place.order)[2]]
            if place.order:
                return place
            heapq.heappop(self._order)
            del self._places[holder]
        return None
