"""An episode under way: what each move of its agent leads to, in its world or with its user, recorded and bounded.

The loop of a run plays one with an agent, and a trainer's program makes the moves itself (`envscaler_mcp.rl`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, cast

from envscaler_mcp.artifacts import Call, Scenario, StateDiff, Step, Tool, Verdict
from envscaler_mcp.artifacts.episode import AnyScoring, Invention, ModelCost, Owner
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.episode.agent import Action, Briefing, Observation, RunAbortedError, UnavailableError
from envscaler_mcp.episode.audit import UserAudit
from envscaler_mcp.episode.record_bounds import RecordBounds, RecordFullError, cut, too_much
from envscaler_mcp.episode.rules import Ending, EpisodeRules
from envscaler_mcp.episode.transcript import (
    MAX_BYTES,
    MAX_NAME,
    NO_ACTION,
    NO_MOVE,
    TOO_LARGE,
    TOO_LONG,
    as_written,
    heard_by_nobody,
    is_last,
    is_sendable,
    is_small,
    may_write,
    messages_of,
    spared_after,
    storable,
)
from envscaler_mcp.episode.user import BrokenUserError, Reply, User, stops_by_rule
from envscaler_mcp.errors import EnvScalerError, LaunchError, NoEndingError, WorkerEndedError, WorldError
from envscaler_mcp.grading.verdicts import final_verdict, first_raised, ungraded_as_published, unplayable
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.local_world import no_such_tool
from envscaler_mcp.serving.outcome import PublishedOutcome, ended
from envscaler_mcp.serving.plain_json import json_copy
from envscaler_mcp.serving.published_world import INVALID_ACTION
from envscaler_mcp.serving.spoken_world import SpokenOutcome
from envscaler_mcp.serving.validation import compile_arguments, without_patterns

UNREADABLE = "The call cannot be read: it must be a JSON object with a name and with arguments, which are an object."

_UNCHANGED = StateDiff()
"""Shared: a default would be copied for every step."""


class WorldChannel(Protocol):
    """How calls reach the worlds of an episode, and how the program that opened them reads their state."""

    @property
    def tools(self) -> Mapping[str, CallableTool]:
        """What an agent may call, by name."""

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed; only a tool that writes is asked for that."""

    async def state(self) -> Mapping[str, Any]:
        """All records as they are now; no agent sees them."""


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """When an episode ends although its agent has not said so."""

    steps: int = 30
    """Moves of the agent; the published number."""
    seconds: float = 300.0
    tokens: int | None = None
    """What the agent's model may write."""


@dataclass(slots=True)
class EpisodeRecord:
    """What happened, before it is judged."""

    steps: list[Step] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    ended: Ending = "error"
    owner: Owner | None = None
    """Whose failure ended it, where one did."""
    reason: str = ""
    """Why it ended, or how a tool broke down on the way, which is the failure of none."""
    world_lost: Literal["agent", "environment"] | None = None
    """Through whom its world is gone, so that there is no ending to judge."""
    again: bool = True
    """Whether it may go otherwise in a moment, where the machine ended it."""
    stopped: RunAbortedError | None = None
    """Why no other episode can be played either."""
    use: ModelCost | None = None
    user_use: ModelCost | None = None
    invented: list[Invention] = field(default_factory=list)
    """What the user said and could not know."""

    def without_ending(self, scoring: AnyScoring) -> Verdict | None:
        """The verdict where there is no ending to judge: the machine failed, or a call of the agent used its world up."""
        if self.owner == "infrastructure":
            return unplayable("infrastructure", self.reason, scoring)
        return unplayable("agent", self.reason, scoring) if self.world_lost == "agent" else None

    def verdict(self, judged: Verdict) -> Verdict:
        """The verdict on what was played, given what its ending is worth."""
        return final_verdict(judged, self.owner, self.reason, ungraded_as_published(self.ended, self.steps))

    def forget(self) -> None:
        """Hold no more of what was played than the verdict depends on."""
        raised = first_raised(self.steps)
        self.steps = [] if raised is None else [_outline(raised)]
        self.messages = []

    def trajectory_fields(self) -> dict[str, Any]:
        """Its part of a trajectory."""
        return {
            "steps": tuple(self.steps),
            "messages": tuple(self.messages),
            "ended": self.ended,
            "disturbed_by": self.owner,
            "disturbance": self.reason,
            "use": self.use,
            "user_use": self.user_use,
            "invented": tuple(self.invented),
        }


