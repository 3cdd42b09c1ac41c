"""From the text of an expression to a checked one.

Two kinds of facts are followed while reading: that a value is present (not None), and that a number is not zero. A value that
may be empty must have been narrowed by an earlier guard, an `and`, an `if` or the filter of a comprehension.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Protocol, cast

from envscaler_mcp.language import limits
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
    Gathering,
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
    walk,
)
from envscaler_mcp.language.fitting import a_type, arithmetic_type, assignable, bare, common, show
from envscaler_mcp.language.functions import FUNCTIONS
from envscaler_mcp.language.gathering import GATHERINGS, gathered_type
from envscaler_mcp.language.model import Sentence
from envscaler_mcp.language.scope import NameScope, ReadExpression, is_zero, nonzero_facts
from envscaler_mcp.language.syntax_errors import said_plainly
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import BOOL, DATE, DATETIME, INT, NONE, Complaint, Type, list_of, ref
from envscaler_mcp.serving.parsing import parsed_expression

_WORDS = {
    *("now", "today", "self", "above", "below", "desc", "each", "true", "false", "none"),
    # What compiled code calls by these names must keep its meaning there.
    *("dict", "list", "set", "tuple", "str", "int", "bool", "sorted", "next", "isinstance", "super"),
}


class Declarations(Protocol):
    """What the whole blueprint declares; types of derived attributes and definitions are found on demand."""

    def entity_names(self) -> Iterable[str]: ...

    def attribute_names(self, entity: str) -> Iterable[str]: ...

    def attribute_type(self, entity: str, name: str) -> Type | None: ...

    def is_derived(self, entity: str, name: str) -> bool: ...

    def define_names(self) -> Iterable[str]: ...

    def define_params(self, name: str) -> tuple[Type, ...]: ...

    def define_type(self, name: str) -> Type: ...


_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "==",
    ast.IsNot: "!=",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


def parse_expression(text: str) -> ast.expr:
    """The syntax of an expression."""
    if why := limits.unreadable(text):
        raise Complaint(f"{text.strip()[:60]!r}… is too large: {why}")
    try:
        node = parsed_expression(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        reason = said_plainly(cause, text.strip()) if isinstance(cause, SyntaxError) else str(cause)
        if isinstance(cause, (RecursionError, MemoryError)):
            raise Complaint(f"{text.strip()[:60]!r}… is too large: it is nested too deep") from None
        raise Complaint(f"{text.strip()!r} is no expression: {reason}") from None
    if why := limits.unwieldy(node):
        raise Complaint(f"{text.strip()[:60]!r}… is too large: {why}")
    return node


class ExpressionReader:
    """Reads expressions of one blueprint."""

    def __init__(self, declared: Declarations) -> None:
        self.declared = declared
        self.words = {*FUNCTIONS, *GATHERINGS, *keyword.kwlist, *keyword.softkwlist, *_WORDS}
        self.reserved = {*self.words, *declared.entity_names(), *declared.define_names()}

    # Names

    def bind(self, place: NameScope, name: str, type_: Type, what: str) -> NameScope:
        """The place with one more name; a name has one meaning in an operation."""
        if name in place.scope:
            raise Complaint(f"{what} {name!r}: that name has a meaning here already; choose another")
        if name in self.reserved:
            whose = "the language" if name in self.words else "this blueprint, an entity or a definition"
            raise Complaint(f"{what} {name!r}: that is a word of {whose}; choose another")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise Complaint(f"{what} {name!r}: names are written in lower case, like_this")
        return place.binding(name, type_)

    # Expressions

    def read(self, text: str, place: NameScope) -> Expr:
        return self.value(parse_expression(text), place).expr

    def condition(self, text: str, place: NameScope) -> ReadExpression:
        return self.truth(parse_expression(text), place)

    def sentence(self, text: str, place: NameScope, *, trim: bool = True) -> Sentence:
        """Words with `{expressions}` in between, none of which may be empty."""
        parts: list[str | Expr] = []
        for position, piece in enumerate(re.split(r"\{([^{}]*)\}", text.strip() if trim else text)):
            if position % 2 == 0:
                if "{" in piece or "}" in piece:
                    raise Complaint(f"the sentence {text!r} has an open bracket")
                if piece:
                    parts.append(piece)
                continue
            expr = self.value(parse_expression(piece), place).expr
            self.certain(expr, piece, "in a sentence")
            if any(isinstance(e, Literal) and set(str(e.value)) & set("'\"\\{}") for e in walk(expr)):
                raise Complaint(f"{piece!r}: quotes, brackets and backslashes belong outside of the {{}} in a sentence")
            if expr.type.kind in ("ratio", "struct", "key"):
                raise Complaint(
                    f"{piece!r} is {a_type(expr.type)}, which cannot be said; round it or name an attribute"
                )
            parts.append(expr)
        return Sentence(tuple(parts))

    def truth(self, node: ast.expr, place: NameScope) -> ReadExpression:
        reading = self.value(node, place)
        if reading.expr.type.kind != "bool" or reading.expr.type.optional:
            raise Complaint(f"{show(node)!r} is {a_type(reading.expr.type)}, where yes or no belongs")
        return reading

    def value(self, node: ast.expr, place: NameScope) -> ReadExpression:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Complaint(f"{show(node)!r}: {type(node).__name__} is not part of the language")
        return cast(Callable[[ast.expr, NameScope], ReadExpression], method)(node, place)

    def certain(self, expr: Expr, source: str | ast.AST, why: str) -> None:
        if expr.type.kind == "none" or expr.type.optional:
            text = source if isinstance(source, str) else show(source)
            raise Complaint(f"{text!r} may be empty here and is used {why}; test it with 'is not None' first")

    def sure(self, node: ast.expr, place: NameScope, why: str) -> Expr:
        expr = self.value(node, place).expr
        self.certain(expr, node, why)
        return expr

    def _constant(self, node: ast.Constant, _place: NameScope) -> ReadExpression:
        value = node.value
        if isinstance(value, bool):
            return ReadExpression(Literal(BOOL, value))
        if value is None:
            return ReadExpression(Literal(NONE, None))
        if isinstance(value, int):
            return ReadExpression(Literal(bare(value, value), value))
        if isinstance(value, str):
            return ReadExpression(Literal(Type("one_of", options=(value,)), value))
        raise Complaint(f"{show(node)!r}: there are no {type(value).__name__} values; write cents, grams or a text")

    def _name(self, node: ast.Name, place: NameScope) -> ReadExpression:
        name = node.id
        if name in ("now", "today"):
            if not place.clock:
                raise Complaint(
                    f"{name!r} cannot be used here: a rule speaks of the state only, and time moves by itself"
                )
            which: Now = Now(DATETIME, "now") if name == "now" else Now(DATE, "today")
            return ReadExpression(which)
        if name not in place.scope:
            if name in set(self.declared.entity_names()):
                raise Complaint(f"{name!r} is an entity; it stands after 'in', in new, or first in count(..)")
            known = [*place.scope, "now", "today"] if name[:1].islower() else list(self.declared.entity_names())
            raise Complaint(f"there is no {name!r} here{name_hint(name, known)}")
        place.used.add(name)
        type_ = place.scope[name]
        if f"present:{name}" in place.facts:
            type_ = type_.certain
        return ReadExpression(Local(type_, name))

    def _attribute(self, node: ast.Attribute, place: NameScope) -> ReadExpression:
        of = self.sure(node.value, place, f"for its {node.attr}")
        name = node.attr
        if of.type.kind == "struct":
            fields = dict(of.type.fields)
            if name not in fields:
                raise Complaint(f"{show(node)!r}: there is no {name!r} in it{name_hint(name, fields)}")
            return ReadExpression(Get(self._known(node, fields[name], place), of, name))
        if of.type.kind != "ref":
            raise Complaint(f"{show(node)!r}: {show(node.value)!r} is {a_type(of.type)} and has no attributes")
        entity = of.type.entity
        if name == "id":
            return ReadExpression(Get(Type("text", shape="id"), of, "id"))
        type_ = self.declared.attribute_type(entity, name)
        if type_ is None:
            known = [*self.declared.attribute_names(entity), "id"]
            raise Complaint(f"{show(node)!r}: {entity} has no attribute {name!r}{name_hint(name, known)}")
        type_ = self._known(node, type_, place)
        if self.declared.is_derived(entity, name):
            return ReadExpression(Derived(type_, of, entity, name))
        return ReadExpression(Get(type_, of, name))

    def _known(self, node: ast.expr, type_: Type, place: NameScope) -> Type:
        return type_.certain if f"present:{show(node)}" in place.facts else type_

    def _list(self, node: ast.List, place: NameScope) -> ReadExpression:
        items = tuple(self.sure(item, place, "in a list") for item in node.elts)
        element = NONE
        for item in items:
            element = item.type if element is NONE else common(element, item.type, show(node))
        return ReadExpression(ListOf(list_of(element), items))

    def _tuple(self, node: ast.Tuple, place: NameScope) -> ReadExpression:
        items = tuple(self.value(item, place).expr for item in node.elts)
        return ReadExpression(Key(Type("key"), items))

    def _unaryop(self, node: ast.UnaryOp, place: NameScope) -> ReadExpression:
        if isinstance(node.op, ast.Not):
            inner = self.truth(node.operand, place)
            return ReadExpression(Not(BOOL, inner.expr), inner.false, inner.true)
        if isinstance(node.op, ast.USub):
            of = self.sure(node.operand, place, "in arithmetic")
            if isinstance(of, Literal) and isinstance(of.value, int) and not isinstance(of.value, bool):
                return ReadExpression(Literal(bare(-of.value, -of.value), -of.value))
            if not column_of(of.type).number:
                raise Complaint(
                    f"{show(node)!r}: {a_type(of.type)} has no negative; write desc({show(node.operand)}) to reverse an order"
                )
            return ReadExpression(Negate(replace(of.type, low=None, high=None), of))
        raise Complaint(f"{show(node)!r} is not part of the language")

    def _boolop(self, node: ast.BoolOp, place: NameScope) -> ReadExpression:
        if isinstance(node.op, ast.Or):
            first = self.value(node.values[0], place)
            if first.expr.type.kind != "bool" or first.expr.type.optional:
                return self._or_else(node, first.expr, place)
        parts: list[ReadExpression] = []
        here = place
        for value in node.values:
            part = self.truth(value, here)
            parts.append(part)
            here = here.knowing(part.true if isinstance(node.op, ast.And) else part.false)
        exprs = tuple(part.expr for part in parts)
        if isinstance(node.op, ast.And):
            known = frozenset().union(*(part.true for part in parts))
            return ReadExpression(And(BOOL, exprs), known, frozenset.intersection(*(part.false for part in parts)))
        known = frozenset().union(*(part.false for part in parts))
        return ReadExpression(Or(BOOL, exprs), frozenset.intersection(*(part.true for part in parts)), known)

    def _or_else(self, node: ast.BoolOp, first: Expr, place: NameScope) -> ReadExpression:
        if not first.type.optional:
            raise Complaint(f"{show(node)!r}: {show(node.values[0])!r} is never empty, so 'or' has nothing to choose")
        result = first
        for value in node.values[1:]:
            second = self.value(value, place).expr
            type_ = common(result.type.certain, second.type, show(value))
            result = OrElse(type_, result, second)
        return ReadExpression(result)

    def _compare(self, node: ast.Compare, place: NameScope) -> ReadExpression:
        parts: list[ReadExpression] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if type(op) not in _COMPARISONS:
                raise Complaint(f"{show(node)!r} is not part of the language")
            parts.append(self._compare_two(left, op, right, place))
            left = right
        if len(parts) == 1:
            return parts[0]
        return ReadExpression(And(BOOL, tuple(p.expr for p in parts)), frozenset().union(*(p.true for p in parts)))

    def _compare_two(self, left: ast.expr, op: ast.cmpop, right: ast.expr, place: NameScope) -> ReadExpression:
        sign = _COMPARISONS[type(op)]
        source = f"{show(left)} {sign} {show(right)}"
        a, b = self.value(left, place).expr, self.value(right, place).expr
        if isinstance(op, ast.Is | ast.IsNot) and b.type.kind != "none":
            raise Complaint(f"{source!r}: 'is' stands only before None")
        if b.type.kind == "none" or a.type.kind == "none":
            return self._compare_none(left, a, sign, b, source)
        if sign in ("in", "not in"):
            return self._membership(left, a, sign, right, b, source)
        if sign in ("==", "!="):
            common(a.type, b.type, source, comparing=True)
            present: set[str] = set()
            if sign == "==":
                present |= {f"present:{show(left)}"} if a.type.optional and not b.type.optional else set()
                present |= {f"present:{show(right)}"} if b.type.optional and not a.type.optional else set()
            expr = Compare(BOOL, "==" if sign == "==" else "!=", a, b)
            nonzero = frozenset({f"nonzero:{show(left)}"} if is_zero(b) else set())
            if sign == "==":
                return ReadExpression(expr, frozenset(present), nonzero)
            return ReadExpression(expr, nonzero, frozenset())
        for expr_side, node_side in ((a, left), (b, right)):
            self.certain(expr_side, node_side, f"with {sign}")
            if not column_of(expr_side.type).ordered and expr_side.type.kind != "one_of":
                raise Complaint(f"{source!r}: {a_type(expr_side.type)} has no order")
        common(a.type, b.type, source, comparing=True)
        return ReadExpression(Compare(BOOL, sign, a, b), frozenset(nonzero_facts(left, a, sign, right, b)))  # type: ignore[arg-type]

    def _compare_none(self, left: ast.expr, a: Expr, sign: str, b: Expr, source: str) -> ReadExpression:
        if b.type.kind != "none" or sign not in ("==", "!="):
            raise Complaint(f"{source!r}: None stands on the right of 'is' or 'is not'")
        if not a.type.optional:
            raise Complaint(f"{source!r}: {show(left)!r} is never empty here")
        fact = frozenset({f"present:{show(left)}"})
        expr = IsNone(BOOL, a, sign == "!=")
        return ReadExpression(expr, fact, frozenset()) if sign == "!=" else ReadExpression(expr, frozenset(), fact)

    def _membership(self, left: ast.expr, a: Expr, sign: str, right: ast.expr, b: Expr, source: str) -> ReadExpression:
        if isinstance(b, Key):
            element: Type = NONE
            for item in b.items:
                element = item.type if element is NONE else common(element, item.type, source)
            b = ListOf(list_of(element), b.items)
        self.certain(b, right, f"after {sign!r}")
        if b.type.kind != "list" or b.type.of is None:
            raise Complaint(f"{source!r}: {show(right)!r} is {a_type(b.type)}, not a list")
        if a.type.kind == "one_of" and isinstance(b, ListOf) and not isinstance(a, Literal):
            for option in b.type.of.options:
                if option not in a.type.options:
                    raise Complaint(f"{source!r}: it is never {option!r}{name_hint(option, a.type.options)}")
        common(a.type, b.type.of, source, comparing=True)
        expr = Compare(BOOL, "in" if sign == "in" else "not in", a, b)
        fact = frozenset({f"present:{show(left)}"} if a.type.optional else set())
        return ReadExpression(expr, fact) if sign == "in" else ReadExpression(expr, frozenset(), fact)

    def _ifexp(self, node: ast.IfExp, place: NameScope) -> ReadExpression:
        test = self.truth(node.test, place)
        then = self.value(node.body, place.knowing(test.true)).expr
        otherwise = self.value(node.orelse, place.knowing(test.false)).expr
        type_ = common(then.type, otherwise.type, show(node))
        return ReadExpression(Choice(type_, test.expr, then, otherwise))

    def _binop(self, node: ast.BinOp, place: NameScope) -> ReadExpression:
        if type(node.op) not in _ARITHMETIC:
            raise Complaint(f"{show(node)!r} is not part of the language")
        op = _ARITHMETIC[type(node.op)]
        a = self.sure(node.left, place, "in arithmetic")
        b = self.sure(node.right, place, "in arithmetic")
        if column_of(a.type).step == "days" and isinstance(b, Function) and b.name in ("days", "hours"):
            raise Complaint(
                f"{show(node)!r}: a date moves by days, and {b.name}(..) counts minutes; write the number alone"
            )
        type_ = arithmetic_type(op, a.type, b.type, show(node))
        if op in ("/", "//", "%") and not self._nonzero(b, node.right, place):
            raise Complaint(
                f"{show(node)!r}: {show(node.right)!r} may be 0; a guard or an 'if' must say '{show(node.right)} != 0' first"
            )
        return ReadExpression(Arithmetic(type_, op, a, b))  # type: ignore[arg-type]

    def _nonzero(self, expr: Expr, node: ast.expr, place: NameScope) -> bool:
        if isinstance(expr, Literal):
            return bool(expr.value)
        if expr.type.low is not None and (expr.type.low > 0 or (expr.type.high is not None and expr.type.high < 0)):
            return True
        return f"nonzero:{show(node)}" in place.facts

    # Calls and comprehensions

    def _generatorexp(self, node: ast.GeneratorExp, _place: NameScope) -> ReadExpression:
        raise Complaint(
            f"{show(node)!r} stands alone; put it into all(..), any(..), count(..), sum(..), first(..) or [..]"
        )

    def _listcomp(self, node: ast.ListComp, place: NameScope) -> ReadExpression:
        loops, inner = self.loops(node.generators, place)
        element = self.sure(node.elt, inner, "in a list")
        return ReadExpression(Scan(list_of(element.type), "list", element, loops))

    def loops(self, generators: list[ast.comprehension], place: NameScope) -> tuple[tuple[Loop, ...], NameScope]:
        """The loops of a comprehension and the place inside them."""
        loops: list[Loop] = []
        for generator in generators:
            if not isinstance(generator.target, ast.Name) or generator.is_async:
                raise Complaint(f"{show(generator)!r}: write 'for name in ...'")
            source, element = self.source(generator.iter, place)
            name = generator.target.id
            place = self.bind(place, name, element, "the loop variable")
            tests: list[Expr] = []
            for test in generator.ifs:
                reading = self.truth(test, place)
                tests.extend(reading.expr.parts if isinstance(reading.expr, And) else [reading.expr])
                place = place.knowing(reading.true)
            loops.append(Loop(name, element, source, tuple(tests)))
        return tuple(loops), place

    def source(self, node: ast.expr, place: NameScope) -> tuple[Records | Expr, Type]:
        """What a loop runs over, and the type of one element."""
        if isinstance(node, ast.Name) and node.id in set(self.declared.entity_names()):
            return Records(node.id), ref(node.id)
        expr = self.sure(node, place, "after 'in'")
        if expr.type.kind != "list" or expr.type.of is None:
            raise Complaint(f"{show(node)!r} is {a_type(expr.type)}; a loop runs over an entity or a list")
        return expr, expr.type.of

    def _call(self, node: ast.Call, place: NameScope) -> ReadExpression:
        if not isinstance(node.func, ast.Name):
            raise Complaint(f"{show(node)!r}: records have no methods; use a function or a define")
        name = node.func.id
        if name in GATHERINGS and self._gathers(name, node):
            return ReadExpression(self._gather(name, node, place))
        if name in ("above", "below"):
            return ReadExpression(self._closure(name, node, place))
        if name in FUNCTIONS:
            if node.keywords:
                raise Complaint(f"{show(node)!r}: {name} takes no named arguments")
            arguments = tuple(self.sure(argument, place, f"in {name}(..)") for argument in node.args)
            return ReadExpression(Function(FUNCTIONS[name](show(node), arguments), name, arguments))
        if name in set(self.declared.define_names()):
            return ReadExpression(self._defined(name, node, place))
        known = [*FUNCTIONS, *GATHERINGS, "above", "below", *self.declared.define_names()]
        raise Complaint(f"{show(node)!r}: there is no function {name!r}{name_hint(name, known)}")

    def _gathers(self, name: str, node: ast.Call) -> bool:
        return name not in ("min", "max") or len(node.args) == 1

    def _gather(self, name: str, node: ast.Call, place: NameScope) -> Scan:
        gather = cast(Gathering, name)
        keywords = {word.arg: word.value for word in node.keywords if word.arg}
        if gather in ("count", "any", "none") and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            entity = node.args[0].id
            if entity in set(self.declared.entity_names()):
                return self._by_attributes(gather, entity, keywords, place)
        if len(node.args) != 1 or set(keywords) - ({"by"} if gather == "first" else set()):
            raise Complaint(f"{show(node)!r}: write {name}(.. for x in .. if ..)")
        argument = node.args[0]
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            loops, inner = self.loops(argument.generators, place)
            element = self.value(argument.elt, inner).expr
            element_node: ast.expr = argument.elt
        else:
            if "by" in keywords:
                raise Complaint(f"{show(node)!r}: write first([x for x in ..], by=x.attribute)")
            source = self.sure(argument, place, f"in {name}(..)")
            if source.type.kind != "list" or source.type.of is None:
                raise Complaint(f"{show(node)!r}: {show(argument)!r} is {a_type(source.type)}, not a list")
            loops = (Loop("each", source.type.of, source, ()),)
            element, element_node, inner = Local(source.type.of, "each"), argument, place
        by: tuple[Expr, ...] = ()
        if "by" in keywords:
            by = self.keys(keywords["by"], inner)
        return Scan(gathered_type(gather, element, element_node), gather, element, loops, by)

    def keys(self, node: ast.expr, place: NameScope) -> tuple[Expr, ...]:
        """The parts of an order; each must have one."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return tuple(self.order_key(part, place) for part in parts)

    def order_key(self, node: ast.expr, place: NameScope) -> Expr:
        """One part of an order, `desc(x)` for the greatest first."""
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "desc"
            and len(node.args) == 1
        ):
            inner = self.order_key(node.args[0], place)
            return Function(inner.type, "desc", (inner,))
        expr = self.sure(node, place, "as an order")
        if not column_of(expr.type).ordered and expr.type.kind not in ("one_of", "bool"):
            raise Complaint(f"{show(node)!r} is {a_type(expr.type)}, which has no order")
        return expr

    def _by_attributes(
        self, gather: Gathering, entity: str, keywords: Mapping[str, ast.expr], place: NameScope
    ) -> Scan:
        """`count(Stay, room=room)`: equality of attributes, the right sides in the surrounding scope."""
        tests: list[Expr] = []
        each = Local(ref(entity), "each")
        for name, node in keywords.items():
            type_ = self.declared.attribute_type(entity, name)
            if type_ is None:
                known = self.declared.attribute_names(entity)
                raise Complaint(f"{entity} has no attribute {name!r}{name_hint(name, known)}")
            value = self.value(node, place).expr
            if value.type.kind == "none":
                tests.append(IsNone(BOOL, Get(type_, each, name), False))
                continue
            attribute: Expr = (
                Derived(type_, each, entity, name) if self.declared.is_derived(entity, name) else Get(type_, each, name)
            )
            common(type_, value.type, f"{name}={show(node)}", comparing=True)
            tests.append(Compare(BOOL, "==", attribute, value))
        loop = Loop("each", ref(entity), Records(entity), tuple(tests))
        return Scan(INT if gather == "count" else BOOL, gather, Literal(BOOL, True), (loop,))

    def _closure(self, name: str, node: ast.Call, place: NameScope) -> Function:
        if len(node.args) != 2 or not isinstance(node.args[1], ast.Name) or node.keywords:
            raise Complaint(f"{show(node)!r}: write {name}(record, attribute)")
        start = self.sure(node.args[0], place, f"in {name}(..)")
        attribute = node.args[1].id
        entity = start.type.entity
        type_ = self.declared.attribute_type(entity, attribute) if start.type.kind == "ref" else None
        target = type_.of if type_ is not None and type_.kind == "list" else type_
        if (
            target is None
            or target.kind != "ref"
            or target.entity != entity
            or self.declared.is_derived(entity, attribute)
        ):
            raise Complaint(
                f"{show(node)!r}: {name} follows an attribute of {entity or 'a record'} that refers to {entity or 'its kind'} again"
            )
        return Function(list_of(ref(entity)), name, (start,), entity, attribute)

    def _defined(self, name: str, node: ast.Call, place: NameScope) -> Defined:
        wanted = self.declared.define_params(name)
        if node.keywords or len(node.args) != len(wanted):
            raise Complaint(f"{show(node)!r}: {name} takes {len(wanted)} arguments by position")
        arguments: list[Expr] = []
        for argument, type_ in zip(node.args, wanted, strict=True):
            expr = self.value(argument, place).expr
            if not type_.optional:
                self.certain(expr, argument, f"in {name}(..)")
            assignable(expr, type_, show(argument))
            arguments.append(expr)
        type_ = self.declared.define_type(name)
        if not place.clock and name in getattr(self.declared, "timely", set()):
            raise Complaint(f"{name!r} reads the clock; a rule speaks of the state only")
        return Defined(self._known(node, type_, place), name, tuple(arguments))
