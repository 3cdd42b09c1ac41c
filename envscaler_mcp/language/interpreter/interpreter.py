"""One environment played straight from its model, against which compiled code is compared."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.language.analysis import tool_names
from envscaler_mcp.language.expressions import Literal
from envscaler_mcp.language.interpreter.effects import CallRefused, Effects, broken_rules
from envscaler_mcp.language.interpreter.evaluation import Evaluator, Names
from envscaler_mcp.language.interpreter.reads import Reads, derived_reads
from envscaler_mcp.language.interpreter.soundness import unsound
from envscaler_mcp.language.interpreter.store import Ref, State, Store
from envscaler_mcp.language.model import Let, Model, Operation, Parameter, Query
from envscaler_mcp.language.text import name_hint, words
from envscaler_mcp.language.types import Type

Result = dict[str, Any]


class GuardRefusal(CallRefused):
    """A refusal by a guard, and which one it was, counted from 1."""

    def __init__(self, sentence: str, number: int) -> None:
        super().__init__(sentence)
        self.number = number


class Interpreter:
    """A world that answers as the compiled class must; it looks at every record and checks every rule at each call."""

    def __init__(self, model: Model, state: Mapping[str, Any] | None = None) -> None:
        given = copy.deepcopy(dict(state or {}))
        self.model = model
        self.state: State = {e.container: given.get(e.container, {}) for e in model.entities.values()}
        self.state["now"] = given.get("now", model.blueprint.start.now)
        known = {e.noun: len(self.state[e.container]) for e in model.entities.values()}
        self.state["counters"] = {**known, **given.get("counters", {})}
        self.reads = derived_reads(model)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        """What the tool answers; the arguments fit the tool's signature, as for a compiled method."""
        state = copy.deepcopy(self.state)
        try:
            result = self._answer(tool, arguments, Evaluator(Store(self.model, state)))
        except CallRefused as refusal:
            return {"success": False, "error": str(refusal)}
        self.state = state
        return result

    def refusal(self, tool: str, arguments: Mapping[str, Any]) -> CallRefused | None:
        """What refuses the call before any effect: a GuardRefusal, or a record that is not there."""
        asked = self.model.operations.get(tool) or self.model.queries.get(tool)
        if asked is None:
            return None
        try:
            self._required(asked, arguments, Evaluator(Store(self.model, self.state)))
        except CallRefused as refusal:
            return refusal
        return None

    def broken_rules(self) -> list[int]:
        """The numbers of the rules that the state breaks."""
        return broken_rules(Evaluator(Store(self.model, self.state)))

    def check_state(self) -> list[str]:
        """What is wrong with the state: shapes, ranges, references, unique attributes, and then the rules."""
        problems = unsound(self.model, self.state)
        return problems or [self.model.rules[number - 1].text for number in self.broken_rules()]

    def _answer(self, tool: str, arguments: Mapping[str, Any], evaluation: Evaluator) -> Result:
        reads = Reads(evaluation)
        if tool in self.model.operations:
            operation = self.model.operations[tool]
            return self._change(operation, self._required(operation, arguments, evaluation), evaluation)
        if tool in self.model.queries:
            query = self.model.queries[tool]
            names = self._required(query, arguments, evaluation)
            return {"success": True, **reads.own(query, arguments, names)}
        if tool in self.reads:
            return {"success": True, **reads.derived(*self.reads[tool], arguments)}
        if tool == self.model.clock:
            return {"success": True, "data": reads.clock()}
        known = [name for name, _ in tool_names(self.model)]
        raise LookupError(f"There is no tool {tool!r}{name_hint(tool, known)}.")

    def _required(self, asked: Operation | Query, arguments: Mapping[str, Any], evaluation: Evaluator) -> Names:
        """The names that parameters and lets give, where every guard is true."""
        names: Names = {}
        for param in asked.params:
            names[param.name] = self._argument(param, arguments, evaluation.store)
        number = 0
        for line in asked.require:
            if isinstance(line, Let):
                names[line.name] = evaluation.value(line.value, names)
                continue
            number += 1
            if not evaluation.value(line.test, names):
                raise GuardRefusal(evaluation.sentence(line.sentence, names), number)
        return names

    def _argument(self, param: Parameter, arguments: Mapping[str, Any], store: Store) -> Any:
        given = arguments.get(param.argument)
        if given is None and param.type.kind == "list":
            return []
        if param.argument not in arguments and isinstance(param.default, Literal):
            return param.default.value
        return self._resolved(given, param.type, store)

    def _resolved(self, given: Any, type_: Type, store: Store) -> Any:
        """The argument with records in the place of ids."""
        if given is None:
            return None
        if type_.kind == "list" and type_.of is not None:
            return [self._resolved(item, type_.of, store) for item in given]
        if type_.kind == "struct":
            keys = {name: f"{name}_id" if field.kind == "ref" else name for name, field in type_.fields}
            return {name: self._resolved(given.get(keys[name]), field, store) for name, field in type_.fields}
        if type_.kind != "ref":
            return given
        if not store.exists(type_.entity, given):
            raise CallRefused(f"There is no {words(self.model.entities[type_.entity].noun)} {given!r}.")
        return Ref(type_.entity, given)

    def _change(self, operation: Operation, names: Names, evaluation: Evaluator) -> Result:
        done = evaluation.sentence(operation.say, names)
        for clause in operation.say.clauses:
            given = all(names[name] is not None for name in clause.needs)
            done += evaluation.sentence(clause.words if given else clause.otherwise, names)
        effects = Effects(evaluation, operation)
        effects.run(names)
        news = ", ".join(f"{words(self.model.entities[record.entity].noun)} {record.id}" for record in effects.created)
        message = f"Done: {done}{f' (new: {news})' if news else ''}."
        keys = operation.new_keys(self.model.entities)
        ids = {key: record.id for key, record in zip(keys, effects.created, strict=True)}
        return {"success": True, "message": message, "data": {**ids, **effects.changes()}}
