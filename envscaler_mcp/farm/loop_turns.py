"""Requests: some milliseconds of calls, or one request to the application, in one turn of the event loop; the others wait in line.

Without that, every connection with a request would be answered before anything else is done, and a client may have
thousands of connections to a world whose calls take long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from envscaler_mcp.farm.fair_line import Costs, FairLine, Party, Ticket, clock

MOST = 0.01
"""Seconds of answers in one turn of the loop; an answer that takes longer is followed by a rest."""
REST = 2
"""How many times as long as such an answer worlds that have cost much rest after it."""
LATER = 0.001
"""Seconds that a request is taken to cost which is answered later: at the application, or in a worker."""
WORTH_CHARGING = 0.001
"""Seconds of an answer; what a shorter one costs is counted for its turn of the loop only."""

T = TypeVar("T")


class LoopTurns:
    """What was done in this turn of the loop, and the requests that wait for another."""

    def __init__(self, costs: Costs) -> None:
        self.line = FairLine(costs)
        self.crowded = False
        """Whether requests wait in line instead of being answered at once."""
        self.done = 0.0
        """Seconds of answers since it was crowded last."""
        self._costs = costs
        self._rests_until = 0.0
        self._began = 0.0
        self._next: asyncio.Handle | None = None
        """Set where the line goes on in the next turn of the loop or, as a timer, after a rest."""

    def crowd(self, seconds: float) -> None:
        """Let the others wait: enough was done in this turn, the last answer in so many seconds."""
        if not self.crowded:
            self.crowded, self.done = True, 0.0
            self._rest_after(seconds)
            self._next = asyncio.get_running_loop().call_soon(self._go_on)

    def enter(self, turn: Callable[[], None], party: Party) -> Ticket:
        """Wait in line; only where it is crowded."""
        ticket = self.line.enter(turn, party)
        due = self.line.due()
        # Worlds that have cost little wait for no rest.
        if isinstance(self._next, asyncio.TimerHandle) and due is not None and due <= clock():
            self._next.cancel()
            self._next = asyncio.get_running_loop().call_soon(self._go_on)
        return ticket

    def follow(self, begin: Callable[[], T], party: Callable[[], Party]) -> T:
        """Begin what a task does in the next turn of the loop, as the last of this turn: nothing tells yet what that takes.

        What it takes, until it waits, is charged to the party.
        """
        loop = asyncio.get_running_loop()
        # Nothing comes between handles that are scheduled in one go, so these measure the step of the task.
        loop.call_soon(self._begin)
        begun = begin()
        loop.call_soon(self._charge, party)
        self.done += LATER + MOST
        return begun

    def enter_alone(self, turn: asyncio.Future[bool], party: Party) -> Ticket:
        """Wait in line for work of which only its end shows what it takes: the last of its turn of the loop."""
        self.crowd(0.0)
        return self.enter(partial(self.begin_alone, turn, party), party)

    def begin_alone(self, turn: asyncio.Future[bool], party: Party) -> None:
        """Its turn has come."""
        if not turn.done():
            self.follow(partial(turn.set_result, True), lambda: party)

    def _begin(self) -> None:
        self._began = clock()

    def _charge(self, party: Callable[[], Party]) -> None:
        seconds = clock() - self._began
        if seconds > WORTH_CHARGING:
            self._costs.charge(party(), seconds)
            self.done += seconds
            self._rest_after(seconds)
            if self.done > MOST:
                self.crowd(seconds)

    def _rest_after(self, seconds: float) -> None:
        if seconds > MOST:
            self._rests_until = clock() + REST * seconds

    def _go_on(self) -> None:
        self._next = None
        try:
            while self.done <= MOST and (due := self.line.due()) is not None:
                if due > (now := clock()) and now < self._rests_until:
                    break
                seconds = self.line.serve()
                self.done += seconds
                self._rest_after(seconds)
        finally:
            self.done = 0.0
            self._plan()

    def _plan(self) -> None:
        loop, now, due = asyncio.get_running_loop(), clock(), self.line.due()
        if now < self._rests_until and (due is None or due > now):
            self._next = loop.call_later(self._rests_until - now, self._go_on)
        elif due is not None:
            self._next = loop.call_soon(self._go_on)
        else:
            self.crowded = False
