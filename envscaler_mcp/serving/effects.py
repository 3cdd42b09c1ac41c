"""Which methods may change the state, decided from their source and never by running them.

The question is asked so that a wrong answer is a slow one: what cannot be seen to leave the state alone counts as a
change.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CHANGING = _words(
    "add append appendleft clear delitem difference_update discard extend heapify heappop heappush heappushpop "
    "heapreplace insert insort insort_left insort_right intersection_update move_to_end pop popitem popleft "
    "remove reverse setdefault setitem shuffle sort subtract symmetric_difference_update update"
)
_FRESH = _words("Counter OrderedDict copy deepcopy defaultdict deque dict list set sorted tuple")
_HARMLESS = (
    _words(
        "KeyError TypeError ValueError abs all any bool bytes chr divmod enumerate filter float format frozenset "
        "getattr hasattr hash int isinstance iter len map max min next ord pow print range repr reversed round str "
        "sum type zip"
    )
    | _FRESH
)


def changes(name: str, methods: Mapping[str, ast.FunctionDef]) -> bool:
    """Whether a call of the method may change an attribute, itself or through methods it calls."""
    return _changes(name, methods, set())


def _changes(name: str, methods: Mapping[str, ast.FunctionDef], seen: set[str]) -> bool:
    if name in seen:
        return False
    seen.add(name)
    method = methods.get(name)
    if method is None or not method.args.args:
        return True
    owner = method.args.args[0].arg
    fresh = _fresh_names(method) - {owner}
    return any(
        isinstance(node, _UNSURE)
        or _stores(node, fresh)
        or _adds_in_place(node, method, fresh)
        or (isinstance(node, ast.Call) and _call_changes(node, owner, fresh, methods, seen))
        or (isinstance(node, ast.Name) and node.id == owner and not _only_looked_at(node, method))
        for node in ast.walk(method)
    )


_UNSURE = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom)


def _stores(node: ast.AST, fresh: set[str]) -> bool:
    """Whether this is a write into something that was there before the call."""
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or isinstance(node.ctx, ast.Load):
        return False
    return not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in fresh)


def _adds_in_place(node: ast.AST, method: ast.FunctionDef, fresh: set[str]) -> bool:
    """Whether this is a `+=` that may extend a list that is also held elsewhere."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
        return False
    return not isinstance(node.value, ast.Constant) and node.target.id not in _numbers(method) | fresh


def _call_changes(
    call: ast.Call, owner: str, fresh: set[str], methods: Mapping[str, ast.FunctionDef], seen: set[str]
) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id not in _HARMLESS
    if not isinstance(function, ast.Attribute):
        return True
    if isinstance(function.value, ast.Name) and function.value.id == owner:
        return _changes(function.attr, methods, seen)
    if function.attr in _CHANGING:
        return not (isinstance(function.value, ast.Name) and function.value.id in fresh)
    return function.attr.startswith("_")


def _only_looked_at(name: ast.Name, method: ast.FunctionDef) -> bool:
    """Whether the object itself is used only to reach its attributes, so that nothing else can hold it."""
    return any(isinstance(node, ast.Attribute) and node.value is name for node in ast.walk(method))


def _fresh_names(method: ast.FunctionDef) -> set[str]:
    """Local names that only ever hold something made in this method."""
    fresh: set[str] = set()
    other = {argument.arg for argument in ast.walk(method.args) if isinstance(argument, ast.arg)}
    for node in ast.walk(method):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    (fresh if _is_fresh(node.value) else other).add(target.id)
                else:
                    other |= _bound(target)
        elif isinstance(node, (ast.For, ast.comprehension)):
            other |= _bound(node.target)
        elif isinstance(node, ast.NamedExpr):
            other.add(node.target.id)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            other |= _bound(node.optional_vars)
    return fresh - other


def _bound(target: ast.expr) -> set[str]:
    """The names that an assignment to the target gives a value."""
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _is_fresh(value: ast.expr) -> bool:
    if isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)):
        return True
    if isinstance(value, ast.Call):
        function = value.func
        called = (
            function.id
            if isinstance(function, ast.Name)
            else function.attr
            if isinstance(function, ast.Attribute)
            else ""
        )
        return called in _FRESH
    return False


def _numbers(method: ast.FunctionDef) -> set[str]:
    """Local names that are only ever given a number or a text, which `+=` replaces and never changes."""
    numbers: set[str] = set()
    other: set[str] = set()
    for node in ast.walk(method):
        if isinstance(node, ast.Assign):
            plain = isinstance(node.value, (ast.Constant, ast.BinOp, ast.JoinedStr))
            for target in node.targets:
                (numbers if plain else other).update(_bound(target))
    return numbers - other
