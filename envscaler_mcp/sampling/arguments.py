"""Arguments for an operation, taken from the state and steered by what its guards ask of each record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.analysis import statements
from envscaler_mcp.language.column_types import Nearby, column_of, is_valid
from envscaler_mcp.language.expressions import And, Compare, Expr, Get, ListOf, Literal, Local
from envscaler_mcp.language.interpreter.bounded import BoundedEvaluator
from envscaler_mcp.language.interpreter.store import Store, as_stored, as_value
from envscaler_mcp.language.model import Let, Model, New, Operation, Parameter, Put, Query
from envscaler_mcp.language.start import Computed
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.values import HIDDEN_NONE, Values, drawn, read, values_of

WantedArgument = tuple[str, frozenset[Any]]
"""The key of an attribute, and what it may be."""


class RecordPool:
    """A state with its containers as attributes, as arguments are drawn from."""

    def __init__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class Arguments:
    """Draws the arguments of one operation or query."""

    def __init__(self, operation: Operation | Query, model: Model) -> None:
        self.operation, self.model = operation, model
        said = model.blueprint.start.values
        self.values = values_of(operation.name, said)
        self.wishes = _wishes(operation, model)
        self.kept_in = _kept_in(operation) if isinstance(operation, Operation) else {}
        self.entity_values: dict[str, Values] = {entity: values_of(entity, said) for entity in model.entities}
        self.computed = dict(model.start.computed.get(operation.name, {})) if model.start is not None else {}
        self._followers = [param for param in operation.params if param.name in self.computed]
        self._pools: dict[str, list[str]] = {}
        self.lacking = ""
        """The parameter for which the last draw had no record to name."""

    def draw(self, world: Any, chance: Chance, *, unchanged: bool = False) -> dict[str, Any] | None:
        """Arguments that may be permitted, or None where there is no record to name.

        A caller that draws again from an unchanged world says so, and the records are not searched again.
        """
        if not unchanged:
            self._pools.clear()
        today = world.now[:10]
        rows: dict[str, str] = {}
        for table in self.values.tables:
            if "." in table.names[0]:
                continue
            rows.update(zip(table.names, chance.pick(table.rows), strict=True))
        drawn_: dict[str, Any] = {}
        for param in self.operation.params:
            if param.name in self.computed:
                continue
            if param.omissible and param.name not in rows and self._left_out(param, chance):
                continue
            text = rows.get(param.name)
            value = self._value(param, param.type, text, world, chance, today)
            if value is None and not param.type.optional:
                self.lacking = param.name
                return None
            drawn_[param.argument] = value
        return drawn_ if all(self._compute(param, drawn_, world) for param in self._followers) else None

    def _compute(self, param: Parameter, drawn_: dict[str, Any], world: Any) -> bool:
        """Give a parameter the value that follows from the others; whether it may have this value."""
        params = self.operation.params
        given = {p.name: (_given(p, drawn_), p.type) for p in params if p.name in self.computed[param.name].names}
        value = computed_value(self.model, world, self.computed[param.name], given)
        if value is not None:
            drawn_[param.argument] = value
        nearby = Nearby(world.now[:10], lambda entity: getattr(world, self.model.entities[entity].container))
        allowed = param.omissible if value is None else is_valid(value, param.type, nearby)
        self.lacking = self.lacking if allowed else param.name
        return allowed

    def _left_out(self, param: Parameter, chance: Chance) -> bool:
        said = self.values.single.get(param.name)
        return chance.of(50) if said is None else HIDDEN_NONE in said and chance.of(40)

    def _value(self, param: Parameter, type_: Type, text: str | None, world: Any, chance: Chance, today: str) -> Any:
        what = f"{self.operation.name}.{param.name}"
        if text == HIDDEN_NONE:
            return None
        if type_.kind == "ref":
            named = tuple(value for value in self.values.single.get(param.name, ()) if value != HIDDEN_NONE)
            if text is None and set(named) - {"any"}:
                text = chance.pick(named)
            return self._record(param.name, type_.entity, text, world, chance)
        if type_.kind == "list" and type_.of is not None:
            return self._list(param, type_.of, world, chance, today)
        alternatives = tuple(a for a in self._alternatives(param.name) if a != HIDDEN_NONE)
        if text is not None:
            return read(type_, text, chance, today, what)
        usual = column_of(type_).usual
        if usual is not None and not alternatives:
            # A change is about what comes, a question mostly about what was.
            alternatives = usual[:1] if isinstance(self.operation, Operation) else usual[1:]
        return drawn(type_, alternatives, chance, today, what)

    def _alternatives(self, name: str) -> tuple[str, ...]:
        """What was said of the parameter, or of the attribute that it is kept in."""
        if name in self.values.single:
            return self.values.single[name]
        entity, attribute = self.kept_in.get(name, ("", ""))
        return self.entity_values[entity].single.get(attribute, ()) if entity else ()

    def _list(self, param: Parameter, element: Type, world: Any, chance: Chance, today: str) -> Any:
        number = chance.between(1, 3)
        if element.kind == "ref":
            pool = self._pool(param.name, element.entity, world)
            return chance.some(pool, number) or None
        if element.kind == "struct":
            entries = [self._entry(param, element, world, chance, today) for _ in range(number)]
            first = element.fields[0][0]
            key = f"{first}_id" if element.fields[0][1].kind == "ref" else first
            distinct = {entry[key]: entry for entry in entries if entry is not None}
            return list(distinct.values()) or None
        single = [text for several in self._alternatives(param.name) for text in several.split(" + ")]
        alternatives = tuple(text for text in single if text != HIDDEN_NONE)
        values = [
            drawn(element, alternatives, chance, today, f"{self.operation.name}.{param.name}") for _ in range(number)
        ]
        return list(dict.fromkeys(values))

    def _entry(self, param: Parameter, struct: Type, world: Any, chance: Chance, today: str) -> dict[str, Any] | None:
        entry: dict[str, Any] = {}
        rows = self._rows_of_entries(param, chance)
        for name, type_ in struct.fields:
            what = f"{self.operation.name}.{param.name}.{name}"
            text = rows.get(name)
            said = self.values.single.get(f"{param.name}.{name}", self.values.single.get(name, ()))
            if text == HIDDEN_NONE or (text is None and type_.optional and chance.of(60)):
                continue
            if type_.kind == "ref":
                record = self._field_record(type_.entity, text, world, chance)
                if record is None:
                    return None
                entry[f"{name}_id"] = record
            elif text is not None:
                entry[name] = read(type_, text, chance, today, what)
            else:
                entry[name] = drawn(type_, said, chance, today, what)
        return entry

    def _rows_of_entries(self, param: Parameter, chance: Chance) -> dict[str, str]:
        """Fields of one entry that are said together."""
        entries: dict[str, str] = {}
        for table in self.values.tables:
            if table.names[0].startswith(f"{param.name}."):
                names = (name.partition(".")[2] for name in table.names)
                entries.update(zip(names, chance.pick(table.rows), strict=True))
        return entries

    def _field_record(self, entity: str, text: str | None, world: Any, chance: Chance) -> str | None:
        if text is not None and text != "any":
            return labelled(self.model, entity, text, world)
        pool = list(getattr(world, self.model.entities[entity].container))
        return chance.pick(pool) if pool else None

    def _record(self, name: str, entity: str, text: str | None, world: Any, chance: Chance) -> str | None:
        if text is not None and text != "any":
            return labelled(self.model, entity, text, world)
        pool = self._pool(name, entity, world)
        if not pool:
            return None
        # What is new is what people are busy with.
        return chance.pick(pool[-8:]) if chance.of(40) else chance.pick(pool)

    def _pool(self, name: str, entity: str, world: Any) -> list[str]:
        """The records that the guards may let the parameter name."""
        if name not in self._pools:
            records, wishes = getattr(world, self.model.entities[entity].container), self.wishes.get(name, ())
            self._pools[name] = [
                key for key, record in records.items() if all(record[field] in values for field, values in wishes)
            ]
        return self._pools[name]


def _given(param: Parameter, drawn_: dict[str, Any]) -> Any:
    """What a call passes for a parameter, or what stands there where it is left out."""
    value = drawn_.get(param.argument, getattr(param.default, "value", None))
    return [] if value is None and param.type.kind == "list" else value


def computed_value(model: Model, world: Any, computed: Computed, given: Mapping[str, tuple[Any, Type]]) -> Any:
    """The value that follows from others, given with their types, as a call or a record holds it."""
    evaluator = BoundedEvaluator(Store(model, vars(world)), "a value that start.values computes")
    names = {name: as_value(value, type_) for name, (value, type_) in given.items()}
    return as_stored(evaluator.value(computed.value, names))


def labelled(model: Model, entity: str, text: str, world: Any) -> str:
    """The id of the record that people call so."""
    declared = model.entities[entity]
    for attribute in declared.stored:
        if attribute.name == declared.label or attribute.unique:
            for key, record in getattr(world, declared.container).items():
                if record[attribute.key] == text:
                    return str(key)
    raise GrowthError(_no_such_record(model, entity, text, world))


def _no_such_record(model: Model, entity: str, text: str, world: Any) -> str:
    declared = model.entities[entity]
    said = f"start.values names {entity} {text!r}, and no {entity} has this label or unique text on {world.now[:10]}"
    key = declared.attributes[declared.label].key if declared.label != "id" else "id"
    names = [str(record[key]) for record in getattr(world, declared.container).values()]
    if names:
        hint = name_hint(text, names) or "; `envscaler blueprint grow` counts what there is by then"
        return f"{said}{hint}. Name one that is there by then, write any, or add it to the base records"
    return f"{said}: there is no {entity} at all; give start.records some"


def _wishes(operation: Operation | Query, model: Model) -> dict[str, list[WantedArgument]]:
    """What the guards ask of the attributes of each parameter, where it is a plain list of values."""
    entities = {param.name: (param.type.of or param.type).entity for param in operation.params}
    tests: dict[tuple[str, str], frozenset[Any]] = {}
    for line in operation.require:
        if isinstance(line, Let):
            continue
        for test in line.test.parts if isinstance(line.test, And) else (line.test,):
            asked = _asked(test)
            if asked is not None:
                tests[asked[0]] = asked[1]
    wishes: dict[str, list[WantedArgument]] = {}
    for (param, attribute), values in tests.items():
        if entities.get(param):
            key = model.entities[entities[param]].attributes[attribute].key
            wishes.setdefault(param, []).append((key, values))
    return wishes


def _asked(test: Expr) -> tuple[tuple[str, str], frozenset[Any]] | None:
    if not isinstance(test, Compare) or not isinstance(test.left, Get) or not isinstance(test.left.of, Local):
        return None
    if test.left.name == "id":
        return None
    key = (test.left.of.name, test.left.name)
    if test.op == "==" and isinstance(test.right, Literal):
        return key, frozenset({test.right.value})
    if (
        test.op == "in"
        and isinstance(test.right, ListOf)
        and all(isinstance(item, Literal) for item in test.right.items)
    ):
        return key, frozenset(item.value for item in test.right.items if isinstance(item, Literal))
    return None


def _kept_in(operation: Operation) -> dict[str, tuple[str, str]]:
    """Parameter to the attribute that it is stored in."""
    attributes: dict[str, tuple[str, str]] = {}
    for statement in statements(operation.effect):
        if isinstance(statement, New):
            for attribute, value in statement.values.items():
                if isinstance(value, Local):
                    attributes.setdefault(value.name, (statement.entity, attribute))
        elif isinstance(statement, Put) and isinstance(statement.value, Local):
            attributes.setdefault(statement.value.name, (statement.entity, statement.attribute))
    return attributes
