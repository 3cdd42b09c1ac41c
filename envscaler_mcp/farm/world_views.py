"""What pages are shown of worlds: made in few threads, which holders of tokens share, and once for all that one of them asks meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.shared_answers import SharedAnswers
from envscaler_mcp.farm.verdicts import HOLDER, Places

THREADS = 2
"""In which views are made, one of them for a token at a time; they share one interpreter with the loop."""

T = TypeVar("T")
Reads = Callable[[HostedWorld], Awaitable[Mapping[str, Any]]]
"""Gets the state of a world."""


class WorldViews:
    """Those of one process."""

    def __init__(self) -> None:
        self._answers = SharedAnswers()
        self._places = Places(places=THREADS, of_holder=1, what="states, tables and forms")
        self._threads = anyio.CapacityLimiter(THREADS)

    async def of_state(
        self, world: HostedWorld, what: str, make: Callable[[Mapping[str, Any]], T], read: Reads | None = None
    ) -> T:
        """What is made of the state of the world, which nothing changes."""
        return await self.of_world(world, what, partial(self.made, world, make, read or _state))

    async def of_world(self, world: HostedWorld, what: str, make: Callable[[], Awaitable[T]]) -> T:
        """What is made for all requests of a token that ask it of the world; another's would wait in its line."""
        return await self._answers.answer((HOLDER.get(), world.name, what), make)

    async def made(self, world: HostedWorld, make: Callable[[Mapping[str, Any]], T], read: Reads) -> T:
        """The same for one request alone."""
        async with self._places.taken(HOLDER.get(), world.waiting_verdicts):
            state = await read(world)
            return await anyio.to_thread.run_sync(make, state, limiter=self._threads)


async def _state(world: HostedWorld) -> Mapping[str, Any]:
    return await world.act(lambda session: session.state())
