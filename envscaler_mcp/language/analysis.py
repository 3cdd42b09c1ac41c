"""What an author cannot have meant: states that are never entered, rules that no call can break, definitions without use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import (
    Choice,
    Defined,
    Derived,
    Expr,
    Get,
    Literal,
    Local,
    Now,
    Records,
    Scan,
    walk,
)
from envscaler_mcp.language.model import (
    Attribute,
    Define,
    Delete,
    Entity,
    For,
    Guard,
    If,
    Let,
    Model,
    New,
    Operation,
    Put,
    Query,
    Sentence,
    SetLocal,
    Statement,
)
from envscaler_mcp.language.stories import Storybook, expressions_of, told_expressions
from envscaler_mcp.language.text import plural, singular

Finding = tuple[str, str]


def errors(model: Model, speech: Storybook) -> Iterator[Finding]:
    """What must be mended."""
    yield from _unused_defines(model, speech)
    yield from _states(model)
    for operation in model.operations.values():
        if not any(isinstance(s, Put | New | Delete) for s in statements(operation.effect)):
            yield f"operation {operation.name}", "it changes nothing; a question belongs under 'queries'"
    for rule in model.rules:
        if not any(
            isinstance(loop.source, Records)
            for e in inlined(rule.holds, model)
            if isinstance(e, Scan)
            for loop in e.loops
        ):
            yield f"rule {rule.number} ({rule.text})", "it looks at no entity"


def warnings(model: Model) -> Iterator[Finding]:
    """What an author should look at."""
    writes = {name: written(operation) for name, operation in model.operations.items()}
    for rule in model.rules:
        reads = read_by(rule.holds, model)
        if not any(reads & set(wrote) for wrote in writes.values()):
            yield f"rule {rule.number} ({rule.text})", "no operation can break it: is it a rule?"
    for operation in model.operations.values():
        yield from _batches(operation)
    for first, second in combinations([name for name, _ in tool_names(model)], 2):
        if _alike(first, second):
            yield "tools", f"{first!r} and {second!r} are easily taken for each other; call one of them otherwise"


def _alike(first: str, second: str) -> bool:
    """Whether names differ by one letter, or by singular and plural."""
    short, long = sorted((first, second), key=len)
    if singular(short) == singular(long):
        return True
    at = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _unused_defines(model: Model, speech: Storybook) -> Iterator[Finding]:
    used: set[str] = set()
    spoken = (expr for story in speech.stories.values() for expr in told_expressions(story))
    for expr in (*everything(model), *spoken, *_of_start(model)):
        used |= {e.name for e in walk(expr) if isinstance(e, Defined)}
    for name in model.defines:
        if name not in used:
            yield f"define {name}", "it is never used"


def _states(model: Model) -> Iterator[Finding]:
    """Every state of a `states(..)` must be entered by an operation or be the first."""
    for entity in model.entities.values():
        for attribute in entity.stored:
            if attribute.moves is None:
                continue
            entered = {attribute.type.options[0]}
            for operation in model.operations.values():
                for statement in statements(operation.effect):
                    if isinstance(statement, Put) and (statement.entity, statement.attribute) == (
                        entity.name,
                        attribute.name,
                    ):
                        entered |= _values(statement.value)
                    elif isinstance(statement, New) and statement.entity == entity.name:
                        entered |= _values(statement.values[attribute.name])
            for state in attribute.type.options:
                if state not in entered:
                    yield (
                        f"entity {entity.name}, attribute {attribute.name}",
                        f"no operation enters the state {state!r}",
                    )


def _values(expr: Expr) -> set[str]:
    if isinstance(expr, Literal):
        return {str(expr.value)}
    if isinstance(expr, Choice):
        return _values(expr.then) | _values(expr.otherwise)
    return set(expr.type.options)


def _batches(operation: Operation) -> Iterator[Finding]:
    """A batch that names a record twice passes guards that look at one line at a time."""
    tests = [guard.test for guard in operation.require if isinstance(guard, Guard)]
    distinct = {
        source.name
        for test in tests
        for e in walk(test)
        if isinstance(e, Scan) and e.gather == "unique"
        for source in (loop.source for loop in e.loops)
        if isinstance(source, Local)
    }
    for param in operation.params:
        element = param.type.of if param.type.kind == "list" else None
        refers = element is not None and (element.kind == "ref" or any(t.kind == "ref" for _, t in element.fields))
        if refers and param.name not in distinct:
            yield f"operation {operation.name}", f"{param.name!r} may name a record twice; guard it with unique(..)"


def unexplained(model: Model) -> Iterator[Finding]:
    """Numbers, dates and texts of which agents read nothing but their names."""
    for what, tools in (("operation", model.operations), ("query", model.queries)):
        for tool in tools.values():
            names = [param.name for param in tool.params if param.type.kind != "ref" and not param.help.text]
            if names:
                listed = ", ".join(map(repr, names))
                yield (
                    f"{what} {tool.name}",
                    f"agents read no more than the name of {listed}; say under 'help' what is meant",
                )


def statements(effect: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those inside loops and branches too."""
    for statement in effect:
        yield statement
        if isinstance(statement, For):
            yield from statements(statement.body)
        elif isinstance(statement, If):
            yield from statements(statement.then)
            yield from statements(statement.otherwise)


