"""What owners do with their worlds over HTTP: open, read, snapshot, judge and close them. Agents cannot."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.artifacts import Environment, StateDiff, Verdict, digest_of_state, pieces_of
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import SandboxError, WorldError
from envscaler_mcp.farm.access import audit, holder_of, token_in
from envscaler_mcp.farm.application import json_response, raw_json
from envscaler_mcp.farm.benchmark_session import BenchmarkSession
from envscaler_mcp.farm.environments import FarmEnvironment
from envscaler_mcp.farm.event_stream import EventStream
from envscaler_mcp.farm.fair_line import Costs, Party
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.idempotency import IdempotentRequests
from envscaler_mcp.farm.loop_turns import LoopTurns
from envscaler_mcp.farm.peers import Siblings, SilentError
from envscaler_mcp.farm.verdicts import HOLDER, Verdicts
from envscaler_mcp.farm.world_views import WorldViews
from envscaler_mcp.farm.worlds import FullError, Worlds
from envscaler_mcp.serving.control.plane import ControlPlane
from envscaler_mcp.serving.control.schemas import (
    FARM_OPERATIONS,
    PREFIX,
    ControlOperation,
    Done,
    EnvironmentNames,
    ForkOrder,
    HashAnswer,
    Judgement,
    JudgeOrder,
    LeaseOrder,
    OpenOrder,
    ScenarioList,
    Snapshot,
    TurnOrder,
    UserAnswer,
    UserOrder,
    VerifyOrder,
    WorldCard,
    WorldCards,
)
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.state_diff import diff_of_states
from envscaler_mcp.serving.suggestion import quote_value

BATCHES = "/batches"
"""Where another process has the worlds closed that it asked for with one request."""
_BATCH = "batch"
_MOST_CANCELLED = 1_000
_CARDS = 256
"""Worlds that are listed in one turn."""

logger = logging.getLogger(__name__)


def world_in(path: str) -> str | None:
    """The world that a path is about; a path with percent signs was refused before."""
    parts = path.split("/", 4)
    return parts[3] if path.startswith(f"{PREFIX}/") and len(parts) > 3 else None


class FarmControlPlane(ControlPlane[HostedWorld]):
    """One process's part of it; operations on all worlds ask the other processes too, except where one of them asks."""

    operations: ClassVar[Sequence[ControlOperation]] = FARM_OPERATIONS

    def __init__(
        self, worlds: Worlds, siblings: Siblings, url: str, verdicts: Verdicts, *, for_peers: bool = False
    ) -> None:
        self._worlds = worlds
        self._verdicts = verdicts
        self.siblings = siblings
        self._for_peers = for_peers
        self._url = url
        self.turns = LoopTurns(Costs())
        """Where the rest of a long order waits; the turns of the requests, where this answers requests."""
        self._views = WorldViews()
        self._opens = IdempotentRequests()
        self._cancelled: dict[str, None] = {}
        """Batches whose worlds were closed; one of them may still be opening more."""

    async def _answer(self, there: Mapping[str, ControlOperation], request: Request) -> Response:
        operation = there.get(request.method)
        HOLDER.set(self._holder(request))
        if operation is not None and operation.method != "GET":
            audit(operation.does, request.client, request.method, request.url.path)
        return await super()._answer(there, request)

    def world(self, name: str) -> HostedWorld:
        """The world of that name; NoWorldError where there is none."""
        return self._worlds.named(name)

    def _holder(self, request: Request) -> str:
        """Whose request it is: of a token that this listener has checked."""
        return holder_of(token_in(request.headers.get("authorization", "")))

    async def _do_open(self, request: Request, order: OpenOrder) -> Response:
        # Another process names the batch, so that it can have it closed.
        batch = request.query_params.get(_BATCH) if self._for_peers else None
        opened = partial(self._opened, order, batch=batch or secrets.token_urlsafe(16))
        return await self._opens.answer(request, HOLDER.get(), order.model_dump_json().encode(), opened)

    async def _opened(self, order: OpenOrder, *, batch: str) -> Response:
        shares = [order.count] if self._for_peers else _shares(order.count, 1 + len(self.siblings.others))
        elsewhere = [(number, share) for number, share in zip(self.siblings.others, shares[1:], strict=False) if share]
        cards: list[dict[str, Any]] = []
        try:
            for _ in range(shares[0]):
                world = await self._one(order)
                world.batch = batch
                if batch in self._cancelled:
                    raise WorldError("The process that asked for these worlds has given them up.")
                cards.append(self.card(world).model_dump())
                await self._next_turn()
            for number, share in elsewhere:
                cards += await self._opened_elsewhere(number, order.model_copy(update={"count": share}), batch)
        except BaseException:
            # All or none, also where the answer of another process did not arrive or says nothing of its worlds.
            await self._close_batch(batch)
            for number, _ in elsewhere:
                with suppress(SilentError):
                    await self.siblings.ask(number, "DELETE", f"{BATCHES}/{batch}")
            raise
        return json_response({"worlds": cards}, 201)

    async def close_batch(self, request: Request) -> Response:
        """Close the worlds of a batch, those too that are still being opened: another process has given it up."""
        await self._close_batch(request.path_params["batch"])
        return json_response({"done": True})

    async def _close_batch(self, batch: str) -> None:
        self._cancelled[batch] = None
        if len(self._cancelled) > _MOST_CANCELLED:
            del self._cancelled[next(iter(self._cancelled))]
        await self._close_all([world for world in self._worlds if world.batch == batch])

    async def _close_all(self, worlds: Iterable[HostedWorld]) -> None:
        for world in worlds:
            await self._worlds.close(world)
            # Others are answered meanwhile.
            await asyncio.sleep(0)

    async def _one(self, order: OpenOrder) -> HostedWorld:
        try:
            start = order.scenario, order.state, order.seed
            return await self._worlds.open(
                order.environment, *start, order.lease_seconds, order.prompts, order.task, order.dialect
            )
        except SandboxError as cause:
            logger.exception("no worker for a world of %s", order.environment)
            raise FullError("No worker could be started for this world; the farm's log says why.") from cause

    async def _opened_elsewhere(self, number: int, order: OpenOrder, batch: str) -> list[dict[str, Any]]:
        body = order.model_dump_json().encode()
        status, content = await self.siblings.ask(number, "POST", f"{PREFIX}?{_BATCH}={batch}", body)
        answer = json.loads(content)
        if status != 201:
            raise (FullError if status == 503 else WorldError)(answer["error"])
        cards: list[dict[str, Any]] = answer["worlds"]
        return cards

    async def _do_list(self, request: Request) -> dict[str, Any]:  # noqa: ARG002 - all routes get it
        cards = []
        for number, world in enumerate(self._worlds, start=1):
            cards.append(self.card(world).model_dump())
            if number % _CARDS == 0:
                await self._next_turn()
        if not self._for_peers:
            for answer in await self.siblings.ask_all(PREFIX):
                cards += map(self.card_from_elsewhere, answer["worlds"])
        return {"worlds": sorted(cards, key=lambda card: (card["environment"], card["name"]))}

    def card_from_elsewhere(self, card: dict[str, Any]) -> dict[str, Any]:
        """What is listed of a world of another process of the farm."""
        return card

    async def _next_turn(self) -> None:
        """Let an order that does many things go on when it is its token's turn."""
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        ticket = self.turns.enter_alone(turn, Party(holder_of(HOLDER.get())))
        try:
            await turn
        finally:
            ticket.leave()

    async def _do_close(self, world: HostedWorld) -> Done:
        await self._worlds.close(world)
        return Done()

    async def _do_restore(self, world: HostedWorld, order: Snapshot) -> Done:
        done = await super()._do_restore(world, order)
        world.tell("restored", {"snapshot": order.snapshot})
        return done

    async def _do_fork(self, world: HostedWorld, order: ForkOrder) -> WorldCards:
        forked: list[HostedWorld] = []
        try:
            for _ in range(order.count):
                forked.append(await self._worlds.fork(world))
                await self._next_turn()
        except BaseException:
            await self._close_all(forked)
            raise
        return WorldCards(worlds=tuple(map(self.card, forked)))

    async def _do_state(self, world: HostedWorld) -> Mapping[str, Any] | Response:
        if not world.is_large:
            return await super()._do_state(world)
        return raw_json(await self._views.of_state(world, "state", _state_answer))

    async def _do_hash(self, world: HostedWorld) -> HashAnswer:
        if not world.is_large:
            return await super()._do_hash(world)
        return HashAnswer(
            hash=world.known_hash or await self._views.of_world(world, "hash", partial(self._hash, world))
        )

    async def _hash(self, world: HostedWorld) -> str:
        changes = 0

        async def read(_: HostedWorld) -> Mapping[str, Any]:
            nonlocal changes
            changes, state = world.changes, await world.act(lambda session: session.state())
            return state

        digest = await self._views.made(world, digest_of_state, read)
        world.remember_hash(changes, digest)
        return digest

    async def _do_changes(self, world: HostedWorld) -> StateDiff:
        if not world.is_large:
            return await super()._do_changes(world)
        initial = world.session.initial
        return await self._views.of_state(world, "changes", partial(diff_of_states, initial))

    async def _do_verify(self, world: HostedWorld, order: VerifyOrder) -> Verdict:
        verdict = await self._verdicts.verdict(world, order.scoring, holder_of(HOLDER.get()))
        world.tell("verified", {"reward": verdict.reward})
        return verdict

    async def _do_turn(self, world: HostedWorld, order: TurnOrder) -> Done:
        await world.act(lambda session: _benchmark(session).turn(order.turn))
        world.tell_agents()
        return Done()

    async def _do_user(self, world: HostedWorld, order: UserOrder) -> UserAnswer:
        asked = order.strategy, order.text, order.answers
        return UserAnswer(answer=await world.act(lambda session: _benchmark(session).user(*asked)))

    async def _do_judge(self, world: HostedWorld, order: JudgeOrder) -> Judgement:
        judgement = await self._verdicts.judgement(world, order.moves, holder_of(HOLDER.get()))
        world.tell("verified", {"reward": judgement.verdict.reward})
        return judgement

    async def judged(self, world: HostedWorld, scoring: Scoring) -> Verdict:
        """The verdict on a world as it is now."""
        return await self._do_verify(world, VerifyOrder(scoring=scoring))

    async def _do_environments(self, request: Request) -> EnvironmentNames:  # noqa: ARG002 - all routes get it
        return EnvironmentNames(environments=tuple(self._worlds.environments.entries))

    async def _do_environment(self, request: Request) -> Environment:
        return (await self._environment(request)).card

    async def _do_scenarios(self, request: Request) -> ScenarioList:
        return ScenarioList(scenarios=await (await self._environment(request)).scenarios())

    async def _environment(self, request: Request) -> FarmEnvironment:
        named = request.path_params["environment"]
        if not self._worlds.environments.is_known(named):
            raise HTTPException(404, f"There is no environment {quote_value(named)}.")
        return await self._worlds.environments.find(named)

    async def _do_lease(self, world: HostedWorld, order: LeaseOrder) -> WorldCard:
        self._worlds.renew(world, order.seconds)
        return self.card(world)

    async def _do_events(self, world: HostedWorld) -> Response:
        return EventStream(world.watchers.enter())

    def card(self, world: HostedWorld) -> WorldCard:
        """A world as it is listed."""
        scenario = world.session.scenario
        environment = world.environment.card.id
        return WorldCard(
            name=world.name,
            environment=environment,
            scenario=None if scenario is None else scenario.id,
            url=f"{self._url}/e/{environment}/{world.name}/mcp",
            place=world.place,
            lease_seconds=world.terms.lease_seconds,
            dialect=world.dialect,
            calls=world.calls,
            ended=world.ended is not None,
            reason=None if world.ended is None else world.ended.reason,
            slowed=world.slowed,
            memory=world.memory,
            fork=bool(world.parent),
            of_class=world.of_class,
        )


def _benchmark(session: Session) -> BenchmarkSession:
    if not isinstance(session, BenchmarkSession):
        raise WorldError("This world is at no task of a benchmark.")
    return session


def _shares(count: int, processes: int) -> list[int]:
    return [count // processes + (number < count % processes) for number in range(processes)]


def _state_answer(state: Mapping[str, Any]) -> bytes:
    # A world, or who calls it, may hold halves of characters.
    return b'{"state":%b}' % "".join(pieces_of(state, encode)).encode(errors="replace")
