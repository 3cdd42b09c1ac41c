"""Operations and queries: parameters, guards, effects, answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from envscaler_mcp.artifacts import OperationSpec, QuerySpec
from envscaler_mcp.artifacts.blueprint import BranchSpec, LoopSpec
from envscaler_mcp.language.declarations import Declared, literal, wire_name
from envscaler_mcp.language.expressions import Expr, ListOf, Loop
from envscaler_mcp.language.fitting import a_type, assignable, show
from envscaler_mcp.language.model import (
    Clause,
    Delete,
    Filter,
    For,
    Guard,
    Help,
    If,
    Let,
    New,
    Operation,
    Parameter,
    Put,
    Query,
    Sentence,
    SetLocal,
    Statement,
)
from envscaler_mcp.language.reader import ExpressionReader, parse_expression
from envscaler_mcp.language.scope import NameScope, without_name
from envscaler_mcp.language.syntax_errors import said_plainly
from envscaler_mcp.language.text import name_hint, split_top
from envscaler_mcp.language.types import Complaint, Type, list_of
from envscaler_mcp.language.written_types import parse_type
from envscaler_mcp.serving.parsing import parsed_module

Report = Callable[[str, str], None]

_STATEMENTS = "let, set, new, delete, record.attribute = value, for or if"


def read_operation(
    name: str, spec: OperationSpec, reader: ExpressionReader, declared: Declared, report: Report
) -> Operation:
    """A checked operation; what is wrong is reported line by line."""
    body = _Body(f"operation {name}", reader, declared, report)
    _name(name)
    params, place = body.parameters(spec.params, spec.help)
    require, place = body.guards(spec.require, place)
    effect, place = body.statements(spec.effect, place)
    body.unused(params, place)
    say = body.say(spec.say, params)
    return Operation(name, _about(spec.about), params, require, effect, say)


def read_query(name: str, spec: QuerySpec, reader: ExpressionReader, declared: Declared, report: Report) -> Query:
    """A checked query."""
    body = _Body(f"query {name}", reader, declared, report)
    _name(name)
    params, place = body.parameters(spec.params, spec.help)
    require, place = body.guards(spec.require, place)
    if {"offset", "found"} & {param.name for param in params}:
        raise Complaint("'offset' and 'found' are what pages of an answer are called; choose another name")
    if bool(spec.find) == bool(spec.answer):
        raise Complaint("a query has either 'find' (records) or 'answer' (values)")
    if spec.answer:
        if spec.where or spec.by or spec.limit or spec.show:
            raise Complaint("where, by, limit and show go with 'find'")
        answer = {key: body.shown(text, place, f"answer {key}") for key, text in spec.answer.items()}
        body.unused(params, place)
        return Query(name, _about(spec.about), params, require, answer=_kept(answer))
    loops, inner = reader.loops([_comprehension(spec.find or "")], place)
    where: list[Filter] = []
    for line in spec.where:
        with_filter = body.filter(line, inner, params)
        if with_filter is not None:
            where.append(with_filter[0])
            inner = with_filter[1]
    by = tuple(reader.order_key(parse_expression(line), inner) for line in spec.by)
    limit = None
    if spec.limit is not None:
        if not re.fullmatch(r"[1-9]\d*", spec.limit.strip()):
            raise Complaint(f"limit {spec.limit!r}: write a number")
        limit = int(spec.limit)
    show_ = {key: body.shown(text, inner, f"show {key}") for key, text in spec.show.items()}
    body.unused(params, inner)
    first = loops[0]
    tests = tuple(Filter(test, ()) for test in first.tests)
    return Query(
        name,
        _about(spec.about),
        params,
        require,
        first.name,
        first.element,
        first.source,
        (*tests, *where),
        by,
        limit,
        _kept(show_),
    )


def _kept(values: dict[str, Expr | None]) -> dict[str, Expr]:
    return {key: value for key, value in values.items() if value is not None}


def _name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Complaint(f"{name!r} must be written in lower case, like_this")


def _about(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise Complaint("'about' is empty; it is what an agent reads about the tool")
    return text if text.endswith((".", "?", "!")) else text + "."


def _help(param: Parameter, texts: dict[str, str]) -> Help:
    """What the author says of a parameter: `what it is`, or `what it is | what leaving it out means`."""
    text, bar, omitted = texts.get(param.name, "").partition("|")
    if bar and not param.omissible:
        raise Complaint(f"the help of {param.name!r} tells what leaving it out means, but it must be given")
    known = [name for name, _ in param.type.of.fields] if param.type.of is not None else []
    fields: dict[str, str] = {}
    for name, said in texts.items():
        head, dot, field = name.partition(".")
        if head != param.name or not dot:
            continue
        if field not in known:
            raise Complaint(f"the help of {name!r}: there is no such field{name_hint(field, known)}")
        fields[field] = _phrase(said)
    return Help(_phrase(text), _phrase(omitted), fields)


def _phrase(text: str) -> str:
    """Words that stand within a sentence of documentation, which adds the full stop."""
    return " ".join(text.split()).rstrip(".")


def _comprehension(text: str) -> ast.comprehension:
    node = parse_expression(f"[None for {text.strip()}]")
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        raise Complaint(f"{text!r}: write 'x in Entity'")
    return node.generators[0]


class _Body:
    """One operation or query while it is read."""

    def __init__(self, where: str, reader: ExpressionReader, declared: Declared, report: Report) -> None:
        self.where, self.reader, self.declared, self.report = where, reader, declared, report
        self.lets: list[str] = []
        self.said: set[str] = set()

    def complain(self, line: str, complaint: Complaint) -> None:
        self.report(f"{self.where}, {line}", str(complaint))

    # Parameters

    def parameters(
        self, specs: dict[str, str | dict[str, str]], help_: dict[str, str]
    ) -> tuple[tuple[Parameter, ...], NameScope]:
        place = NameScope({}, derived=self.declared.derived_names())
        params: list[Parameter] = []
        for name, spec in specs.items():
            try:
                param = self.parameter(name, spec)
                place = self.reader.bind(place, name, param.type, "the parameter")
                params.append(replace(param, help=_help(param, help_)))
            except Complaint as complaint:
                self.complain(f"parameter {name}", complaint)
        for name in help_:
            if name.partition(".")[0] not in specs:
                hint = name_hint(name, specs)
                self.complain(f"help {name}", Complaint(f"there is no parameter {name!r}{hint}"))
        arguments = [param.argument for param in params]
        for param in params:
            if arguments.count(param.argument) > 1 or (param.argument != param.name and param.argument in place.scope):
                raise Complaint(f"two parameters would be called {param.argument!r} on the wire")
        return tuple(params), place

    def parameter(self, name: str, spec: str | dict[str, str]) -> Parameter:
        if isinstance(spec, dict):
            fields: list[tuple[str, Type]] = []
            for field, text in spec.items():
                written = self.declared.resolve(parse_type(text))
                if written.default is not None or written.fixed or written.unique or written.moves:
                    raise Complaint(f"{field}: a field of a structure has a plain type")
                if written.type.kind == "list":
                    raise Complaint(f"{field}: a field of a structure is no list")
                fields.append((field, written.type))
            if not fields:
                raise Complaint("a structure needs fields")
            return Parameter(name, name, list_of(Type("struct", fields=tuple(fields))))
        written = self.declared.resolve(parse_type(spec))
        if written.fixed or written.unique:
            raise Complaint(f"{spec!r}: fixed and unique are for attributes")
        default = literal(written.default, written.type, name) if written.default is not None else None
        if written.type.kind == "list" and written.type.optional:
            # A list that is not given is empty; there is no second way to say nothing.
            return Parameter(
                name, wire_name(name, written.type), written.type.certain, ListOf(written.type.certain, ())
            )
        return Parameter(name, wire_name(name, written.type), written.type, default)

    def say(self, text: str, params: tuple[Parameter, ...]) -> Sentence:
        """The words of `say`, and its clauses in square brackets, each said where the parameters in it are given."""
        match = re.fullmatch(r"([^\[\]]*)((?:\[[^\[\]]+\])*)", text.strip().rstrip("."))
        if not match:
            raise Complaint(f"say {text!r}: square brackets stand at the end, as in 'move {{booking}}[ to {{room}}]'")
        place = NameScope({p.name: p.type for p in params})
        clauses: list[Clause] = []
        for inner in re.findall(r"\[([^\[\]]+)\]", match[2]):
            given, bar, otherwise = inner.partition(" | ")
            needs = tuple(p.name for p in params if p.type.optional and re.search(rf"\{{[^}}]*\b{p.name}\b", given))
            if not needs:
                raise Complaint(f"say [{inner}]: it names no optional parameter, so it needs no brackets")
            if bar and not otherwise.strip():
                raise Complaint(
                    f"say [{inner}]: nothing stands behind ' | '; say there what is said otherwise, or leave it out"
                )
            words = self.reader.sentence(given.rstrip(), place.knowing(f"present:{name}" for name in needs), trim=False)
            other = self.reader.sentence(f" {otherwise.strip()}", place, trim=False) if bar else Sentence(())
            clauses.append(Clause(needs, words, other))
        return Sentence(self.reader.sentence(match[1], place).parts, tuple(clauses))

    def unused(self, params: tuple[Parameter, ...], place: NameScope) -> None:
        for param in params:
            if param.name not in place.used:
                self.report(self.where, f"the parameter {param.name!r} is never used")
        for name in self.lets:
            if name not in place.used:
                self.report(self.where, f"the let {name!r} is never used")

    # Guards

    def guards(self, lines: tuple[str, ...], place: NameScope) -> tuple[tuple[Let | Guard, ...], NameScope]:
        guards: list[Let | Guard] = []
        for number, line in enumerate(lines, start=1):
            try:
                if line.strip().startswith("let "):
                    let, place = self.let(line, place)
                    guards.append(let)
                    continue
                test, bar, sentence = line.rpartition(" | ")
                if not bar:
                    raise Complaint(
                        f"{line!r} has no sentence; write 'test | what the caller is told when it is false.'"
                    )
                if not sentence.strip().endswith((".", "!", "?")):
                    raise Complaint(f"{sentence.strip()!r} is shown to people; end it with a full stop")
                reading = self.reader.condition(test, place)
                words = self.reader.sentence(sentence, place.knowing(reading.false))
                guards.append(Guard(reading.expr, words, test.strip()))
                place = place.knowing(reading.true)
            except Complaint as complaint:
                self.complain(f"require {number}", complaint)
        return tuple(guards), place

    def let(self, line: str, place: NameScope) -> tuple[Let, NameScope]:
        match = re.fullmatch(r"let\s+(\w+)\s*=(?!=)(.*)", line.strip(), re.DOTALL)
        if not match:
            raise Complaint(f"{line!r}: write 'let name = expression'")
        expr = self.reader.read(match[2], place)
        if expr.type.kind in ("none", "key"):
            raise Complaint(f"{line!r} keeps no value")
        place = self.reader.bind(place, match[1], replace(expr.type, low=None, high=None), "the let")
        self.lets.append(match[1])
        return Let(match[1], expr), place

    # Effects

    def statements(
        self, specs: tuple[str | LoopSpec | BranchSpec, ...], place: NameScope
    ) -> tuple[tuple[Statement, ...], NameScope]:
        statements: list[Statement] = []
        for number, spec in enumerate(specs, start=1):
            try:
                statement, place = self.statement(spec, place)
                statements.append(statement)
            except Complaint as complaint:
                self.complain(f"effect {number}", complaint)
        return tuple(statements), place

    def statement(self, spec: str | LoopSpec | BranchSpec, place: NameScope) -> tuple[Statement, NameScope]:
        if isinstance(spec, LoopSpec):
            return self.loop(spec, place)
        if isinstance(spec, BranchSpec):
            return self.branch(spec, place)
        line = spec.strip()
        if match := re.fullmatch(r"let\s+(\w+)\s*=\s*new\s+(.*)", line, re.DOTALL):
            new = self.new(match[2], place, match[1])
            place = self.reader.bind(place, match[1], Type("ref", entity=new.entity), "the let")
            self.lets.append(match[1])
            return new, place.after_write()
        if line.startswith("let "):
            return self.let(line, place)
        if line.startswith("new "):
            return self.new(line[4:], place, None), place.after_write()
        if line.startswith("delete "):
            record = self.record(parse_expression(line[7:]), place, "deleted")
            return Delete(record, record.type.entity), place.after_write()
        if match := re.fullmatch(r"set\s+(\w+)\s*=(?!=)(.*)", line, re.DOTALL):
            return self.set_local(match[1], match[2], place)
        return self.put(line, place)

    def set_local(self, name: str, text: str, place: NameScope) -> tuple[Statement, NameScope]:
        if name not in self.lets or name not in place.scope:
            raise Complaint(f"set {name!r}: there is no let of that name{name_hint(name, self.lets)}")
        expr = self.reader.read(text, place)
        assignable(expr, place.scope[name], text.strip())
        return SetLocal(name, expr), replace(place, facts=without_name(place.facts, name))

    def put(self, line: str, place: NameScope) -> tuple[Statement, NameScope]:
        try:
            parsed = parsed_module(line).body
        except SyntaxError as cause:
            why = f": {said_plainly(cause, line)}" if "=" in line else ""
            raise Complaint(f"{line!r} is no statement{why}; write {_STATEMENTS}") from None
        node = parsed[0] if len(parsed) == 1 else None
        value: Expr
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            target = node.targets[0]
            value = self.reader.value(node.value, place).expr
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
            target = node.target
            if not isinstance(node.op, ast.Add | ast.Sub):
                raise Complaint(f"{line!r}: only = and += and -= change an attribute")
            changed = ast.BinOp(ast.Attribute(target.value, target.attr, ast.Load()), node.op, node.value)
            value = self.reader.value(ast.fix_missing_locations(changed), place).expr
        else:
            raise Complaint(f"{line!r} is no statement; write {_STATEMENTS}")
        record = self.record(target.value, place, "changed")
        entity, name = record.type.entity, target.attr
        type_ = self.declared.attribute_type(entity, name)
        if type_ is None:
            known = self.declared.attribute_names(entity)
            raise Complaint(f"{show(target)!r}: {entity} has no attribute {name!r}{name_hint(name, known)}")
        attribute = self.declared.attribute(entity, name)
        if attribute.derived is not None:
            raise Complaint(f"{show(target)!r} is derived; change what it is derived from")
        if attribute.fixed:
            raise Complaint(f"{show(target)!r} is fixed and is set only by new")
        assignable(value, type_, show(node.value))
        place = place.after_write(name)
        if type_.optional and not value.type.optional and value.type.kind != "none":
            place = place.knowing([f"present:{show(target)}"])
        return Put(record, entity, name, value), place

    def record(self, node: ast.expr, place: NameScope, verb: str) -> Expr:
        record = self.reader.sure(node, place, f"to be {verb}")
        if record.type.kind != "ref":
            raise Complaint(f"{show(node)!r} is {record.type}, not a record, and cannot be {verb}")
        return record

    def new(self, text: str, place: NameScope, name: str | None) -> New:
        entity, given = self.given(text)
        values: dict[str, Expr] = {}
        for attribute_name in self.declared.attribute_names(entity):
            attribute = self.declared.attribute(entity, attribute_name)
            if attribute.derived is not None:
                if attribute_name in given:
                    raise Complaint(f"{entity}.{attribute_name} is derived and cannot be given")
            elif attribute_name in given:
                expr = self.reader.value(given[attribute_name], place).expr
                assignable(expr, attribute.type, f"{attribute_name}={show(given[attribute_name])}")
                values[attribute_name] = expr
            elif attribute.default is not None:
                values[attribute_name] = attribute.default
            else:
                raise Complaint(f"'new {text}': {entity}.{attribute_name} needs a value")
        return New(name, entity, values)

    def given(self, text: str) -> tuple[str, dict[str, ast.expr]]:
        """The entity of a `new`, and what is given for each attribute; a bare name goes to the attribute of that name."""
        node = parse_expression(text)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise Complaint(f"'new {text}': write new Entity(a, b, attribute=value)")
        entity = node.func.id
        known = self.declared.blueprint.entities.get(entity)
        if known is None:
            raise Complaint(f"there is no entity {entity!r}{name_hint(entity, self.declared.entity_names())}")
        pairs: list[tuple[str, ast.expr]] = []
        for argument in node.args:
            if not isinstance(argument, ast.Name):
                value = show(argument)
                raise Complaint(f"'new {text}': {value!r} has no attribute to go to; write attribute={value}")
            pairs.append((argument.id, argument))
        pairs += [(word.arg or "**", word.value) for word in node.keywords]
        for name, _ in pairs:
            if name not in known:
                raise Complaint(f"{entity} has no attribute {name!r}{name_hint(name, known)}")
            if [other for other, _ in pairs].count(name) > 1:
                raise Complaint(f"'new {text}': {name!r} is given twice")
        return entity, dict(pairs)

    def loop(self, spec: LoopSpec, place: NameScope) -> tuple[Statement, NameScope]:
        loop, by, limit, inner = loop_head(spec.each, self.reader, place)
        # A later pass may no longer know what an earlier one wrote.
        body, _ = self.statements(spec.do, _forgetting(inner, spec.do))
        return For(loop, by, limit, body), _forgetting(place, spec.do)

    def branch(self, spec: BranchSpec, place: NameScope) -> tuple[Statement, NameScope]:
        test = self.reader.condition(spec.test, place)
        then, _ = self.statements(spec.then, place.knowing(test.true))
        otherwise, _ = self.statements(spec.otherwise, place.knowing(test.false))
        return If(test.expr, then, otherwise), _forgetting(place, (*spec.then, *spec.otherwise))

    # Queries

    def filter(self, line: str, place: NameScope, params: tuple[Parameter, ...]) -> tuple[Filter, NameScope] | None:
        """A line of where, skipped when an optional parameter that it names is omitted."""
        try:
            node = parse_expression(line)
            optional = {param.name for param in params if param.type.optional}
            named = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} & optional
            tested = _tested(node) & named
            skipping = tuple(param.name for param in params if param.name in named - tested)
            knowing = place.knowing(f"present:{name}" for name in skipping)
            reading = self.reader.truth(node, knowing)
            after = place if skipping else place.knowing(reading.true)
            return Filter(reading.expr, skipping), after
        except Complaint as complaint:
            self.complain(f"where {line!r}", complaint)
            return None

    def shown(self, text: str, place: NameScope, line: str) -> Expr | None:
        try:
            expr = self.reader.read(text, place)
            if expr.type.kind in ("ratio", "key", "struct", "none"):
                raise Complaint(
                    f"{text!r} is {a_type(expr.type)}, which is not shown as it is; round it or name an attribute"
                )
            if expr.type.kind == "list" and expr.type.of is not None and expr.type.of.kind in ("struct", "ratio"):
                raise Complaint(f"{text!r} is a list of {expr.type.of.kind}, which is not shown")
            return expr
        except Complaint as complaint:
            self.complain(line, complaint)
            return None


def loop_head(
    text: str, reader: ExpressionReader, place: NameScope
) -> tuple[Loop, tuple[Expr, ...], Expr | None, NameScope]:
    """`x in SOURCE if TEST by KEY limit N`: the loop, what orders it, what ends it, and the place inside."""
    head, by, limit = _head(text)
    loops, inner = reader.loops([_comprehension(head)], place)
    keys = tuple(reader.order_key(parse_expression(piece), inner) for piece in by)
    bound = reader.read(limit, place) if limit else None
    if bound is not None and bound.type.kind != "int":
        raise Complaint(f"limit {limit!r} is {bound.type}, not a number")
    return loops[0], keys, bound, inner


def _head(text: str) -> tuple[str, list[str], str]:
    """`x in SOURCE if TEST`, the parts of its `by`, its `limit`; a parameter may be called `by`."""
    for limited in _cuts(text, " limit "):
        for ordered in _cuts(limited[0], " by "):
            try:
                _comprehension(ordered[0])
                pieces = split_top(ordered[1], ",") if ordered[1] else []
                for piece in pieces:
                    parse_expression(piece)
                return ordered[0], pieces, limited[1]
            except Complaint:
                continue
    raise Complaint(f"'for {text}': write 'for x in Entity if test by key limit n'")


def _cuts(text: str, word: str) -> list[tuple[str, str]]:
    # The blank after one such word may be the blank before the next.
    bare = word.rstrip()
    pieces = split_top(text, bare)
    cuts = [(bare.join(pieces[:k]), bare.join(pieces[k:])) for k in range(len(pieces) - 1, 0, -1)]
    return [*((before, after[1:]) for before, after in cuts if after.startswith(" ")), (text, "")]


def _tested(node: ast.expr) -> set[str]:
    """Optional names that a line itself asks about: `p is None`, `p or …`."""
    names: set[str] = set()
    for inner in ast.walk(node):
        asks = isinstance(inner, ast.Compare) and any(
            isinstance(right, ast.Constant) and right.value is None for right in inner.comparators
        )
        if asks and isinstance(inner, ast.Compare) and isinstance(inner.left, ast.Name):
            names.add(inner.left.id)
        if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or):
            names.update(value.id for value in inner.values[:-1] if isinstance(value, ast.Name))
    return names


def _forgetting(place: NameScope, specs: tuple[str | LoopSpec | BranchSpec, ...]) -> NameScope:
    """The place without the facts that the statements may end."""
    for spec in specs:
        if isinstance(spec, LoopSpec):
            place = _forgetting(place, spec.do)
        elif isinstance(spec, BranchSpec):
            place = _forgetting(place, (*spec.then, *spec.otherwise))
        elif match := re.match(r"set\s+(\w+)", spec.strip()):
            place = replace(place, facts=without_name(place.facts, match[1]))
        elif match := re.match(r"(?:let\s+\w+\s*=\s*)?(?:new|delete)\s", spec.strip()):
            place = place.after_write()
        elif match := re.match(r"(?!let\s)[^=]*\.(\w+)\s*[+-]?=(?!=)", spec.strip()):
            place = place.after_write(match[1])
    return place
