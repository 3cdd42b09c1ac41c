"""What owners do with their worlds over HTTP: open, read, snapshot, judge and close them. Agents cannot."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote

import anyio.to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.errors import SandboxError, WorldError
from envscaler_mcp.farm.access import audit
from envscaler_mcp.farm.application import json_response, raw_json
from envscaler_mcp.farm.hosted_world import HostedWorld, Watcher
from envscaler_mcp.farm.idempotency import IdempotentRequests
from envscaler_mcp.farm.metrics import OWN
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import FullError, Worlds
from envscaler_mcp.serving.control.schemas import (
    FARM_OPERATIONS,
    PREFIX,
    Done,
    ForkOrder,
    HashAnswer,
    LeaseOrder,
    OpenOrder,
    Operation,
    Snapshot,
    VerifyOrder,
    WorldCard,
)
from envscaler_mcp.serving.outcome import encode

HEARTBEAT = 15.0
_EVENTS = {"cache-control": "no-store", "connection": "close"}

T = TypeVar("T", bound=BaseModel)

logger = logging.getLogger(__name__)


def world_in(path: str) -> str | None:
    """The world that a path is about."""
    parts = path.split("/", 4)
    return unquote(parts[3]) if path.startswith(f"{PREFIX}/") and len(parts) > 3 else None


class ControlPlane:
    """One process's part of it; operations on all worlds ask the other processes too."""

    def __init__(self, worlds: Worlds, siblings: Siblings, url: str) -> None:
        self._worlds = worlds
        self._siblings = siblings
        self._url = url
        self._opens = IdempotentRequests()

    def routes(self) -> list[Route]:
        """One for each path; its methods are the operations there."""
        by_path: dict[str, dict[str, Operation]] = {}
        for operation in FARM_OPERATIONS:
            by_path.setdefault(operation.path, {})[operation.method] = operation
        return [Route(path, partial(self._answer, there), methods=list(there)) for path, there in by_path.items()]

    async def _answer(self, there: Mapping[str, Operation], request: Request) -> Response:
        operation = there["GET" if request.method == "HEAD" else request.method]
        if operation.method != "GET":
            audit(operation.does, request.client, request.method, request.url.path)
        does: Callable[..., Awaitable[Any]] = getattr(self, f"_do_{operation.does}")
        name = request.path_params.get("name")
        given: list[Any] = [request] if name is None else [self._worlds.named(name)]
        if operation.takes is not None:
            given.append(_read(operation.takes, await request.body()))
        gives = await does(*given)
        if isinstance(gives, Response):
            return gives
        return raw_json(gives.model_dump_json()) if isinstance(gives, BaseModel) else json_response(gives)

    async def _do_open(self, request: Request, order: OpenOrder) -> Response:
        return await self._opens.answer(request, partial(self._opened, order, alone=OWN in request.query_params))

    async def _opened(self, order: OpenOrder, *, alone: bool) -> Response:
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
        return json_response({"worlds": cards}, 201)

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
        answer = json.loads(content)
        if status != 201:
            raise (FullError if status == 503 else WorldError)(answer["error"])
        cards: list[dict[str, Any]] = answer["worlds"]
        return cards

    async def _do_list(self, request: Request) -> dict[str, Any]:
        cards = [self._card(world).model_dump() for world in self._worlds]
        if OWN not in request.query_params:
            for answer in await self._siblings.ask_all(f"{PREFIX}?{OWN}"):
                cards += answer["worlds"]
        return {"worlds": sorted(cards, key=lambda card: (card["environment"], card["name"]))}

    async def _do_card(self, world: HostedWorld) -> WorldCard:
        return self._card(world)

    async def _do_close(self, world: HostedWorld) -> Done:
        await self._worlds.close(world)
        return Done()

    async def _do_state(self, world: HostedWorld) -> dict[str, Any]:
        return {"state": await world.act(lambda session: session.state())}

    async def _do_hash(self, world: HostedWorld) -> HashAnswer:
        return HashAnswer(hash=await world.act(lambda session: session.state_hash()))

    async def _do_diff(self, world: HostedWorld) -> StateDiff:
        return await world.act(lambda session: session.diff())

    async def _do_changes(self, world: HostedWorld) -> StateDiff:
        return await world.act(lambda session: session.diff_since_start())

    async def _do_snapshot(self, world: HostedWorld) -> Snapshot:
        return Snapshot(snapshot=await world.act(lambda session: session.snapshot()))

    async def _do_restore(self, world: HostedWorld, order: Snapshot) -> Done:
        await world.act(lambda session: session.restore(order.snapshot))
        world.tell("restored", {"snapshot": order.snapshot})
        return Done()

    async def _do_fork(self, world: HostedWorld, order: ForkOrder) -> Response:
        forked: list[HostedWorld] = []
        try:
            for _ in range(order.count):
                forked.append(await self._worlds.fork(world))
                await asyncio.sleep(0)
        except BaseException:
            for fork in forked:
                await self._worlds.close(fork)
            raise
        return json_response({"worlds": [self._card(fork).model_dump() for fork in forked]}, 201)

    async def _do_verify(self, world: HostedWorld, order: VerifyOrder) -> Verdict:
        """Agents may continue while checks run on the state that was read."""
        final = await world.act(lambda session: session.state())
        threads = world.threads.judging
        verdict = await anyio.to_thread.run_sync(world.session.judged, final, order.scoring, limiter=threads)
        world.tell("verified", {"reward": verdict.reward})
        return verdict

    async def _do_lease(self, world: HostedWorld, order: LeaseOrder) -> WorldCard:
        self._worlds.renew(world, order.seconds)
        return self._card(world)

    async def _do_events(self, world: HostedWorld) -> Response:
        return events_response(events_of(world))

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


def events_response(events: AsyncIterator[bytes]) -> Response:
    """Server-sent events, until the client or the world is gone."""
    return StreamingResponse(events, media_type="text/event-stream", headers=_EVENTS)


def events_of(world: HostedWorld) -> AsyncIterator[bytes]:
    """What happens in a world from now on."""
    return _events(world, world.watch())


async def _events(world: HostedWorld, watcher: Watcher) -> AsyncIterator[bytes]:
    """One event for each thing that happens, and a comment as a heartbeat."""
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
