"""Episodes as a page carries them: a line of each for the list, and the rest in packets that are opened when needed."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Step, Trajectory
from envscaler_mcp.episode.transcript import written_arguments
from envscaler_mcp.viewer.changes import change_lines
from envscaler_mcp.viewer.milestones import Milestone
from envscaler_mcp.viewer.review import Reviewed
from envscaler_mcp.viewer.turns import Turn, turns_of

PACKET = 256 * 1024
"""Bytes after which a packet is closed: what its episodes share is written once, and opening one is not noticed."""
COLUMNS = (
    "id", "environment", "level", "split", "agent", "reward", "solved", "owner", "steps", "milliseconds", "reason", "tools", "task",
    "packet", "place",
)  # fmt: skip
"""What each line of the list holds, in this order; the task by its number among the tasks."""
_REASON, _TOOL, _TOOLS = 300, 80, 1000


@dataclass(frozen=True, slots=True)
class Packed:
    """Many episodes in little room."""

    rows: tuple[tuple[Any, ...], ...]
    tasks: tuple[str, ...]
    packets: tuple[str, ...]
    """zlib in base64, a list of episodes in each."""


def pack(episodes: Iterable[Reviewed]) -> Packed:
    """The episodes in their order; they are looked at one after the other and not kept."""
    rows: list[tuple[Any, ...]] = []
    packets: list[str] = []
    tasks: dict[str, int] = {}
    waiting: list[str] = []
    for reviewed in episodes:
        task = tasks.setdefault(task_of(reviewed), len(tasks))
        rows.append((*_row(reviewed), task, len(packets), len(waiting)))
        waiting.append(dumped_json(_details(reviewed)))
        if sum(map(len, waiting)) >= PACKET:
            packets.append(_packet(waiting))
            waiting = []
    if waiting:
        packets.append(_packet(waiting))
    return Packed(tuple(rows), tuple(tasks), tuple(packets))


def plain_json(value: object) -> str:
    """JSON without a character that means something in HTML or JavaScript."""
    text = dumped_json(value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def dumped_json(value: object) -> str:
    """JSON as browsers read it, which have no NaN and no Infinity: these become texts."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def _packet(details: list[str]) -> str:
    return base64.b64encode(zlib.compress(f"[{','.join(details)}]".encode(), 9)).decode()


def _row(reviewed: Reviewed) -> tuple[Any, ...]:
    """What the list shows and is searched by; what is long is cut, since there may be very many lines."""
    episode, scenario = reviewed.episode, reviewed.scenario
    verdict = episode.verdict
    return (
        episode.id,
        episode.environment,
        scenario.level if scenario else "",
        scenario.split if scenario else "",
        episode.agent,
        verdict.reward,
        verdict.solved,
        verdict.owner or "",
        len(episode.steps),
        round(sum(step.milliseconds for step in episode.steps if math.isfinite(step.milliseconds)), 1),
        verdict.reason[:_REASON],
        " ".join(sorted({step.tool[:_TOOL] for step in episode.steps if step.tool}))[:_TOOLS],
    )


def task_of(reviewed: Reviewed) -> str:
    """What was asked for, as the home has it or else as the agent heard it."""
    if reviewed.scenario:
        return reviewed.scenario.task
    return next(
        (str(message.get("content", "")) for message in reviewed.episode.messages if message.get("role") == "user"), ""
    )


def _details(reviewed: Reviewed) -> dict[str, Any]:
    episode, scenario = reviewed.episode, reviewed.scenario
    turned = {milestone.step: milestone for milestone in reviewed.milestones}
    return {
        **episode.model_dump(mode="json", exclude={"messages", "provenance", "schema_version", "steps"}),
        "turns": [_turn(turn, turned) for turn in turns_of(episode.steps)],
        "opening": opening_of(episode),
        "checks": [check.model_dump(mode="json") for check in scenario.checks] if scenario else [],
        "unsure": reviewed.unsure,
        "unreadable": reviewed.unreadable,
    }


def opening_of(episode: Trajectory) -> list[dict[str, Any]]:
    """What the agent was told first, and asked to do."""
    return [message for message in episode.messages[:2] if message.get("role") in ("system", "user")]


def _turn(turn: Turn, turned: dict[int, Milestone]) -> dict[str, Any]:
    place, first = turn.steps[0]
    return {
        "number": first.turn or place,
        "spoken": turn.spoken,
        "steps": [_step(place, step, turned.get(place)) for place, step in turn.steps],
    }


def _step(place: int, step: Step, milestone: Milestone | None) -> dict[str, Any]:
    """A step; values are text already, since 1.0 and 1 are not two numbers to a browser."""
    shown = {
        "place": place,
        "text": step.text,
        "reasoning": step.reasoning,
        "tool": step.tool,
        "arguments": written_arguments(step),
        "observation": step.observation,
        "is_error": step.is_error,
        "changes": list(change_lines(step.diff)),
        "milliseconds": step.milliseconds,
    }
    if milestone:
        shown["turned"] = [milestone.turned_true, milestone.turned_false]
    return shown
