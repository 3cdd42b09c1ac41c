"""Worlds as their owners see them: opened, looked into, marked, judged and closed over HTTP, and never by an agent."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote

import anyio.to_thread
from pydantic import BaseModel, ValidationError

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.errors import EnvScalerError, LaunchError, SandboxError, WorldError
from envscaler_mcp.farm.access import audit
from envscaler_mcp.farm.hosted_world import BusyError, HostedWorld, Watcher
from envscaler_mcp.farm.http1 import Answer, Request, Stream, error
from envscaler_mcp.farm.idempotency import Once
from envscaler_mcp.farm.peers import Siblings, SilentError
from envscaler_mcp.farm.worlds import FullError, NoWorldError, Worlds
from envscaler_mcp.serving.control.schemas import (
    PREFIX,
    Done,
    ForkOrder,
    HashAnswer,
    LeaseOrder,
    OpenOrder,
    Snapshot,
    StateAnswer,
    VerifyOrder,
    WorldCard,
    WorldCards,
)
from envscaler_mcp.serving.outcome import encode

OWN = "own"
"""The query that asks one process for its own worlds alone."""
HEARTBEAT = 15.0

T = TypeVar("T", bound=BaseModel)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be asked."""

    method: str
    path: str
    does: str
    """The method of `ControlPlane`."""
    about: str
    takes: type[BaseModel] | None
    gives: type[BaseModel] | None
    """None for a stream of events."""


ROUTES = (
    Route("POST", PREFIX, "open", "Open worlds at a scenario or a state.", OpenOrder, WorldCards),
    Route("GET", PREFIX, "list", "The worlds that are open.", None, WorldCards),
    Route("GET", f"{PREFIX}/{{name}}", "card", "One world.", None, WorldCard),
    Route("DELETE", f"{PREFIX}/{{name}}", "close", "End a world.", None, Done),
    Route("GET", f"{PREFIX}/{{name}}/state", "state", "Every record and scalar.", None, StateAnswer),
    Route("GET", f"{PREFIX}/{{name}}/hash", "hash", "The digest of the state.", None, HashAnswer),
    Route("GET", f"{PREFIX}/{{name}}/diff", "diff", "What the last call changed.", None, StateDiff),
    Route("GET", f"{PREFIX}/{{name}}/changes", "changes", "What changed since the world was opened.", None, StateDiff),
    Route("POST", f"{PREFIX}/{{name}}/snapshot", "snapshot", "Set a mark to come back to.", None, Snapshot),
    Route("POST", f"{PREFIX}/{{name}}/restore", "restore", "Go back to a mark, which stays.", Snapshot, Done),
    Route("POST", f"{PREFIX}/{{name}}/fork", "fork", "Open worlds that go on from here.", ForkOrder, WorldCards),
    Route("POST", f"{PREFIX}/{{name}}/verify", "verify", "Judge the state as an ending.", VerifyOrder, Verdict),
    Route("POST", f"{PREFIX}/{{name}}/lease", "lease", "Let the lease begin anew.", LeaseOrder, WorldCard),
    Route("GET", f"{PREFIX}/{{name}}/events", "events", "What happens in the world, as it happens.", None, None),
)
_PATHS = [(route, re.compile(re.sub(r"\\{name\\}", "(?P<name>[^/]+)", re.escape(route.path)))) for route in ROUTES]


def world_in(path: str) -> str | None:
    """The world that a path is about."""
    parts = path.split("/", 4)
    return unquote(parts[3]) if path.startswith(f"{PREFIX}/") and len(parts) > 3 else None


