"""Worlds of a benchmark at a farm: opened over its control plane, and called over HTTP at their own addresses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, TypeVar
from urllib.parse import quote

import anyio
import anyio.to_thread
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel

from envscaler_mcp.artifacts import Environment, Step
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.errors import EnvScalerError, RunError, UnreadableStateError, WorldError, ungrouped
from envscaler_mcp.launch.client_channel import lost_connections_told
from envscaler_mcp.launch.stdio import connected
from envscaler_mcp.official.benchmark import OfficialTask
from envscaler_mcp.official.over_stdio import Opening
from envscaler_mcp.official.world import Hearing, OfficialWorld
from envscaler_mcp.serving.control.bodies import MOST_VALUES, values_in
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld, Token, text_of
from envscaler_mcp.serving.control.plane import MAX_BODY
from envscaler_mcp.serving.control.schemas import ENVIRONMENTS, Judgement, JudgeOrder, Move, UserOrder

_SECONDS = 300.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FarmAccess:
    """A farm that serves a benchmark."""

    control: ControlClient
    token: Token
    """With which its worlds are called."""


@asynccontextmanager
async def worlds_at_farm(farm: FarmAccess, benchmark: str, digest: str) -> AsyncIterator[Opening]:
    """Opens worlds at a farm whose official files have this digest, for the block."""
    await _check(farm, benchmark, digest)
    async with httpx2.AsyncClient(trust_env=False, auth=_Bearer(farm.token), timeout=_SECONDS) as web:

        @asynccontextmanager
        async def opening(task: OfficialTask) -> AsyncIterator[OfficialWorld]:
            opened = await _waited_for(farm.control.open, benchmark, scenario=task.id)
            hearing = Hearing()
            # The handshake of 2025: changes of a list arrive unasked, as most hosts hear of them today.
            client = Client(
                streamable_http_client(opened.url, http_client=web), mode="legacy", message_handler=hearing.hear
            )
            try:
                with ungrouped():
                    async with (
                        lost_connections_told(f"a world of {benchmark}"),
                        connected(client, f"The world at {opened.url} could not be reached"),
                    ):
                        world = OfficialWorld(_AtFarm(opened), client)
                        with hearing.told_to(world):
                            await world.read_tools()
                            yield world
            finally:
                with anyio.CancelScope(shield=True), suppress(EnvScalerError):
                    await _waited_for(opened.close)

        yield opening


class _Bearer(httpx2.Auth):
    """The token that is good at each request: a benchmark may take longer than one of them is."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers["Authorization"] = f"Bearer {text_of(self._token)}"
        yield request


async def _check(farm: FarmAccess, benchmark: str, digest: str) -> None:
    path = f"{ENVIRONMENTS}/{quote(benchmark)}"
    try:
        card = await _waited_for(farm.control.ask, "GET", path, None, Environment)
    except WorldError as cause:
        why = f"The farm does not serve {benchmark}: {cause}; `envscaler farm --benchmark {benchmark}` starts one that does."
        raise RunError(why) from cause
    if card.code_digest != digest:
        raise RunError(f"The farm serves {benchmark} from other files than those that are here.")


class _AtFarm:
    """The control of a world at a farm."""

    def __init__(self, world: RemoteWorld) -> None:
        self._world = world

    async def release(self, turn: int) -> None:
        await _waited_for(self._world.turn, turn)

    async def digest(self) -> str:
        return (await _waited_for(self._world.judge)).digest

    async def user(self, strategy: str, text: str | None, answers: Sequence[str]) -> Any:
        _refuse_too_much(UserOrder(strategy=strategy, text=text, answers=tuple(answers)))
        return await _waited_for(self._world.user, strategy, text, answers)

    async def judged(self, steps: Sequence[Step]) -> Judgement:
        moves = tuple(moves_of(steps))
        _refuse_too_much(JudgeOrder(moves=moves))
        return await _waited_for(self._world.judge, moves)


def _refuse_too_much(order: BaseModel) -> None:
    """UnreadableStateError where a farm does not read the order: whatever is long in it has come of the agent's words."""
    body = order.model_dump_json(exclude_none=True).encode()
    if len(body) > MAX_BODY or values_in(body) > MOST_VALUES:
        raise UnreadableStateError(f"what was said is more than a farm reads: {len(body):,} bytes")


def moves_of(steps: Sequence[Step]) -> Iterator[Move]:
    """The moves of an episode; the calls themselves are known where the world is."""
    for _, group in groupby(steps, key=lambda step: step.turn):
        made = list(group)
        calls = sum(is_call(step) and not step.malformed for step in made)
        if calls:
            yield Move(calls=calls, text=made[0].text)
        elif is_call(made[0]):
            yield Move(text=made[0].text, malformed=made[0].malformed)
        else:
            yield Move(text=made[0].text, reply=made[0].observation)


async def _waited_for(act: Callable[..., T], *given: Any, **named: Any) -> T:
    return await anyio.to_thread.run_sync(partial(act, *given, **named), abandon_on_cancel=True)
