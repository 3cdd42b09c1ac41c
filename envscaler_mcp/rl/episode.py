"""An episode that a program plays itself: one world at a task, its conversation, its budget and its reward."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar, cast, get_args

from envscaler_mcp.artifacts import Provenance, Scenario, StateDiff, Trajectory, Verdict, digest_of
from envscaler_mcp.artifacts.episode import COMPLETED, ModelCost, Scoring
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.config.choices import NATIVE
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.episode.calling import action_of_message, calls_of_message
from envscaler_mcp.episode.live import LiveEpisode, owner_of_loss
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.user import User
from envscaler_mcp.errors import LaunchError, NoEndingError, RunError, UnreadableStateError, WorldError
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.rl.functions import functions_of
from envscaler_mcp.rl.places import Task, TaskWorld
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EpisodeOptions:
    """How episodes are played."""

    seed: int = 0
    """For the user's own chance; the world's is the scenario's."""
    mode: Mode = "task"
    user: str = "scripted"
    """Who plays the user of a conversation: `scripted`, or `openai:MODEL`."""
    max_steps: int | None = None
    """Moves of the policy; by default as many as in a run."""
    max_tokens: int | None = None
    """What the policy may write, as far as the caller says how much it wrote."""
    scoring: Scoring = "framed"
    dialect: str = NATIVE
    """What the policy speaks to the world in: the number of a dialect, `held-out-NUMBER`, or the world's own interface."""
    disturb: str = ""
    """Which disturbances are between the policy and its world: kinds and groups, separated by commas, or `all`."""
    record: bool = False
    """Whether the trajectory tells what every call changed. In process it always does; over a farm that is asked for
    after each call."""

    def __post_init__(self) -> None:
        for name, known in (("mode", get_args(Mode)), ("scoring", get_args(Scoring))):
            if getattr(self, name) not in known:
                raise RunError(f"{name} is {getattr(self, name)!r}; it may be {' or '.join(map(repr, known))}.")
        for name in ("max_steps", "max_tokens"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise RunError(f"{name} is {number!r}; it is at least 1, or None for no other than a run's.")
        if self.dialect != NATIVE:
            from envscaler_mcp.dialects import DialectName

            DialectName.read(self.dialect)
        _ = self.disturbances

    @property
    def disturbances(self) -> tuple[str, ...]:
        """The kinds that are on; WorldError where there is no such kind."""
        if not self.disturb:
            return ()
        from envscaler_mcp.disturbances import read_disturbances

        return read_disturbances(self.disturb)


class ForkableUser(User, Protocol):
    """A user of which there can be copies that go on from the same point of the conversation."""

    def fork(self, progress: GoalProgress) -> ForkableUser:
        """A copy, who looks at another world."""


class Keeper(Protocol):
    """What episodes are opened by, and stay known to."""

    def keep(self, episode: Episode) -> None:
        """Close it when everything is closed."""

    def progress(self, task: Task, world: TaskWorld) -> GoalProgress:
        """How far the goals of the task are in this world."""


class MaskedError(RunError):
    """No reward can be told, because what failed was not the policy: leave the episode out."""


class Episode:
    """One attempt at one task. One thread at a time; other episodes may be played in other threads.

    When it is over, calls are answered with a sentence that says so, and nothing is done any more. A machine that fails
    raises `LaunchError`; the verdict is masked from there on.
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
        self._abandon = weakref.finalize(self, world.abandon)
        keeper.keep(self)

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
        return [callable_tool.tool.function for callable_tool in self._tools.values()]

    def functions(self) -> list[Callable[..., str]]:
        """The tools as typed Python functions with docstrings; each returns what `call` returns."""
        return functions_of((callable_tool.tool for callable_tool in self._tools.values()), self.call)

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
        """Whether it is over because of a budget."""
        return self._live.over and self._live.played.ended in ("steps", "tokens")

    @property
    def steps(self) -> int:
        """Moves that were made."""
        return self._live.moves

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None, *, tokens: int = 0) -> Observation:
        """Call a tool: the text that a policy is shown, and whether the call was `refused`.

        Arguments may be a text, as a policy wrote them; what is no JSON object is answered as `envscaler run` answers it.
        `tokens` is how many the policy wrote for the move.
        """
        return self.act(_call_message(name, {} if arguments is None else arguments), tokens=tokens)

    def say(self, text: str, *, tokens: int = 0) -> str | None:
        """Say something: what the user replies. None where no user hears it, or the episode has ended before they could reply."""
        if self.done:
            return None
        observation = self.act(Action(text=text), tokens=tokens)
        return str(observation) if self._live.user is not None and observation.answers else None

    def finish(self) -> None:
        """End the episode as its policy: say that the task is done, or leave the conversation before its user does."""
        if self.done:
            return
        if self._live.user is None:
            self.act(Action(text=COMPLETED))
        else:
            self._live.end("error", "agent", LEFT)

    def act(self, move: Action | Mapping[str, Any], *, tokens: int = 0) -> Observation:
        """Make a whole move: an assistant message of a chat endpoint with its calls, or an `Action`."""
        if self.done:
            return Observation(f"The episode is over ({self._live.played.ended}).", refused=True)
        action = move if isinstance(move, Action) else action_of_message(move)
        if tokens:
            action = _with_tokens(action, tokens)
        observation = drive(self._live.act(action))
        self._writes += (action.tool is not None) + len(action.more)
        played = self._live.played
        if played.owner == "infrastructure":
            raise played.stopped or LaunchError(f"The episode was ended by the machine: {played.reason}")
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
        heard = observation.answers and not (self.done and self._live.user is None)
        return [{"role": "user", "content": str(observation)}] if heard else []

    def verify(self, scoring: Scoring | None = None) -> Verdict:
        """The verdict that a run would record if the episode ended here; it goes on all the same."""
        scoring = scoring or self.options.scoring
        return self._verdict(scoring, lambda: self._world.judge(scoring))

    def progress(self) -> float:
        """The reward of the state as it is now, for rewards of single steps. MaskedError where none can be told."""
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
        except (NoEndingError, UnreadableStateError) as cause:
            return unplayable(record.world_lost or owner_of_loss(cause), str(cause), scoring)
        except WorldError as cause:
            return unplayable("environment", str(cause), scoring)

    def state(self) -> dict[str, Any]:
        """Every record of the world, for its owner; a policy sees none of it."""
        return dict(self._world.state())

    def fork(self) -> Episode:
        """A second episode that goes on from here: world, conversation, user and budget."""
        return self.fork_many(1)[0]

    def fork_many(self, count: int) -> list[Episode]:
        """Several episodes that go on from here, independent of this one and of each other."""
        return [self._forked(world) for world in self._world.fork(count)]

    def _forked(self, world: TaskWorld) -> Episode:
        user = self._live.user
        if user is not None:
            user = cast(ForkableUser, user).fork(self._keeper.progress(self.task, world))
        live = self._live.fork(BlockingChannel(world, self._tools), user)
        forked = Episode(self.task, self._tools, world, live, self.options, self._keeper, self._via)
        forked._writes, forked._judged = self._writes, self._judged
        return forked

    def record(self, agent: str = "policy", repetition: int = 1) -> Trajectory:
        """What was played, as `runs` and `export` read it; `rl.store` writes it into a folder."""
        if self._via != "direct" and not self.options.record:
            raise RunError("What each call changed was not asked for; open the episode with record=True.")
        verdict, scenario = self.verify(), self.scenario
        has_ending = verdict.checks or verdict.solved
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
            final_hash=digest_of(self._world.state()) if has_ending else "",
            verdict=verdict,
            tools=() if self.options.dialect == NATIVE and not self.options.disturb else self._live.briefing.tools,
            dialect="" if self.options.dialect == NATIVE else self.options.dialect,
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
        """End the world; the conversation can still be read."""
        if self._abandon.detach() is not None:
            self._world.close()


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


def _with_tokens(action: Action, tokens: int) -> Action:
    return replace(action, use=ModelCost(completion_tokens=tokens))
