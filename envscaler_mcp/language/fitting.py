"""Which types go together: in a comparison, in arithmetic, in a place where a value is kept."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from envscaler_mcp.language.expressions import Expr
from envscaler_mcp.language.text import did_you_mean
from envscaler_mcp.language.types import INT, MONEY, Complaint, Type, list_of

ORDERED = frozenset({"int", "money", "ratio", "date", "time", "datetime", "text"})
_NUMBERS = frozenset({"int", "money", "ratio"})
_FORMS = {"date": "%Y-%m-%d", "time": "%H:%M", "datetime": "%Y-%m-%dT%H:%M"}


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


@lru_cache(maxsize=4096)
def real(kind: str, text: str) -> bool:
    """Whether a text is a real date, time or datetime as they are written here."""
    try:
        return datetime.strptime(text, _FORMS[kind]).strftime(_FORMS[kind]) == text  # noqa: DTZ007
    except ValueError:
        return False


def common(a: Type, b: Type, text: str, *, comparing: bool = False) -> Type:
    """The type that holds both, or a complaint that they do not go together."""
    optional = a.optional or b.optional or "none" in (a.kind, b.kind)
    if a.kind == "none" or b.kind == "none":
        return (b if a.kind == "none" else a).maybe
    kinds: set[str] = {a.kind, b.kind}
    found = _common_words(a, b, kinds, text, comparing) or _common_numbers(a, b, kinds)
    if found is None and kinds == {"ref"} and a.entity == b.entity:
        found = a
    if found is None and kinds == {"list"} and a.of is not None and b.of is not None:
        found = list_of(common_element(a.of, b.of, text))
    if found is None and len(kinds) == 1 and a.kind not in ("ref", "list"):
        shape = "" if a.shape == "bare" else a.shape
        found = Type(a.kind, of=a.of, options=a.options, fields=a.fields, shape=shape)
    if found is None:
        raise Complaint(f"{text!r}: {a_type(a)} and {a_type(b)} do not go together")
    return replace(found, optional=optional)


def _common_words(a: Type, b: Type, kinds: set[str], text: str, comparing: bool) -> Type | None:
    """Texts, words of a list, and dates written as texts."""
    if kinds == {"one_of"}:
        if comparing and not set(a.options) & set(b.options):
            wrong, right = (b, a) if len(b.options) == 1 else (a, b)
            hint = did_you_mean(wrong.options[0], right.options)
            raise Complaint(f"{text!r}: it is never {wrong.options[0]!r}{hint}")
        merged = a.options + tuple(option for option in b.options if option not in a.options)
        return Type("one_of", options=merged)
    if kinds == {"one_of", "text"}:
        return Type("text")
    if "one_of" in kinds and kinds & set(_FORMS):
        written = a if a.kind == "one_of" else b
        other = b if a.kind == "one_of" else a
        if all(real(other.kind, option) for option in written.options):
            return Type(other.kind)
    return None


def _common_numbers(a: Type, b: Type, kinds: set[str]) -> Type | None:
    if a.shape == b.shape == "bare":
        return bare(min(a.low or 0, b.low or 0), max(a.high or 0, b.high or 0))
    if not kinds <= _NUMBERS or len(kinds) == 1:
        return None
    written = "bare" in (a.shape, b.shape)
    units = {unit(a), unit(b)}
    if "ratio" in kinds and (len(units) == 1 or written):
        return Type("ratio", of=MONEY if "money" in units else INT)
    return MONEY if kinds == {"int", "money"} and written else None


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
            near = did_you_mean(stray[0], target.options)
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
    return not (target.kind == "int" and type_.kind == "money")


def _fits_element(type_: Type, target: Type, text: str) -> bool:
    """Elements are not looked at when a list is stored, so all that they may be must be allowed."""
    stray = [option for option in type_.options if option not in target.options]
    if stray and target.kind == "one_of":
        raise Complaint(
            f"{text!r} may hold {stray[0]!r}, which is not {a_type(target)}{did_you_mean(stray[0], target.options)}"
        )
    if target.low is not None and target.high is not None and type_.kind == target.kind:
        within = (
            type_.low is not None and type_.high is not None and target.low <= type_.low <= type_.high <= target.high
        )
        if not within:
            raise Complaint(f"{text!r} may hold numbers that are not between {target.low} and {target.high}")
    return (type_.kind, type_.entity) == (target.kind, target.entity) or (type_.kind, target.kind) == ("one_of", "text")


def unit(type_: Type) -> str:
    """Whether a number counts things or money."""
    return type_.of.kind if type_.kind == "ratio" and type_.of is not None else type_.kind


def arithmetic(op: str, a: Type, b: Type, text: str) -> Type:
    """The type of `a op b`, or a complaint that it means nothing."""
    if a.kind in _NUMBERS and b.kind in _NUMBERS:
        found = _of_numbers(op, a, b, text)
    elif op == "+" and a.kind == b.kind == "list" and a.of is not None and b.of is not None:
        found = list_of(common_element(a.of, b.of, text))
    else:
        found = _of_dates(op, a.kind, b.kind, text)
    if found is None:
        raise Complaint(f"{text!r}: {a_type(a)} {op} {a_type(b)} means nothing")
    return found


def _of_dates(op: str, a: str, b: str, text: str) -> Type | None:
    if op in ("+", "-") and a in ("date", "datetime") and b == "int":
        return Type("date") if a == "date" else Type("datetime")
    if op == "+" and a == "int" and b in ("date", "datetime"):
        raise Complaint(f"{text!r}: write the date first, then + days")
    return INT if op == "-" and a == b and a in _FORMS else None


def _of_numbers(op: str, a: Type, b: Type, text: str) -> Type | None:
    units = (unit(a), unit(b))
    written = "bare" in (a.shape, b.shape)
    exact = "ratio" in (a.kind, b.kind)
    of = MONEY if "money" in units else INT
    match op:
        case "+" | "-":
            if units[0] != units[1] and not written:
                raise Complaint(f"{text!r} mixes money and a number; money is in cents, numbers are not")
        case "*":
            if units == ("money", "money"):
                raise Complaint(f"{text!r}: money times money means nothing")
        case _:
            if units == ("int", "money") and (op == "/" or a.shape != "bare"):
                raise Complaint(f"{text!r}: a number divided by money means nothing")
            if op == "/":
                return Type("ratio", of=MONEY if units == ("money", "int") else INT)
            if exact:
                return None
            return Type(a.kind) if op == "%" or a.kind != b.kind else INT
    return Type("ratio", of=of) if exact else of
