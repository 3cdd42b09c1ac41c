"""An episode that a program plays itself: one world at a task, its conversation, its budget and its reward."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Protocol, Self, SupportsIndex, TypeVar, cast

from envscaler_mcp.artifacts import Call, Provenance, Scenario, StateDiff, Tool, Trajectory, Verdict, digest_of
from envscaler_mcp.artifacts.episode import COMPLETED, ModelCost, Scoring
from envscaler_mcp.config.choices import NATIVE
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.episode.calling import action_of_message, calls_of_message
from envscaler_mcp.episode.live import LiveEpisode, owner_of_loss
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.user import User
from envscaler_mcp.errors import (
    LaunchError,
    NoEndingError,
    RunError,
    UnreadableStateError,
    WorkerEndedError,
    WorldError,
)
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.rl.errors import ClosedError, FarmLostError, MaskedError, UsageError, WorldLostError, refuse_pickling
from envscaler_mcp.rl.functions import functions_of
from envscaler_mcp.rl.options import EpisodeOptions, check_choice, whole_number
from envscaler_mcp.rl.places import Task, TaskWorld
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool

T = TypeVar("T")


class ForkableUser(User, Protocol):
    """A user of which there can be copies that go on from the same point of the conversation."""

    def fork(self, progress: GoalProgress) -> ForkableUser:
        """A copy, who looks at another world."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """What an episode needs of the gym that opened it."""

    keep: Callable[[Episode], None]
    """Close it with everything else; ClosedError where the gym is closed already."""
    progress: Callable[[Task, TaskWorld], GoalProgress]
    """How far the goals of the task are in this world."""
    speak: Callable[[Call], Call] | None = None
    """A call of the world's own interface as the policy says it, where that is another."""


