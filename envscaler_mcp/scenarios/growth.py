"""A start state that grew: base records, then a history of the environment's own operations.

Because every change goes through the operations, all rules hold, references are valid, and the states that records pass through
occur. Equal blueprint and seed give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from time import process_time
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.start import FIRST, LAST, StartPlan
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.sampling.arguments import Arguments, computed_value, labelled
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.values import HIDDEN_NONE, Values, drawn, read, values_of
from envscaler_mcp.sampling.vocabulary import email_of
from envscaler_mcp.scenarios.daily import DailySteps
from envscaler_mcp.scenarios.growth_log import GrowthLog
from envscaler_mcp.scenarios.rehearsal import Surprise, Watch
from envscaler_mcp.serving import deadline
from envscaler_mcp.serving.deadline import OverdueError, rule_in, within_time

_DRAWS_PER_RECORD = 200
_OPERATIONS_PER_STEP = 20
_DRAWS_PER_OPERATION = 40
MOST_SECONDS = 240.0
"""How long the calls of one start state may work."""
MOST_VALUES = 2_000_000
"""How much a start state may hold: values, and for each record as many as `_OF_A_RECORD` more."""
_OF_A_RECORD = 8


@dataclass(slots=True)
class Grown:
    """A state, and what was seen while it grew."""

    content: dict[str, Any]
    played: dict[str, int] = field(default_factory=dict)
    """How often each operation succeeded."""
    daily: int = 0
    """How many of these were daily steps."""
    permitted: dict[str, int] = field(default_factory=dict)
    """How often the guards of each operation let a call through."""
    surprises: list[Surprise] = field(default_factory=list)
    """Calls that passed every guard and were refused all the same."""


def grow(model: Model, nursery: type, seed: int, history: int | None = None) -> Grown:
    """Grow one state. `nursery` is the model's class with an `base_<noun>` for every entity besides its operations."""
    return _Garden(model, nursery, seed, model.blueprint.start.history if history is None else history).grow()


def watch_growth(model: Model, nursery: type, seed: int, log: GrowthLog, history: int | None = None) -> Grown:
    """The same, as far as it goes; what was seen on the way and what ended it stands in the log."""
    try:
        garden = _Garden(model, nursery, seed, model.blueprint.start.history if history is None else history, log)
    except GrowthError as cause:
        log.stopped = str(cause)
        return Grown({})
    try:
        return garden.grow()
    except GrowthError as cause:
        log.stopped = str(cause)
        return garden.so_far()
    finally:
        log.reached = garden.world.now
        log.note_seconds(garden.spent)


