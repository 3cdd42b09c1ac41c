"""Where requests wait that other clients would feel: large and wrong ones, and those sent before the last answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from envscaler_mcp.farm.fair_line import Costs, FairLine, Party, Ticket

PAUSE = 30
"""How many times longer than a turn took the queue pauses before the next one."""
MIN_PAUSE = 0.01
"""Seconds that it pauses at least: of what the application does for a request only the first step is part of the turn."""
MAX_PAUSE = 0.05
"""Seconds that it pauses at most: the sender of a request chooses what its turn costs."""
MAX_OF_HOLDER = 256
"""Turns of one holder that may wait."""
MAX_WAITING = 4_096


class SlowQueue:
    """One turn at a time, with a pause after each, so that most of the time is left to everything else.

    A usual request takes microseconds, and the worst that can be sent takes milliseconds.
    """

    def __init__(self, costs: Costs) -> None:
        self._line = FairLine(costs)
        self._pausing = False

    @property
    def waiting(self) -> int:
        return self._line.waiting

    def is_full(self, party: Party) -> bool:
        """Whether one more would be too many."""
        return self.waiting >= MAX_WAITING or self._line.waiting_of(party.holder) >= MAX_OF_HOLDER

    def enter(self, turn: Callable[[], None], party: Party) -> Ticket:
        """Take a turn, at once where none waits; else the ticket waits."""
        ticket = self._line.enter(turn, party)
        if not self._pausing:
            self._next()
        return ticket

    def _next(self) -> None:
        self._pausing = self._line.due() is not None
        if not self._pausing:
            return
        began = asyncio.get_running_loop().time()
        try:
            self._line.serve()
        finally:
            # Behind the step of a task that the turn has begun.
            asyncio.get_running_loop().call_soon(self._pause, began)

    def _pause(self, began: float) -> None:
        # By the clock: on a busy machine the pause is longer.
        loop = asyncio.get_running_loop()
        loop.call_later(min(max((loop.time() - began) * PAUSE, MIN_PAUSE), MAX_PAUSE), self._next)
