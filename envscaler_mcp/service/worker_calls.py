"""Calls of worlds in workers: the event loop waits for them, so worlds that hang hold no thread that others need."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio.to_thread

from envscaler_mcp.sandbox.line import Pending

FIRST_LOOK = 0.05
LONGEST_BETWEEN_LOOKS = 0.5
"""Seconds until a worker that does not answer is looked at, and between two looks at one that hangs."""


async def answer_of(pending: Pending, threads: anyio.CapacityLimiter) -> dict[str, Any]:
    """What a worker answers; a thread waits only for answers that are large, late in coming whole, or wrong."""
    try:
        if pending.sent and await _is_there(pending):
            answer = pending.small_answer()
            if answer is not None:
                return answer
        return await anyio.to_thread.run_sync(pending.finish, limiter=threads)
    finally:
        pending.close()


_waiting: set[Pending] = set()
"""Those that this process waits for now."""


async def _is_there(pending: Pending) -> bool:
    """Whether there is something to read; false where the worker must be ended first."""
    between = FIRST_LOOK
    _waiting.add(pending)
    try:
        while not await _readable(pending.descriptor, between):
            if pending.must_end(len(_waiting)):
                return False
            between = min(2 * between, LONGEST_BETWEEN_LOOKS)
    finally:
        _waiting.discard(pending)
    return True


async def _readable(descriptor: int, seconds: float) -> bool:
    """Whether a descriptor can be read within so many seconds."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[bool] = loop.create_future()
    late = loop.call_later(seconds, _settle, answered, False)
    loop.add_reader(descriptor, _settle, answered, True)
    try:
        return await answered
    finally:
        # Before the stream may be closed: its number would soon be another connection's.
        loop.remove_reader(descriptor)
        late.cancel()


def _settle(answered: asyncio.Future[bool], readable: bool) -> None:
    if not answered.done():
        answered.set_result(readable)