def _outline(raised: Step) -> Step:
    return Step(number=raised.number, tool=raised.tool, observation=raised.observation, is_error=True)


Watch = Callable[[EpisodeRecord], None]
"""Shown what was played so far, after what was said first and after every step."""


def owner_of_loss(cause: WorkerEndedError | WorldError) -> Literal["agent", "environment"]:
    """Through whom the world of an episode is gone, or its state cannot be read any more.

    At the start it could be read. So what is too much, or cannot be told, has come of the agent's calls. Only code that
    broke its worker down, or did what no world needs, has failed by its own doing.
    """
    if isinstance(cause, NoEndingError):
        return cause.owner
    return "environment" if isinstance(cause, WorkerEndedError) and not cause.used_too_much else "agent"


class AgentError(Exception):
    """Something that the agent's own code raised, or did that ends its episode."""


class _UserError(Exception):
    """Something that the user's own code raised."""

    def __init__(self, message: str, owner: Owner | None) -> None:
        super().__init__(message)
        self.owner = owner
        """Nothing where it may have come of what the agent said: then the ending is judged."""


class LiveEpisode:
    """One attempt at a scenario: an agent's moves are made one after the other until the episode is over.

    With a user the agent's task is what they say first. In a published world the rules are the published ones: any words
    end a task that no user hears, only the first call of a turn is made, and an exception ends the episode.
    """

    def __init__(
        self,
        channel: WorldChannel,
        scenario: Scenario,
        briefing: Briefing,
        limits: EpisodeLimits,
        user: User | None = None,
        watch: Watch = lambda _: None,
        *,
        published: bool = False,
        rules: EpisodeRules | None = None,
    ) -> None:
        self.scenario = scenario
        self.briefing = briefing
        self.limits = limits
        self.user = user
        self.moves = 0
        """How many moves the agent has made."""
        self._spared = 0
        """How many of them do not count, because a call in them was disturbed."""
        self.over = False
        self.played = EpisodeRecord()
        self._published = published
        self._rules = rules
        self._channel = channel
        self._watch = watch
        self._mode: Mode = "task" if user is None else "conversation"
        self._tools = channel.tools
        self._raised = False
        """Whether a tool raised."""
        self._spoken = False
        """Whether the user has heard anything from the agent."""
        self._bounds = RecordBounds()

    @cached_property
    def _audit(self) -> UserAudit:
        return UserAudit(self.scenario)

    def _judge_user(self, played: EpisodeRecord) -> None:
        """What the user made up before the agent said anything is the user's failure, if the task was not done.

        What comes later may have come of the agent's words, whatever they were. It is noted, and masks nothing. Where no
        check judges what was done, a user may want what they like.
        """
        if self.user is None or played.owner is not None or not self.scenario.checks or self._rules is not None:
            return
        values = ", ".join(sorted({invention.value for invention in played.invented}))
        untold = self._audit.untold() if played.ended == "completed" and not stops_by_rule(self.user) else []
        if any(invention.step == 0 for invention in played.invented):
            played.owner, played.reason = "user_simulator", f"the user invented {values}"
        elif values:
            played.reason = played.reason or f"the user invented {values}, after the agent had spoken"
        elif untold:
            played.reason = played.reason or f"the user stopped before they had told {', '.join(untold)}"

    def end(self, ended: Ending, owner: Owner | None = None, reason: str = "") -> None:
        """End the episode, unless it is over, or say who else has ended it."""
        played = self.played
        played.ended, played.owner, played.reason = ended, owner or played.owner, reason or played.reason
        self.over = True

    def settled(self) -> EpisodeRecord:
        """What was played so far, and what follows from it if this is its end; the episode may go on."""
        played = replace(self.played)
        self._judge_user(played)
        played.reason = storable(played.reason)[:_MAX_REASON]
        return played

    async def begin(self) -> None:
        """Let the user, if there is one, say what they say first: that is the agent's task then."""
        with self.failures_recorded():
            if self.user is not None:
                opening, _ = await self._of_user(self.user.opening())
                self.briefing = replace(self.briefing, task=opening)
            self.played.messages = [
                {"role": "system", "content": self.briefing.introduction},
                {"role": "user", "content": self.briefing.task},
            ]

    def tell(self, system: str | None) -> Observation:
        """The first observation, which is the task; `system` is what the agent's model is told before it, if it is known."""
        if self.played.messages:
            if system is not None:
                self.played.messages[0]["content"] = system
            self._watch(self.played)
        return Observation(self.briefing.task)

    async def act(self, move: Any) -> Observation:
        """What came of a move: an answer to each of its calls, or to what was said."""
        self.moves += 1
        begin = len(self.played.steps)
        with self.failures_recorded():
            turn = await self._turn(self.moves, move)
            self._spared = spared_after(self._spared, turn, self.limits.steps)
            self._end_after(turn[-1])
        turn = self.played.steps[begin:]
        return Observation(
            *(step.observation for step in turn),
            refused=any(step.is_error and not step.disturbed for step in turn),
            disturbed=any(step.disturbed for step in turn),
            tools=self._changed_tools(),
        )

    def _changed_tools(self) -> tuple[Tool, ...] | None:
        """The tools as they are from here on, where the move has changed them."""
        if self._rules is None or self._channel.tools is self._tools:
            return None
        self._tools = self._channel.tools
        return tuple(callable_tool.tool for callable_tool in self._tools.values())

    def _end_after(self, last: Step) -> None:
        """End the episode where the move that ended with this step was the last one."""
        if is_last(last, self._mode):
            self.end("completed")
        elif self._rules is not None and (ended := self._rules.ending(self.played.steps)) is not None:
            self.end(ended)
        elif self._raised and self._published:
            self.end("error")
        elif self.played.world_lost is not None:
            self.end("error", self.played.world_lost, self.played.reason or "the world has ended")
        elif _written(self.played.use) >= (self.limits.tokens or math.inf):
            self.end("tokens")
        elif self.moves - self._spared >= self.limits.steps:
            self.end("steps")

    def fork(self, channel: WorldChannel, user: User | None) -> LiveEpisode:
        """The same episode in another world, which went on from this one's, with another copy of the user."""
        forked = LiveEpisode(
            channel, self.scenario, self.briefing, self.limits, user, published=self._published, rules=self._rules
        )
        forked.moves, forked.over, forked._spared = self.moves, self.over, self._spared
        forked._raised, forked._spoken = self._raised, self._spoken
        forked._bounds = copy(self._bounds)
        if "_audit" in vars(self):
            forked._audit = deepcopy(self._audit)
        forked.played = replace(
            self.played,
            steps=list(self.played.steps),
            messages=[dict(message) for message in self.played.messages],
            invented=list(self.played.invented),
        )
        return forked

    @contextmanager
    def failures_recorded(self) -> Iterator[None]:
        """Whatever agent, user, world or machine do in the block ends the episode, and its record says so."""
        try:
            yield
        except (AgentError, RecordFullError) as cause:
            self.end("error", "agent", str(cause))
        except _UserError as cause:
            self.end("error", cause.owner, str(cause))
        except (WorkerEndedError, WorldError) as cause:
            self._lost(cause)
            self.end("error", self.played.world_lost)
        except EnvScalerError as cause:
            self._end_by_machine(cause)

    def _lost(self, cause: WorkerEndedError | WorldError) -> None:
        if self.played.world_lost is None:
            self.played.world_lost = owner_of_loss(cause)
            self.played.reason = str(cause)

    def _end_by_machine(self, cause: EnvScalerError) -> None:
        expected = isinstance(cause, UnavailableError | RunAbortedError | LaunchError)
        if isinstance(cause, UnavailableError):
            self.played.again = cause.again
        if isinstance(cause, RunAbortedError):
            self.played.stopped = cause
        self.end("error", "infrastructure", str(cause) if expected else f"{type(cause).__name__}: {cause}")

    async def _turn(self, number: int, move: Any) -> list[Step]:
        """What came of one move: a step for each call, or one for what was said."""
        begin = len(self.played.steps)
        self._bounds.begin_move()
        whole: dict[str, Any] = {}
        parts: list[Action | Call | None] = [None]
        refused = ""
        if _is_move(move):
            self.played.use = _together(self.played.use, move.use)
            whole = {"text": storable(move.text), "reasoning": storable(move.reasoning), "use": move.use}
            called = [] if move.tool is None else [Call.model_construct(tool=move.tool, arguments=move.arguments)]
            parts = [*called, *move.more] or [move]
            if self._published or (self._rules is not None and self._rules.one_call):
                parts = parts[:1]
            refused = too_much(whole["text"], whole["reasoning"], len(parts))
        try:
            if refused:
                self._refuse_move(number, whole, refused)
            for place, part in enumerate(parts, 1):
                # What belongs to the whole turn stands with its first step.
                step = Step(number=len(self.played.steps) + 1, turn=number, diff=_UNCHANGED, **whole)
                whole = {}
                self._record(await self._step(step, part), len(parts) - place)
        finally:
            # What was called has happened, even if time runs out before the turn is over.
            self.played.messages += messages_of(self.played.steps[begin:])
        return self.played.steps[begin:]

    def _record(self, step: Step, left: int) -> None:
        """Keep a step. `left` calls of its move are not made yet; where there is no room for more, they never are."""
        self.played.steps.append(step)
        self._watch(self.played)
        full = self._bounds.add(step)
        if full:
            raise RecordFullError(full + (f"; {left:,} calls of it were not made" if left else ""))

    def _refuse_move(self, number: int, whole: Mapping[str, Any], why: str) -> None:
        """Of a move that is too large no call is made. Its step stands like a malformed call, and says what was cut."""
        text, reasoning = cut(whole["text"]), cut(whole["reasoning"])
        refused = Step(
            number=len(self.played.steps) + 1,
            turn=number,
            text=text,
            reasoning=reasoning,
            use=whole["use"],
            malformed=f"(cut: {why})",
            observation=f"The episode has ended: {why}.",
            is_error=True,
        )
        self._record(refused, 0)
        raise RecordFullError(why)

    async def _step(self, step: Step, part: Action | Call | None) -> Step:
        began = time.perf_counter()
        if part is None:
            made: dict[str, Any] = {"observation": NO_MOVE, "is_error": True}
        elif isinstance(part, Call):
            made = await self._call(part.tool, part.arguments)
        else:
            made = await self._said(step)
        return step.model_copy(update={**made, "milliseconds": round(1000 * (time.perf_counter() - began), 3)})

    async def _said(self, step: Step) -> dict[str, Any]:
        silent = not step.text.strip() and not (self._rules is not None and self._rules.hears_silence)
        if self.user is None or silent:
            observation, is_error = heard_by_nobody(step.text, self._mode, published=self._published)
            return {"observation": observation, "is_error": is_error}
        try:
            reply, use = await self._replied(self.user, step.number, step.text)
        except BaseException:
            # It was not answered, but it was said.
            self.played.steps.append(step)
            raise
        return {"observation": reply, "user_use": use}

    async def _replied(self, user: User, number: int, text: str) -> tuple[str, ModelCost | None]:
        if len(text) > MAX_BYTES:
            return TOO_LONG, None
        self._spoken = True
        if self._rules is None:
            self._audit.heard(text)
        return await self._of_user(user.reply(text, self._channel.state), number)

    async def _of_user(self, saying: Awaitable[str], number: int = 0) -> tuple[str, ModelCost | None]:
        """What the user says, looked through, and what that took."""
        try:
            reply = await saying
        except EnvScalerError:
            raise
        except Exception as cause:
            owner = "user_simulator" if isinstance(cause, BrokenUserError) else self._owner_of_silence
            raise _UserError(f"the user raised {exception_sentence(cause)}", owner) from cause
        if not isinstance(reply, str):
            raise _UserError(f"the user said {storable(reply)[:_MAX_REASON]}, which is no text", self._owner_of_silence)
        text, use = storable(reply), reply.use if isinstance(reply, Reply) else None
        self.played.user_use = _together(self.played.user_use, use)
        if self._rules is None:
            self.played.invented += [Invention(step=number, value=value) for value in self._audit.invented(text)]
        return text, use

    @property
    def _owner_of_silence(self) -> Owner | None:
        """Whose failure it is that a user says nothing. After the agent has spoken its words may be the cause."""
        return None if self._spoken else "user_simulator"

    async def _call(self, tool: Any, arguments: Any) -> dict[str, Any]:
        made: dict[str, Any] = {"tool": storable(tool)[:MAX_NAME]}
        if is_sendable(tool, arguments):
            # An agent may go on with its own lists.
            made["arguments"] = json_copy(arguments)
            outcome, made["diff"] = await self._called(tool, made["arguments"])
        else:
            # What is not JSON reaches no world, and is answered with the same words on every way.
            outcome = self._unsendable(tool, arguments)
            made["malformed"] = as_written(arguments)
        if isinstance(outcome, SpokenOutcome):
            if outcome.meant is not None:
                made["meant"] = Call(tool=outcome.meant.tool, arguments=dict(outcome.meant.arguments))
            if outcome.disturbed:
                made["disturbed"] = outcome.disturbed
        return {**made, "observation": outcome.text, "is_error": outcome.is_error}

    async def _called(self, tool: str, arguments: dict[str, Any]) -> tuple[Outcome, StateDiff]:
        callable_tool = self._tools.get(tool)
        try:
            outcome, diff = await self._channel.call(
                tool, arguments, may_write(callable_tool, published=self._published)
            )
        except WorkerEndedError as cause:
            self._lost(cause)
            return ended(cause.reason), StateDiff()
        if outcome.kind in ("done", "refused", "invalid", "limited"):
            return outcome, diff
        reason = outcome.payload.get("error", outcome.text)
        if outcome.kind == "failed":
            # An agent that provokes an exception is judged by the ending; it is no excuse.
            self._raised = True
            self.played.reason = self.played.reason or reason
        elif self.played.world_lost is None:
            self.played.world_lost = "environment" if outcome.kind == "ended" else "agent"
            self.played.reason = reason
        return outcome, diff

    def _unsendable(self, tool: Any, arguments: Any) -> Outcome:
        if self._published:
            return PublishedOutcome("invalid", NO_ACTION if isinstance(arguments, str) else INVALID_ACTION)
        if not tool and isinstance(arguments, str):
            return Outcome.saying("invalid", UNREADABLE)
        callable_tool = self._tools.get(tool) if isinstance(tool, str) else None
        if callable_tool is None:
            return no_such_tool(tool, self._tools)
        if not is_small(arguments):
            return call_too_large()
        # This process matches no pattern of an environment whose code it may not run.
        schema = without_patterns(callable_tool.tool.input_schema)
        check = callable_tool.check if schema == callable_tool.tool.input_schema else compile_arguments(schema)
        return Outcome.saying("invalid", check(arguments) or "The arguments must be plain JSON, and not deeply nested.")


