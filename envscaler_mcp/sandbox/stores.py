"""Attributes are set, and private ones read, only on what generated code has made itself: every such place asks first."""

from __future__ import annotations

import ast
import decimal
from collections.abc import Callable, Container, Mapping
from types import FunctionType
from typing import Any

from envscaler_mcp.sandbox.allowed import TUPLE_METHODS
from envscaler_mcp.sandbox.sealing import is_sealed

OWN = "own object"
"""The builtin that is asked. With a space in it, so that no source can name it."""


OWN_SELF = "own self"
"""The builtin that a method asks before it reads private attributes of the object that it is called on."""


def asking_before_stores(module: ast.Module) -> ast.Module:
    """The tree with `x.a = v` as `own object(x).a = v`, wherever an attribute is set or deleted.

    A method that reads `self._a` begins with `own self(self)`: a method can be called with any object in that place, and the
    gate has seen to it that the name never stands for another object later.
    """
    return ast.fix_missing_locations(_Asking().visit(module))  # type: ignore[no-any-return]


class _Asking(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        read = _privately_read(node)
        self.generic_visit(node)
        if read is not None:
            asked = ast.Expr(ast.Call(ast.Name(OWN_SELF, ast.Load()), [ast.Name(read, ast.Load())], []))
            position = 1 if ast.get_docstring(node, clean=False) is not None else 0
            node.body.insert(position, ast.copy_location(asked, node.body[0]))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            asked = ast.Call(ast.Name(OWN, ast.Load()), [node.value], [])
            node.value = ast.copy_location(asked, node.value)
        return node


def _privately_read(node: ast.FunctionDef) -> str | None:
    """The first parameter, where private attributes of it are read anywhere inside."""
    positional = [*node.args.posonlyargs, *node.args.args]
    if not positional:
        return None
    first = positional[0].arg
    private = any(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == first
        and each.attr.startswith("_")
        and each.attr not in TUPLE_METHODS
        and not (each.attr.startswith("__") and each.attr.endswith("__"))
        for line in node.body
        for each in ast.walk(line)
    )
    return first if private else None


def own_self(foreign: Container[int]) -> Callable[[Any], None]:
    """What refuses an object whose class the code has not written; `foreign` as in `own_object`."""
    seen: set[type] = set()

    def own(value: Any, /) -> None:
        kind = type(value)
        if kind in seen:
            return
        made = value if issubclass(kind, type) else kind
        if is_sealed(made) or id(made) in foreign:
            raise AttributeError(f"private attributes of a {kind.__name__!r} are not open to environment code")
        if made is kind:
            seen.add(kind)

    return own


def own_object(builtins: Mapping[str, Any], foreign: Container[int]) -> Callable[[Any], Any]:
    """What answers with an object that the code under these builtins may change, and refuses any other.

    `foreign` are the classes, by identity, that were made for this code and not by it.
    """

    def own(value: Any, /) -> Any:
        kind = type(value)
        made = value if issubclass(kind, type) else kind
        if not is_sealed(made) and id(made) not in foreign:
            return value
        if issubclass(kind, (BaseException, decimal.Context)):
            return value
        if kind is FunctionType and value.__globals__.get("__builtins__") is builtins:
            return value
        raise AttributeError(f"an attribute of a {kind.__name__!r} that is not the environment's own cannot be changed")

    return own
