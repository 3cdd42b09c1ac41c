"""What is seen while a start state grows: which guard refused what, which record was lacking, which rule took time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.model import Guard, Model

_MOST_SENTENCES = 30
"""How many refusals of one operation are told apart; they may name values, and so be without end."""
_OTHERS = "other refusals"


@dataclass(slots=True)
class OperationLog:
    """How the calls of one operation went."""

    calls: int = 0
    done: int = 0
    seconds: float = 0.0
    guards: Counter[int] = field(default_factory=Counter)
    """How often each line of `require`, from 1, refused a call."""
    taken_back: Counter[str] = field(default_factory=Counter)
    """How often a call that passed the guards was undone, by what was answered."""
    lacking: Counter[str] = field(default_factory=Counter)
    """By parameter, how often there was no record that the guards might let it name."""


@dataclass(slots=True)
class RuleLog:
    """How often a rule was looked at, and how long that took."""

    checks: int = 0
    seconds: float = 0.0


class GrowthLog:
    """What happened while one start state grew."""

    def __init__(self, model: Model, progress: Callable[[str, int, int], None] = lambda *_: None) -> None:
        self.progress = progress
        self.operations = {name: OperationLog() for name in model.operations}
        self.rules = {rule.number: RuleLog() for rule in model.rules}
        self.planned: set[tuple[str, str]] = set()
        """Entities and their dates that were written as later than the day on which that was done; in base records, than the last day."""
        self._dates = dates_of(model)
        self.stopped = ""
        """Why the state could not be grown to its end."""
        self.reached = ""
        """The minute of the history that growing came to."""

    def begin(self, world: Any) -> None:
        """Take the time of every rule from now on."""
        for name in dir(world):
            number = name.removeprefix("_breaks_rule_").partition("_")[0]
            if name.startswith("_breaks_rule_") and number.isdecimal():
                setattr(world, name, _timed(getattr(world, name), self.rules[int(number)]))

    def answered(self, operation: str, world: Any, result: Mapping[str, Any]) -> None:
        """A call of the nursery's class, whose guards answer the number of their line."""
        log = self.operations[operation]
        log.calls += 1
        error = "" if result["success"] else str(result["error"])
        if not error:
            log.done += 1
            self.written(world, world.now[:10])
        elif error.isdecimal():
            log.guards[int(error)] += 1
        else:
            known = error in log.taken_back or len(log.taken_back) < _MOST_SENTENCES
            log.taken_back[error if known else _OTHERS] += 1

    def written(self, world: Any, today: str) -> None:
        """Note the dates that the call just done has set to a later day."""
        for kind, container, key, *rest in world._journal:
            entity, dates = self._dates.get(container, ("", ()))
            record = getattr(world, container).get(key) if kind in ("new", "put") and dates else None
            if record is not None:
                written = dates if kind == "new" else [date for date in dates if date == rest[0]]
                self.planned.update((entity, date) for date in written if (record[date] or "")[:10] > today)

    def lacks(self, operation: str, parameter: str) -> None:
        """A call for which no arguments could be drawn."""
        self.operations[operation].lacking[parameter] += 1

    def note_seconds(self, spent: Mapping[str, float]) -> None:
        """How long the calls of each operation worked, those for base records aside."""
        for name, seconds in spent.items():
            if name in self.operations:
                self.operations[name].seconds = seconds


def guard_lines(model: Model, operation: str) -> dict[int, str]:
    """The guards of an operation as they are written, by the number of their line."""
    written = model.blueprint.operations[operation].require
    lines = enumerate(model.operations[operation].require, 1)
    return {number: " ".join(written[number - 1].split()) for number, line in lines if isinstance(line, Guard)}


def dates_of(model: Model) -> dict[str, tuple[str, tuple[str, ...]]]:
    """By container, the entity and its attributes that lie on a day."""
    return {
        entity.container: (
            entity.name,
            tuple(attribute.key for attribute in entity.stored if column_of(attribute.type).on_a_day),
        )
        for entity in model.entities.values()
    }


def _timed(check: Callable[..., Any], log: RuleLog) -> Callable[..., Any]:
    def checked(*record: Any) -> Any:
        began = thread_time()
        try:
            return check(*record)
        finally:
            log.checks += 1
            log.seconds += thread_time() - began

    return checked
