"""Stories: who is in them, what is done, and how a user asks for it; and how records are told apart in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from envscaler_mcp.artifacts import Blueprint, StorySpec
from envscaler_mcp.artifacts.blueprint import BranchSpec, LoopSpec
from envscaler_mcp.language.column_types import forms
from envscaler_mcp.language.expressions import And, Expr, Local, Loop, Records, Scan, names_in
from envscaler_mcp.language.fitting import assignable, show
from envscaler_mcp.language.model import Model, New, Operation
from envscaler_mcp.language.operations import loop_head
from envscaler_mcp.language.reader import ExpressionReader, parse_expression
from envscaler_mcp.language.scope import NameScope
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import BOOL, Complaint, Type, list_of, ref

"""How a value may be said: by its type, a datetime's day or time, a first word, in quotes, a number in figures."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A record of an entity that meets a test."""

    name: str
    entity: str
    test: Expr | None


@dataclass(frozen=True, slots=True)
class Worked:
    """A value or record that follows from the others; the cast fails where it is empty."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Chosen:
    """A value that the person asking decides on, such as the operation's parameter takes."""

    name: str
    operation: str
    parameter: str
    """Its name, or `parameter.field` for one of a structure."""
    type: Type
    alternatives: tuple[str, ...]

    @property
    def source(self) -> str:
        return f"{self.operation}.{self.parameter}"


Role = Drawn | Worked | Chosen


@dataclass(frozen=True, slots=True)
class Act:
    """One call; `name` is what the record it creates is called afterwards."""

    operation: str
    arguments: dict[str, Expr]
    name: str = ""
    creates: str = ""


@dataclass(frozen=True, slots=True)
class Each:
    loop: Loop
    do: tuple[Deed, ...]
    by: tuple[Expr, ...] = ()
    limit: Expr | None = None

    @property
    def which(self) -> Scan:
        """What it goes through, in order, without its limit."""
        loop = self.loop
        return Scan(list_of(loop.element), "list", Local(loop.element, loop.name), (loop,), self.by)


@dataclass(frozen=True, slots=True)
class Fork:
    test: Expr
    then: tuple[Deed, ...]
    otherwise: tuple[Deed, ...]


Deed = Act | Each | Fork


@dataclass(frozen=True, slots=True)
class Said:
    """A value in words."""

    value: Expr
    format: str
    source: str


Telling = tuple[str | Said, ...]


@dataclass(frozen=True, slots=True)
class Story:
    name: str
    cast: tuple[Role, ...]
    do: tuple[Deed, ...]
    tell: tuple[Telling, ...]
    ask: Telling = ()
    """How a user begins to speak of it, before any detail."""
    follows: dict[str, frozenset[str]] = field(init=False, compare=False, repr=False)
    """By role that is worked out, the names that it is worked out from."""
    plan: tuple[tuple[Expr, frozenset[str]], ...] = field(init=False, compare=False, repr=False)
    """The expressions of its calls, each with the names in it."""

    def __post_init__(self) -> None:
        worked = {role.name: frozenset(names_in(role.value)) for role in self.cast if isinstance(role, Worked)}
        object.__setattr__(self, "follows", worked)
        plan = tuple((expr, frozenset(names_in(expr))) for expr in expressions_of(self.do))
        object.__setattr__(self, "plan", plan)


@dataclass(frozen=True, slots=True)
class Mark:
    """An attribute by which a record is told apart: said in a format, or silently of a certain value."""

    attribute: str
    format: str = ""
    value: str | None = None
    said: str = ""


Description = tuple[str | Mark, ...]


@dataclass(frozen=True, slots=True)
class Storybook:
    """What a blueprint says of how people speak in its trade."""

    descriptions: dict[str, tuple[Description, ...]] = field(default_factory=dict)
    stories: dict[str, Story] = field(default_factory=dict)


Report = Callable[[str, str], None]