class ControlPlane:
    """One process's part of it; what is about all worlds asks the others too."""

    def __init__(self, worlds: Worlds, siblings: Siblings, url: str) -> None:
        self._worlds = worlds
        self._siblings = siblings
        self._url = url
        self._opens = Once()

    async def answer(self, request: Request) -> Answer | Stream:
        """What a request is told; no error names a path or shows code."""
        found = [(route, match) for route, path in _PATHS if (match := path.fullmatch(request.path))]
        if not found:
            return error(404, "There is nothing here; /openapi.json tells what there is.")
        chosen = next(((route, match) for route, match in found if route.method == request.method), None)
        if chosen is None:
            allowed = ", ".join(route.method for route, _ in found)
            return error(405, f"Only {allowed} can be done here.", ("allow", allowed))
        route, match = chosen
        if request.method != "GET":
            audit(route.does, request)
        try:
            world = match.groupdict().get("name")
            does: Callable[..., Awaitable[Any]] = getattr(self, f"_do_{route.does}")
            given: list[Any] = [request] if world is None else [self._worlds.named(unquote(world))]
            if route.takes is not None:
                given.append(_read(route.takes, request.body))
            gives = await does(*given)
        except EnvScalerError as cause:
            return _refused(cause)
        return gives if isinstance(gives, (Answer, Stream)) else _sent(gives)

    async def _do_open(self, request: Request, order: OpenOrder) -> Answer:
        return await self._opens.answer(request, partial(self._opened, order, alone=OWN in request.query))

    async def _opened(self, order: OpenOrder, *, alone: bool) -> Answer:
        shares = [order.count] if alone else _shares(order.count, 1 + len(self._siblings.others))
        cards: list[dict[str, Any]] = []
        opened: list[HostedWorld] = []
        try:
            for _ in range(shares[0]):
                opened.append(world := await self._one(order))
                cards.append(self._card(world).model_dump())
                await asyncio.sleep(0)
            for number, share in zip(self._siblings.others, shares[1:], strict=False):
                if share:
                    cards += await self._opened_elsewhere(number, order.model_copy(update={"count": share}))
        except BaseException:
            # All or none; those that another process opened end with their leases.
            for world in opened:
                await self._worlds.close(world)
            for card in cards[len(opened) :]:
                await self._siblings.ask(self._worlds.share.owner(card["name"]), "DELETE", f"{PREFIX}/{card['name']}")
            raise
        return Answer(201, encode({"worlds": cards}).encode())

    async def _one(self, order: OpenOrder) -> HostedWorld:
        try:
            start = order.scenario, order.state, order.seed
            return await self._worlds.open(order.environment, *start, order.lease_seconds, order.prompts)
        except SandboxError as cause:
            logger.exception("no worker for a world of %s", order.environment)
            raise FullError("No worker could be started for this world; the farm's log says why.") from cause

    async def _opened_elsewhere(self, number: int, order: OpenOrder) -> list[dict[str, Any]]:
        body = order.model_dump_json().encode()
        status, content = await self._siblings.ask(number, "POST", f"{PREFIX}?{OWN}", body)
        told = json.loads(content)
        if status != 201:
            raise (FullError if status == 503 else WorldError)(told["error"])
        found: list[dict[str, Any]] = told["worlds"]
        return found

    async def _do_list(self, request: Request) -> dict[str, Any]:
        cards = [self._card(world).model_dump() for world in self._worlds]
        if OWN not in request.query:
            for told in await self._siblings.ask_all(f"{PREFIX}?{OWN}"):
                cards += told["worlds"]
        return {"worlds": sorted(cards, key=lambda card: (card["environment"], card["name"]))}

    async def _do_card(self, world: HostedWorld) -> WorldCard:
        return self._card(world)

    async def _do_close(self, world: HostedWorld) -> Done:
        await self._worlds.close(world)
        return Done()

    async def _do_state(self, world: HostedWorld) -> dict[str, Any]:
        return {"state": await world.act(lambda one: one.state())}

    async def _do_hash(self, world: HostedWorld) -> HashAnswer:
        return HashAnswer(hash=await world.act(lambda one: one.state_hash()))

    async def _do_diff(self, world: HostedWorld) -> StateDiff:
        return await world.act(lambda one: one.diff())

    async def _do_changes(self, world: HostedWorld) -> StateDiff:
        return await world.act(lambda one: one.diff_since_start())

    async def _do_snapshot(self, world: HostedWorld) -> Snapshot:
        return Snapshot(snapshot=await world.act(lambda one: one.snapshot()))

    async def _do_restore(self, world: HostedWorld, order: Snapshot) -> Done:
        await world.act(lambda one: one.restore(order.snapshot))
        # What was not delivered did not happen any more.
        world.undelivered.clear()
        world.tell("restored", {"snapshot": order.snapshot})
        return Done()

    async def _do_fork(self, world: HostedWorld, order: ForkOrder) -> Answer:
        forked: list[HostedWorld] = []
        try:
            for _ in range(order.count):
                forked.append(await self._worlds.fork(world))
                await asyncio.sleep(0)
        except BaseException:
            for one in forked:
                await self._worlds.close(one)
            raise
        return Answer(201, encode({"worlds": [self._card(one).model_dump() for one in forked]}).encode())

    async def _do_verify(self, world: HostedWorld, order: VerifyOrder) -> Verdict:
        """Agents may go on while checks run on the state that was read."""
        final = await world.act(lambda one: one.state())
        threads = world.threads.judging
        verdict = await anyio.to_thread.run_sync(world.session.judged, final, order.scoring, limiter=threads)
        world.tell("verified", {"reward": verdict.reward})
        return verdict

    async def _do_lease(self, world: HostedWorld, order: LeaseOrder) -> WorldCard:
        self._worlds.renew(world, order.seconds)
        return self._card(world)

    async def _do_events(self, world: HostedWorld) -> Stream:
        return Stream(_events(world, world.watch()))

    def _card(self, world: HostedWorld) -> WorldCard:
        scenario = world.session.scenario
        environment = world.environment.card.id
        return WorldCard(
            name=world.name,
            environment=environment,
            scenario=None if scenario is None else scenario.id,
            url=f"{self._url}/e/{environment}/{world.name}/mcp",
            place=world.place,
            lease_seconds=world.terms.lease_seconds,
            calls=world.calls,
            ended=world.ended is not None,
            reason=None if world.ended is None else world.ended.reason,
            slowed=world.slowed,
            memory=world.memory,
        )


