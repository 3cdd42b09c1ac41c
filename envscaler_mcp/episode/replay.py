"""A recorded episode is played again, step by step: whether the same comes of it, and else where it first differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from typing import Any

from envscaler_mcp.artifacts import StateDiff, Step, Trajectory, canonical_json
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.episode.live import WorldChannel
from envscaler_mcp.episode.transcript import (
    NO_MOVE,
    heard_by_nobody,
    is_call,
    is_last,
    may_write,
    messages_of,
    spared_after,
)
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.outcome import ENDED, says_ended

_SHOWN = 60


class NotReplayableError(EnvScalerError):
    """What happened then cannot be made to happen again."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a record and its replay part."""

    step: int
    """The number of the step; 0 before the first one."""
    what: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.what} was {self.recorded} and is {self.now}"


async def first_difference(
    record: Trajectory, channel: WorldChannel, task: str, max_steps: int, *, published: bool = False
) -> Difference | None:
    """Make the calls of the record in a fresh world.

    What the agent was told about its work and what a user said are taken from the record.
    """
    messages = list(record.messages)
    if not messages and not record.steps:
        # The episode ended before the agent was told anything.
        return None
    system, first = (_content(messages[place : place + 1]) for place in (0, 1))
    begin = [
        {"role": "system", "content": system},
        {"role": "user", "content": task if record.mode == "task" else first},
    ]
    difference = _unlike(0, "the beginning", messages[:2], begin)
    if difference is not None:
        return difference
    del messages[:2]
    last, done, spared = 0, 0, 0
    for number, turn in groupby(record.steps, key=lambda step: step.turn):
        steps = list(turn)
        for step in steps:
            done += 1
            difference = (
                _unlike(done, "the number", step.number, done)
                or _unlike(done, "the turn", number, last + 1)
                or await _differs(step, channel, record.mode, published=published)
            )
            if difference is not None:
                return difference
        difference = _not_one_turn(steps) or _messages_differ(steps, messages)
        if difference is not None:
            return difference
        last = number
        spared = spared_after(spared, steps, max_steps)
    counted = last - spared
    ended = bool(record.steps) and is_last(record.steps[-1], record.mode)
    return (
        _unlike(done, "the messages", messages, [])
        or _unlike(done, "that it was completed", record.ended == "completed", ended)
        or _unlike(done, "the number of turns at the limit", max_steps if record.ended == "steps" else counted, counted)
    )


async def _differs(step: Step, channel: WorldChannel, mode: Mode, *, published: bool) -> Difference | None:
    outcome, is_error, diff = await _again(step, channel, mode, published=published)
    return (
        _unlike(step.number, "the answer", step.observation, outcome)
        or _unlike(step.number, "whether it is an error", step.is_error, is_error)
        or _unlike(step.number, "what was called", step.arguments, step.arguments if step.tool else {})
        or _unlike(step.number, "the change", step.diff.model_dump(mode="json"), diff.model_dump(mode="json"))
    )


async def _again(step: Step, channel: WorldChannel, mode: Mode, *, published: bool) -> tuple[str, bool, StateDiff]:
    """Answer, whether it is an error, and the change, as they are now."""
    if step.malformed:
        # What was sent then is not known, only that it changed nothing.
        return step.observation, True, StateDiff()
    if step.tool:
        outcome, diff = await _called(step, channel, published=published)
        return outcome.text, outcome.is_error, diff
    if mode == "conversation" and step.text.strip():
        return step.observation, False, StateDiff()
    if not step.text and step.observation == NO_MOVE:
        return NO_MOVE, True, StateDiff()
    return *heard_by_nobody(step.text, mode, published=published), StateDiff()


async def _called(step: Step, channel: WorldChannel, *, published: bool) -> tuple[Outcome, StateDiff]:
    tool = channel.tools.get(step.tool)
    try:
        outcome, diff = await channel.call(step.tool, dict(step.arguments), may_write(tool, published=published))
    except WorkerEndedError:
        outcome, diff = ENDED, StateDiff()
    if says_ended(step.observation) != says_ended(outcome.text):
        when = "then" if says_ended(step.observation) else "now"
        raise NotReplayableError(
            f"the world's worker ended at step {step.number} {when}, and what ended it is not in the record"
        )
    return outcome, diff


def _messages_differ(steps: Sequence[Step], messages: list[dict[str, Any]]) -> Difference | None:
    """Whether the turn stands among the messages as in its steps; what was looked at is taken away."""
    expected = messages_of(steps)
    recorded, messages[:] = messages[: len(expected)], messages[len(expected) :]
    for place, message in enumerate(expected):
        # One message says everything that was called; an answer each follows it.
        number = steps[max(place - 1, 0)].number if place else _called_otherwise(steps, recorded, message)
        unlike = _unlike(number, "the message", recorded[place : place + 1], [message])
        if unlike is not None:
            return unlike
    return None


def _called_otherwise(steps: Sequence[Step], messages: Sequence[dict[str, Any]], expected: dict[str, Any]) -> int:
    """The first step of a turn whose call stands otherwise in its message."""
    recorded, calls = (messages[0] if messages else {}).get("tool_calls", []), expected.get("tool_calls", [])
    if not isinstance(recorded, list):
        return steps[0].number
    if {**expected, "tool_calls": recorded} != {"tool_calls": recorded, **(messages[0] if messages else {})}:
        return steps[0].number
    pairs = zip_longest(recorded, calls)
    place = next((n for n, (was, now) in enumerate(pairs) if canonical_json(was) != canonical_json(now)), 0)
    return steps[0].number + place


def _not_one_turn(steps: Sequence[Step]) -> Difference | None:
    """Several steps of one turn are calls, and what was said or thought stands with the first."""
    for before, step in pairwise(steps):
        if not (is_call(before) and is_call(step)):
            return _unlike(step.number, "the turn", step.turn, step.turn + 1)
        difference = _unlike(step.number, "what was said", step.text + step.reasoning, "")
        if difference is not None:
            return difference
    return None


def _content(messages: Sequence[dict[str, Any]]) -> str:
    return str(messages[0].get("content", "")) if messages else ""


def _unlike(step: int, what: str, recorded: Any, now: Any) -> Difference | None:
    """The first place at which two values are not the same, byte by byte."""
    then, this = (value if isinstance(value, str) else canonical_json(value) for value in (recorded, now))
    if then == this:
        return None
    place = next((n for n, (before, after) in enumerate(zip(then, this, strict=False)) if before != after), None)
    begin = max(0, (min(len(then), len(this)) if place is None else place) - _SHOWN // 3)
    return Difference(step, what, _part(then, begin), _part(this, begin))


def _part(text: str, begin: int) -> str:
    part = text[begin : begin + _SHOWN]
    return repr(f"{'…' if begin else ''}{part}{'…' if begin + _SHOWN < len(text) else ''}")
