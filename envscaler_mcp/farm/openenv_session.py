"""One session of OpenEnv's wire: an episode at a task in a world of this process, and the next one after `reset`."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from envscaler_mcp.artifacts import Environment, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import COMPLETED, Scoring
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.episode.live import EpisodeLimits, LiveEpisode
from envscaler_mcp.episode.model_agent import PROMPTS
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.environments import HostedEnvironment
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.scenarios.introduction import introduction_at
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.control.schemas import MOST_SEED, OwnTask
from envscaler_mcp.serving.outcome import CHANGING

IDLE_SECONDS = 3_600.0
"""How long a session and its world stay without a message."""
MOST_STEPS = 1_000

_prompts = Prompts()

JudgeWorld = Callable[[HostedWorld, Scoring], Awaitable[Verdict]]
"""The verdict on a world as it is now."""
RewardOf = Literal["change", "state", "end"]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ResetOrder(_Message):
    """What `reset` may say; without any of it, the task is one of the split `train` at random."""

    seed: int | None = Field(default=None, ge=0, le=MOST_SEED)
    """Which of the tasks that fit is played, where none is named: the same seed is the same task."""
    episode_id: str | None = Field(default=None, max_length=255)
    scenario: str | None = Field(default=None, max_length=255)
    """The id of a stored task."""
    level: Level | None = None
    split: Split | Literal["all"] = "train"
    index: int | None = Field(default=None, ge=0)
    """Which of the tasks that fit; it takes the place of the seed."""
    task: OwnTask | None = None
    """A task of the owner's own, with the state where it begins."""
    max_steps: int | None = Field(default=None, ge=1, le=MOST_STEPS)
    """Calls until the episode ends; by default as many as in a run."""
    scoring: Scoring = "framed"
    rewards: RewardOf = "change"
    """What `reward` says after each step: how much the step changed what the state would be worth as an ending, so that
    the sum is the reward of the episode; that worth itself; or nothing until the episode is over."""


class ListTools(_Message):
    """The tools of the environment."""

    type: Literal["list_tools"] = "list_tools"
    metadata: dict[str, Any] = Field(default_factory=dict)


class CallTool(_Message):
    """A call of a tool."""

    type: Literal["call_tool"] = "call_tool"
    tool_name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    """What is no JSON object is answered as in a run."""
    metadata: dict[str, Any] = Field(default_factory=dict)


class Finish(_Message):
    """The end of the episode: its policy says that the task is done."""

    type: Literal["finish"] = "finish"
    metadata: dict[str, Any] = Field(default_factory=dict)


AnyAction: TypeAdapter[ListTools | CallTool | Finish] = TypeAdapter(
    Annotated[ListTools | CallTool | Finish, Field(discriminator="type")]
)


_kinds_of: WeakKeyDictionary[HostedEnvironment, Sequence[tuple[str, Level, Split]]] = WeakKeyDictionary()
"""The id, level and split of each task of an environment, once they were asked for."""


class NoRewardError(WorldError):
    """What failed was not the policy, so the episode has no reward and is to be left out."""