def read_speech(blueprint: Blueprint, model: Model, reader: ExpressionReader, report: Report) -> Storybook:
    """The stories and descriptions of a blueprint; what is wrong is reported place by place."""
    descriptions: dict[str, tuple[Description, ...]] = {}
    for entity, patterns in blueprint.words.records.items():
        try:
            descriptions[entity] = tuple(_description(entity, pattern, model) for pattern in patterns)
        except Complaint as complaint:
            report(f"words of {entity}", str(complaint))
    for declared in model.entities.values():
        if declared.name not in descriptions and declared.label != "id":
            descriptions[declared.name] = ((Mark(declared.label),),)
    for key in blueprint.words.values:
        try:
            _word(key, model)
        except Complaint as complaint:
            report("words", str(complaint))
    stories: dict[str, Story] = {}
    for name, spec in blueprint.stories.items():
        body = _Body(model, reader, lambda line, complaint, name=name: report(f"story {name}, {line}", complaint))  # type: ignore[misc]
        story = body.read(name, spec)
        if story is not None:
            stories[name] = story
    for name, theme in blueprint.words.themes.items():
        for story_name in theme.stories:
            if story_name not in blueprint.stories:
                report(f"theme {name}", f"there is no story {story_name!r}{name_hint(story_name, blueprint.stories)}")
    return Storybook(descriptions, stories)


def read_deeds(
    specs: tuple[str | LoopSpec | BranchSpec, ...], model: Model, reader: ExpressionReader
) -> tuple[Deed, ...]:
    """Calls, loops and branches that nothing is cast for."""
    return _Body(model, reader, lambda *_: None).deeds(specs, NameScope({}))[0]


def _description(entity: str, pattern: str, model: Model) -> Description:
    declared = model.entities.get(entity)
    if declared is None:
        raise Complaint(f"there is no entity {entity!r}{name_hint(entity, model.entities)}")
    parts: list[str | Mark] = []
    for place, piece in enumerate(re.split(r"\{([^{}]*)\}", pattern)):
        if place % 2 == 0:
            if piece:
                parts.append(piece)
            continue
        head, _, said = piece.partition(":")
        name, equals, value = head.partition("=")
        attribute = declared.attributes.get(name.strip())
        if attribute is None:
            raise Complaint(f"{pattern!r}: {entity} has no attribute {name!r}{name_hint(name, declared.attributes)}")
        if equals:
            options = attribute.type.options if attribute.type.kind == "one_of" else ("true", "false")
            if value.strip() not in options:
                raise Complaint(f"{pattern!r}: {name} is never {value!r}{name_hint(value, options)}")
            parts.append(Mark(name, value=value.strip(), said=said))
        else:
            if said not in forms():
                raise Complaint(f"{pattern!r}: there is no format {said!r}{name_hint(said, forms())}")
            parts.append(Mark(name, format=said))
    if not any(isinstance(part, Mark) for part in parts):
        raise Complaint(f"{pattern!r} tells nothing apart; name an attribute in curly brackets")
    return tuple(parts)


def _word(key: str, model: Model) -> None:
    """Refuse a word that no attribute and no parameter takes: it would silently do nothing."""
    entity, _, rest = key.partition(".")
    if entity in model.operations:
        parameter, _, word = rest.rpartition(".")
        type_ = parameter_type(model.operations[entity], parameter)
        if word not in type_.options:
            raise Complaint(f"{key!r}: {parameter} is never {word!r}{name_hint(word, type_.options)}")
        return
    name, _, word = rest.partition(".")
    declared = model.entities.get(entity)
    attribute = declared.attributes.get(name) if declared is not None else None
    if declared is None or attribute is None:
        known = model.entities if declared is None else declared.attributes
        raise Complaint(f"{key!r}: write Entity.attribute.word{name_hint(entity if declared is None else name, known)}")
    options = attribute.type.options if attribute.type.kind == "one_of" else ("True", "False")
    if attribute.type.kind in ("one_of", "bool") and word not in options:
        raise Complaint(f"{key!r}: {name} is never {word!r}{name_hint(word, options)}")


