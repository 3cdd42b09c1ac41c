"""One operation as one method: parameters, guards, effects, and only the checks that its writes call for."""

from __future__ import annotations

from envscaler_mcp.language.analysis import read_by, statements, written
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import (
    And,
    Choice,
    Compare,
    Expr,
    Get,
    ListOf,
    Literal,
    Local,
    Records,
    walk,
)
from envscaler_mcp.language.model import (
    Attribute,
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
    Sentence,
    SetLocal,
    Statement,
)
from envscaler_mcp.language.python_code import ATOM, Code, quoted, within_fstring
from envscaler_mcp.language.text import a, words
from envscaler_mcp.synthesis.compile.checks import Checks
from envscaler_mcp.synthesis.compile.expressions import Writer, label_of
from envscaler_mcp.synthesis.compile.names import fresh, type_name
from envscaler_mcp.synthesis.compile.python import Lines
from envscaler_mcp.synthesis.compile.rules import Question, Whole
from envscaler_mcp.synthesis.compile.signatures import Signatures, references
from envscaler_mcp.synthesis.compile.sites import Site, refers


class Method:
    """Writes one operation."""

    def __init__(
        self,
        operation: Operation,
        model: Model,
        writer: Writer,
        signatures: Signatures,
        questions: list[Question | Whole],
        methods: dict[int, str],
    ) -> None:
        self.operation, self.model, self.writer, self.signatures = operation, model, writer, signatures
        self.questions, self.methods = questions, methods
        self.lines = Lines()
        self.lines.depth = 1
        self.sites: list[Site] = []
        self.created: list[tuple[str, str]] = []
        self.lists: dict[str, str] = {}
        self.names = self._names()
        writer.given = references(operation.params)
        self.reset = {s.name for s in statements(operation.effect) if isinstance(s, SetLocal)}
        self.known = self._known_states()
        self.nested = 0
        self.looped = 0
        self.forgotten: set[tuple[str, str]] = set()
        self.gone: set[str] = set()
        self.deletes = {s.entity for s in statements(operation.effect) if isinstance(s, Delete)}

    def write(self) -> str:
        """The method as text."""
        operation, lines = self.operation, self.lines
        params = ", ".join(["self", *self.signatures.parameters(operation.params, operation.name)])
        lines.add(f"def {operation.name}({params}) -> Result:")
        lines.depth += 1
        self._documentation()
        self.signatures.resolve(lines, operation.params, self.names)
        for line in operation.require:
            if isinstance(line, Let):
                lines.add(f"{line.name} = {self.writer.value(line.value)}")
            else:
                self._guard(line)
        early = self._renames()
        inner = self._say() if early else ""
        body = Lines()
        body.depth = lines.depth
        self.lines = body
        self._statements(operation.effect)
        Checks(self.model, self.writer, self.questions, self.methods, self.sites, self.names, self.fresh, body).write()
        self.lines = lines
        lines.add("self._journal = []")
        for name in self.lists.values():
            lines.add(f"{name}: list[Any] = []")
        lines.lines.extend(body.lines)
        self._answer(inner if early else self._say())
        return lines.text()

    def _names(self) -> set[str]:
        """Every name that the author uses in the operation, and those on the wire."""
        names: set[str] = set()
        for param in self.operation.params:
            names |= {param.name, param.argument}
        for line in self.operation.require:
            names |= {line.name} if isinstance(line, Let) else set()
        for statement in statements(self.operation.effect):
            if isinstance(statement, Let | New) and statement.name:
                names.add(statement.name)
            if isinstance(statement, For):
                names.add(statement.loop.name)
            for expr in _expressions(statement):
                names |= {inner.name for inner in walk(expr) if isinstance(inner, Local)}
        return names

    def fresh(self, *wishes: str) -> str:
        """A name that is not in use."""
        return fresh(wishes, self.names)

    def _documentation(self) -> None:
        paragraphs = [self.operation.about]
        documented = self.signatures.documentation(self.operation.params)
        if documented:
            paragraphs.append("Args:\n" + "\n".join(documented))
        created = "ids of what was created, and " if any(isinstance(s, New) for s in self.operation.effect) else ""
        paragraphs.append(
            f'Returns:\n    dict: {{"success": True, "message": what was done, "data": {created}what changed}}\n'
            '        or {"success": False, "error": why it cannot be done}'
        )
        self.lines.doc(paragraphs)

    def _guard(self, guard: Guard) -> None:
        self.lines.add(f"if {self.writer.unless(guard.test)}:")
        self.lines.add(f"    return _refused({self.writer.sentence(guard.sentence)})")

    # What is known from guards

    def _known_states(self) -> dict[tuple[str, str], frozenset[str]]:
        """(name, attribute) to the values that the guards leave."""
        known: dict[tuple[str, str], frozenset[str]] = {}
        for line in self.operation.require:
            if not isinstance(line, Guard):
                continue
            for test in line.test.parts if isinstance(line.test, And) else (line.test,):
                if isinstance(test, Compare) and isinstance(test.left, Get) and isinstance(test.left.of, Local):
                    key = (test.left.of.name, test.left.name)
                    if test.op == "==" and isinstance(test.right, Literal):
                        known[key] = frozenset({str(test.right.value)})
                    elif test.op == "in" and isinstance(test.right, ListOf):
                        values = [item.value for item in test.right.items if isinstance(item, Literal)]
                        if len(values) == len(test.right.items):
                            known[key] = frozenset(map(str, values))
        return known

    # Effects

    def _statements(self, effect: tuple[Statement, ...]) -> None:
        for statement in effect:
            match statement:
                case Let(name=name, value=value) | SetLocal(name=name, value=value):
                    self.lines.add(f"{name} = {self.writer.value(value)}")
                case Put():
                    self._put(statement)
                case New():
                    self._new(statement)
                case Delete():
                    self._delete(statement)
                case For():
                    self._for(statement)
                case If():
                    self._if(statement)

    def _for(self, statement: For) -> None:
        loop = statement.loop
        self.lines.add(f"for {loop.name} in {self._list(statement)}:")
        self.lines.depth += 1
        self.nested += 1
        self.looped += 1
        self._statements(statement.body)
        self.nested -= 1
        self.looped -= 1
        self.lines.depth -= 1

    def _list(self, statement: For) -> str:
        """The records of a loop as a list made before its first pass."""
        loop = statement.loop
        keys = [str(self.writer.key(part)) for part in statement.by]
        source, tests = self.writer.records(loop, not keys)
        picked = f"[{loop.name} {self.writer.loops((loop,), not keys)}]" if tests else str(source)
        if not tests and not keys and not picked.startswith(("sorted(", "[", "_those(")):
            picked = f"list({picked})"
        if keys:
            tie = [f"_age({loop.name})"] if loop.element.kind == "ref" else []
            parts = ", ".join([*keys, *tie])
            picked = f"sorted({picked}, key=lambda {loop.name}: ({parts}{',' if len(keys) + len(tie) == 1 else ''}))"
        if statement.limit is not None:
            limit = self.writer.value(statement.limit)
            picked = f"{picked}[: max({limit}, 0)]" if not str(limit).isdigit() else f"{picked}[:{limit}]"
        return picked

    def _if(self, statement: If) -> None:
        self.lines.add(f"if {self.writer.value(statement.test)}:")
        self._block(statement.then)
        if statement.otherwise:
            self.lines.add("else:")
            self._block(statement.otherwise)

    def _block(self, effect: tuple[Statement, ...]) -> None:
        self.lines.depth += 1
        self.nested += 1
        if effect:
            self._statements(effect)
        else:
            self.lines.add("pass")
        self.nested -= 1
        self.lines.depth -= 1

    def _record(self, expr: Expr, entity: Entity) -> str:
        """A name for the record that is written."""
        if isinstance(expr, Local):
            return expr.name
        name = self.fresh(entity.noun, f"its_{entity.noun}")
        self.lines.add(f"{name} = {self.writer.value(expr)}")
        return name

    def _put(self, put: Put) -> None:
        entity = self.model.entities[put.entity]
        attribute = entity.attributes[put.attribute]
        record = self._record(put.record, entity)
        value = self._checked(put.value, attribute, entity, record)
        if attribute.moves is not None and value.level != ATOM:
            name = self.fresh(attribute.name, f"new_{attribute.name}")
            self.lines.add(f"{name} = {value}")
            value = Code(name)
        self._moves(put, attribute, entity, record, value)
        site = self._site(put.entity, frozenset({put.attribute}), record, "changed")
        self._remember(site, attribute, record)
        self._set(entity, record, attribute, value)
        self.forgotten.add((put.entity, put.attribute))

    def _set(self, entity: Entity, record: str, attribute: Attribute, value: Code) -> None:
        written = f'self._put("{entity.container}", {record}, "{attribute.key}", {value})'
        if entity.name in self.gone or (self.looped and entity.name in self.deletes):
            # What was deleted is nowhere to be changed.
            self.lines.add(f'if {record}["id"] in self.{entity.container}:')
            written = f"    {written}"
        self.lines.add(written)

    def _checked(self, expr: Expr, attribute: Attribute, entity: Entity, record: str) -> Code:
        """The value to store, refused where it leaves the attribute's range."""
        value = self.writer.stored(expr)
        type_ = attribute.type
        if type_.low is None or type_.high is None or expr.type.kind == "none":
            return value
        low, high = expr.type.low, expr.type.high
        if low is not None and high is not None and type_.low <= low and high <= type_.high:
            return value
        if not value.text.isidentifier():
            name = self.fresh(attribute.name, f"new_{attribute.name}")
            self.lines.add(f"{name} = {value}")
            value = Code(name)
        bounds = f"not {type_.low} <= {value} <= {type_.high}"
        self.lines.add(f"if {value} is not None and {bounds}:" if expr.type.optional else f"if {bounds}:")
        self.lines.add(f"    return self._take_back({self._range_sentence(attribute, entity, record)})")
        return value

    def _range_sentence(self, attribute: Attribute, entity: Entity, record: str) -> str:
        low, high = attribute.type.low, attribute.type.high
        assert low is not None
        assert high is not None
        column = column_of(attribute.type)
        span = f"between {column.answer_text(low)} and {column.answer_text(high)}"
        what = words(attribute.name)
        if not record:
            return quoted(f"The {what} of {a(words(entity.noun))} must be {span}.")
        label = label_of(self.model, entity.name, record).replace('"', "'")
        return f'f"The {what} of {{{label}}} must be {span}."'

    def _moves(self, put: Put, attribute: Attribute, entity: Entity, record: str, value: Code) -> None:
        if attribute.moves is None:
            return
        moves = set(attribute.moves)
        states = attribute.type.options
        before: frozenset[str] = frozenset(states)
        written = (put.entity, put.attribute) in self.forgotten or self.looped
        if isinstance(put.record, Local) and not written and put.record.name not in self.reset:
            before = self.known.get((put.record.name, put.attribute), before)
        after = _possible(put.value)
        allowed = {(x, y) for x in states for y in states if x == y or (x, y) in moves}
        if all((x, y) in allowed for x in before for y in after):
            return
        stored = f'{record}["{attribute.key}"]'
        label = within_fstring(
            f"{words(entity.noun).capitalize()} "
        ) + f"{{{label_of(self.model, entity.name, record)}}}".replace('"', "'")
        inner = stored.replace('"', "'")
        goal = str(put.value.value) if isinstance(put.value, Literal) else f"{{{value}}}".replace('"', "'")
        sentence = f'f"{label} cannot go from {{{inner}}} to {goal}."'
        if isinstance(put.value, Literal):
            fine = [x for x in states if (x, str(put.value.value)) in allowed]
            listed = ", ".join(quoted(x) for x in fine)
            self.lines.add(f"if {stored} not in ({listed}{',' if len(fine) == 1 else ''}):")
        else:
            name = moves_constant(entity, attribute)
            self.lines.add(f"if {stored} != {value.at(ATOM)} and ({stored}, {value}) not in {name}:")
        self.lines.add(f"    return self._take_back({sentence})")

    def _new(self, new: New) -> None:
        entity = self.model.entities[new.entity]
        parts = [f'"id": self._new_id("{entity.noun}", "{entity.prefix}", self.{entity.container})']
        for name, expr in new.values.items():
            attribute = entity.attributes[name]
            value = self._checked(expr, attribute, entity, "")
            parts.append(f'"{attribute.key}": {value}')
        name = new.name or self.fresh(entity.noun, f"new_{entity.noun}")
        site = self._site(new.entity, frozenset({"*"}), name, "added")
        typed = f"{name}: {type_name(entity)}" if not self.nested else name
        self.lines.add(f"{typed} = {{{', '.join(parts)}}}")
        self.lines.add(f'self._add("{entity.container}", {name})')
        if site.many:
            self.lines.add(f"{site.record}.append({name})")
        if not self.nested:
            self.created.append((entity.noun, name))

    def _delete(self, delete: Delete) -> None:
        entity = self.model.entities[delete.entity]
        self.gone.add(delete.entity)
        record = self._record(delete.record, entity)
        site = self._site(delete.entity, frozenset({"*"}), record, "deleted")
        if self.nested or len([s for s in statements(self.operation.effect) if isinstance(s, Delete)]) > 1:
            self.lines.add(f'if {record}["id"] in self.{entity.container}:')
            self.lines.add(f'    self._remove("{entity.container}", {record})')
        else:
            self.lines.add(f'self._remove("{entity.container}", {record})')
        if site.many:
            self.lines.add(f"{site.record}.append({record})")

    # Sites

    def _site(self, entity: str, attributes: frozenset[str], record: str, verb: str) -> Site:
        """Note a write; only what some check asks for is collected."""
        many = self.nested > 0 or record in self.reset
        site = Site(entity, attributes, record, False, deletes=verb == "deleted")
        if many:
            site.many = self._watched(entity, attributes, site.deletes)
            if site.many:
                key = f"{verb} {entity} {sorted(attributes)}"
                site.record = self._collected(key, f"{verb}_{self.model.entities[entity].container}")
        self.sites.append(site)
        if site.many and "*" not in attributes:
            self.lines.add(f"{site.record}.append({record})")
        if many and not site.many:
            self.sites.pop()
        return site

    def _collected(self, key: str, wish: str) -> str:
        if key not in self.lists:
            self.lists[key] = self.fresh(wish)
        return self.lists[key]

    def _watched(self, entity: str, attributes: frozenset[str], deletes: bool) -> bool:
        """Whether any check looks at what is written here."""
        pairs = {(entity, name) for name in attributes}
        declared = self.model.entities[entity]
        if deletes and any(refers(a, entity) for e in self.model.entities.values() for a in e.stored):
            return True
        if not deletes and any(a.unique and attributes & {"*", a.name} for a in declared.stored):
            return True
        return any(pairs & (set(q.routes) if isinstance(q, Question) else q.reads) for q in self.questions)

    def _remember(self, site: Site, attribute: Attribute, record: str) -> None:
        """Keep the former value of a reference that a route starts along."""
        wanted = any(
            route and route[0].attribute == attribute.name and route[0].entity == site.entity and route[0].leaves_trace
            for q in self.questions
            if isinstance(q, Question)
            for route in q.routes.get((site.entity, attribute.name)) or []
        )
        if not wanted:
            return
        stored = f'{record}["{attribute.key}"]'
        if site.many:
            name = self._collected(
                f"former {site.entity} {attribute.name}", f"former_{attribute.key}s".replace("_idss", "_ids")
            )
            self.lines.add(f"{name}.append({stored})" if attribute.type.kind != "list" else f"{name}.extend({stored})")
        else:
            name = self.fresh(f"former_{attribute.key}")
            self.lines.add(f"{name} = {stored}")
        site.before[attribute.name] = name

    # The answer

    def _say(self) -> str:
        """Emit what puts the words of `say` together, where that takes lines; what stands between the quotes of the message."""
        say = self.operation.say
        done = self.writer.sentence(Sentence(say.parts))
        if not say.clauses and not self._renames():
            return within(done)
        name = self.fresh("done")
        self.lines.add(f"{name} = {done}")
        for clause in say.clauses:
            given = " and ".join(f"{parameter} is not None" for parameter in clause.needs)
            self.lines.add(f"if {given}:")
            self.lines.add(f"    {name} += {self.writer.sentence(clause.words)}")
            if clause.otherwise.parts:
                self.lines.add("else:")
                self.lines.add(f"    {name} += {self.writer.sentence(clause.otherwise)}")
        return f"{{{name}}}"

    def _renames(self) -> bool:
        """Whether the effects change what `say` speaks of: it is said as things were before."""
        wrote = written(self.operation)
        clauses = self.operation.say.clauses
        for sentence in (
            self.operation.say,
            *(part for clause in clauses for part in (clause.words, clause.otherwise)),
        ):
            for part in sentence.parts:
                if isinstance(part, str):
                    continue
                entity = self.model.entities.get(part.type.entity)
                called = {(entity.name, entity.label)} if entity is not None else set()
                if wrote & (read_by(part, self.model) | called):
                    return True
        return False

    def _answer(self, inner: str) -> None:
        news = ", ".join(f"{words(noun)} {{{record}['id']}}" for noun, record in self.created)
        f = "f" if "{" in inner or news else ""
        text = f'{f}"Done: {inner}{f" (new: {news})" if news else ""}."'
        keys = self.operation.new_keys(self.model.entities)
        ids = [f'"{key}": {record}["id"]' for key, (_, record) in zip(keys, self.created, strict=True)]
        data = f"{{{', '.join([*ids, '**self._changes()'])}}}" if ids else "self._changes()"
        self.lines.add(f'return {{"success": True, "message": {text}, "data": {data}}}')


def within(literal: str) -> str:
    """What stands between the quotes of a string literal."""
    return literal[2:-1] if literal.startswith('f"') else literal[1:-1]


def moves_constant(entity: Entity, attribute: Attribute) -> str:
    """The name of the set of allowed moves."""
    return f"{entity.noun}_{attribute.name}_MOVES".upper()


def _possible(expr: Expr) -> frozenset[str]:
    if isinstance(expr, Literal):
        return frozenset({str(expr.value)})
    if isinstance(expr, Choice):
        return _possible(expr.then) | _possible(expr.otherwise)
    return frozenset(expr.type.options)


def _expressions(statement: Statement) -> list[Expr]:
    match statement:
        case Let(value=value) | SetLocal(value=value):
            return [value]
        case Put(record=record, value=value):
            return [record, value]
        case New(values=values):
            return list(values.values())
        case Delete(record=record):
            return [record]
        case For(loop=loop, by=by, limit=limit):
            source = [] if isinstance(loop.source, Records) else [loop.source]
            return [*source, *loop.tests, *by, *([limit] if limit is not None else [])]
        case If(test=test):
            return [test]
