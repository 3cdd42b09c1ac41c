"""An episode: a task or a user's words, calls, answers, until it is said that all is done or a limit is reached."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import anyio

from envscaler_mcp.artifacts import Call, Scenario, StateDiff, Step
from envscaler_mcp.artifacts.episode import Owner
from envscaler_mcp.episode.agent import COMPLETED, Agent, AgentUnavailableError, Briefing, MakeAgent, Move
from envscaler_mcp.episode.user import STOP, User, UserUnavailableError
from envscaler_mcp.errors import EnvScalerError, LaunchError
from envscaler_mcp.sandbox.ended import WorkerEndedError
from envscaler_mcp.sandbox.worker_world import is_plain
from envscaler_mcp.serving import EnvironmentCode, Outcome
from envscaler_mcp.serving.local_world import no_such_tool
from envscaler_mcp.serving.outcome import ENDED
from envscaler_mcp.serving.plain import copied
from envscaler_mcp.serving.session import Controls

FINISHED = "Task finished"
"""The last thing an agent hears; the words of the published environment."""
UNHEARD = f"Nobody reads along. Call a tool, or say {COMPLETED!r} when everything is done."
EMPTY = f"The move was empty. Call a tool, or say {COMPLETED!r} when everything is done."
NO_MOVE = "That is neither a text nor a call of a tool."

T = TypeVar("T")


class Way(Protocol):
    """How calls reach a world, and how whoever opened it reads it."""

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed; only a tool that writes is asked for that."""

    async def read(self, act: Callable[[Controls], T]) -> T:
        """Something that only the control plane tells."""


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """When an episode ends although its agent has not said so."""

    steps: int = 30
    """Moves of the agent; the published number."""
    seconds: float = 300.0


@dataclass(slots=True)
class Played:
    """What happened, before anybody judges it."""

    steps: list[Step] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    ended: Literal["completed", "steps", "time", "error"] = "error"
    owner: Owner | None = None
    """Whose failure ended it, where one did; `environment` also where a tool broke down on the way."""
    reason: str = ""


async def play(
    make_agent: MakeAgent,
    scenario: Scenario,
    way: Way,
    code: EnvironmentCode,
    briefing: Briefing,
    limits: EpisodeLimits,
    user: User | None = None,
) -> Played:
    """Play one episode. Nothing that agent, user, world or machine do is raised: it is told in what is returned.

    With a user the briefing's task is what they say first.
    """
    game = _Game(way, code, briefing, user)
    with anyio.move_on_after(limits.seconds) as clock:
        await game.play(make_agent, scenario, limits.steps)
    if clock.cancelled_caught:
        game.end("time", "timeout", f"the episode took longer than {limits.seconds:g} seconds")
    return game.played


class _AgentError(Exception):
    """Something that the agent's own code raised."""


class _UserError(Exception):
    """Something that the user's own code raised."""


