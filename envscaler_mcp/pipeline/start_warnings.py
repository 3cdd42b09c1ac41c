"""What is odd about the start states of a blueprint: what they never hold or allow, and what time has passed by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from time import process_time
from typing import Any

from envscaler_mcp.config.choices import SEED
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.language import Problem
from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.stories import calls_in
from envscaler_mcp.language.text import plural, words
from envscaler_mcp.sampling.arguments import Arguments
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios import Grown
from envscaler_mcp.scenarios.growth_log import dates_of, guard_lines
from envscaler_mcp.serving.deadline import OverdueError, within_time

_DRAWS = 300
"""How often each change is tried in each state."""
_SECONDS = 60.0
"""How long the changes of one blueprint are tried; what has not been allowed by then is not warned of."""
_LONG = 14
"""So many days behind, what was planned is stuck and not only late."""
_MANY = 25
"""Of a hundred open records, how many must be stuck: some lateness is part of many trades."""
_BIRTH = re.compile(r"born(_on)?|dob|birthday|birth_?date|(date|day|year)_of_birth|birth_year")


def start_warnings(
    model: Model, nursery: type, starts: Sequence[Grown], planned: Collection[tuple[str, str]]
) -> Iterator[Problem]:
    """Warnings about the states that `starts` holds; `planned` are the dates that may lie ahead when they are written."""
    contents = [grown.content for grown in starts]
    for entity in model.entities.values():
        for attribute in entity.stored:
            if attribute.moves is not None:
                yield from _statuses_without_records(entity, attribute, contents)
                yield from _stuck(model, entity, attribute, contents, planned)
            if _BIRTH.fullmatch(attribute.name):
                yield from _unborn(entity, attribute, contents)
    # What a day has just done can hardly be done again.
    daily = set(calls_in(model.start.daily)) if model.start is not None else set[str]()
    until = process_time() + _SECONDS
    for name in model.operations:
        if name in daily:
            continue
        yield from _never_allowed(model, nursery, name, contents, until)


def _records(entity: Entity, contents: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Every record of all states, and the day of its state."""
    for content in contents:
        for record in content[entity.container].values():
            yield record, content["now"][:10]


def _statuses_without_records(
    entity: Entity, attribute: Attribute, contents: Sequence[Mapping[str, Any]]
) -> Iterator[Problem]:
    seen = {record[attribute.key] for record, _ in _records(entity, contents)}
    missing = [status for status in attribute.type.options if status not in seen]
    if missing and seen:
        listed = " or ".join(map(repr, missing))
        message = (
            f"no {words(entity.noun)} of the start states is {listed}; give what makes it so more weight under play, or say so in "
            "base records"
        )
        yield Problem("warning", f"entity {entity.name}, attribute {attribute.name}", message)


def _stuck(
    model: Model,
    entity: Entity,
    attribute: Attribute,
    contents: Sequence[Mapping[str, Any]],
    planned: Collection[tuple[str, str]],
) -> Iterator[Problem]:
    """Open records of which all that was planned lies long behind."""
    dates = [key for key in dates_of(model)[entity.container][1] if (entity.name, key) in planned]
    for status in attribute.type.options:
        if not dates or not _waits(status, attribute.moves or ()):
            continue
        mine = [(record, today) for record, today in _records(entity, contents) if record[attribute.key] == status]
        stuck = [record for record, today in mine if _behind(record, dates, today) > _LONG]
        if stuck and len(stuck) * 100 >= _MANY * len(mine):
            last = max(dates, key=lambda key: stuck[0][key] or "")
            message = (
                f"{len(stuck)} of {counted(len(mine), words(entity.noun), words(plural(entity.noun)))} that {are(len(mine))} "
                f"{status!r} in the start states lie more than {_LONG} days back ({stuck[0]['id']}: {last} {stuck[0][last]}); "
                "what moves them on should come in time: give it more weight under play, or a shorter time to come"
            )
            yield Problem("warning", f"entity {entity.name}, attribute {attribute.name}", message)


def _waits(status: str, moves: Collection[tuple[str, str]]) -> bool:
    """Whether a record leaves the status, and never comes back to it."""
    after, reached = {goal for start, goal in moves if start == status}, set[str]()
    while after - reached:
        reached |= after
        after = {goal for start, goal in moves if start in reached}
    return bool(reached) and status not in reached


def _behind(record: Mapping[str, Any], dates: Sequence[str], today: str) -> int:
    """By how many days the last of the record's dates lies behind."""
    days = [record[key][:10] for key in dates if record[key]]
    return (date.fromisoformat(today) - date.fromisoformat(max(days))).days if days else 0


def _unborn(entity: Entity, attribute: Attribute, contents: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    unborn = [
        record
        for record, today in _records(entity, contents)
        if record[attribute.key] and str(record[attribute.key]) > today[: len(str(record[attribute.key]))]
    ]
    if unborn:
        message = (
            f"{counted(len(unborn), words(entity.noun), words(plural(entity.noun)))} of the start states {are(len(unborn))} born after "
            f"today ({unborn[0]['id']}: {unborn[0][attribute.key]}); give {entity.name}.{attribute.name} values before it"
        )
        yield Problem("warning", f"entity {entity.name}, attribute {attribute.name}", message)


def _never_allowed(
    model: Model, nursery: type, name: str, contents: Sequence[Mapping[str, Any]], until: float
) -> Iterator[Problem]:
    refused: Counter[str] = Counter()
    for place, content in enumerate(contents):
        chance = Chance(SEED + place, f"{model.blueprint.id}.{name}")
        if _is_allowed(model, nursery(content), name, chance, refused, until) or process_time() > until:
            return
    (most, times), *_ = refused.most_common(1) or [("", 0)]
    why = (
        f"of {counted(refused.total(), 'call')} {times} were refused by {most!r}" if most else "no call could be drawn"
    )
    message = (
        f"no start state allows it: {why}; give its parameters values that fit, or let start states hold what it needs"
    )
    yield Problem("warning", f"operation {name}", message)


def _is_allowed(model: Model, world: Any, name: str, chance: Chance, refused: Counter[str], until: float) -> bool:
    """Whether one of many calls drawn at a state succeeds there."""
    arguments, lines = Arguments(model.operations[name], model), guard_lines(model, name)
    for turn in range(_DRAWS):
        try:
            given = arguments.draw(world, chance, unchanged=turn > 0)
            if given is None or process_time() > until:
                return False
            result = within_time(getattr(world, name), given)
        except (GrowthError, OverdueError):
            return False
        if result["success"]:
            return True
        error = str(result["error"])
        refused[lines[int(error)] if error.isdecimal() else error] += 1
    return False
