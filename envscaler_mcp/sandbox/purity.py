"""Whether a check only looks: whether it can be seen from its text that it changes nothing that it is given.

Most checks do, and such checks of one ending can share a process and its states; any other gets a process of its own.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

from envscaler_mcp.sandbox.source_cache import remembered
from envscaler_mcp.serving.parsing import parsed_module

_NODES = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.If, ast.For, ast.Pass, ast.Expr,
    ast.Continue, ast.Break, ast.Constant, ast.Name, ast.Subscript, ast.Slice, ast.Attribute, ast.Call, ast.keyword,
    ast.Lambda, ast.IfExp, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue,
    ast.Starred, ast.Load, ast.Store, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
"""No statement that changes a value in place: `+=` does so to lists."""
_METHODS = frozenset({
    "get", "values", "items", "keys", "count", "index", "lower", "upper", "strip", "lstrip", "rstrip", "casefold",
    "title", "startswith", "endswith", "split", "partition", "rpartition", "join", "replace", "isdigit", "find",
    "removeprefix", "removesuffix", "union", "intersection", "difference", "issubset", "issuperset", "isdisjoint",
})  # fmt: skip
_FUNCTIONS = frozenset({
    "abs", "all", "any", "bool", "dict", "enumerate", "filter", "float", "frozenset", "int", "isinstance", "len", "list",
    "map", "max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip",
})  # fmt: skip
_STATES = frozenset({"initial_state", "final_state"})
_PYTHONS = frozenset(dir(builtins))
"""Where such a name is bound anywhere, it means Python's own in every other scope."""


def builtins_to_look() -> dict[str, Any]:
    """All that a check that only looks finds beside its own names, whatever was read in its text."""
    return {name: getattr(builtins, name) for name in _FUNCTIONS}


@remembered
def only_looks(source: str) -> bool:
    """Whether nothing in the source could change a state, or see what another check left behind."""
    try:
        module = parsed_module(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    made = frozenset(_bound(module))
    if any(name in _PYTHONS or name.startswith("__") for name in made):
        return False
    return all(_harmless(node, made) for node in ast.walk(module))


def _bound(module: ast.Module) -> Iterator[str]:
    """The names that are bound in any of its scopes."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield name


def _harmless(node: ast.AST, made: frozenset[str]) -> bool:
    if not isinstance(node, _NODES):
        return False
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name in _FUNCTIONS or name in _STATES or name in made
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name in _METHODS
        case ast.Attribute() | ast.Subscript(ctx=ast.Store()):
            return False
        case ast.FunctionDef(decorator_list=[], returns=None):
            return True
    return not isinstance(node, ast.FunctionDef)