class _Body:
    """One story while it is read."""

    def __init__(self, model: Model, reader: ExpressionReader, report: Report) -> None:
        self.model, self.reader, self.report = model, reader, report

    def read(self, name: str, spec: StorySpec) -> Story | None:
        place = NameScope({})
        cast: list[Role] = []
        for number, line in enumerate(spec.cast, start=1):
            try:
                role, place = self.role(line, place)
                cast.append(role)
            except Complaint as complaint:
                self.report(f"cast {number}", str(complaint))
                return None
        try:
            do, place = self.deeds(spec.do, place)
        except Complaint as complaint:
            self.report("do", str(complaint))
            return None
        tell: list[Telling] = []
        for number, text in enumerate(spec.tell, start=1):
            try:
                tell.append(tuple(self.telling(text, place)))
            except Complaint as complaint:
                self.report(f"tell {number}", str(complaint))
        for role in cast:
            if role.name not in place.used:
                self.report("cast", f"{role.name!r} is never used")
        return Story(name, tuple(cast), do, tuple(tell), self.ask(spec.ask, place))

    def ask(self, text: str, place: NameScope) -> Telling:
        try:
            return tuple(self.telling(text, place))
        except Complaint as complaint:
            self.report("ask", str(complaint))
            return ()

    def role(self, line: str, place: NameScope) -> tuple[Role, NameScope]:
        if match := re.fullmatch(r"(\w+)\s+from\s+(\w+)\.([\w.]+)(?:\s+in\s+(.*))?", line.strip(), re.DOTALL):
            return self.chosen(match[1], match[2], match[3], match[4] or "", place)
        if match := re.fullmatch(r"(\w+)\s*=(?!=)(.*)", line.strip(), re.DOTALL):
            value = self.reader.read(match[2], place)
            type_ = value.type.certain
            return Worked(match[1], value), self.reader.bind(place, match[1], type_, "the role")
        generators = _loops(line.strip())
        if len(generators) != 1:
            raise Complaint(
                f"{line!r}: write 'who in Entity if test', 'what = expression' or 'value from operation.parameter'"
            )
        loops, place = self.reader.loops(generators, place)
        loop = loops[0]
        entity = loop.element.entity
        if not entity:
            raise Complaint(f"{line!r}: a role is drawn from an entity")
        tests = loop.tests
        test = None if not tests else tests[0] if len(tests) == 1 else And(BOOL, tests)
        return Drawn(loop.name, entity, test), place

    def chosen(self, name: str, operation: str, parameter: str, rest: str, place: NameScope) -> tuple[Role, NameScope]:
        type_ = parameter_type(self.operation(operation), parameter)
        if type_.kind in ("ref", "list"):
            inside = type_.of or type_
            if inside.kind == "struct":
                fields = ", ".join(f"{operation}.{parameter}.{field}" for field, _ in inside.fields)
                raise Complaint(f"{operation}.{parameter} is {type_}; draw one of its values: {fields}")
            raise Complaint(
                f"{operation}.{parameter} is {type_}; draw a record with '{name} in {inside.entity or 'Entity'} if ..'"
            )
        alternatives = tuple(piece.strip() for piece in rest.split("|") if piece.strip())
        place = self.reader.bind(place, name, type_.certain, "the role")
        return Chosen(name, operation, parameter, type_.certain, alternatives), place

    def operation(self, name: str) -> Operation:
        if name not in self.model.operations:
            raise Complaint(f"there is no operation {name!r}{name_hint(name, self.model.operations)}")
        return self.model.operations[name]

    def deeds(
        self, specs: tuple[str | LoopSpec | BranchSpec, ...], place: NameScope
    ) -> tuple[tuple[Deed, ...], NameScope]:
        deeds: list[Deed] = []
        for spec in specs:
            if isinstance(spec, LoopSpec):
                loop, by, limit, inner = loop_head(spec.each, self.reader, place)
                do, _ = self.deeds(spec.do, inner)
                deeds.append(Each(loop, do, by, limit))
            elif isinstance(spec, BranchSpec):
                test = self.reader.condition(spec.test, place)
                then, _ = self.deeds(spec.then, place.knowing(test.true))
                otherwise, _ = self.deeds(spec.otherwise, place.knowing(test.false))
                deeds.append(Fork(test.expr, then, otherwise))
            else:
                act, place = self.act(spec, place)
                deeds.append(act)
        return tuple(deeds), place

    def act(self, line: str, place: NameScope) -> tuple[Act, NameScope]:
        match = re.fullmatch(r"(?:(\w+)\s*=(?!=)\s*)?(.*)", line.strip(), re.DOTALL)
        assert match is not None
        node = parse_expression(match[2])
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            raise Complaint(f"{line!r}: write operation(parameter=value, ..)")
        operation = self.operation(node.func.id)
        given = {word.arg: word.value for word in node.keywords if word.arg}
        arguments: dict[str, Expr] = {}
        for param in operation.params:
            if param.name not in given:
                if not param.omissible:
                    raise Complaint(f"{line!r}: {param.name} is missing")
                continue
            written = given.pop(param.name)
            value = self.reader.value(written, place).expr
            if not (param.type.kind == "list" and param.type.of is not None and param.type.of.kind == "struct"):
                assignable(value, param.type, f"{param.name}={show(written)}")
            arguments[param.name] = value
        if given:
            stray = next(iter(given))
            known = [param.name for param in operation.params]
            raise Complaint(f"{line!r}: {operation.name} has no parameter {stray!r}{name_hint(stray, known)}")
        creates = next((s.entity for s in operation.effect if isinstance(s, New)), "")
        if match[1]:
            if not creates:
                raise Complaint(f"{line!r}: {operation.name} creates no record that could be called {match[1]!r}")
            place = self.reader.bind(place, match[1], ref(creates), "the record")
        return Act(operation.name, arguments, match[1] or "", creates), place

    def telling(self, text: str, place: NameScope) -> Iterator[str | Said]:
        for number, piece in enumerate(re.split(r"\{([^{}]*)\}", " ".join(text.split()))):
            if number % 2 == 0:
                if piece:
                    yield piece
                continue
            source, colon, form = piece.rpartition(":")
            if not colon:
                source, form = piece, ""
            if form not in forms():
                raise Complaint(f"{{{piece}}}: there is no format {form!r}{name_hint(form, forms())}")
            value = self.reader.value(parse_expression(source), place).expr
            self.reader.certain(value, source, "in a sentence")
            if value.type.kind in ("ratio", "struct", "key"):
                raise Complaint(f"{source!r} is {value.type}, which cannot be said")
            yield Said(value, form, source.strip())


