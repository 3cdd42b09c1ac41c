"""What an author is shown of the start states of a blueprint: what they hold, and what stood in the way while they grew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from envscaler_mcp.artifacts import Blueprint, WordsSpec
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import Problem, check_blueprint, read_blueprint
from envscaler_mcp.language.check import CheckedBlueprint
from envscaler_mcp.language.interpreter.bounded import BoundedEvaluator
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.language.model import Entity, Model
from envscaler_mcp.pipeline.building import STATES
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.casting import Casting
from envscaler_mcp.scenarios.growth import Grown, watch_growth
from envscaler_mcp.scenarios.growth_log import GrowthLog, guard_lines
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.nursery import compile_nursery

_CASTS = 12
"""How often each story is cast in each state."""

T = TypeVar("T")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class StateReport:
    """What one start state holds, as far as it grew."""

    name: str
    stopped: str
    """Why it could not be grown to its end; nothing where it was."""
    reached: str
    """The minute of the history that it came to."""
    operations: int
    """How many operations of the history succeeded."""
    daily: int
    """How many daily steps did."""
    rows: dict[str, int]
    """Records by entity."""
    statuses: dict[str, dict[str, int]]
    """Records by `Entity.attribute` and status."""
    done: dict[str, int]
    """How often each operation succeeded."""
    casts: dict[str, int]
    """Of a dozen tries, how many times each story could be cast."""


@dataclass(frozen=True, slots=True)
class Stop:
    """What refused an operation, or left it without arguments, and how often in all states."""

    kind: str
    """`guard`, `rule` (a rule, a range, a move: whatever the guards did not foresee) or `no record`."""
    text: str
    times: int


@dataclass(frozen=True, slots=True)
class OperationReport:
    """How the calls of one operation went, in all states."""

    name: str
    calls: int
    done: int
    seconds: float
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What one rule cost, in all states."""

    number: int
    text: str
    checks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class DryCast:
    """A role of a story for which a state had nothing."""

    story: str
    state: str
    reason: str
    times: int


@dataclass(slots=True)
class GrowthReport:
    """The start states of one blueprint."""

    path: Path
    id: str = ""
    problems: list[Problem] = field(default_factory=list)
    """Errors of the file; those of its stories alone do not keep states from growing."""
    wanted: int = 0
    """How many operations a history shall have."""
    casts: int = _CASTS
    states: list[StateReport] = field(default_factory=list)
    operations: list[OperationReport] = field(default_factory=list)
    rules: list[RuleReport] = field(default_factory=list)
    dry: list[DryCast] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong with the file and every state was grown to its end."""
        return not self.problems and bool(self.states) and not any(state.stopped for state in self.states)


def grow_file(path: Path, progress: Progress) -> GrowthReport:
    """Grow the start states of a blueprint as far as they go, and count."""
    blueprint = read_blueprint(path)
    report = GrowthReport(path, blueprint.id)
    checked, report.problems = _checked(blueprint)
    if checked.model is None:
        return report
    model = checked.model
    report.wanted = model.blueprint.start.history
    nursery = compile_nursery(model)
    made = load_class(nursery.source, nursery.class_name)
    logs: list[GrowthLog] = []
    for name, seed in STATES.items():
        logs.append(GrowthLog(model, lambda day, number, total, name=name: progress(f"{name} {day}", number, total)))  # type: ignore[misc]
        grown = watch_growth(model, made, seed, logs[-1])
        casts = {} if logs[-1].stopped else _casts(checked, grown, name, seed, report.dry)
        report.states.append(_state(model, name, grown, logs[-1], casts))
    report.operations = [_operation(model, name, logs) for name in model.operations]
    report.rules = [
        RuleReport(
            rule.number,
            rule.text,
            sum(log.rules[rule.number].checks for log in logs),
            round(sum(log.rules[rule.number].seconds for log in logs), 6),
        )
        for rule in model.rules
    ]
    return report


def _checked(blueprint: Blueprint) -> tuple[CheckedBlueprint, list[Problem]]:
    """What was read, without the stories where they are what is wrong; and every error."""
    checked = check_blueprint(blueprint)
    if checked.model is not None:
        return checked, []
    bare = check_blueprint(blueprint.model_copy(update={"stories": {}, "words": WordsSpec()}))
    return bare, checked.errors


def _state(model: Model, name: str, grown: Grown, log: GrowthLog, casts: dict[str, int]) -> StateReport:
    return StateReport(
        name=name,
        stopped=log.stopped,
        reached=log.reached,
        operations=sum(grown.played.values()) - grown.daily,
        daily=grown.daily,
        rows={entity.name: len(records(entity, grown.content)) for entity in model.entities.values()},
        statuses=statuses(model, grown.content),
        done=dict(grown.played),
        casts=casts,
    )


def records(entity: Entity, content: Mapping[str, Any]) -> Mapping[str, dict[str, Any]]:
    """The records of an entity; none where nothing was grown."""
    rows: Mapping[str, dict[str, Any]] = content.get(entity.container, {})
    return rows


def statuses(model: Model, content: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """How many records are in each status, those in which there are none too."""
    counts: dict[str, dict[str, int]] = {}
    for entity in model.entities.values():
        for attribute in entity.stored:
            if attribute.moves is not None:
                seen = Counter(record[attribute.key] for record in records(entity, content).values())
                counts[f"{entity.name}.{attribute.name}"] = {status: seen[status] for status in attribute.type.options}
    return counts


def _operation(model: Model, name: str, logs: Sequence[GrowthLog]) -> OperationReport:
    mine = [log.operations[name] for log in logs]
    lines = guard_lines(model, name)
    stops = [
        *(Stop("guard", lines[number], times) for number, times in _added(log.guards for log in mine)),
        *(Stop("rule", text, times) for text, times in _added(log.taken_back for log in mine)),
        *(Stop("no record", parameter, times) for parameter, times in _added(log.lacking for log in mine)),
    ]
    stops.sort(key=lambda stop: -stop.times)
    seconds = round(sum(log.seconds for log in mine), 6)
    return OperationReport(name, sum(log.calls for log in mine), sum(log.done for log in mine), seconds, tuple(stops))


def _added(counts: Iterable[Counter[T]]) -> Iterable[tuple[T, int]]:
    total: Counter[T] = Counter()
    for count in counts:
        total += count
    return total.items()


def _casts(checked: CheckedBlueprint, grown: Grown, state: str, seed: int, dry: list[DryCast]) -> dict[str, int]:
    """How often each story can be cast at the state; where it cannot, what it had nothing for."""
    assert checked.model is not None
    casting = Casting(checked.model)
    store = Store(checked.model, grown.content)
    chance = Chance(seed, f"casts of {checked.blueprint.id}")
    casts: dict[str, int] = {}
    for name, story in checked.speech.stories.items():
        reasons: Counter[str] = Counter()
        try:
            at_rest = BoundedEvaluator(store, "its cast")
            for _ in range(_CASTS):
                if casting.cast(story, at_rest, chance, set()) is None:
                    reasons[casting.why(story)] += 1
        except GrowthError as cause:
            reasons = Counter({str(cause): _CASTS})
        casts[name] = _CASTS - reasons.total()
        dry.extend(DryCast(name, state, reason, times) for reason, times in reasons.most_common())
    return casts
