"""Whether a check only looks: whether it can be seen from its text that it changes nothing that it is given.

Most checks do, and such checks of one ending can share a process and its states; any other gets a process of its own.
"""

from __future__ import annotations

import ast
from functools import lru_cache

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


@lru_cache(maxsize=1024)
def only_looks(source: str) -> bool:
    """Whether nothing in the source could change a state, or see what another check left behind."""
    try:
        module = parsed_module(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    made = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {node.arg for node in ast.walk(module) if isinstance(node, ast.arg)}
    made |= {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    return all(_harmless(node, made) for node in ast.walk(module))


def _harmless(node: ast.AST, made: set[str]) -> bool:
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