def call_too_large(*, published: bool = False) -> Outcome:
    """The answer to a call that is too large to be sent; the same on every way to a world."""
    return PublishedOutcome("invalid", INVALID_ACTION) if published else Outcome.saying("invalid", TOO_LARGE)


def exception_sentence(cause: BaseException) -> str:
    """An exception in a sentence that can be stored."""
    return f"{type(cause).__name__[:MAX_NAME]}: {storable(cause)[:_MAX_REASON]}"


_MAX_REASON = 2_000
"""Letters of a reason, which may be an agent's own."""


def _is_move(move: Any) -> bool:
    return (
        isinstance(move, Action)
        and isinstance(cast(object, move.more), tuple)
        and all(_is_call(call) for call in move.more)
        and (move.use is None or _is_cost(move.use))
    )


def _is_call(part: object) -> bool:
    return isinstance(part, Call) and {"tool", "arguments"} <= vars(part).keys()


def _is_cost(use: object) -> bool:
    """Whether it can be added up and written down; an agent of your own may have made it past every check."""
    if not isinstance(use, ModelCost):
        return False
    figures = [vars(use).get(name) for name in ModelCost.model_fields]
    return all(isinstance(figure, int | float) and abs(figure) < _MAX_FIGURE for figure in figures)


_MAX_FIGURE = 1e15


def _together(first: ModelCost | None, second: ModelCost | None) -> ModelCost | None:
    return first + second if first is not None and second is not None else first or second


def _written(use: ModelCost | None) -> int:
    return use.completion_tokens if use is not None else 0
