"""Checked expressions as Python."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import (
    And,
    Arithmetic,
    Choice,
    Compare,
    Defined,
    Derived,
    Expr,
    Function,
    Get,
    IsNone,
    Key,
    ListOf,
    Literal,
    Local,
    Loop,
    Negate,
    Not,
    Now,
    Or,
    OrElse,
    Records,
    Scan,
)
from envscaler_mcp.language.model import Model, Sentence
from envscaler_mcp.language.python_code import (
    AND,
    ATOM,
    CHOICE,
    COMPARE,
    NOT,
    OR,
    PRODUCT,
    SUM,
    UNARY,
    Code,
    quoted,
    within_fstring,
)
from envscaler_mcp.language.types import BOOL
from envscaler_mcp.synthesis.compile.indexes import Indexes
from envscaler_mcp.synthesis.compile.names import define_method, derived_method
from envscaler_mcp.synthesis.compile.narrowing import with_question
from envscaler_mcp.synthesis.compile.sources import LoopSources, going_through
from envscaler_mcp.synthesis.compile.ways import leads

_SWAPPED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
_FUNCTIONS = {
    "overlap": "_overlap",
    "add_months": "_add_months",
    "weekday": "_weekday",
    "years": "_years",
    "dates": "_dates",
    "range": "_numbers",
    "bucket": "_bucket",
    "len": "len",
    "abs": "abs",
    "min": "min",
    "max": "max",
}


@dataclass(slots=True)
class Writer:
    """Writes expressions of one model; what it writes may rely on indexes, which it asks for."""

    model: Model
    indexes: Indexes
    given: dict[str, str] = field(default_factory=dict)
    """Parameters that are records, and the arguments that hold their ids."""

    def unless(self, expr: Expr) -> str:
        """The opposite of a yes-or-no as the test of an `if`."""
        code = self.negated(expr).text
        return _untested(code) if isinstance(expr, Scan) else code

    # Values

    def value(self, expr: Expr) -> Code:
        """The value; a reference is the record itself."""
        match expr:
            case Literal() | Local() | Now() | ListOf() | Key():
                return self._plain_value(expr)
            case Not() | And() | Or() | OrElse() | Compare() | IsNone() | Choice():
                return self._logic(expr)
            case Get():
                return self._get(expr)
            case Derived(of=of, entity=entity, name=name):
                return Code(f"self.{derived_method(self.model, entity, name)}({self.value(of)})")
            case Arithmetic():
                return self._arithmetic(expr)
            case Negate(of=of):
                return Code(f"-{self.value(of).at(UNARY)}", UNARY)
            case Scan():
                return self._scan(expr)
            case Function():
                return self._function(expr)
            case Defined(name=name, arguments=arguments):
                method = define_method(self.model, name)
                return Code(f"self.{method}({', '.join(str(self.value(argument)) for argument in arguments)})")

    def _plain_value(self, expr: Literal | Local | Now | ListOf | Key) -> Code:
        match expr:
            case Literal(value=value):
                return Code(
                    quoted(value) if isinstance(value, str) else repr(value), UNARY if _negative(value) else ATOM
                )
            case Local(name=name):
                return Code(name)
            case Now(which=which):
                return Code("self.now" if which == "now" else "self.now[:10]")
            case ListOf(items=items):
                return Code(f"[{', '.join(str(self.value(item)) for item in items)}]")
            case Key(items=items):
                return Code(f"({', '.join(str(self.key(item)) for item in items)}{',' if len(items) == 1 else ''})")

    def _logic(self, expr: Not | And | Or | OrElse | Compare | IsNone | Choice) -> Code:
        match expr:
            case Not(of=of):
                return self.negated(of)
            case And(parts=parts):
                return Code(" and ".join(self.value(part).at(NOT) for part in parts), AND)
            case Or(parts=parts):
                return Code(" or ".join(self.value(part).at(AND) for part in parts), OR)
            case OrElse(first=first, second=second):
                return self._or_else(first, second)
            case Compare(op=op, left=left, right=right):
                return self._compare(op, left, right)
            case IsNone(of=of, negated=negated):
                what = self._presence(of)
                return Code(f"{what.at(SUM)} {'is not' if negated else 'is'} None", COMPARE)
            case Choice(test=test, then=then, otherwise=otherwise):
                yes, no = self.value(then).at(OR), self.value(otherwise).at(CHOICE)
                return Code(f"{yes} if {self.value(test).at(OR)} else {no}", CHOICE)

    def negated(self, expr: Expr) -> Code:
        """The opposite of a yes-or-no, written as a person would."""
        match expr:
            case Not(of=of):
                return self.value(of)
            case Compare(op=op, left=left, right=right):
                return self._compare(_SWAPPED[op], left, right)
            case IsNone(type=type_, of=of, negated=negated):
                return self.value(IsNone(type_, of, not negated))
            case And(type=type_, parts=parts) if all(_simple(part) for part in parts):
                return Code(" or ".join(self.negated(part).at(AND) for part in parts), OR)
            case Or(parts=parts) if all(_simple(part) for part in parts):
                return Code(" and ".join(self.negated(part).at(NOT) for part in parts), AND)
            case Scan(gather="none"):
                return self.value(replace(expr, gather="any"))
            case Scan(gather="any"):
                return self.value(replace(expr, gather="none"))
            case Literal(type=type_, value=bool(value)):
                return Code(repr(not value))
        return Code(f"not {self.value(expr).at(NOT)}", NOT)

    def _get(self, expr: Get) -> Code:
        of = self.value(expr.of).at(ATOM)
        if expr.of.type.kind == "struct":
            return Code(f'{of}["{expr.name}"]')
        if expr.name == "id":
            return Code(f'{of}["id"]')
        attribute = self.model.entities[expr.of.type.entity].attributes[expr.name]
        stored = f'{of}["{attribute.key}"]'
        if attribute.type.kind == "ref":
            return Code(self.record_of(attribute.type.entity, stored, attribute.type.optional and expr.type.optional))
        if attribute.type.kind == "list" and attribute.type.of is not None and attribute.type.of.kind == "ref":
            container = self.model.entities[attribute.type.of.entity].container
            return Code(f"[self.{container}[key] for key in {stored}]")
        return Code(stored)

    def record_of(self, entity: str, id_code: str, optional: bool) -> str:
        container = self.model.entities[entity].container
        return f"self.{container}.get({id_code})" if optional else f"self.{container}[{id_code}]"

    def ident(self, expr: Expr) -> Code | None:
        """The id behind a reference, where it can be had without the record."""
        if isinstance(expr, Get) and expr.type.kind == "ref" and expr.of.type.kind == "ref":
            attribute = self.model.entities[expr.of.type.entity].attributes[expr.name]
            return Code(f'{self.value(expr.of).at(ATOM)}["{attribute.key}"]')
        if isinstance(expr, Local) and expr.name in self.given:
            return Code(self.given[expr.name])
        if isinstance(expr, Local) and not expr.type.optional:
            return Code(f'{expr.name}["id"]')
        if isinstance(expr, Literal) and expr.value is None:
            return Code("None")
        if isinstance(expr, Choice):
            then, otherwise = self.ident(expr.then), self.ident(expr.otherwise)
            if then is not None and otherwise is not None:
                return Code(f"{then.at(OR)} if {self.value(expr.test).at(OR)} else {otherwise.at(CHOICE)}", CHOICE)
        return None

    def stored(self, expr: Expr) -> Code:
        """The value as a record keeps it: a reference is an id, a list is a list of its own."""
        type_ = expr.type
        if type_.kind == "ref":
            ident = self.ident(expr)
            if ident is not None:
                return ident
            if not type_.optional:
                return Code(f'{self.value(expr).at(ATOM)}["id"]')
            name = self.value(expr)
            if name.level == ATOM and name.text.isidentifier():
                return Code(f'{name}["id"] if {name} is not None else None', CHOICE)
            return Code(f"_id_of({name})")
        if type_.kind == "list" and type_.of is not None and type_.of.kind == "ref":
            raw = self.raw_ids(expr)
            return Code(f"[*{raw}]") if raw else Code(f'[record["id"] for record in {self.value(expr).at(OR)}]')
        if type_.kind == "list" and not isinstance(expr, ListOf):
            return Code(f"[*{self.value(expr).at(ATOM)}]")
        return self.value(expr)

    def raw_ids(self, expr: Expr) -> str:
        """The stored ids of a list attribute, or nothing."""
        if isinstance(expr, Get) and expr.of.type.kind == "ref" and expr.name != "id":
            attribute = self.model.entities[expr.of.type.entity].attributes[expr.name]
            return f'{self.value(expr.of).at(ATOM)}["{attribute.key}"]'
        return ""

    def key(self, expr: Expr) -> Code:
        """The value where only sameness counts: records by their ids."""
        if expr.type.kind == "ref":
            return self.ident(expr) or self.stored(expr)
        if expr.type.kind == "list":
            return Code(f"tuple({self.stored(expr)})")
        return self.value(expr)

    def _presence(self, expr: Expr) -> Code:
        """Something that is None exactly when the value is."""
        return (self.ident(expr) if expr.type.kind == "ref" else None) or self.value(expr)

    def _or_else(self, first: Expr, second: Expr) -> Code:
        if first.type.kind == "ref":
            # A record is a mapping that is never empty, so `or` looks at presence only.
            return Code(f"{self.value(first).at(OR)} or {self.value(second).at(AND)}", OR)
        value = self.value(first)
        return Code(f"{value.at(OR)} if {value.at(SUM)} is not None else {self.value(second).at(CHOICE)}", CHOICE)

    # Comparisons and arithmetic

    def _compare(self, op: str, left: Expr, right: Expr) -> Code:
        if op in ("in", "not in"):
            return self._membership(op, left, right)
        if left.type.kind == "ref" or right.type.kind == "ref":
            a, b = self.ident(left), self.ident(right)
            plain = all(isinstance(side, Local) for side in (left, right))
            if a is not None and b is not None and not plain:
                return Code(f"{a.at(SUM)} {op} {b.at(SUM)}", COMPARE)
            sign = "is" if op == "==" else "is not"
            return Code(f"{self.value(left).at(SUM)} {sign} {self.value(right).at(SUM)}", COMPARE)
        if isinstance(right, Literal) and isinstance(right.value, bool) and op in ("==", "!="):
            return (
                self.value(left)
                if right.value == (op == "==") and not left.type.optional
                else self._plain(op, left, right)
            )
        return self._plain(op, left, right)

    def _plain(self, op: str, left: Expr, right: Expr) -> Code:
        return Code(f"{self.value(left).at(SUM)} {op} {self.value(right).at(SUM)}", COMPARE)

    def _membership(self, op: str, left: Expr, right: Expr) -> Code:
        if isinstance(right, ListOf) and right.type.of is not None and right.type.of.kind != "ref":
            items = ", ".join(str(self.value(item)) for item in right.items)
            comma = "," if len(right.items) == 1 else ""
            return Code(f"{self.value(left).at(SUM)} {op} ({items}{comma})", COMPARE)
        raw = self.raw_ids(right)
        if left.type.kind == "ref" and raw:
            return Code(f"{self.key(left).at(SUM)} {op} {raw}", COMPARE)
        return Code(f"{self.value(left).at(SUM)} {op} {self.value(right).at(SUM)}", COMPARE)

    def _arithmetic(self, expr: Arithmetic) -> Code:
        op, left, right = expr.op, expr.left, expr.right
        a, b = self.value(left), self.value(right)
        column = column_of(left.type)
        if op == "-" and column.has_distance and left.type.kind == right.type.kind:
            return column.distance_code(b, a)
        if column.step:
            return column.moved_code(a, b, op)
        if op == "/":
            return Code(f"Fraction({a}, {b})")
        if op in ("+", "-"):
            return Code(f"{a.at(SUM)} {op} {b.at(SUM if op == '+' else PRODUCT)}", SUM)
        return Code(f"{a.at(PRODUCT)} {op} {b.at(UNARY)}", PRODUCT)

    def _function(self, expr: Function) -> Code:
        name = expr.name
        if name in ("above", "below"):
            entity = self.model.entities[expr.entity]
            start = self.value(expr.arguments[0])
            if name == "below":
                return Code(f"_below(self.{self.indexes.on(entity.name, (expr.attribute,)).name}, {start})")
            return Code(f'_above(self.{entity.container}, {start}, "{entity.attributes[expr.attribute].key}")')
        if name == "len" and self.raw_ids(expr.arguments[0]):
            return Code(f"len({self.raw_ids(expr.arguments[0])})")
        arguments = [self.key(a) if name == "bucket" else self.value(a) for a in expr.arguments]
        if name in _FUNCTIONS:
            return Code(f"{_FUNCTIONS[name]}({', '.join(str(argument) for argument in arguments)})")
        if name == "moment":
            return Code(f'{arguments[0].at(SUM)} + "T" + {arguments[1].at(PRODUCT)}', SUM)
        return self._of_one(name, expr.arguments[0], arguments[0])

    def _of_one(self, name: str, expr: Expr, code: Code) -> Code:
        """A function of one value that Python has no name for."""
        match name:
            case "day":
                return Code(f"{code.at(ATOM)}[:10]")
            case "clock":
                return Code(f"{code.at(ATOM)}[11:]")
            case "days":
                return Code(f"{code.at(PRODUCT)} * 1440", PRODUCT)
            case "hours":
                return Code(f"{code.at(PRODUCT)} * 60", PRODUCT)
            case "month_start":
                return Code(f'{code.at(ATOM)}[:8] + "01"', SUM)
            case "lower":
                return Code(f"{code.at(ATOM)}.lower()")
            case "desc":
                return self._descending(expr, code)
        if expr.type.kind != "ratio":
            return code
        return Code(f"{'_rounded' if name == 'round' else name}({code})")

    def _descending(self, expr: Expr, code: Code) -> Code:
        if column_of(expr.type).sorts_by_minus:
            return Code(f"-{code.at(UNARY)}", UNARY)
        return Code(f"_descending({code})")

    # Loops

    def records(self, loop: Loop, ordered: bool) -> tuple[Code, list[Expr]]:
        """What a loop runs over, and the tests that the way there does not answer."""
        if not isinstance(loop.source, Records):
            return self.value(loop.source), list(loop.tests)
        return LoopSources(self).of(loop, ordered)

    def loops(self, loops: tuple[Loop, ...], ordered: bool) -> str:
        """`for … in … if …`, one after the other."""
        parts: list[str] = []
        for loop in loops:
            source, tests = self.records(loop, ordered)
            parts.append(going_through(loop.name, source))
            if tests:
                parts.append("if " + " and ".join(self.value(test).at(NOT) for test in tests))
        return " ".join(parts)

    def _scan(self, expr: Scan) -> Code:
        gather, element, loops = expr.gather, expr.element, expr.loops
        match gather:
            case "all":
                return Code(f"all({self.value(element)} {self.loops(loops, False)})")
            case "any" | "none":
                code = self._exists(element, loops)
                return code if gather == "any" else Code(f"not {_untested(code.text)}", NOT)
            case "count":
                return self._count(loops)
            case "sum":
                return Code(f"sum({self.value(element)} {self.loops(loops, False)})")
            case "min" | "max":
                return Code(f"{gather}(({self.value(element)} {self.loops(loops, False)}), default=None)")
            case "avg":
                return Code(f"_mean([{self.value(element)} {self.loops(loops, False)}])")
            case "unique":
                return Code(f"_different([{self.key(element)} {self.loops(loops, False)}])")
            case "list":
                return self._list(element, loops)
            case "first":
                return self._first(expr)

    def _exists(self, element: Expr, loops: tuple[Loop, ...]) -> Code:
        questioned = with_question(Scan(BOOL, "any", element, loops))
        if questioned != loops and leads(self.indexes, questioned[-1]) and not leads(self.indexes, loops[-1]):
            # The question says where the records are.
            element, loops = Literal(BOOL, True), questioned
        if element.type.kind != "bool" or (isinstance(element, Literal) and element.value is True):
            last, rest = loops[-1], loops[:-1]
            source, tests = self.records(last, False)
            if tests:
                # The last test is the question; the ones before it only choose.
                asked = self.value(tests[-1])
                parts = [self.loops(rest, False)] if rest else []
                parts.append(going_through(last.name, source))
                if tests[:-1]:
                    parts.append("if " + " and ".join(self.value(test).at(NOT) for test in tests[:-1]))
                return Code(f"any({asked} {' '.join(parts)})")
            if not rest:
                return (
                    Code(f"bool({_bare(source.text)})")
                    if _bare(source.text) != source.text
                    else Code(f"bool({source})")
                )
            return Code(f"any(True {self.loops(loops, False)})")
        return Code(f"any({self.value(element)} {self.loops(loops, False)})")

    def _count(self, loops: tuple[Loop, ...]) -> Code:
        if len(loops) == 1:
            source, tests = self.records(loops[0], False)
            if not tests:
                return Code(f"len({_bare(source.text)})")
        return Code(f"sum(1 {self.loops(loops, False)})")

    def _list(self, element: Expr, loops: tuple[Loop, ...]) -> Code:
        if len(loops) == 1 and isinstance(element, Local) and element.name == loops[0].name:
            source, tests = self.records(loops[0], True)
            if not tests:
                return Code(str(source)) if source.text.startswith(("sorted(", "_those(")) else Code(f"list({source})")
        return Code(f"[{self.value(element)} {self.loops(loops, True)}]")

    def _first(self, expr: Scan) -> Code:
        element, loops = expr.element, expr.loops
        if not expr.by:
            return Code(f"next(({self.value(element)} {self.loops(loops, True)}), None)")
        keys = [str(self.key(part)) for part in expr.by]
        if (
            len(loops) == 1
            and isinstance(element, Local)
            and element.name == loops[0].name
            and element.type.kind == "ref"
        ):
            source, tests = self.records(loops[0], False)
            order = f"lambda {element.name}: ({', '.join([*keys, f'_age({element.name})'])})"
            chosen = source.text if not tests else f"({element.name} {self.loops(loops, False)})"
            return Code(f"min({chosen}, key={order}, default=None)")
        pairs = f"[(({', '.join(keys)},), {self.value(element)}) {self.loops(loops, True)}]"
        return Code(f"min({pairs}, key=lambda pair: pair[0], default=(None, None))[1]")

    # Sentences and shown values

    def sentence(self, sentence: Sentence) -> str:
        """A string literal, an f-string where values stand in it."""
        if all(isinstance(part, str) for part in sentence.parts):
            return quoted("".join(part for part in sentence.parts if isinstance(part, str)))
        pieces: list[str] = []
        for part in sentence.parts:
            if isinstance(part, str):
                pieces.append(within_fstring(part))
            else:
                # Before 3.12 an f-string cannot hold its own kind of quotes.
                pieces.append("{" + str(self.said(part)).replace('"', "'") + "}")
        return f'f"{"".join(pieces)}"'

    def said(self, expr: Expr) -> Code:
        """The value as people write it."""
        type_ = expr.type
        value = self.value(expr)
        if type_.kind == "ref":
            return Code(label_of(self.model, type_.entity, value.at(ATOM)))
        if type_.kind == "list" and type_.of is not None:
            entry = self.said(Local(type_.of, "one"))
            text = str(entry) if column_of(type_.of).says_text else f"str({entry})"
            return Code(f'", ".join({text} for one in {value.at(OR)})')
        return column_of(type_).answer_code(value)

    def shown(self, expr: Expr) -> Code:
        """The value as an answer holds it: records as ids, lists of their own."""
        if expr.type.kind == "ref" and expr.type.optional and self.ident(expr) is None:
            return self.stored(expr)
        return self.stored(expr)


def label_of(model: Model, entity: str, record: str) -> str:
    """What people call a record, as code."""
    declared = model.entities[entity]
    if declared.label == "id":
        return f'{record}["id"]'
    return f'{record}["{declared.attributes[declared.label].key}"]'


def _negative(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value < 0


def _simple(expr: Expr) -> bool:
    return isinstance(expr, Compare | IsNone | Not) or (isinstance(expr, Get) and expr.type.kind == "bool")


def _untested(code: str) -> str:
    """`bool(x)` as x, where `not` looks at it anyway."""
    return code[5:-1] if code.startswith("bool(") else code


def _bare(source: str) -> str:
    """The bucket or container itself, where only its size counts."""
    return source.removesuffix(".values()")