class _Garden:
    def __init__(self, model: Model, nursery: type, seed: int, history: int, log: GrowthLog | None = None) -> None:
        self.model, self.history, self.log = model, history, log
        self.start = model.blueprint.start
        self.chance = Chance(seed, model.blueprint.id)
        self.world = nursery()
        self.held = 0
        """How much is held, as `MOST_VALUES` counts; what was deleted since the last count is not taken off."""
        self._count_records()
        self.watch = Watch(self.world)
        self.values = {entity: values_of(entity, self.start.values) for entity in model.entities}
        self.arguments = {name: Arguments(operation, model) for name, operation in model.operations.items()}
        self.grown = Grown({})
        self.plan = model.start or StartPlan()
        self.daily = DailySteps(model, self.world, self.plan.daily, self._play, self._spend)
        self.spent: dict[str, float] = {}
        """Seconds of work by operation."""
        if log is not None:
            log.begin(self.world)
        self._names_known()

    def _count_records(self) -> None:
        """Have every new record counted as it is made: one call can make any number."""
        add = self.world._add

        def counted(container: str, record: dict[str, Any]) -> None:
            self.held += len(record) + _OF_A_RECORD
            if self.held > MOST_VALUES:
                self.held = sum(
                    (len(entity.stored) + 1 + _OF_A_RECORD) * len(getattr(self.world, entity.container))
                    for entity in self.model.entities.values()
                )
                if self.held > MOST_VALUES:
                    raise GrowthError(
                        f"the start state came to hold more than {MOST_VALUES:,} values, {container} among them; let the "
                        "operations of its history and its daily steps make fewer records"
                    )
            add(container, record)

        self.world._add = counted

    def _names_known(self) -> None:
        """A misspelt name under start would silently do nothing."""
        for name in self.start.records:
            if name not in self.model.entities:
                raise GrowthError(
                    f"start.records names {name!r}, which is no entity{name_hint(name, self.model.entities)}"
                )
        for name in self.start.play:
            if name not in self.model.operations:
                raise GrowthError(
                    f"start.play names {name!r}, which is no operation{name_hint(name, self.model.operations)}"
                )
        seen: set[tuple[str, str]] = set()
        for key in self.start.values:
            owner, _, names = key.partition(".")
            known = self._names_of(owner)
            for name in map(str.strip, names.split(",")):
                if name not in known:
                    raise GrowthError(f"start.values {key!r}: {owner} has no {name!r}{name_hint(name, known)}")
                if (owner, name) in seen:
                    raise GrowthError(f"start.values names {owner}.{name} twice")
                seen.add((owner, name))

    def _names_of(self, owner: str) -> set[str]:
        """What an entity, operation or query has that values can be said of."""
        entity = self.model.entities.get(owner)
        if entity is not None:
            return set(entity.attributes)
        asked = self.model.operations.get(owner) or self.model.queries.get(owner)
        if asked is None:
            owners = [*self.model.entities, *self.model.operations, *self.model.queries]
            raise GrowthError(
                f"start.values names {owner!r}, which is no entity, operation or query{name_hint(owner, owners)}"
            )
        known = {param.name for param in asked.params}
        for param in asked.params:
            if param.type.of is not None:
                known |= {f"{param.name}.{name}" for name, _ in param.type.of.fields}
        return known

    def grow(self) -> Grown:
        end = datetime.fromisoformat(self.start.now)
        try:
            begin = end - timedelta(days=self.start.days)
        except OverflowError:
            raise GrowthError(
                f"start.days reaches back {self.start.days:,} days from {self.start.now}, before the calendar begins; name fewer, or a later day"
            ) from None
        self.world.now = begin.isoformat(timespec="minutes")
        for entity in self._in_order():
            self._found_records(entity, self.start.records[entity.name])
        moments = sorted([*self._openings(begin, end), *((moment, True) for moment in self._moments(begin, end))])
        for number, (moment, drawn_by_chance) in enumerate(moments, 1):
            self.world.now = moment
            if drawn_by_chance:
                self._step()
            else:
                self.daily.run()
            if self.log is not None:
                self.log.progress(moment[:10], number, len(moments))
        self.world.now = self.start.now
        return self.so_far()

    def so_far(self) -> Grown:
        """The state as it stands."""
        self.grown.daily = self.daily.done
        self.grown.content = {name: value for name, value in vars(self.world).items() if not name.startswith("_")}
        self.grown.surprises = self.watch.surprises
        self.grown.permitted = self.watch.permitted
        return self.grown

    # Base records

    def _in_order(self) -> list[Entity]:
        """Entities with base records, each after those it refers to."""
        wanted = [self.model.entities[name] for name, number in self.start.records.items() if number]
        ordered: list[Entity] = []
        while wanted:
            ready = [e for e in wanted if not (self._needs(e) & {w.name for w in wanted if w is not e})]
            if not ready:
                raise GrowthError(
                    f"the base records of {', '.join(e.name for e in wanted)} refer to each other in a circle; make one of these "
                    "references optional, say nothing of it under start.values, and let an operation of the history or a daily step set it"
                )
            ordered.append(ready[0])
            wanted.remove(ready[0])
        return ordered

    def _needs(self, entity: Entity) -> set[str]:
        said = self._said(entity.name)
        needed: set[str] = set()
        for attribute in entity.stored:
            goal = attribute.type.of if attribute.type.kind == "list" else attribute.type
            empty = attribute.type.optional or attribute.type.kind == "list"
            if goal is not None and goal.kind == "ref" and (attribute.name in said or not empty):
                needed.add(goal.entity)
        return needed

    def _said(self, entity: str) -> set[str]:
        values = self.values[entity]
        return {*values.single, *(name for table in values.tables for name in table.names)}

    def _found_records(self, entity: Entity, number: int) -> None:
        values = self.values[entity.name]
        for place in range(number):
            error = ""
            for _ in range(_DRAWS_PER_RECORD):
                made = self._record(entity, values, place, number)
                result = self._in_time(f"base_{entity.noun}", partial(self._base, entity, made))
                if result["success"]:
                    if self.log is not None:
                        self.log.written(self.world, self.start.now[:10])
                    break
                error = result["error"]
            else:
                raise GrowthError(
                    f"no {entity.name} could be made in {_DRAWS_PER_RECORD} draws (it would be number {place + 1} of {number}): "
                    f"{error} Give it other values under start.values, or ask for fewer."
                )
        self.watch.surprises.clear()

    def _record(self, entity: Entity, values: Values, place: int, number: int) -> dict[str, Any]:
        texts: dict[str, str] = {}
        for table in values.tables:
            row = table.rows[place] if len(table.rows) >= number else self.chance.pick(table.rows)
            texts.update(zip(table.names, row, strict=True))
        record: dict[str, Any] = {}
        computed = self.plan.computed.get(entity.name, {})
        for attribute in entity.stored:
            if attribute.name not in computed:
                record[f"given_{attribute.key}"] = self._attribute(entity, attribute, texts, values.single, record)
        began = process_time()
        for name, value in computed.items():
            others = (entity.attributes[other] for other in value.names)
            given = {other.name: (record[f"given_{other.key}"], other.type) for other in others}
            record[f"given_{entity.attributes[name].key}"] = computed_value(self.model, self.world, value, given)
        if computed:
            self._spend(f"the values of {entity.name}", process_time() - began)
        return record

    def _attribute(
        self,
        entity: Entity,
        attribute: Attribute,
        texts: dict[str, str],
        single: dict[str, tuple[str, ...]],
        record: dict[str, Any],
    ) -> Any:
        what = f"{entity.name}.{attribute.name}"
        text = texts.get(attribute.name)
        said = single.get(attribute.name)
        if text is None and said is None and (attribute.default is not None or attribute.type.optional):
            return self._default(attribute)
        if text is None and said is not None:
            text = self.chance.pick(said)
        type_, today = attribute.type, self.world.now[:10]
        if text == HIDDEN_NONE and (type_.optional or type_.kind == "list"):
            return [] if type_.kind == "list" else None
        if type_.kind == "ref":
            return self._reference(type_.entity, text)
        if type_.kind == "list" and type_.of is not None:
            return self._list(attribute, text, what)
        if text is None and type_.shape == "email":
            person = next(
                (
                    v
                    for a in entity.stored
                    if a.type.shape in ("person", "name") and (v := record.get(f"given_{a.key}"))
                ),
                None,
            )
            if person:
                return email_of(person, self.chance)
        return (
            drawn(type_, (), self.chance, today, what) if text is None else read(type_, text, self.chance, today, what)
        )

    def _default(self, attribute: Attribute) -> Any:
        if attribute.type.kind == "list":
            return []
        return getattr(attribute.default, "value", None)

    def _reference(self, entity: str, text: str | None) -> str | None:
        records = list(getattr(self.world, self.model.entities[entity].container))
        if text is not None and text != "any":
            return labelled(self.model, entity, text, self.world)
        return self.chance.pick(records) if records else None

    def _list(self, attribute: Attribute, text: str | None, what: str) -> list[Any]:
        element = attribute.type.of
        assert element is not None
        if element.kind == "ref":
            if text is None or text == "any":
                records = list(getattr(self.world, self.model.entities[element.entity].container))
                return self.chance.some(records, self.chance.between(1, 3))
            return [labelled(self.model, element.entity, part.strip(), self.world) for part in text.split(" + ")]
        parts = [part.strip() for part in (text or "").split(" + ") if part.strip()]
        return [read(element, part, self.chance, self.world.now[:10], what) for part in parts]

    # History

    def _moments(self, begin: datetime, end: datetime) -> list[str]:
        """When things happened: spread over the days, in working hours, in order."""
        days = max((end - begin).days, 1)
        last = end.isoformat(timespec="minutes")
        moments: list[str] = []
        for number in range(self.history):
            day = begin + timedelta(days=number * days // max(self.history, 1))
            moments.append(self._moment(day))
        return sorted(moment for moment in moments if moment < last)

    def _moment(self, day: datetime) -> str:
        """A quarter of an hour of the day, or of the next one that has hours."""
        hours = None
        if self.plan.hours is not None:
            while (hours := self.plan.hours.of(day.date().isoformat())) is None:
                if day.isoformat() >= self.start.now:
                    # Too late to happen, and the calendar may end here.
                    return self.start.now
                day += timedelta(days=1)
        first, last = hours or (FIRST, LAST)
        quarter = self.chance.between(_quarters(first), max(_quarters(last) - 1, _quarters(first)))
        moment = day.replace(hour=quarter // 4, minute=quarter % 4 * 15).isoformat(timespec="minutes")
        return max(moment, f"{moment[:10]}T{first}")

    def _openings(self, begin: datetime, end: datetime) -> Iterator[tuple[str, bool]]:
        """When the daily steps are played: every day after the one of the base records, until now."""
        days = (end.date() - begin.date()).days if self.plan.daily else 0
        for number in range(1, days + 1):
            day = (begin + timedelta(days=number)).date().isoformat()
            moment = f"{day}T{self.plan.opening(day)}"
            if moment <= self.start.now:
                yield moment, False

    def _step(self) -> None:
        """One more operation that succeeds, if one can be found; what was played seldom comes first."""
        weights: dict[str, int] = {}
        for name in self.arguments:
            weight = self.start.play.get(name, 1)
            weights[name] = 1000 * weight * weight // (weight + self.grown.played.get(name, 0)) if weight else 0
        for _ in range(_OPERATIONS_PER_STEP):
            name = self._weighted(weights)
            if not name:
                return
            for turn in range(_DRAWS_PER_OPERATION):
                began = process_time()
                arguments = self.arguments[name].draw(self.world, self.chance, unchanged=turn > 0)
                if self.arguments[name].computed:
                    self._spend(f"the values of {name}", process_time() - began)
                if arguments is None:
                    if self.log is not None:
                        self.log.lacks(name, self.arguments[name].lacking)
                    break
                if self._play(name, arguments)["success"]:
                    return

    def _play(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A call of the history, counted where it succeeds."""
        result = self._in_time(name, partial(self.watch.play, name, arguments))
        if self.log is not None:
            self.log.answered(name, self.world, result)
        if result["success"]:
            self.grown.played[name] = self.grown.played.get(name, 0) + 1
        return result

    def _base(self, entity: Entity, made: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = within_time(getattr(self.world, f"base_{entity.noun}"), made)
        return result

    def _in_time(self, name: str, play: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a call answers, where neither it nor all of them together work too long."""
        began = process_time()
        try:
            result = play()
        except OverdueError as cause:
            number = rule_in(cause)
            rule = f" while it checked rule {number} ({self.model.rules[number - 1].text})" if number else ""
            raise GrowthError(
                f"{name} did not end within {deadline.SECONDS:g} seconds{rule}; let its expressions look at fewer records, by "
                "fewer loops inside each other or by asking for records that refer to one"
            ) from cause
        except MemoryError as cause:
            raise GrowthError(
                f"{name} used more memory than there is; let its expressions and the rules it may break make shorter lists"
            ) from cause
        self._spend(name, process_time() - began)
        return result

    def _spend(self, name: str, seconds: float) -> None:
        self.spent[name] = self.spent.get(name, 0.0) + seconds
        if sum(self.spent.values()) > MOST_SECONDS:
            slowest = max(self.spent, key=lambda operation: self.spent[operation])
            raise GrowthError(
                f"the start state took more than {MOST_SECONDS:g} seconds to grow, most of them in {slowest}; let its "
                "expressions and the rules it may break look at fewer records, or ask for a shorter history"
            )

    def _weighted(self, weights: dict[str, int]) -> str:
        total = sum(weights.values())
        if total <= 0:
            return ""
        drawn_ = self.chance.below(total)
        for name, weight in weights.items():
            drawn_ -= weight
            if drawn_ < 0:
                return name
        return ""


def _quarters(time: str) -> int:
    """How many quarters of an hour lie before a time of day."""
    return int(time[:2]) * 4 + int(time[3:]) // 15
