"""The functions of the language: what each takes and gives."""

from __future__ import annotations

from collections.abc import Callable

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr
from envscaler_mcp.language.types import BOOL, DATE, DATETIME, INT, TEXT, TIME, Complaint, Type, list_of

Signature = Callable[[str, tuple[Expr, ...]], Type]


def _takes(*kinds: str, gives: Type) -> Signature:
    wanted = [frozenset(kind.split("|")) for kind in kinds]

    def check(source: str, arguments: tuple[Expr, ...]) -> Type:
        if len(arguments) != len(wanted):
            raise Complaint(f"{source!r}: it takes {len(wanted)} arguments, not {len(arguments)}")
        for argument, allowed in zip(arguments, wanted, strict=True):
            kind = "text" if argument.type.kind == "one_of" else argument.type.kind
            if kind not in allowed:
                raise Complaint(f"{source!r}: {argument.type} where {' or '.join(sorted(allowed))} belongs")
        return gives

    return check


def _numbers(source: str, arguments: tuple[Expr, ...]) -> Type:
    """Min and max of two or more values of one kind."""
    if len(arguments) < 2:
        raise Complaint(f"{source!r}: it takes two values or more, or one list")
    kinds = {argument.type.kind for argument in arguments}
    numbers = all(column_of(argument.type).number for argument in arguments)
    if numbers and "ratio" in kinds:
        return Type("ratio", of=next((a.type.of for a in arguments if a.type.kind == "ratio"), None))
    counted = {a.type.kind for a in arguments if a.type.shape != "bare"}
    if numbers and len(kinds) == 2 and len(counted) == 1:
        # A number that is written out takes the type of the others.
        return Type(counted.pop())
    if len(kinds) != 1 or not all(column_of(argument.type).on_a_line for argument in arguments):
        raise Complaint(f"{source!r}: all values must be numbers, money or dates of one kind")
    kind = kinds.pop()
    lows, highs = [a.type.low for a in arguments], [a.type.high for a in arguments]
    if source.startswith("max("):
        known = [low for low in lows if low is not None]
        return Type(kind, low=max(known, default=None))
    known = [high for high in highs if high is not None]
    return Type(kind, high=min(known, default=None))


def _rounded(source: str, arguments: tuple[Expr, ...]) -> Type:
    if len(arguments) != 1 or not column_of(arguments[0].type).number:
        raise Complaint(f"{source!r}: it takes one number")
    type_ = arguments[0].type
    return Type(type_.of.kind) if type_.kind == "ratio" and type_.of else Type(type_.kind)


def _same(source: str, arguments: tuple[Expr, ...]) -> Type:
    if len(arguments) != 1 or not column_of(arguments[0].type).number:
        raise Complaint(f"{source!r}: it takes one number")
    return Type(arguments[0].type.kind, of=arguments[0].type.of)


def _length(source: str, arguments: tuple[Expr, ...]) -> Type:
    if len(arguments) != 1 or arguments[0].type.kind not in ("list", "text", "one_of"):
        raise Complaint(f"{source!r}: it takes one list or text")
    return INT


def _overlap(source: str, arguments: tuple[Expr, ...]) -> Type:
    kinds = {argument.type.kind for argument in arguments}
    on_a_line = all(column_of(argument.type).on_a_line for argument in arguments)
    if len(arguments) != 4 or len(kinds) != 1 or not on_a_line or "ratio" in kinds:
        raise Complaint(f"{source!r}: write overlap(start, end, other_start, other_end) with values of one kind")
    return BOOL


def _bucket(source: str, arguments: tuple[Expr, ...]) -> Type:
    if not arguments or any(a.type.kind in ("list", "ratio", "struct", "key") for a in arguments):
        raise Complaint(f"{source!r}: write bucket(value, ..)")
    return Type("int", low=0, high=99)


FUNCTIONS: dict[str, Signature] = {
    "len": _length,
    "abs": _same,
    "min": _numbers,
    "max": _numbers,
    "round": _rounded,
    "floor": _rounded,
    "ceil": _rounded,
    "lower": _takes("text", gives=TEXT),
    "overlap": _overlap,
    "day": _takes("datetime", gives=DATE),
    "clock": _takes("datetime", gives=TIME),
    "moment": _takes("date", "time", gives=DATETIME),
    "days": _takes("int", gives=INT),
    "hours": _takes("int", gives=INT),
    "add_months": _takes("date", "int", gives=DATE),
    "month_start": _takes("date", gives=DATE),
    "weekday": _takes("date", gives=Type("int", low=1, high=7)),
    "years": _takes("date", "date", gives=INT),
    "dates": _takes("date", "date", gives=list_of(DATE)),
    "range": _takes("int", "int", gives=list_of(INT)),
    "bucket": _bucket,
}
"""`above`, `below` and `desc` need names as arguments and are read by the reader itself."""
