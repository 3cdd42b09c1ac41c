"""An actor that holds worlds: a front end of the farm in a process of its own, wherever Ray has put it."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

import httpx2
from starlette.applications import Starlette

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.farm.access import audit_log
from envscaler_mcp.farm.control_plane import world_in
from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, serving
from envscaler_mcp.farm.http_messages import Answer, Request, error
from envscaler_mcp.farm.on_ray.cluster import node_address
from envscaler_mcp.farm.peers import Mailboxes
from envscaler_mcp.farm.watchers import TooManyWatchersError
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.home import has_folders
from envscaler_mcp.sandbox import limits
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.sockets import listen, url_of

_OF_BODY = ("content-length", "content-type")


class EnvHost:
    """Agents connect to its own address; owners of worlds go through calls of the actor, so no port is open for them."""

    def __init__(self, number: int, of: int) -> None:
        self._share = Share(number, of)
        self._beginning = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._front: FrontEnd | None = None

    async def begin(self, config: FarmConfig, head: str) -> None:
        """Become a front end with this config; a process that Ray has started again needs this once more.

        Ray keeps the arguments of an actor's constructor where they may be lost with a node, so they are few.
        """
        async with self._beginning:
            if self._front is None:
                self._front = await self._begin(config, _address(config, head))

    async def ask(self, request: Request) -> tuple[Answer, int] | None:
        """What the control plane answers, and how many worlds are held; None before `begin`."""
        front = self._front
        if front is None:
            return None
        return await _answer_of(front.peers.service.application, request), len(front.worlds)

    async def look(self, request: Request) -> tuple[Answer, int] | None:
        """The same of the agents' listener, for requests that are no calls."""
        front = self._front
        if front is None:
            return None
        return await _answer_of(front.agents.service.application, request), len(front.worlds)

    async def events(self, request: Request) -> AsyncIterator[Answer | bytes]:
        """What happens in a world, piece by piece; an answer alone where there is none."""
        if self._front is None:
            return
        try:
            world = self._front.worlds.named(world_in(request.path) or "")
        except NoWorldError as cause:
            yield error(404, str(cause))
            return
        try:
            watcher = world.watchers.enter()
        except TooManyWatchersError as cause:
            yield error(503, str(cause), ("retry-after", "5"))
            return
        async with aclosing(watcher):
            async for piece in watcher:
                yield piece

    async def stay(self) -> None:
        """Never answer: a client that waits for it learns of the end of this process at once."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Its worlds end."""
        await self._stack.aclose()

    async def _begin(self, config: FarmConfig, address: str) -> FrontEnd:
        limits.hold_many_worlds()
        _audit_into_output()
        boxes = self._stack.enter_context(Mailboxes.opened(1))
        # The guards decide which requests are let in; they know the secret.
        sock = self._stack.enter_context(listen(address, 0, "guarded"))
        # The name of a world tells which actor holds it. No connection is handed over: this front end is alone.
        front = FrontEnd(replace(config, url=url_of(sock)), 0, boxes, self._share)
        await self._stack.enter_async_context(serving(front, [sock], [], boxes))
        # As in the processes of a farm on one machine: objects that exist by now stay, and need no collection.
        gc.collect()
        gc.freeze()
        return front


def _address(config: FarmConfig, head: str) -> str:
    """The address that agents connect to; LaunchError where none could be served there."""
    if not has_folders(config.servers):
        raise LaunchError(
            f"There are no servers at {str(config.servers)!r} on the node {node_address()}; put them there."
        )
    if config.open_to_others:
        return node_address()
    if node_address() != head:
        raise LaunchError(
            f"The node {node_address()} is another machine than {head}, and worlds are not open to others; "
            "start the farm with --host and --secret-env, or the run anew."
        )
    return "127.0.0.1"


async def _answer_of(application: Starlette, request: Request) -> Answer:
    """The answer of an application of this process."""
    transport = httpx2.ASGITransport(application, raise_app_exceptions=False, client=(request.peer, 0))
    async with httpx2.AsyncClient(transport=transport, base_url="http://farm") as client:
        target = f"{request.path}?{request.query}" if request.query else request.path
        response = await client.request(request.method, target, content=request.body, headers=request.headers)
    headers = tuple((name, value) for name, value in response.headers.items() if name not in _OF_BODY)
    return Answer(response.status_code, response.content, response.headers.get("content-type", ""), headers)


def _audit_into_output() -> None:
    """Ray keeps the output of its processes; the audit log of a node goes there."""
    if not audit_log.handlers:
        audit_log.addHandler(logging.StreamHandler())
        audit_log.setLevel(logging.INFO)
        audit_log.propagate = False
