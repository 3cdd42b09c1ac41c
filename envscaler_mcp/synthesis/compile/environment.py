"""The whole module of an environment: types, rules, the class, and the small functions it calls."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from envscaler_mcp.language.analysis import tool_names
from envscaler_mcp.language.column_types import COLUMN_TYPES, column_of
from envscaler_mcp.language.expressions import Expr, Local, Scan, walk
from envscaler_mcp.language.model import Entity, Model
from envscaler_mcp.language.python_code import quoted
from envscaler_mcp.language.text import within_docstring, words
from envscaler_mcp.language.types import Type
from envscaler_mcp.synthesis.compile.expressions import Writer
from envscaler_mcp.synthesis.compile.indexes import Indexes
from envscaler_mcp.synthesis.compile.inline import renamed
from envscaler_mcp.synthesis.compile.names import define_method, derived_method, record_name, type_name
from envscaler_mcp.synthesis.compile.operations import Method, moves_constant
from envscaler_mcp.synthesis.compile.python import Lines
from envscaler_mcp.synthesis.compile.queries import (
    DerivedReads,
    OwnQuery,
    names_method,
    needs_show,
    write_clock,
    write_names,
    write_show,
)
from envscaler_mcp.synthesis.compile.records import indexed, keeping_records
from envscaler_mcp.synthesis.compile.rules import Question, Whole, questions
from envscaler_mcp.synthesis.compile.signatures import Signatures
from envscaler_mcp.synthesis.compile.support import FUNCTIONS, IMPORTS, NEEDS


@dataclass(frozen=True, slots=True)
class Compiled:
    """The code of an environment and what names it."""

    source: str
    class_name: str
    changes: tuple[str, ...]
    """The operations, which may change the state; every other tool only reads."""


def compile_model(model: Model) -> Compiled:
    """One readable Python class; equal models give equal text."""
    return _Module(model).compile()


class _Module:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.indexes = Indexes(model)
        self.writer = Writer(model, self.indexes)
        self.signatures = Signatures(model)
        self.class_name = "".join(part.capitalize() for part in model.blueprint.id.split("_"))
        if self.class_name in model.entities:
            self.class_name += "World"
        self.questions: list[Question | Whole] = []
        for rule in model.rules:
            self.questions.extend(questions(rule, model))
        self.methods = self._method_names()

    def _method_names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for number, question in enumerate(self.questions):
            base = f"_breaks_rule_{question.rule.number}"
            if isinstance(question, Question) and any(
                isinstance(other, Question) and other.rule.number == question.rule.number and other is not question
                for other in self.questions
            ):
                base += f"_{question.variable}"
            while base in names.values():
                base += "_again"
            names[number] = base
        return names

    def compile(self) -> Compiled:
        model = self.model
        queries = [OwnQuery(query, model, self.writer, self.signatures).write() for query in model.queries.values()]
        reads = [
            DerivedReads(model.entities[name], self.signatures).write(read)
            for name, kinds in model.derive.items()
            for read in kinds
        ]
        reads += [write_clock(model.clock)] if model.clock else []
        operations = [
            Method(operation, model, self.writer, self.signatures, self.questions, self.methods).write()
            for operation in model.operations.values()
        ]
        self.writer.given = {}
        shown = "".join([*queries, *reads])
        private = [
            *(write_show(e, model) for e in model.entities.values() if needs_show(e) and f"_show_{e.noun}(" in shown),
            *(write_names(e, model) for e in model.entities.values() if f"{names_method(e)}(" in shown),
            *self._derived(),
            *self._defines(),
            *self._rules("".join(operations)),
        ]
        plumbing = keeping_records(model, self.indexes, "self._remove(" in "".join(operations))
        body = "\n".join([*queries, *reads, *operations, *private, *plumbing])
        initial = self._initial()
        code = f"{self._class_head()}\n{initial}\n{body}"
        self._code = code
        declarations = self._declarations()
        functions = self._functions(declarations + code)
        source = "\n\n\n".join(
            [
                self._head(declarations + functions + code),
                declarations.strip("\n"),
                *filter(None, [functions]),
                code.strip("\n"),
            ]
        )
        source = re.sub(r"\n{4,}", "\n\n\n", source.rstrip("\n") + "\n")
        return Compiled(
            source, self.class_name, tuple(name for name, effect in tool_names(model) if effect == "writes")
        )

    # Module level

    def _head(self, code: str) -> str:
        blueprint = self.model.blueprint
        lines = Lines()
        lines.raw(
            f'"""{within_docstring(" ".join(blueprint.title.split()))}. Compiled from blueprint.yaml; run `envscaler build {blueprint.id}` after changing it there.\n\n'
            f'{within_docstring(_filled(blueprint.about))}\n"""'
        )
        lines.add()
        lines.add("from __future__ import annotations")
        lines.add()
        imports = sorted({line for pattern, line in IMPORTS.items() if re.search(pattern, code)})
        for line in imports:
            lines.add(line)
        typing = [
            name
            for name in ("Annotated", "Any", "Literal", "NotRequired", "TypedDict")
            if re.search(rf"\b{name}\b", code)
        ]
        lines.add(f"from typing import {', '.join(typing)}")
        return lines.text().rstrip("\n")

    def _declarations(self) -> str:
        lines = Lines()
        everything = "\n".join(self._annotations())
        lines.add("Result = dict[str, Any]")
        lines.add('"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""')
        for column in COLUMN_TYPES.values():
            for name, text in column.aliases.items():
                if re.search(rf"\b{name}\b", everything):
                    lines.add(f"{name} = {text}")
        lines.add()
        rules = [quoted(rule.text) for rule in self.model.rules]
        _tuple(
            lines,
            "RULES",
            rules,
            "What always holds. A call that would break a rule is taken back and answered with it.",
        )
        lines.add()
        changes = [quoted(name) for name in self.model.operations]
        _tuple(lines, "CHANGES", changes, "The methods that may change something; all others only read.")
        self._constants(lines)
        for entity in self.model.entities.values():
            stored = [f"{attribute.key}: {_stored_type(attribute.type)}" for attribute in entity.stored]
            _typed_dict(lines, type_name(entity), ["id: str", *stored])
        for title, fields in self.signatures.structures.items():
            _typed_dict(lines, title, fields)
        return "\n" + lines.text()

    def _constants(self, lines: Lines) -> None:
        for entity in self.model.entities.values():
            for attribute in entity.stored:
                if attribute.moves is not None and moves_constant(entity, attribute) in self._code:
                    lines.add()
                    moves = ", ".join(f"({quoted(a)}, {quoted(b)})" for a, b in attribute.moves)
                    lines.add(f"{moves_constant(entity, attribute)} = {{{moves}}}")
        lines.add()
        labels = ", ".join(f"{quoted(e.container)}: {_label_keys(e)}" for e in self.model.entities.values())
        lines.add(f"LABELS: dict[str, tuple[str, ...]] = {{{labels}}}")
        lines.raw('"""What people call a record of each container by."""')
        watched = indexed(self.model, self.indexes)
        if watched:
            lines.add()
            pairs = ", ".join(f"({quoted(container)}, {quoted(key)})" for container, key in watched)
            lines.add(f"INDEXED = {{{pairs}}}")
            lines.raw(
                '"""Containers and the attributes by which their records are found without looking at all of them."""'
            )

    def _annotations(self) -> list[str]:
        code = [self._code]
        for fields in self.signatures.structures.values():
            code.extend(fields)
        return code

    def _functions(self, code: str) -> str:
        functions = FUNCTIONS | {
            name: text for column in COLUMN_TYPES.values() for name, text in column.helpers.items()
        }
        wanted: set[str] = set()
        # One look at the code: it is long, and there are many functions.
        words = set(re.findall(r"(?<![\w.])\w+", code))
        ahead = [name for name in functions if name in words]
        while ahead:
            name = ahead.pop()
            if name not in wanted:
                wanted.add(name)
                ahead.extend(NEEDS.get(name, ()))
        return "\n\n\n".join(text.strip("\n") for name, text in functions.items() if name in wanted)

    # The class

    _code = ""

    def _class_head(self) -> str:
        lines = Lines()
        blueprint = self.model.blueprint
        lines.add(f"class {self.class_name}:")
        lines.depth = 1
        lines.doc([_filled(blueprint.about, 100)])
        return lines.text()

    def _initial(self) -> str:
        lines = Lines()
        lines.depth = 1
        lines.add("def __init__(self, init_config: dict[str, Any] | None = None) -> None:")
        lines.depth += 1
        lines.add("config = init_config or {}")
        for entity in self.model.entities.values():
            lines.add(
                f'self.{entity.container}: dict[str, {type_name(entity)}] = _copied(config.get("{entity.container}", {{}}))'
            )
        lines.add(f'self.now: str = config.get("now", {quoted(self.model.blueprint.start.now)})')
        counters = ", ".join(f"{quoted(e.noun)}: len(self.{e.container})" for e in self.model.entities.values())
        lines.add(f'self.counters: dict[str, int] = {{{counters}, **config.get("counters", {{}})}}')
        lines.add("self._journal: list[tuple[Any, ...]] = []")
        for entity in self.model.entities.values():
            for index in self.indexes.of(entity.name):
                lines.add(f"self.{index.name}: dict[Any, dict[str, {type_name(entity)}]] = {{}}")
        for entity in self.model.entities.values():
            if self.indexes.of(entity.name):
                record = record_name(entity)
                lines.add(f"for {record} in self.{entity.container}.values():")
                lines.add(f'    self._link("{entity.container}", {record})')
        return lines.text()

    def _derived(self) -> list[str]:
        methods: list[str] = []
        for entity in self.model.entities.values():
            for attribute in entity.derived:
                assert attribute.derived is not None
                lines = Lines()
                lines.depth = 1
                name = derived_method(self.model, entity.name, attribute.name)
                record = record_name(entity, _loop_names(attribute.derived))
                lines.add(f"def {name}(self, {record}: {type_name(entity)}) -> {self._value_type(attribute.type)}:")
                lines.depth += 1
                lines.doc([f"The {words(attribute.name)} of {_article(entity)}."])
                expr = _with_self(attribute.derived, record)
                lines.add(f"return {self.writer.value(expr)}")
                methods.append(lines.text())
        return methods

    def _defines(self) -> list[str]:
        methods: list[str] = []
        for define in self.model.defines.values():
            lines = Lines()
            lines.depth = 1
            name = define_method(self.model, define.name)
            params = ", ".join(f"{param.name}: {self._value_type(param.type)}" for param in define.params)
            lines.add(f"def {name}(self{', ' if params else ''}{params}) -> {self._value_type(define.body.type)}:")
            lines.depth += 1
            lines.add(f"return {self.writer.value(define.body)}")
            methods.append(lines.text())
        return methods

    def _value_type(self, type_: Type) -> str:
        """The type of a value inside the class, where references are records."""
        match type_.kind:
            case "ref":
                text = type_name(self.model.entities[type_.entity])
            case "list":
                text = f"list[{self._value_type(type_.of)}]" if type_.of is not None else "list[Any]"
            case _:
                text = column_of(type_).python
        return f"{text} | None" if type_.optional else text

    def _rules(self, operations: str) -> list[str]:
        methods: list[str] = []
        for number, question in enumerate(self.questions):
            name = self.methods[number]
            if f"self.{name}(" not in operations:
                continue
            lines = Lines()
            lines.depth = 1
            if isinstance(question, Question):
                entity = self.model.entities[question.entity]
                lines.add(f"def {name}(self, {question.variable}: {type_name(entity)}) -> bool:")
            else:
                lines.add(f"def {name}(self) -> bool:")
            lines.depth += 1
            lines.doc([f"Whether this is broken: {question.rule.text[0].lower()}{question.rule.text[1:]}"])
            lines.add(f"return {self.writer.value(question.broken)}")
            methods.append(lines.text())
        return methods


