"""Calls of worlds in workers: the event loop waits for them, so worlds that hang hold no thread that others need.

Nor do they hold the processors: of the calls that keep one busy for long, one is at work at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import anyio
import anyio.to_thread

from envscaler_mcp.launch.readable import readable
from envscaler_mcp.sandbox.pending import Pending

FIRST_LOOK = 0.05
BETWEEN_LOOKS, BETWEEN_LOOKS_AT_BUSY = 0.2, 0.5
"""Seconds until a worker that does not answer is looked at, and at most between two looks."""
TURN_SECONDS = 0.05


class WorkerCalls:
    """Those that one process waits for."""

    def __init__(self) -> None:
        self._waiting = 0
        self._busy: deque[Pending] = deque()
        """The first is at work, the others rest."""
        self._turning: asyncio.Task[None] | None = None

    async def answer_of(self, pending: Pending, threads: anyio.CapacityLimiter) -> dict[str, Any]:
        """What a worker answers; a thread waits only for answers that are large, late in coming whole, or wrong."""
        self._waiting += 1
        try:
            if pending.sent and await self._is_there(pending):
                answer = pending.small_answer()
                if answer is not None:
                    return answer
            return await anyio.to_thread.run_sync(pending.finish, limiter=threads)
        finally:
            self._waiting -= 1
            pending.close()

    async def _is_there(self, pending: Pending) -> bool:
        """Whether there is something to read; false where the worker must be ended first."""
        between, busy = FIRST_LOOK, False
        try:
            while not await readable(pending.descriptor, between):
                if pending.must_end():
                    return False
                if not busy and pending.is_busy(self._waiting):
                    busy = True
                    self._take_turns(pending)
                between = min(2 * between, BETWEEN_LOOKS_AT_BUSY if busy else BETWEEN_LOOKS)
        finally:
            if busy:
                self._busy.remove(pending)
                pending.go_on()
        return True

    def _take_turns(self, pending: Pending) -> None:
        pending.stop()
        self._busy.append(pending)
        if self._turning is None or self._turning.done():
            self._turning = asyncio.get_running_loop().create_task(self._turns())

    async def _turns(self) -> None:
        while self._busy:
            working = self._busy[0]
            working.go_on()
            await asyncio.sleep(TURN_SECONDS)
            if len(self._busy) > 1 and self._busy[0] is working:
                working.stop()
                self._busy.rotate(-1)