class Episode:
    """One attempt at one task. One thread at a time; other episodes may be played in other threads.

    When it is over, calls are answered with a sentence that says so, and nothing is done any more. A farm or a world that
    is lost raises `FarmLostError` or `WorldLostError`, whose parent is `MaskedError`; the episode is over then, and its
    verdict is masked, whatever met it first. After `close` what needs the world raises `ClosedError`.
    """

    def __init__(
        self,
        task: Task,
        tools: Mapping[str, CallableTool],
        world: TaskWorld,
        live: LiveEpisode,
        options: EpisodeOptions,
        keeper: Keeper,
        via: str,
    ) -> None:
        self.task = task
        self.options = options
        self._tools = tools
        self._world = world
        self._live = live
        self._keeper = keeper
        self._via = via
        self._writes = 0
        """Calls that may have changed something."""
        self._judged: tuple[int, float] | None = None
        """How many of these there were when the reward was asked for last, and what it was."""
        self._truncated = False
        self._abandon = weakref.finalize(self, world.abandon)
        keeper.keep(self)

    def __reduce_ex__(self, _protocol: SupportsIndex) -> str:
        refuse_pickling("An episode")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()

    @property
    def scenario(self) -> Scenario:
        """The task's document. It holds the solution: nothing of it but `messages` is for the policy."""
        return self.task.scenario

    @property
    def environment(self) -> str:
        """The id of its environment."""
        return self.task.scenario.environment

    @property
    def introduction(self) -> str:
        """What the system is, and its rules, without the words around it in the first of `messages`."""
        return self._live.briefing.introduction

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as chat endpoints take them."""
        return [tool.function for tool in self.offered]

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools with their descriptions and schemas."""
        return tuple(callable_tool.tool for callable_tool in self._tools.values())

    def solution(self) -> tuple[Call, ...]:
        """The calls that solve the task from its beginning, as they are said to this world's tools, also in a dialect.

        In a conversation they are the same; what the agent says to the user is not part of it. They are not for the policy.
        """
        speak = self._keeper.speak
        return self.scenario.oracle if speak is None else tuple(map(speak, self.scenario.oracle))

    def functions(self) -> list[Callable[..., str]]:
        """The tools as typed Python functions with docstrings; each returns what `call` returns."""
        return functions_of(self.offered, self.call)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far: first what `envscaler run` tells a model, then each move and what came of it."""
        return [dict(message) for message in self._live.played.messages]

    @property
    def done(self) -> bool:
        """Whether it is over, for any reason."""
        return self._live.over

    @property
    def truncated(self) -> bool:
        """Whether a budget ended it before the task was solved. A last move that solves it ends it in a verdict instead."""
        return self._truncated

    @property
    def steps(self) -> int:
        """Moves that were made."""
        return self._live.moves

    @property
    def max_steps(self) -> int:
        """Moves that the policy has in all."""
        return self._live.limits.steps

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None, *, tokens: int = 0) -> Observation:
        """Call a tool: the text that a policy is shown, and whether the call was `refused`.

        Arguments may be a text, as a policy wrote them; what is no JSON object is answered as `envscaler run` answers it.
        `tokens` is how many the policy wrote for the move.
        """
        return self.act(_call_message(name, {} if arguments is None else arguments), tokens=tokens)

    def say(self, text: str, *, tokens: int = 0) -> str | None:
        """Say something: what the policy is shown next. That is what the user replies; in a task, which no user hears, a
        sentence that says so. None where nothing is shown, since the episode has ended.
        """
        if not isinstance(text, str):
            raise UsageError(f"A policy says a text, and this is {text!r:.80}.")
        self._check_open()
        if self.done:
            return None
        observation = self.act(Action(text=text), tokens=tokens)
        return str(observation) if self._is_shown(observation) else None

    def _is_shown(self, observation: Observation) -> bool:
        """Whether words are answered with more than the end of the task."""
        return bool(observation.answers) and not (self.done and self._live.user is None)

    def finish(self) -> None:
        """End the episode as its policy: say that the task is done, or leave the conversation before its user does."""
        self._check_open()
        if self.done:
            return
        if self._live.user is None:
            self.act(Action(text=COMPLETED))
        else:
            self._live.end("error", "agent", LEFT)

    def act(self, move: Action | Mapping[str, Any], *, tokens: int = 0) -> Observation:
        """Make a whole move: an assistant message of a chat endpoint with its calls, or an `Action`."""
        self._check_open()
        tokens = whole_number("tokens", tokens)
        action = _action(move)
        if self.done:
            return Observation(f"The episode is over ({self._live.played.ended}).", refused=True)
        if tokens:
            action = _with_tokens(action, tokens)
        observation = drive(self._live.act(action))
        self._writes += (action.tool is not None) + len(action.more)
        played = self._live.played
        if played.owner == "infrastructure":
            ended = MaskedError(f"The episode was ended by the machine: {played.reason}")
            raise played.stopped or self._world.lost or ended
        if self._live.over and played.ended in ("steps", "tokens"):
            verdict = self.verify()
            self._truncated = not (verdict.solved or verdict.masked)
        return observation

    def answer(self, message: Mapping[str, Any], *, tokens: int = 0) -> list[dict[str, Any]]:
        """The messages that answer an assistant message: one for each call, or what the user says. None at the end of a task."""
        observation = self.act(message, tokens=tokens)
        calls = calls_of_message(message)
        if calls:
            return [
                {"role": "tool", "tool_call_id": call.id, "name": call.tool, "content": answer}
                for call, answer in zip(calls, observation.answers, strict=False)
            ]
        return [{"role": "user", "content": str(observation)}] if self._is_shown(observation) else []

    def verify(self, scoring: Scoring | None = None) -> Verdict:
        """The verdict that a run would record if the episode ended here; it goes on all the same. Masked where the world is lost."""
        self._check_open()
        scoring = scoring or self.options.scoring
        check_choice("scoring", scoring, Scoring)
        return self._verdict(scoring, lambda: self._world.judge(scoring))

    def progress(self) -> float:
        """The reward of the state as it is now, for rewards of single steps. MaskedError where none can be told."""
        self._check_open()
        # At a farm a policy may also call at the world's own address, which nothing here counts.
        if self._judged is None or self._judged[0] != self._writes or self._world.url:
            scoring = self.options.scoring
            verdict = self._verdict(scoring, lambda: self._world.judge(scoring))
            if verdict.masked:
                raise MaskedError(f"The episode has no reward, because of the {verdict.owner}: {verdict.reason}")
            self._judged = self._writes, verdict.reward
        return self._judged[1]

    def _verdict(self, scoring: Scoring, judge: Callable[[], Verdict]) -> Verdict:
        record = self._live.settled()
        lost = record.without_ending(scoring)
        if lost is not None:
            return lost
        try:
            return record.verdict(judge())
        except LOST as cause:
            self._end_lost(cause)
            return unplayable("infrastructure", str(cause), scoring)
        except LaunchError as cause:
            return unplayable("infrastructure", str(cause), scoring)
        except (NoEndingError, UnreadableStateError) as cause:
            return unplayable(record.world_lost or owner_of_loss(cause), str(cause), scoring)
        except WorldError as cause:
            return unplayable("environment", str(cause), scoring)

    def state(self) -> dict[str, Any]:
        """Every record of the world, for its owner; a policy sees none of it."""
        with self._world_asked():
            return dict(self._world.state())

    def fork(self) -> Episode:
        """A second episode that goes on from here: world, conversation, user and budget."""
        return self.fork_many(1)[0]

    def fork_many(self, count: int) -> list[Episode]:
        """Several episodes that go on from here, independent of this one and of each other; all of them or none."""
        if whole_number("count", count) == 0:
            return []
        with self._world_asked():
            worlds = self._world.fork(count)
            try:
                return [self._forked(world) for world in worlds]
            except BaseException:
                for world in worlds:
                    world.close()
                raise

    @contextmanager
    def _world_asked(self) -> Iterator[None]:
        """What the block asks of the world it cannot be asked after `close`; a world that is lost ends the episode."""
        self._check_open()
        try:
            yield
        except LOST as cause:
            self._end_lost(cause)
            raise
        except WorkerEndedError as cause:
            raise WorldLostError(f"The worker of this world has ended: {cause}") from cause

    def _end_lost(self, cause: Exception) -> None:
        if not self.done:
            self._live.end("error", "infrastructure", str(cause))

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedError(f"The episode of {self.scenario.id!r} was closed; open another with gym.open().")

    def _forked(self, world: TaskWorld) -> Episode:
        user = self._live.user
        if user is not None:
            user = cast(ForkableUser, user).fork(self._keeper.progress(self.task, world))
        live = self._live.fork(BlockingChannel(world, self._tools), user)
        forked = Episode(self.task, self._tools, world, live, self.options, self._keeper, self._via)
        forked._writes, forked._judged, forked._truncated = self._writes, self._judged, self._truncated
        return forked

    def record(self, agent: str = "policy", repetition: int = 1) -> Trajectory:
        """What was played, as `runs` and `export` read it; `rl.store` writes it into a folder."""
        self._check_open()
        if self._via != "direct" and not self.options.record:
            raise RunError("What each call changed was not asked for; open the episode with record=True.")
        verdict, scenario = self.verify(), self.scenario
        has_ending = bool(verdict.checks or verdict.solved)
        final_hash = digest_of(self.state()) if has_ending else ""
        return Trajectory(
            provenance=Provenance(
                parents={"scenario": scenario.digest, "code": scenario.code_digest}, seed=self.options.seed
            ),
            id=f"{scenario.id}/{agent}/{repetition}",
            scenario=scenario.id,
            scenario_digest=scenario.digest,
            environment=scenario.environment,
            code_digest=scenario.code_digest,
            seed=self.options.seed,
            agent=agent,
            via=self._via,
            mode=self.options.mode,
            user=self.options.user if self.options.mode == "conversation" else "",
            final_hash=final_hash,
            verdict=verdict,
            tools=() if self.options.dialect == NATIVE and not self.options.disturb else self._live.briefing.tools,
            dialect="" if self.options.dialect == NATIVE else str(self.options.dialect),
            disturbances=self.options.disturbances,
            **self._live.settled().trajectory_fields(),
        )

    @property
    def is_here(self) -> bool:
        """Whether calls are made in this process, so that they never wait."""
        return self._world.is_here

    @property
    def url(self) -> str:
        """Where an MCP client connects to its world at a farm; empty where it is in this process."""
        return self._world.url

    @property
    def closed(self) -> bool:
        """Whether its world has ended."""
        return not self._abandon.alive

    def close(self) -> None:
        """End the world; the conversation can still be read. Closing it again does nothing."""
        if self._abandon.detach() is not None:
            self._world.close()


LOST = (FarmLostError, WorldLostError)
"""What ends an episode, whatever meets it first."""
LEFT = "the agent left the conversation before its user had ended it"


class BlockingChannel:
    """A world as an episode under way calls it, in a program without an event loop: no coroutine here ever waits for one."""

    def __init__(self, world: TaskWorld, tools: Mapping[str, CallableTool]) -> None:
        self.world = world
        self.tools = tools

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed."""
        return self.world.call(tool, arguments, writes=writes)

    async def state(self) -> Mapping[str, Any]:
        """All records as they are now."""
        return self.world.state()


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for no event loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine of an episode waited for an event loop, and there is none")


def _call_message(name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    return {"content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


def _action(move: Any) -> Action:
    if isinstance(move, Action):
        return move
    if not isinstance(move, Mapping):
        raise UsageError(f"A move is an assistant message or an Action, and this is {move!r:.80}.")
    return action_of_message(move)


def _with_tokens(action: Action, tokens: int) -> Action:
    return replace(action, use=ModelCost(completion_tokens=tokens))