class _Game:
    def __init__(self, way: Way, code: EnvironmentCode, briefing: Briefing, user: User | None) -> None:
        self._way = way
        self._user = user
        self._code = code
        self._briefing = briefing
        system = {"role": "system", "content": briefing.introduction}
        self.played = Played(messages=[system, {"role": "user", "content": briefing.task}])

    def end(self, ended: Literal["completed", "steps", "time", "error"], owner: Owner | None, reason: str) -> None:
        played = self.played
        played.ended, played.owner, played.reason = ended, owner or played.owner, reason or played.reason

    async def play(self, make_agent: MakeAgent, scenario: Scenario, steps: int) -> None:
        try:
            agent = _made(make_agent, self._briefing, scenario)
            observation = self._briefing.task
            for number in range(1, steps + 1):
                turn = await self._turn(number, await _moved(agent, observation))
                last = turn[-1]
                if is_last(last, self._briefing.mode):
                    return self.end("completed", None, "")
                if any(step.observation == ENDED.text for step in turn):
                    return self.end("error", "environment", self.played.reason or "the world's worker has ended")
                observation = last.observation if len(turn) == 1 else _together(turn)
            self.end("steps", None, "")
        except _AgentError as cause:
            self.end("error", "agent", str(cause))
        except _UserError as cause:
            self.end("error", "user_simulator", str(cause))
        except (AgentUnavailableError, UserUnavailableError, LaunchError) as cause:
            self.end("error", "infrastructure", str(cause))
        except EnvScalerError as cause:
            self.end("error", "infrastructure", f"{type(cause).__name__}: {cause}")
        return None

    async def _turn(self, number: int, move: Any) -> list[Step]:
        """What came of one move: a step for each call, or one for what was said."""
        begin = len(self.played.steps)
        parts: list[Move | Call | None] = [None]
        text = reasoning = ""
        if isinstance(move, Move):
            called = [] if move.tool is None else [Call.model_construct(tool=move.tool, arguments=move.arguments)]
            parts = [*called, *move.more] or [move]
            text, reasoning = _storable(move.text), _storable(move.reasoning)
        try:
            for part in parts:
                step = await self._step(number, text, part)
                self.played.steps.append(step.model_copy(update={"reasoning": reasoning}))
                text = reasoning = ""
        finally:
            # What was called has happened, even if time runs out before the turn is over.
            self.played.messages += messages_of(self.played.steps[begin:])
        return self.played.steps[begin:]

    async def _step(self, turn: int, text: str, move: Move | Call | None) -> Step:
        began = time.perf_counter()
        number = len(self.played.steps) + 1
        if move is None:
            step = Step(number=number, observation=NO_MOVE, is_error=True)
        elif isinstance(move, Call):
            step = await self._call(number, text, move)
        else:
            step = await self._said(number, text)
        took = round(1000 * (time.perf_counter() - began), 3)
        return step.model_copy(update={"turn": turn, "milliseconds": took})

    async def _said(self, number: int, text: str) -> Step:
        if self._user is not None and text.strip():
            return Step(number=number, text=text, observation=_storable(await self._replied(self._user, text)))
        observation, is_error = heard_by_nobody(text, self._briefing.mode)
        return Step(number=number, text=text, observation=observation, is_error=is_error)

    async def _replied(self, user: User, text: str) -> str:
        async def look() -> Mapping[str, Any]:
            return await self._way.read(lambda controls: controls.state())

        try:
            return await user.reply(text, look)
        except EnvScalerError:
            raise
        except Exception as cause:
            raise _UserError(f"the user raised {type(cause).__name__}: {cause}") from cause

    async def _call(self, number: int, text: str, move: Call) -> Step:
        tool, arguments = move.tool, move.arguments
        diff = StateDiff()
        unsent = type(tool) is not str or not tool or type(arguments) is not dict or not is_plain([tool, arguments])
        if unsent:
            # What is not JSON reaches no world, and is answered with the same words on every way.
            outcome, arguments = self._unsendable(tool, arguments), {}
        else:
            # An agent may go on with its own lists.
            arguments = copied(arguments)
            outcome, diff = await self._called(tool, arguments)
        return Step(
            number=number,
            text=text,
            tool=_storable(tool),
            arguments=arguments,
            unsent=unsent,
            observation=outcome.text,
            is_error=outcome.is_error,
            diff=diff,
        )

    async def _called(self, tool: str, arguments: dict[str, Any]) -> tuple[Outcome, StateDiff]:
        found = self._code.tools.get(tool)
        try:
            outcome, diff = await self._way.call(tool, arguments, found is not None and found.tool.effect == "writes")
        except WorkerEndedError as cause:
            self.played.reason = str(cause)
            return ENDED, StateDiff()
        if outcome.kind == "failed":
            self.end("error", "environment", outcome.payload["error"])
        return outcome, diff

    def _unsendable(self, tool: object, arguments: Any) -> Outcome:
        found = self._code.tools.get(tool) if isinstance(tool, str) else None
        if found is None:
            return no_such_tool(tool, self._code.tools)
        return Outcome.saying("invalid", found.check(arguments) or "The arguments must be plain JSON.")


def _made(make_agent: MakeAgent, briefing: Briefing, scenario: Scenario) -> Agent:
    try:
        return make_agent(briefing, scenario)
    except AgentUnavailableError:
        raise
    except Exception as cause:
        raise _AgentError(f"the agent could not be made: {type(cause).__name__}: {cause}") from cause


async def _moved(agent: Agent, observation: str) -> Any:
    try:
        move = agent.act(observation)
        return await move if inspect.isawaitable(move) else move
    except AgentUnavailableError:
        raise
    except (Exception, SystemExit) as cause:
        raise _AgentError(f"the agent raised {type(cause).__name__}: {cause}") from cause


def _storable(text: object) -> str:
    """A text as it can be written down: whatever an agent says ends in a file."""
    return str(text).encode(errors="replace").decode()


def _together(steps: Sequence[Step]) -> str:
    """What several calls of one turn led to, in their order, as one text for those who hear one text."""
    return "\n".join(step.observation for step in steps)


def heard_by_nobody(text: str, mode: str) -> tuple[str, bool]:
    """What follows from words that no user answers, and whether that is an error."""
    if mode == "task" and COMPLETED in text:
        return FINISHED, False
    return UNHEARD if text.strip() else EMPTY, True


def is_last(step: Step, mode: str) -> bool:
    """Whether an episode is completed with this step."""
    if step.tool or step.unsent:
        return False
    return step.observation == FINISHED if mode == "task" else STOP in step.observation


def messages_of(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """One turn as a chat template takes it; nothing in it that its steps do not hold."""
    if not steps:
        return []
    first = steps[0]
    said: dict[str, Any] = {"role": "assistant", "content": first.text}
    if first.reasoning:
        said["reasoning_content"] = first.reasoning
    if not (first.tool or first.unsent):
        return [said, {"role": "user", "content": first.observation}]
    said["tool_calls"] = [
        {
            "id": f"call_{step.number}",
            "type": "function",
            "function": {"name": step.tool, "arguments": json.dumps(step.arguments, ensure_ascii=False)},
        }
        for step in steps
    ]
    answers = [
        {"role": "tool", "tool_call_id": f"call_{step.number}", "name": step.tool, "content": step.observation}
        for step in steps
    ]
    return [said, *answers]
