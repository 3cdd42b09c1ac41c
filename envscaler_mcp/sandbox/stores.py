"""Attributes are set only on what generated code has made itself: every place where one is set asks first."""

from __future__ import annotations

import ast
import decimal
from collections.abc import Callable, Container, Mapping
from types import FunctionType
from typing import Any

from envscaler_mcp.sandbox.sealing import is_sealed

OWN = "own object"
"""The builtin that is asked. With a space in it, so that no source can name it."""


def asking_before_stores(module: ast.Module) -> ast.Module:
    """The tree with `x.a = v` as `own object(x).a = v`, wherever an attribute is set or deleted."""
    return ast.fix_missing_locations(_Asking().visit(module))  # type: ignore[no-any-return]


class _Asking(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            asked = ast.Call(ast.Name(OWN, ast.Load()), [node.value], [])
            node.value = ast.copy_location(asked, node.value)
        return node


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