def written(operation: Operation) -> set[tuple[str, str]]:
    """The (entity, attribute) pairs an operation may change; `*` stands for records coming or going."""
    pairs: set[tuple[str, str]] = set()
    for statement in statements(operation.effect):
        if isinstance(statement, Put):
            pairs.add((statement.entity, statement.attribute))
        elif isinstance(statement, New):
            pairs |= {(statement.entity, "*"), *((statement.entity, name) for name in statement.values)}
        elif isinstance(statement, Delete):
            pairs.add((statement.entity, "*"))
    return pairs


def inlined(expr: Expr, model: Model) -> Iterator[Expr]:
    """Everything inside an expression, through definitions and derived attributes."""
    yield from _inlined(expr, model.defines, model.entities, set())


def _inlined(
    expr: Expr, defines: Mapping[str, Define], entities: Mapping[str, Entity], seen: set[str]
) -> Iterator[Expr]:
    for inner in walk(expr):
        yield inner
        if isinstance(inner, Defined) and inner.name not in seen:
            seen.add(inner.name)
            yield from _inlined(defines[inner.name].body, defines, entities, seen)
        elif isinstance(inner, Derived) and f"{inner.entity}.{inner.name}" not in seen:
            seen.add(f"{inner.entity}.{inner.name}")
            body = entities[inner.entity].attributes[inner.name].derived
            if body is not None:
                yield from _inlined(body, defines, entities, seen)


def reads_clock(expr: Expr, defines: Mapping[str, Define], entities: Mapping[str, Entity]) -> bool:
    """Whether now or today decide the value."""
    return any(isinstance(inner, Now) for inner in _inlined(expr, defines, entities, set()))


def read_by(expr: Expr, model: Model) -> set[tuple[str, str]]:
    """The (entity, attribute) pairs an expression may read; `*` stands for which records there are."""
    pairs: set[tuple[str, str]] = set()
    for inner in inlined(expr, model):
        if isinstance(inner, Get) and inner.of.type.kind == "ref" and inner.name != "id":
            pairs.add((inner.of.type.entity, inner.name))
        elif isinstance(inner, Scan):
            pairs |= {(loop.source.entity, "*") for loop in inner.loops if isinstance(loop.source, Records)}
        elif getattr(inner, "attribute", ""):
            pairs |= {(inner.entity, inner.attribute), (inner.entity, "*")}  # type: ignore[union-attr]
    return pairs


def everything(model: Model) -> Iterator[Expr]:
    for define in model.defines.values():
        yield define.body
    for entity in model.entities.values():
        yield from (attribute.derived for attribute in entity.derived if attribute.derived is not None)
    yield from (rule.holds for rule in model.rules)
    for operation in model.operations.values():
        yield from _of_guards(operation.require)
        for statement in statements(operation.effect):
            yield from statement_expressions(statement)
        yield from _of_sentence(operation.say)
    for query in model.queries.values():
        yield from _of_query(query)


def _of_start(model: Model) -> Iterator[Expr]:
    """What start states are grown by."""
    if model.start is not None:
        yield from expressions_of(model.start.daily)
        yield from (computed.value for values in model.start.computed.values() for computed in values.values())


def _of_guards(lines: tuple[Let | Guard, ...]) -> Iterator[Expr]:
    for line in lines:
        if isinstance(line, Let):
            yield line.value
        else:
            yield line.test
            yield from _of_sentence(line.sentence)


def _of_sentence(sentence: Sentence) -> Iterator[Expr]:
    yield from (part for part in sentence.parts if not isinstance(part, str))
    for clause in sentence.clauses:
        yield from _of_sentence(clause.words)
        yield from _of_sentence(clause.otherwise)


def statement_expressions(statement: Statement) -> Iterator[Expr]:
    """The expressions that stand directly in a statement, not those of statements inside it."""
    match statement:
        case Let(value=value) | SetLocal(value=value):
            yield value
        case Put(record=record, value=value):
            yield from (record, value)
        case New(values=values):
            yield from values.values()
        case Delete(record=record):
            yield record
        case For(loop=loop, by=by, limit=limit):
            if not isinstance(loop.source, Records):
                yield loop.source
            yield from (*loop.tests, *by)
            if limit is not None:
                yield limit
        case If(test=test):
            yield test


def _of_query(query: Query) -> Iterator[Expr]:
    yield from _of_guards(query.require)
    if query.source is not None and not isinstance(query.source, Records):
        yield query.source
    yield from (line.test for line in query.where)
    yield from (*query.by, *query.show.values(), *query.answer.values())


@dataclass(frozen=True, slots=True)
class DayFilter:
    """A first and a last day by which lists of records can be narrowed."""

    attribute: Attribute
    first: str
    last: str
    """The arguments of the list."""


def day_filter(entity: Entity, model: Model) -> DayFilter | None:
    """The first day or moment of records that operations make, because those are many; nothing where a name is taken."""
    made = {s.entity for o in model.operations.values() for s in statements(o.effect) if isinstance(s, New)}
    dated = next((a for a in entity.stored if column_of(a.type).on_a_day), None)
    if entity.name not in made or dated is None:
        return None
    first, last = f"{dated.key}_from", f"{dated.key}_to"
    taken = {attribute.key for attribute in entity.attributes.values()}
    return None if {first, last} & taken else DayFilter(dated, first, last)


def tool_names(model: Model) -> Iterator[tuple[str, str]]:
    """Every tool's name and whether it reads or writes, in the order they are listed."""
    for name in model.queries:
        yield name, "reads"
    for entity, reads in model.derive.items():
        noun = model.entities[entity].noun
        for read in reads:
            yield (f"get_{noun}" if read == "get" else f"{read}_{plural(noun)}"), "reads"
    if model.clock:
        yield model.clock, "reads"
    for name in model.operations:
        yield name, "writes"