def _tuple(lines: Lines, name: str, items: list[str], meaning: str) -> None:
    lines.add(f"{name} = (")
    lines.lines.extend(f"    {item}," for item in items)
    lines.add(")")
    lines.raw(f'"""{meaning}"""')


def _label_keys(entity: Entity) -> str:
    return "()" if entity.label == "id" else f"({quoted(entity.label)},)"


def _typed_dict(lines: Lines, name: str, fields: list[str]) -> None:
    lines.add()
    lines.add()
    lines.add(f"class {name}(TypedDict):")
    lines.depth = 1
    for field in fields:
        lines.add(field)
    lines.depth = 0


def _stored_type(type_: Type) -> str:
    if type_.kind == "list" and type_.of is not None:
        text = f"list[{_stored_type(type_.of)}]"
    else:
        text = column_of(type_).stored_annotation(type_)
    return f"{text} | None" if type_.optional else text


def _article(entity: Entity) -> str:
    noun = words(entity.noun)
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _loop_names(expr: Expr) -> set[str]:
    return {loop.name for inner in walk(expr) if isinstance(inner, Scan) for loop in inner.loops}


def _with_self(expr: Expr, record: str) -> Expr:
    return renamed(expr, "self", Local(expr.type, record))


def _filled(text: str, width: int = 112) -> str:
    return "\n".join(textwrap.wrap(" ".join(text.split()), width))