async def _events(world: HostedWorld, watcher: Watcher) -> AsyncIterator[bytes]:
    """One event for each thing that happens, and a sign of life in between."""
    try:
        yield b": watching\n\n"
        while True:
            try:
                event = await asyncio.wait_for(watcher.events.get(), HEARTBEAT)
            except TimeoutError:
                yield b": \n\n"
                continue
            if event is None:
                return
            yield b"event: %s\ndata: %s\n\n" % (event["event"].encode(), encode(dict(event)).encode())
    finally:
        world.unwatch(watcher)


def _shares(count: int, processes: int) -> list[int]:
    return [count // processes + (number < count % processes) for number in range(processes)]


def _read(model: type[T], body: bytes) -> T:
    try:
        return model.model_validate_json(body or b"{}")
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise WorldError(f"{where + ': ' if where else 'The body: '}{first['msg']}") from cause


def _sent(gives: BaseModel | Mapping[str, Any]) -> Answer:
    if isinstance(gives, BaseModel):
        return Answer(200, gives.model_dump_json().encode())
    return Answer(200, encode(dict(gives)).encode())


def _refused(cause: EnvScalerError) -> Answer:
    if isinstance(cause, NoWorldError):
        return error(404, str(cause))
    if isinstance(cause, (FullError, SilentError, BusyError)):
        return error(503, str(cause), ("retry-after", "5"))
    if isinstance(cause, SandboxError):
        return error(410, "The worker that held this world has ended; close it and open another one.")
    if isinstance(cause, (WorldError, LaunchError)):
        return error(400, str(cause))
    return error(500, "The farm could not do this; its log says why.")
