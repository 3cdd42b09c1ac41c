"""What the compiler knows of its tools: the shapes of their answers, and which changes only add or can be repeated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from envscaler_mcp.artifacts import ToolAnswers
from envscaler_mcp.language.analysis import read_by, statement_expressions, statements, written
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr, Local
from envscaler_mcp.language.interpreter.reads import derived_reads
from envscaler_mcp.language.model import Delete, Entity, Let, Model, New, Operation, Put, Query
from envscaler_mcp.language.pointing import pointers_of_query, pointers_of_record, shown_key
from envscaler_mcp.language.text import plural
from envscaler_mcp.language.types import INT, Type
from envscaler_mcp.synthesis.compile.queries import records_key


def answers_of(model: Model) -> ToolAnswers:
    """What can be said of every tool of the model."""
    data = {query.name: _of_query(query, model) for query in model.queries.values()} | dict(_of_reads(model))
    if model.clock:
        data[model.clock] = _object((("now", "str"), ("weekday", "str")))
    for operation in model.operations.values():
        data[operation.name] = _of_change(operation, model)
    whole = " ".join(data.values())
    return ToolAnswers(
        records={name: _of_entity(e) for name, e in model.entities.items() if re.search(rf"\b{name}\b", whole)},
        data=data,
        naming=tuple(_naming(model)),
        additive=tuple(operation.name for operation in model.operations.values() if is_additive(operation)),
        repeatable=tuple(operation.name for operation in model.operations.values() if is_repeatable(operation, model)),
    )


def is_additive(operation: Operation) -> bool:
    """Whether it changes and deletes no record that was there before the call."""
    made = {statement.name for statement in statements(operation.effect) if isinstance(statement, New)}
    return not any(
        isinstance(statement, Delete)
        or (isinstance(statement, Put) and not (isinstance(statement.record, Local) and statement.record.name in made))
        for statement in statements(operation.effect)
    )


def is_repeatable(operation: Operation, model: Model) -> bool:
    """Whether a second call with the same arguments certainly changes nothing more.

    A call that is refused changes nothing. So is a second one that names a record which the first one deleted; any other
    puts the same values in the same places, where nothing that decides them is written.
    """
    required = {param.name for param in operation.params if param.type.kind == "ref" and not param.omissible}
    if any(
        isinstance(statement, Delete) and isinstance(statement.record, Local) and statement.record.name in required
        for statement in operation.effect
    ):
        return True
    changes = list(statements(operation.effect))
    if any(isinstance(statement, New | Delete) for statement in changes):
        return False
    deciding = [line.value for line in operation.require if isinstance(line, Let)]
    deciding += [expr for statement in changes for expr in statement_expressions(statement)]
    return not written(operation) & {pair for expr in deciding for pair in read_by(expr, model)}


def _of_change(operation: Operation, model: Model) -> str:
    """The ids of new records, and what the operation may change."""
    changed: dict[str, dict[str, str]] = {}
    deleted: dict[str, str] = {}
    for statement in statements(operation.effect):
        match statement:
            case Delete(entity=name):
                deleted[f"{model.entities[name].container}?"] = "[str]"
            case New(entity=name):
                entity = model.entities[name]
                known = changed.setdefault(name, {})
                for each in entity.stored:
                    known.setdefault(each.key, shape(each.type.certain))
            case Put(entity=name, attribute=attribute):
                entity = model.entities[name]
                label = [] if entity.label == "id" else [entity.attributes[entity.label]]
                for each in (*label, entity.attributes[attribute]):
                    # What is new may be that there is nothing.
                    changed.setdefault(name, {})[each.key] = shape(each.type)
    rows = {
        f"{model.entities[name].container}?": f"[{_object((('id', 'str'), *((f'{key}?', value) for key, value in keys.items())))}]"
        for name, keys in changed.items()
    }
    members = [(key, "str") for key in operation.new_keys(model.entities)]
    members += [("changed?", _object(rows.items()))] if rows else []
    members += [("deleted?", _object(deleted.items()))] if deleted else []
    return _object([*members, ("more?", "int")])


def _of_query(query: Query, model: Model) -> str:
    if query.answer:
        return _of_values(query.answer)
    assert query.element is not None
    if query.show:
        row = _of_values(query.show)
    else:
        row = query.element.entity if query.element.kind == "ref" else shape(query.element)
    return _object((("total", shape(INT)), (records_key(query, model), f"[{row}]")))


def _of_reads(model: Model) -> Iterator[tuple[str, str]]:
    for name, reads in model.derive.items():
        entity = model.entities[name]
        many = _object((("total", shape(INT)), (entity.container, f"[{name}]")))
        shapes = {"get": name, "list": many, "find": many, "count": _object([("total", shape(INT))])}
        for read in reads:
            yield (f"get_{entity.noun}" if read == "get" else f"{read}_{plural(entity.noun)}"), shapes[read]


def _naming(model: Model) -> Iterator[str]:
    """Tools whose answers may point to records that have names."""
    yield from (query.name for query in model.queries.values() if pointers_of_query(query, model))
    for tool, (entity, read) in derived_reads(model).items():
        if read != "count" and pointers_of_record(entity, model):
            yield tool


def _of_entity(entity: Entity) -> str:
    stored = [(attribute.key, shape(attribute.type)) for attribute in entity.stored]
    derived = [(shown_key(attribute.name, attribute.type), shape(attribute.type)) for attribute in entity.derived]
    return _object([("id", "str"), *stored, *derived])


def _of_values(values: dict[str, Expr]) -> str:
    return _object((key, shape(expr.type)) for key, expr in values.items())


def _object(members: Iterable[tuple[str, str]]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in members)}}}"


def shape(type_: Type) -> str:
    """A value of the type as an answer holds it: records are named by their ids."""
    text = _certain(type_)
    return f"{text}?" if type_.optional else text


def _certain(type_: Type) -> str:
    match type_.kind:
        case "list":
            return "any" if type_.of is None else f"[{shape(type_.of)}]"
        case "struct":
            return _object((name, shape(inner)) for name, inner in type_.fields)
        case "one_of" if type_.options and all(re.fullmatch(r"[\w.-]+", option) for option in type_.options):
            return f"={'|'.join(type_.options)}"
        case "none":
            return "any"
    python = column_of(type_).python
    return python if python in ("str", "int", "bool") else "any"
