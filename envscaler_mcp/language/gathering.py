"""What `all(..)`, `count(..)`, `first(..)` and the others take and give."""

from __future__ import annotations

import ast
from dataclasses import replace

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr, Gathering, Literal
from envscaler_mcp.language.fitting import a_type, show
from envscaler_mcp.language.types import BOOL, INT, Complaint, Type

GATHERINGS = ("all", "any", "none", "count", "sum", "min", "max", "avg", "unique", "first")


def gathered_type(gather: Gathering, element: Expr, node: ast.expr) -> Type:
    """The type of a gathering of such elements, or a complaint that they cannot be gathered so."""
    type_ = element.type
    if gather in ("all", "any", "none"):
        _yes_or_no(gather, type_, node)
        return BOOL
    if gather == "count":
        if type_.kind == "bool" and not isinstance(element, Literal):
            raise Complaint(f"count({show(node)} for ..) would count the noes too; write the test after 'if'")
        return INT
    if gather == "unique":
        return BOOL
    if gather == "first":
        return type_.maybe
    return _of_numbers(gather, type_, node)


def _yes_or_no(gather: str, type_: Type, node: ast.expr) -> None:
    asks = type_.kind == "bool" and not type_.optional
    if gather == "all" and not asks:
        raise Complaint(f"all(..) asks yes or no of each; {show(node)!r} is {a_type(type_)}")
    if not asks and type_.kind not in ("ref", "struct"):
        raise Complaint(f"{gather}(..) takes a record or a yes-or-no; {show(node)!r} is {a_type(type_)}")


def _of_numbers(gather: str, type_: Type, node: ast.expr) -> Type:
    column = column_of(type_)
    right, words = {
        "sum": (column.number, "adds numbers or money"),
        "avg": (column.number and type_.kind != "ratio", "needs numbers or money"),
    }.get(gather, (column.ordered, "needs values with an order"))
    if not right or type_.optional:
        raise Complaint(f"{gather}(..) {words}; {show(node)!r} is {a_type(type_)}")
    if gather == "sum":
        return Type(type_.kind, of=type_.of)
    if gather == "avg":
        return Type("ratio", of=Type(type_.kind), optional=True)
    return replace(type_, low=None, high=None).maybe
