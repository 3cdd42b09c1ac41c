"""Which types go together: in a comparison, in arithmetic, in a place where a value is kept."""

from __future__ import annotations

import ast
from dataclasses import replace

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import INT, Complaint, Type, list_of


def show(node: ast.AST) -> str:
    """The expression as text."""
    return ast.unparse(node)


def a_type(type_: Type) -> str:
    """A type in words."""
    words = str(type_)
    if type_.kind in ("ref", "none") or words.startswith("one of"):
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def bare(low: int, high: int) -> Type:
    """A number written out: beside money it means cents."""
    return Type("int", low=low, high=high, shape="bare")


def common(a: Type, b: Type, text: str, *, comparing: bool = False) -> Type:
    """The type that holds both, or a complaint that they do not go together."""
    optional = a.optional or b.optional or "none" in (a.kind, b.kind)
    if a.kind == "none" or b.kind == "none":
        return (b if a.kind == "none" else a).maybe
    kinds: set[str] = {a.kind, b.kind}
    both = _common_words(a, b, kinds, text, comparing) or _common_numbers(a, b, kinds)
    if both is None and kinds == {"ref"} and a.entity == b.entity:
        both = a
    if both is None and kinds == {"list"} and a.of is not None and b.of is not None:
        both = list_of(common_element(a.of, b.of, text))
    if both is None and len(kinds) == 1 and a.kind not in ("ref", "list"):
        shape = "" if a.shape == "bare" else a.shape
        both = Type(a.kind, of=a.of, options=a.options, fields=a.fields, shape=shape)
    if both is None:
        raise Complaint(f"{text!r}: {a_type(a)} and {a_type(b)} do not go together")
    return replace(both, optional=optional)


def _common_words(a: Type, b: Type, kinds: set[str], text: str, comparing: bool) -> Type | None:
    """Texts, words of a list, and values that are written as texts."""
    if kinds == {"one_of"}:
        if comparing and not set(a.options) & set(b.options):
            wrong, right = (b, a) if len(b.options) == 1 else (a, b)
            hint = name_hint(wrong.options[0], right.options)
            raise Complaint(f"{text!r}: it is never {wrong.options[0]!r}{hint}")
        merged = a.options + tuple(option for option in b.options if option not in a.options)
        return Type("one_of", options=merged)
    if kinds == {"one_of", "text"}:
        return Type("text")
    if "one_of" in kinds:
        written, other = (a, b) if a.kind == "one_of" else (b, a)
        if all(column_of(other).reads(option) for option in written.options):
            return Type(other.kind)
    return None


def _common_numbers(a: Type, b: Type, kinds: set[str]) -> Type | None:
    if a.shape == b.shape == "bare":
        return bare(min(a.low or 0, b.low or 0), max(a.high or 0, b.high or 0))
    if not (column_of(a).number and column_of(b).number) or len(kinds) == 1:
        return None
    written = "bare" in (a.shape, b.shape)
    units = {unit(a), unit(b)}
    if len(units) > 1 and not written:
        return None
    of = _in_units(units)
    return Type("ratio", of=of) if "ratio" in kinds else of


def common_element(a: Type, b: Type, text: str) -> Type:
    """The element type of two lists put together; an empty one goes with any."""
    if a.kind == "none":
        return b
    return a if b.kind == "none" else common(a, b, text)


def assignable(expr: Expr, target: Type, text: str) -> None:
    """A complaint where the value cannot be kept as the target type."""
    type_ = expr.type
    if type_.kind == "none":
        if not target.optional:
            raise Complaint(f"{text!r} is nothing, and this is never empty")
        return
    if type_.optional and not target.optional:
        raise Complaint(
            f"{text!r} may be empty here, and the place it goes to may not; test it with 'is not None' first"
        )
    if type_.kind == "ratio":
        raise Complaint(f"{text!r} is an exact ratio; end it with round, floor or ceil before it is stored")
    if target.kind == "one_of" and type_.kind == "one_of":
        stray = [option for option in type_.options if option not in target.options]
        if stray:
            near = name_hint(stray[0], target.options)
            hint = near if "did you mean" in near else ""
            what = text if len(type_.options) == 1 else f"{text!r} may be {stray[0]!r}, which"
            raise Complaint(f"{what} is not {a_type(target)}{hint}")
        return
    if not _fits(type_, target, text):
        raise Complaint(f"{text!r} is {a_type(type_)}, where {a_type(target)} belongs")


