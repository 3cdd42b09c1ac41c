"""The agents that play in a studio: the oracle, random calls, and a model where one was named. Each makes one call at a time."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakKeyDictionary

import anyio

from envscaler_mcp.artifacts import Call
from envscaler_mcp.episode.agent import COMPLETED, Action, Agent, Briefing, Observation
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.guessing import RandomAgent
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.providers import provider_of
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.timeline import Timeline
from envscaler_mcp.llm import FREE, Budget, Endpoint, ModelParams, Price, Spending, paid_models
from envscaler_mcp.llm.access import chat_completions
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.studio.schemas import PlayedBy


@dataclass(frozen=True, slots=True)
class StudioModel:
    """The model that plays, where it is asked, what it costs, and what may be spent on it."""

    agent: str
    """Its name among agents, such as `openai:MODEL`."""
    endpoint: Endpoint
    params: ModelParams
    price: Price | None = None
    budget: float | None = None
    """For all models of the studio together; each of them names the same."""


@asynccontextmanager
async def model_players(*models: StudioModel | None) -> AsyncIterator[list[ModelPlayer | None]]:
    """What asks each of these models, for the block; what they cost together is counted until the end."""
    there = [model for model in models if model is not None]
    if not there:
        yield [None] * len(models)
        return
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="envscaler-studio-")))
        spending = stack.enter_context(Spending(folder / "spent.sqlite"))
        budget = Budget(spending, there[0].budget)
        yield [None if model is None else await _player(stack, model, spending, budget) for model in models]


async def _player(stack: AsyncExitStack, model: StudioModel, spending: Spending, budget: Budget) -> ModelPlayer:
    provider, _ = provider_of(model.agent)
    connect = chat_completions if provider is None else provider.connect
    chat = await stack.enter_async_context(paid_models(model.endpoint, spending, budget, connect))
    return ModelPlayer(chat(model.price), model.params, model.price or FREE, Prompts())


@dataclass(eq=False)
class _Seat:
    """An agent in one world: what it wants to call yet, and what it has heard since its last move."""

    agent: Agent
    wanted: deque[Call] = field(default_factory=deque)
    answers: list[str] = field(default_factory=list)
    refused: bool = False
    lock: anyio.Lock = field(default_factory=anyio.Lock)

    async def next(self) -> Action:
        """Its next call, or its last words."""
        if not self.wanted:
            acted = self.agent.act(Observation(*self.answers, refused=self.refused))
            action: Action = await acted if inspect.isawaitable(acted) else acted
            self.answers, self.refused = [], False
            if action.tool is None:
                return action
            self.wanted.extend((Call(tool=action.tool, arguments=action.arguments), *action.more))
            return self._taken(action.text)
        return self._taken("")

    def _taken(self, text: str) -> Action:
        call = self.wanted.popleft()
        return Action(text=text, tool=call.tool, arguments=dict(call.arguments))


class StudioAgents:
    """Those of one process, a seat for each agent in each world that it plays in."""

    def __init__(self, model: StudioModel | None) -> None:
        self.model = model
        self.player: ModelPlayer | None = None
        """What asks the model, while the farm runs."""
        self._seats: dict[PlayedBy, WeakKeyDictionary[HostedWorld, _Seat]] = {
            "random": WeakKeyDictionary(),
            "model": WeakKeyDictionary(),
        }

    def leave(self, world: HostedWorld) -> None:
        """Its agents begin anew: what they know did not happen."""
        for seats in self._seats.values():
            seats.pop(world, None)

    async def next(self, world: HostedWorld, who: PlayedBy, timeline: Timeline) -> Action:
        """The next call of an agent, or its last words; WorldError where it cannot play."""
        if who == "oracle":
            return _next_of_oracle(world, timeline)
        seat = self._seats[who].get(world)
        if seat is None:
            seat = self._seats[who][world] = _Seat(self._made(world, who))
        if seat.lock.locked():
            raise WorldError("This agent is thinking already; wait for its call.")
        try:
            async with seat.lock:
                action = await seat.next()
        except EnvScalerError as cause:
            raise WorldError(f"The agent cannot play: {cause}") from cause
        if action.tool is None:
            # Started again, it begins anew.
            self._seats[who].pop(world, None)
        return action

    def heard(self, world: HostedWorld, who: PlayedBy, text: str, *, refused: bool) -> None:
        """Let an agent know what its call led to."""
        seat = self._seats[who].get(world) if who in self._seats else None
        if seat is not None:
            seat.answers.append(text)
            seat.refused |= refused

    def _made(self, world: HostedWorld, who: PlayedBy) -> Agent:
        card, task = world.environment.card, world.session.scenario
        words = "" if task is None else task.task
        briefing = Briefing(card.id, card.introduction, card.tools, words, 0)
        if who == "random":
            return RandomAgent(briefing)
        if self.model is None or self.player is None:
            raise WorldError("No model plays here; start `envscaler studio --agent openai:MODEL`.")
        if task is None:
            raise WorldError("A model plays a task, and this world was opened at none.")
        return agent_named(self.model.agent, self.player)[1](briefing, task)


def _next_of_oracle(world: HostedWorld, timeline: Timeline) -> Action:
    task = world.session.scenario
    if task is None or not task.oracle:
        raise WorldError("This world was opened at no task whose solution is known; open it at one.")
    place = timeline.made_by("oracle")
    if place >= len(task.oracle):
        return Action(text=COMPLETED)
    call = task.oracle[place]
    return Action(tool=call.tool, arguments=dict(call.arguments))