def expressions_of(deeds: Sequence[Deed]) -> Iterator[Expr]:
    """Every expression of which the deeds are made."""
    for deed in deeds:
        if isinstance(deed, Act):
            yield from deed.arguments.values()
        elif isinstance(deed, Each):
            yield from (*deed.loop.tests, *deed.by)
            if deed.limit is not None:
                yield deed.limit
            if not isinstance(deed.loop.source, Records):
                yield deed.loop.source
            yield from expressions_of(deed.do)
        else:
            yield deed.test
            yield from expressions_of((*deed.then, *deed.otherwise))


def calls_in(deeds: Sequence[Deed]) -> Iterator[str]:
    """The operations that the deeds call."""
    for deed in deeds:
        if isinstance(deed, Act):
            yield deed.operation
        else:
            yield from calls_in(deed.do if isinstance(deed, Each) else (*deed.then, *deed.otherwise))


def told_expressions(story: Story) -> Iterator[Expr]:
    """Every expression of its cast, its deeds and its words."""
    for role in story.cast:
        if isinstance(role, Drawn) and role.test is not None:
            yield role.test
        elif isinstance(role, Worked):
            yield role.value
    yield from expressions_of(story.do)
    for telling in (story.ask, *story.tell):
        yield from (part.value for part in telling if isinstance(part, Said))


def parameter_type(operation: Operation, path: str) -> Type:
    """The type of a parameter, or of a field of the structures that it lists: `parameter.field`."""
    name, _, field = path.partition(".")
    parameter = next((param for param in operation.params if param.name == name), None)
    if parameter is None:
        known = [param.name for param in operation.params]
        raise Complaint(f"{operation.name} has no parameter {name!r}{name_hint(name, known)}")
    if not field:
        return parameter.type
    fields = (
        dict(parameter.type.of.fields) if parameter.type.of is not None and parameter.type.of.kind == "struct" else {}
    )
    if field not in fields:
        raise Complaint(f"{operation.name}.{name} has no field {field!r}{name_hint(field, fields)}")
    return fields[field]


def _loops(head: str) -> list[ast.comprehension]:
    """The loops of `x in SOURCE if TEST`; none where it is written otherwise."""
    try:
        node = parse_expression(f"[None for {head}]")
    except Complaint:
        return []
    return node.generators if isinstance(node, ast.ListComp) else []
