"""What a blueprint declares, held against what the code did: effects, rules, ranges, references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.language.analysis import read_by, statements
from envscaler_mcp.language.interpreter.evaluation import Evaluator
from envscaler_mcp.language.interpreter.soundness import unsound
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.language.model import Delete, Model, New, Operation, Put, Query
from envscaler_mcp.language.text import plural
from envscaler_mcp.quality.judge import Finding
from envscaler_mcp.quality.probe_worlds import Tried

_SCANS = 1


@dataclass(slots=True)
class _Effects:
    """What one operation may do, by container and stored key."""

    makes: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    changes: set[tuple[str, str]] = field(default_factory=set)
    counts: set[str] = field(default_factory=set)


class BlueprintInvariants:
    """The law of an environment that has a blueprint."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._effects = {name: _effects(model, operation) for name, operation in model.operations.items()}
        self._reads = [(rule, read_by(rule.holds, model)) for rule in model.rules]
        self._pairs = {
            (entity.container, attribute.key): (entity.name, attribute.name)
            for entity in model.entities.values()
            for attribute in entity.stored
        }
        self._scanned: dict[str, list[set[tuple[str, str]]]] = {}
        self._entities = {entity.container: entity.name for entity in model.entities.values()}

    def faults(self, tool: str, tried: Tried) -> Iterator[Finding]:
        """What the call did beyond its declared effects, and what no longer holds."""
        for place in self._undeclared(self._effects.get(tool, _Effects()), tried.diff):
            yield "fail", f"it changed {place}, which its effects do not declare"
        unsound_ = unsound(self.model, tried.after)
        if unsound_:
            yield "fail", f"it left a state that is not sound: {unsound_[0]}"
            return
        touched = self._touched(tried.diff)
        if not self._worth_scanning(tool, touched):
            return
        evaluation = Evaluator(Store(self.model, tried.after))
        for rule, reads in self._reads:
            if reads & touched and not evaluation.value(rule.holds, {}):
                yield "fail", f"it broke the rule: {rule.text}"

    def broken(self, state: dict[str, Any]) -> list[str]:
        """Every rule that a state breaks, by looking at everything."""
        evaluation = Evaluator(Store(self.model, state))
        return [rule.text for rule in self.model.rules if not evaluation.value(rule.holds, {})]

    def _worth_scanning(self, tool: str, touched: set[tuple[str, str]]) -> bool:
        """Whether this call may tell more about the rules than the first calls of the tool did."""
        # To look at every record takes a hundred times as long as the call; the ends of journeys show the rest.
        known = self._scanned.setdefault(tool, [])
        if len(known) >= _SCANS and touched <= set().union(*known):
            return False
        known.append(touched)
        return True

    def _undeclared(self, effects: _Effects, diff: StateDiff) -> Iterator[str]:
        for container, records in diff.created.items():
            if container not in effects.makes:
                yield f"{container} {next(iter(records))} (new)"
        for container, records in diff.deleted.items():
            if container not in effects.ends:
                yield f"{container} {next(iter(records))} (gone)"
        for container, records in diff.changed.items():
            for key, fields in records.items():
                yield from (
                    f"{container} {key} ({name})" for name in fields if (container, name) not in effects.changes
                )
        for path in diff.scalars:
            if path.removeprefix("counters.") not in effects.counts:
                yield path

    def _touched(self, diff: StateDiff) -> set[tuple[str, str]]:
        """The (entity, attribute) pairs a rule may read that the difference may have changed."""
        pairs: set[tuple[str, str]] = set()
        for container in {**diff.created, **diff.deleted}:
            entity = self._entities.get(container, "")
            pairs |= {(entity, "*"), *(pair for pair in self._pairs.values() if pair[0] == entity)}
        for container, records in diff.changed.items():
            for fields in records.values():
                pairs |= {self._pairs[container, name] for name in fields if (container, name) in self._pairs}
        return pairs


def _effects(model: Model, operation: Operation) -> _Effects:
    effects = _Effects()
    for statement in statements(operation.effect):
        match statement:
            case New(entity=name):
                effects.makes.add(model.entities[name].container)
                effects.counts.add(model.entities[name].noun)
            case Delete(entity=name):
                effects.ends.add(model.entities[name].container)
            case Put(entity=name, attribute=attribute):
                effects.changes.add((model.entities[name].container, model.entities[name].attributes[attribute].key))
    return effects


def reference_arguments(model: Model) -> dict[tuple[str, str], str]:
    """Tool and argument to the container whose ids it names; to nothing where it names none, whatever it is called."""
    containers: dict[tuple[str, str], str] = {}
    asked: dict[str, Operation | Query] = {**model.operations, **model.queries}
    for tool, operation in asked.items():
        for param in operation.params:
            element = param.type.of if param.type.kind == "list" and param.type.of is not None else param.type
            containers[tool, param.argument] = model.entities[element.entity].container if element.kind == "ref" else ""
            for name, type_ in element.fields:
                if type_.kind == "ref":
                    containers[tool, f"{param.argument}[].{name}_id"] = model.entities[type_.entity].container
    for name, reads in model.derive.items():
        entity = model.entities[name]
        for read in reads:
            tool = f"get_{entity.noun}" if read == "get" else f"{read}_{plural(entity.noun)}"
            if read == "get":
                containers[tool, f"{entity.noun}_id"] = entity.container
                continue
            for attribute in entity.stored:
                if attribute.type.kind == "ref":
                    containers[tool, attribute.key] = model.entities[attribute.type.entity].container
    return containers
