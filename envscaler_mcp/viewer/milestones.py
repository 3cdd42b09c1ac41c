"""At which step each check turned true: what was recorded to have changed is changed again, and judged each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import StateDiff, Step, digest_of
from envscaler_mcp.serving.plain_json import json_copy

Answers = Callable[[Mapping[str, Any]], Sequence[bool]]
"""What each check says of a state."""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A step after which checks answer otherwise than before; steps and checks are counted from 1."""

    step: int
    turned_true: tuple[int, ...]
    turned_false: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Gone:
    """A record tells null both for what became null and for what is gone; what is taken for gone."""

    fields: bool
    entries: bool


_READINGS = tuple(_Gone(fields, entries) for fields in (False, True) for entries in (False, True))


def milestones(
    steps: Sequence[Step], initial: Mapping[str, Any], final_hash: str, answers: Answers
) -> tuple[tuple[Milestone, ...], str]:
    """The steps that mattered, and why that is not sure where it is not."""
    reading = next((candidate for candidate in _READINGS if _leads(steps, initial, final_hash, candidate)), None)
    state = dict(json_copy(initial))
    marks: list[Milestone] = []
    before: Sequence[bool] | None = None
    for place, step in enumerate(steps, 1):
        if step.diff.empty:
            continue
        if before is None:
            before = answers(state)
        try:
            _change(state, step.diff, reading or _READINGS[0])
        except (KeyError, TypeError, AttributeError):
            return tuple(
                marks
            ), f"what step {place} changed is not in the state made again, so nothing is told from it on"
        after = answers(state)
        turned = [n for n, (was, now) in enumerate(zip(before, after, strict=True), 1) if was != now]
        if turned:
            true = tuple(n for n in turned if after[n - 1])
            marks.append(Milestone(place, true, tuple(n for n in turned if not after[n - 1])))
        before = after
    if reading is None:
        return tuple(marks), "the recorded changes, made again on the start state, do not lead to the recorded ending"
    return tuple(marks), ""


def state_after(
    steps: Sequence[Step], initial: Mapping[str, Any], final_hash: str, count: int
) -> tuple[dict[str, Any], int]:
    """The state after so many steps, made again from what was recorded; and how many of them could be made again."""
    reading = next((candidate for candidate in _READINGS if _leads(steps, initial, final_hash, candidate)), None)
    state = dict(json_copy(initial))
    for place, step in enumerate(steps[:count], 1):
        try:
            _change(state, step.diff, reading or _READINGS[0])
        except (KeyError, TypeError, AttributeError):
            return state, place - 1
    return state, min(count, len(steps))


def _leads(steps: Sequence[Step], initial: Mapping[str, Any], final_hash: str, gone: _Gone) -> bool:
    state = dict(json_copy(initial))
    try:
        for step in steps:
            _change(state, step.diff, gone)
    except (KeyError, TypeError, AttributeError):
        return False
    return not final_hash or digest_of(state) == final_hash


def _change(state: dict[str, Any], diff: StateDiff, gone: _Gone) -> None:
    for container, records in diff.created.items():
        state.setdefault(container, {}).update(json_copy(records))
    for container, records in diff.deleted.items():
        for key in records:
            del state[container][key]
    for container, changes in diff.changed.items():
        for key, fields in changes.items():
            for name, (_, after) in fields.items():
                _put(state[container][key], name, after, gone.fields)
    for path, (_, after) in diff.scalars.items():
        attribute, _, entry = path.partition(".")
        if entry:
            _put(state[attribute], entry, after, gone.entries)
        else:
            _put(state, attribute, after, gone.entries)


def _put(place: dict[str, Any], name: str, after: Any, null_is_gone: bool) -> None:
    if after is None and null_is_gone:
        place.pop(name, None)
    else:
        place[name] = json_copy(after)
