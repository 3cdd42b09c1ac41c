"""The control plane of a single server: HTTP over a unix socket or a loopback port, for clients that have the token.

It shares no listener and no address with the server's agents, and none of its operations calls a tool.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.errors import EnvScalerError, Reason, UnreadableStateError, WorkerEndedError, WorldError
from envscaler_mcp.serving.control.plane import ControlPlane, NoWorldError
from envscaler_mcp.serving.control.schemas import SERVER_OPERATIONS, Done, ForkOrder, OpenOrder, WorldCard, WorldCards
from envscaler_mcp.serving.http import Doorkeeper, http_server
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.spoken_world import is_local
from envscaler_mcp.serving.suggestion import quote_value
from envscaler_mcp.serving.tasks import Offer
from envscaler_mcp.serving.world_slot import WorldSlot

SERVED = "current"
"""The name, in a path, of the world that the server's agents act on."""

Open = Callable[[str | None, str | None, int | None, Offer | None], Session]
"""Opens a session at a scenario or a state, with a seed, and chooses which tasks are offered as prompts."""

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class OwnedWorld:
    """A world of this server."""

    name: str
    session: Session
    slot: WorldSlot

    async def act(self, does: Callable[[Session], T]) -> T:
        """The result of `does`, run while no call of an agent runs."""
        return await self.slot.turn(lambda: does(self.session))


class ServerControlPlane(ControlPlane[OwnedWorld]):
    """The worlds of one server: the one that its agents act on, and those forked from it."""

    operations = SERVER_OPERATIONS

    def __init__(self, environment: str, slot: WorldSlot, session: Session, open_session: Open, url: str = "") -> None:
        self._environment = environment
        self._slot = slot
        self._open = open_session
        self.url = url
        self._opened = 0
        self._worlds: dict[str, OwnedWorld] = {}
        self._current = self._add(session).name

    def _add(self, session: Session) -> OwnedWorld:
        self._opened += 1
        world = OwnedWorld(str(self._opened), session, self._slot)
        self._worlds[world.name] = world
        return world

    def world(self, name: str) -> OwnedWorld:
        """The world of that name; NoWorldError where there is none."""
        world = self._worlds.get(self._current if name == SERVED else name)
        if world is None:
            raise NoWorldError(f"There is no world {quote_value(name)}.")
        return world

    def card(self, world: OwnedWorld) -> WorldCard:
        """A world as it is listed."""
        scenario = world.session.scenario
        return WorldCard(
            name=world.name,
            environment=self._environment,
            scenario=None if scenario is None else scenario.id,
            url=self.url,
            place="here" if is_local(world.session.world) else "worker",
            lease_seconds=None,
        )

    async def _do_open(self, request: Request, order: OpenOrder) -> WorldCards:  # noqa: ARG002 - farms need it
        """Open a world in place of the one that agents act on, which ends."""
        if order.environment != self._environment:
            raise WorldError(f"This server has no environment {quote_value(order.environment)}.")
        if order.count != 1 or order.lease_seconds is not None or order.task is not None:
            raise WorldError(
                "A single server opens one world at a time, at a task of its own and without a lease; use a farm for more."
            )
        if order.dialect is not None:
            raise WorldError(
                "A single server speaks what it was started with; use a farm to choose a dialect for each world."
            )
        start = order.scenario, order.state, order.seed, order.prompts
        return WorldCards(worlds=(self.card(await self.replace(*start)),))

    async def replace(
        self, scenario: str | None, state: str | None, seed: int | None, prompts: Offer | None
    ) -> OwnedWorld:
        """Open a world in place of the one that agents act on, which ends."""
        session = await self._slot.turn(lambda: self._open(scenario, state, seed, prompts))
        former = self._worlds.pop(self._current, None)
        world = self._serve(self._add(session))
        if former is not None:
            await self._slot.turn(former.session.close)
        return world

    def _serve(self, world: OwnedWorld) -> OwnedWorld:
        self._slot.world = world.session.world
        self._current = world.name
        return world

    async def _do_serve(self, world: OwnedWorld) -> Done:
        self._serve(world)
        return Done()

    async def _do_list(self, request: Request) -> WorldCards:  # noqa: ARG002 - farms need it
        return WorldCards(worlds=tuple(self.card(world) for world in self._worlds.values()))

    async def _do_fork(self, world: OwnedWorld, order: ForkOrder) -> WorldCards:
        forks = [self._add(await world.act(lambda session: session.fork())) for _ in range(order.count)]
        return WorldCards(worlds=tuple(self.card(fork) for fork in forks))

    async def _do_close(self, world: OwnedWorld) -> Done:
        del self._worlds[world.name]
        await self._slot.turn(world.session.close)
        return Done()

    def close(self) -> None:
        """End every world."""
        for world in self._worlds.values():
            world.session.close()
        self._worlds.clear()


async def serve_control(plane: ServerControlPlane, sock: socket.socket, token: str) -> None:
    """Answer requests that carry the token, until cancelled."""
    application = Starlette(
        routes=plane.routes(),
        exception_handlers={HTTPException: _http_error, Exception: _failed, EnvScalerError: _refused},
    )
    application.router.redirect_slashes = False
    server = http_server(Doorkeeper(application, "127.0.0.1", token), lifespan="off", http="auto")
    await server.serve(sockets=[sock])


def _error(status: int, message: str, reason: Reason | Literal["state"] | None = None) -> Response:
    answer = {"error": message} if reason is None else {"error": message, "reason": reason}
    return Response(encode(answer).encode(errors="replace"), status, media_type="application/json")


async def _http_error(request: Request, cause: Exception) -> Response:  # noqa: ARG001 - Starlette passes it
    assert isinstance(cause, HTTPException)
    return _error(cause.status_code, "There is no such request." if cause.detail == "Not Found" else cause.detail)


async def _refused(request: Request, cause: Exception) -> Response:  # noqa: ARG001 - Starlette passes it
    if isinstance(cause, WorkerEndedError):
        return _error(410, str(cause), cause.reason)
    if isinstance(cause, UnreadableStateError):
        return _error(409, str(cause), "state")
    return _error(404 if isinstance(cause, NoWorldError) else 400, str(cause))


async def _failed(request: Request, cause: Exception) -> Response:
    return _error(500, f"{request.url.path} failed: {type(cause).__name__}.")