class OpenEnvSession:
    """Opens a world for each episode, and closes it with the next one or with the session."""

    def __init__(self, name: str, hosted: HostedEnvironment, worlds: Worlds, judge: JudgeWorld) -> None:
        self.name = name
        self.used = time.monotonic()
        self.attached = False
        """Whether a WebSocket has it."""
        self.turn = asyncio.Lock()
        """Held for one message; a WebSocket and requests may bring them at once."""
        self.hosted = hosted
        self._worlds = worlds
        self._judge = judge
        self._order = ResetOrder()
        self._world: HostedWorld | None = None
        self._channel: HostedChannel | None = None
        self._live: LiveEpisode | None = None
        self._steps = 0
        self._reward: float | None = None
        """The reward of the state as it is now, where it was asked for since it changed."""
        self._told = 0.0
        """The rewards given so far, where each step is given what it changed."""

    async def reset(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Begin an episode in a fresh world."""
        self.used = time.monotonic()
        order = ResetOrder.model_validate(dict(given))
        name = None if order.task is not None else await self._task(order)
        await self.close()
        own = order.task
        world = await self._worlds.open(
            self.hosted.card.id, scenario=name, lease_seconds=IDLE_SECONDS, prompts="none", task=own
        )
        self._order, self._world = order, world
        self._steps, self._reward, self._told = 0, None, 0.0
        self._live = await self._begun(world, order)
        messages = self._live.played.messages
        return {
            "observation": {"messages": messages, "task": self._live.briefing.task},
            "reward": None,
            "done": False,
            "metadata": {"environment": self.hosted.card.id, "scenario": self._live.scenario.id},
        }

    async def _task(self, order: ResetOrder) -> str:
        """The id of the stored task."""
        if order.scenario is not None:
            return order.scenario
        fitting = [
            name
            for name, level, split in await self._kinds()
            if order.level in (None, level) and order.split in ("all", split)
        ]
        if not fitting:
            raise WorldError(f"{self.hosted.card.id!r} has no task of this level and split; name others in reset.")
        if order.index is not None:
            if order.index >= len(fitting):
                raise WorldError(f"{len(fitting)} tasks fit, and number {order.index} was asked for, from 0.")
            return fitting[order.index]
        return fitting[secrets.randbelow(len(fitting)) if order.seed is None else order.seed % len(fitting)]

    async def _kinds(self) -> Sequence[tuple[str, Level, Split]]:
        known = _kinds_of.get(self.hosted)
        if known is None:
            tasks = await self.hosted.scenarios()
            known = _kinds_of[self.hosted] = [(task.id, task.level, task.split) for task in tasks]
        return known

    async def _begun(self, world: HostedWorld, order: ResetOrder) -> LiveEpisode:
        scenario = world.session.scenario
        assert scenario is not None
        card = self.hosted.card
        briefing = Briefing(
            environment=card.id,
            introduction=introduction_at(card, world.session.initial, scenario.task),
            tools=card.tools,
            task=scenario.task,
            seed=0,
        )
        steps = order.max_steps or steps_of(order.scoring, "task")
        self._channel = channel = HostedChannel(world, self.hosted.code.tools)
        live = LiveEpisode(channel, scenario, briefing, EpisodeLimits(steps), published=card.origin == "published")
        await live.begin()
        live.tell(_prompts.render(PROMPTS["task"], introduction=briefing.introduction, task=briefing.task).system)
        return live

    async def step(self, given: Mapping[str, Any], *, rewarded: bool = True) -> dict[str, Any]:
        """List the tools, call one, or finish; a step that is not rewarded leaves its change to the next one that is."""
        self.used = time.monotonic()
        action = AnyAction.validate_python(dict(given))
        if isinstance(action, ListTools):
            self._steps += 1
            return self._observation(
                {"tools": tools_of(self.hosted.card)}, await self._reward_now() if self._live else None
            )
        live = self._playing()
        self._steps += 1
        if live.over:
            said, refused = f"The episode is over ({live.played.ended}).", True
        else:
            move = Action(text=COMPLETED) if isinstance(action, Finish) else Action(**_call(action))
            assert self._channel is not None
            self._channel.changed = False
            observation = await live.act(move)
            said, refused = str(observation), observation.refused
            if self._channel.changed or live.over:
                self._reward = None
        content: dict[str, Any] = {"result": said}
        if isinstance(action, CallTool):
            content = {"tool_name": action.tool_name, "result": said, "error": None}
        return self._observation(content, await self._reward_now() if rewarded else None, refused=refused)

    def _observation(
        self, content: Mapping[str, Any], reward: float | None, *, refused: bool = False
    ) -> dict[str, Any]:
        done = self._live is not None and self._live.over
        return {"observation": dict(content), "reward": reward, "done": done, "metadata": {"refused": refused}}

    async def _reward_now(self) -> float:
        live, world, order = self._playing(), self._world, self._order
        assert world is not None
        if order.rewards == "end" and not live.over:
            return 0.0
        if self._reward is None:
            record = live.settled()
            verdict = record.without_ending(order.scoring)
            if verdict is None:
                verdict = record.verdict(await self._judge(world, order.scoring))
            if verdict.masked:
                raise NoRewardError(f"The episode has no reward, because of the {verdict.owner}: {verdict.reason}")
            self._reward = verdict.reward
        if order.rewards != "change":
            return self._reward
        change, self._told = self._reward - self._told, self._reward
        return change

    def _playing(self) -> LiveEpisode:
        if self._live is None or self._world is None:
            raise WorldError("No episode was begun; send a reset first.")
        if self._worlds.get(self._world.name) is not self._world:
            raise WorldError("The world of this episode was closed, or its lease has ended; reset to begin another.")
        return self._live

    def state(self) -> dict[str, Any]:
        """What OpenEnv asks of a state; the records of the world are not among it."""
        self.used = time.monotonic()
        live = self._live
        return {
            "episode_id": self._order.episode_id or self.name,
            "step_count": self._steps,
            "environment": self.hosted.card.id,
            "scenario": None if live is None else live.scenario.id,
            "done": live is not None and live.over,
        }

    async def close(self) -> None:
        """End the world of the last episode."""
        world, self._world, self._live = self._world, None, None
        if world is not None:
            await self._worlds.close(world)


class HostedChannel:
    """A world of this process as an episode under way calls it."""

    def __init__(self, world: HostedWorld, tools: Mapping[str, CallableTool]) -> None:
        self.world = world
        self.tools = tools
        self.changed = False
        """Whether a call may have changed something since this was set."""

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call; what it changed is not asked for."""
        outcome = self.world.call(tool, arguments, None)
        if not isinstance(outcome, Outcome):
            outcome = await outcome
        self.changed = self.changed or (writes and outcome.kind in CHANGING)
        return outcome, StateDiff()

    async def state(self) -> Mapping[str, Any]:
        """All records as they are now."""
        return await self.world.act(lambda session: session.state())


def tools_of(card: Environment) -> list[dict[str, Any]]:
    """The tools as OpenEnv lists them."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in card.tools
    ]


def _call(action: CallTool) -> dict[str, Any]:
    arguments: Any = action.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            # As its policy wrote it: the episode says what is wrong.
            arguments = action.arguments
    return {"tool": action.tool_name, "arguments": arguments}
