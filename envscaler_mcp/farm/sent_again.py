"""A request that is sent again, byte for byte, because its answer did not arrive: it is answered, and nothing is run again.

Who got an answer and sends the same bytes once more means another call. So it matters whether the answer arrived, and that
may not be known yet when the same bytes come on another connection: the call may be under way, or the news that the first
connection is gone may wait behind this request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from envscaler_mcp.farm.hosted_world import CROWDED, MOST_WAITING, HostedWorld
from envscaler_mcp.farm.http1 import Answer
from envscaler_mcp.serving.outcome import Outcome

KEPT_SECONDS = 120.0
"""How long an answer is kept that did not arrive; a client that numbers its calls anew may mean another one later."""
_TURNS = 4
"""Turns of the loop within which it hears that a connection is gone: read, told, lost, and one to spare."""

_MOMENT = 0.05
"""Seconds in which the same bytes may be the same call, whose connection is about to be known as gone."""

Call = tuple[str, dict[str, Any], str | None]
Shape = Callable[[Outcome], Answer]


def answer_once(world: HostedWorld, body: bytes, call: Call, shape: Shape) -> Answer | Coroutine[Any, Any, Answer]:
    """The answer to a call, which is the first one's where the same bytes came before and that did not arrive."""
    if world.undelivered and (kept := world.undelivered.pop(body, None)) is not None:
        return kept
    if (world.sent == body and time.monotonic() - world.used < _MOMENT) or body in world.under_way:
        return _again(world, body, call, shape)
    return _answered(world, body, call, shape)


def _answered(world: HostedWorld, body: bytes, call: Call, shape: Shape) -> Answer | Coroutine[Any, Any, Answer]:
    outcome = world.call(*call)
    if not isinstance(outcome, Outcome):
        done = world.under_way[body] = asyncio.Event()
        return _later(world, body, done, outcome, shape)
    world.sent = body
    return shape(outcome)


def keep(world: HostedWorld, body: bytes, answer: Answer) -> None:
    """Keep an answer that nobody got for whoever asks again."""
    world.not_delivered(body, answer)
    asyncio.get_running_loop().call_later(KEPT_SECONDS, _forget, world, body, answer)


def _forget(world: HostedWorld, body: bytes, answer: Answer) -> None:
    if world.undelivered.get(body) is answer:
        del world.undelivered[body]


async def _later(
    world: HostedWorld, body: bytes, done: asyncio.Event, coming: Coroutine[Any, Any, Outcome], shape: Shape
) -> Answer:
    try:
        return shape(await coming)
    finally:
        done.set()
        # Several that waited for the same call begin at once, and the last of them stands here.
        if world.under_way.get(body) is done:
            del world.under_way[body]


async def _again(world: HostedWorld, body: bytes, call: Call, shape: Shape) -> Answer:
    if world.waiting >= MOST_WAITING:
        return shape(CROWDED)
    world.waiting += 1
    try:
        while body in world.under_way:
            await world.under_way[body].wait()
            await asyncio.sleep(0)
        for _ in range(_TURNS):
            await asyncio.sleep(0)
    finally:
        world.waiting -= 1
    kept = world.undelivered.pop(body, None)
    answer = _answered(world, body, call, shape) if kept is None else kept
    return answer if isinstance(answer, Answer) else await answer