def _fits(type_: Type, target: Type, text: str) -> bool:
    if target.kind == "one_of":
        return False
    if target.kind == "list" and type_.kind == "list" and target.of is not None and type_.of is not None:
        return type_.of.kind == "none" or _fits_element(type_.of, target.of, text)
    try:
        common(type_.certain, target.certain, text)
    except Complaint:
        # The caller says it with the place that the value goes to.
        return False
    numbers = column_of(target).number and column_of(type_).number
    return not (numbers and unit(target) == INT.kind and unit(type_) != INT.kind)


def _fits_element(type_: Type, target: Type, text: str) -> bool:
    """Elements are not looked at when a list is stored, so all that they may be must be allowed."""
    stray = [option for option in type_.options if option not in target.options]
    if stray and target.kind == "one_of":
        raise Complaint(
            f"{text!r} may hold {stray[0]!r}, which is not {a_type(target)}{name_hint(stray[0], target.options)}"
        )
    if target.low is not None and target.high is not None and type_.kind == target.kind:
        within = (
            type_.low is not None and type_.high is not None and target.low <= type_.low <= type_.high <= target.high
        )
        if not within:
            raise Complaint(f"{text!r} may hold numbers that are not between {target.low} and {target.high}")
    return (type_.kind, type_.entity) == (target.kind, target.entity) or (type_.kind, target.kind) == ("one_of", "text")


def unit(type_: Type) -> str:
    """What a number counts: things, or money."""
    return column_of(type_.of if type_.kind == "ratio" and type_.of is not None else type_).unit


def _in_units(units: set[str]) -> Type:
    """The type of what is computed from numbers of these units: a plain number takes the unit of the other."""
    others = units - {INT.kind}
    return Type(others.pop()) if others else INT


def arithmetic_type(op: str, a: Type, b: Type, text: str) -> Type:
    """The type of `a op b`, or a complaint that it means nothing."""
    if column_of(a).number and column_of(b).number:
        result = _of_numbers(op, a, b, text)
    elif op == "+" and a.kind == b.kind == "list" and a.of is not None and b.of is not None:
        result = list_of(common_element(a.of, b.of, text))
    else:
        result = _of_steps(op, a, b, text)
    if result is None:
        raise Complaint(f"{text!r}: {a_type(a)} {op} {a_type(b)} means nothing")
    return result


def _of_steps(op: str, a: Type, b: Type, text: str) -> Type | None:
    """Values that move by a number of steps, and the distance between two of them."""
    if op in ("+", "-") and column_of(a).step and b.kind == "int":
        return Type(a.kind)
    if op == "+" and a.kind == "int" and column_of(b).step:
        raise Complaint(f"{text!r}: write the date first, then + days")
    return INT if op == "-" and a.kind == b.kind and column_of(a).has_distance else None


def _of_numbers(op: str, a: Type, b: Type, text: str) -> Type | None:
    units = (unit(a), unit(b))
    written = "bare" in (a.shape, b.shape)
    exact = "ratio" in (a.kind, b.kind)
    match op:
        case "+" | "-":
            if units[0] != units[1] and not written:
                raise Complaint(f"{text!r} mixes money and a number; money is in cents, numbers are not")
        case "*":
            if INT.kind not in units:
                raise Complaint(f"{text!r}: {units[0]} times {units[1]} means nothing")
        case _:
            if units[0] == INT.kind != units[1] and (op == "/" or a.shape != "bare"):
                raise Complaint(f"{text!r}: a number divided by {units[1]} means nothing")
            if op == "/":
                return Type("ratio", of=INT if units[0] == units[1] else Type(units[0]))
            if exact:
                return None
            return Type(a.kind) if op == "%" or a.kind != b.kind else INT
    of = _in_units(set(units))
    return Type("ratio", of=of) if exact else of
