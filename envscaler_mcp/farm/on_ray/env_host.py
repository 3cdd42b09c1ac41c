"""An actor that holds worlds: a front end of the farm in a process of its own, wherever Ray has put it."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.farm.access import audit_log
from envscaler_mcp.farm.connections import Service
from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, serving
from envscaler_mcp.farm.http1 import Answer, Request
from envscaler_mcp.farm.on_ray.cluster import here
from envscaler_mcp.farm.peers import Mailboxes
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.sandbox import limits
from envscaler_mcp.serving.sockets import listen, url_of


class EnvHost:
    """Agents come to its own address; whoever owns worlds asks through the actor, so that no port is open for that."""

    def __init__(self, number: int, of: int) -> None:
        self._share = Share(number, of)
        self._beginning = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._front: FrontEnd | None = None

    async def begin(self, config: FarmConfig, head: str) -> None:
        """Be a front end with this config; a process that Ray has started again is none until it is told once more.

        Ray keeps what an actor is made with where it may be lost with a node, so that is next to nothing.
        """
        async with self._beginning:
            if self._front is None:
                self._front = await self._begin(config, _address(config, head))

    async def ask(self, request: Request) -> tuple[Answer, int] | None:
        """What the control plane says to a whole request, and how many worlds are held; None from nobody."""
        front = self._front
        return None if front is None else (await _whole(front.owners.service, request), len(front.worlds))

    async def look(self, request: Request) -> tuple[Answer, int] | None:
        """The same from the agents' side, for whoever looks."""
        front = self._front
        return None if front is None else (await _whole(front.agents.service, request), len(front.worlds))

    async def events(self, request: Request) -> AsyncIterator[Answer | bytes]:
        """What happens in a world, piece by piece; an answer alone where there is nothing to watch."""
        if self._front is None:
            return
        coming = self._front.owners.service.answer(request)
        stream = coming if isinstance(coming, Answer) else await coming
        if isinstance(stream, Answer):
            yield stream
            return
        async for piece in stream.pieces:
            yield piece

    async def stay(self) -> None:
        """Never answer; whoever waits hears of the end of this process at once."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Its worlds end."""
        await self._stack.aclose()

    async def _begin(self, config: FarmConfig, address: str) -> FrontEnd:
        limits.hold_many_worlds()
        _audit_into_ray_s_log()
        boxes = self._stack.enter_context(Mailboxes.opened(1))
        # Who is let in is decided by the guards, which know the secret.
        sock = self._stack.enter_context(listen(address, 0, "guarded"))
        # A world's name tells which actor holds it; connections are handed to nobody, since this front end is alone.
        front = FrontEnd(replace(config, url=url_of(sock)), 0, boxes, self._share)
        await self._stack.enter_async_context(serving(front, [sock], [], boxes))
        # As in the processes of a farm on one machine: what is there by now stays, and need not be looked through.
        gc.collect()
        gc.freeze()
        return front


def _address(config: FarmConfig, head: str) -> str:
    """Where agents come to; LaunchError where nobody would be served there."""
    if not config.servers.is_dir():
        raise LaunchError(f"There are no servers at {str(config.servers)!r} on the node {here()}; put them there.")
    if config.open_to_others:
        return here()
    if here() != head:
        raise LaunchError(
            f"The node {here()} is another machine than {head}, and worlds are not open to others; "
            "start the farm with --host and --secret-env, or the run anew."
        )
    return "127.0.0.1"


async def _whole(service: Service, request: Request) -> Answer:
    coming = service.answer(request)
    answer = coming if isinstance(coming, Answer) else await coming
    assert isinstance(answer, Answer)
    return answer


def _audit_into_ray_s_log() -> None:
    """Where Ray keeps what its processes write, the audit of a node is kept too."""
    if not audit_log.handlers:
        audit_log.addHandler(logging.StreamHandler())
        audit_log.setLevel(logging.INFO)
        audit_log.propagate = False
