"""Which names a function makes its own, where `self` is, and which names stand for modules.

Only a function's own names hide a builtin for certain: a name assigned in a module or a class body may be missing when it
is read, and Python then looks among the builtins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from envscaler_mcp.sandbox.allowed import MODULES

_Function = ast.FunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)


@dataclass(frozen=True)
class Scope:
    """What is known at one place of a module."""

    modules: dict[str, str]
    """Names that an import anywhere in the source binds to a module."""
    in_class: bool = False
    """Whether this is the body of a class itself."""
    own: dict[str, bool] = field(default_factory=dict)
    """Names of the functions around this place, and whether each is the first parameter of a method, never rebound."""

    @classmethod
    def of_module(cls, module: ast.Module) -> Scope:
        """The outermost place."""
        return cls(_imported_modules(module))

    def is_local(self, name: str) -> bool:
        """Whether a function around this place has made the name its own."""
        return name in self.own

    def is_receiver(self, name: str) -> bool:
        """Whether the name is the object a method was called on."""
        return self.own.get(name, False)

    def module_named(self, name: str) -> str | None:
        """The module the name stands for, unless a function around has another use for it."""
        return None if name in self.own else self.modules.get(name)


def opened(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """Every child and the place it stands in: decorators, defaults and bases stand outside."""
    if isinstance(node, ast.ClassDef):
        return _class_parts(node, scope)
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return _function_parts(node, scope)
    if isinstance(node, _COMPREHENSIONS):
        return _comprehension_parts(node, scope)
    return ((child, scope) for child in ast.iter_child_nodes(node))


def _class_parts(node: ast.ClassDef, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    # A name that the body assigns to is looked up past the functions around it when it is missing.
    assigned = _bound(node.body)
    own = {name: binding for name, binding in scope.own.items() if name not in assigned}
    inner = replace(scope, in_class=True, own=own)
    for child in ast.iter_child_nodes(node):
        yield child, inner if isinstance(child, ast.stmt) else scope


def _function_parts(node: _Function, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    inner = _inside(node, scope)
    body = {id(line) for line in node.body} if isinstance(node, ast.FunctionDef) else {id(node.body)}
    for child in ast.iter_child_nodes(node):
        yield child, inner if id(child) in body else scope


def _comprehension_parts(node: ast.expr, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.comprehension)]
    names = {name: False for part in parts for name in _stored(part.target)}
    inner = replace(scope, in_class=False, own={**scope.own, **names})
    for child in ast.iter_child_nodes(node):
        if child is not parts[0]:
            yield child, inner
    # The first source is evaluated outside, where these names may not exist.
    for part in ast.iter_child_nodes(parts[0]):
        yield part, scope if part is parts[0].iter else inner


def _inside(node: _Function, scope: Scope) -> Scope:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    parameters = [*positional, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    elsewhere, bound = _declared_elsewhere(body), _bound(body)
    own = dict.fromkeys((bound | {parameter.arg for parameter in parameters}) - elsewhere, False)
    static = isinstance(node, ast.FunctionDef) and any(
        isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list
    )
    if scope.in_class and positional and not static and isinstance(node, ast.FunctionDef):
        first = positional[0].arg
        own[first] = first not in bound and not _rebound_within(body, first)
    outer = {name: binding for name, binding in scope.own.items() if name not in elsewhere or name in _nonlocals(body)}
    return replace(scope, in_class=False, own={**outer, **own})


def _bound(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    """Names that statements of this function itself bind: Python then treats them as its own throughout."""
    bound_names: set[str] = set()
    for node in _same_function(body):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                bound_names.add(node.id)
            case ast.FunctionDef() | ast.ClassDef():
                bound_names.add(node.name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound_names.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound_names.add(name)
    return bound_names


def _declared_elsewhere(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {
        name for node in _same_function(body) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
    }


def _nonlocals(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {name for node in _same_function(body) if isinstance(node, ast.Nonlocal) for name in node.names}


def _rebound_within(body: list[ast.stmt] | list[ast.expr], name: str) -> bool:
    """Whether a function inside says `nonlocal self`, and could put something else there; or an import takes the name."""
    for line in body:
        for node in ast.walk(line):
            if isinstance(node, ast.Nonlocal) and name in node.names:
                return True
            if isinstance(node, ast.alias) and (node.asname or node.name) == name:
                return True
            if isinstance(node, ast.NamedExpr) and node.target.id == name:
                return True
    return False


def _same_function(body: list[ast.stmt] | list[ast.expr]) -> Iterator[ast.AST]:
    """Every node of a function that does not lie in another scope inside it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _stored(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _imported_modules(module: ast.Module) -> dict[str, str]:
    bound_names: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                if name in MODULES:
                    bound_names[alias.asname or name] = name
        elif isinstance(node, ast.ImportFrom) and node.module == "collections":
            for alias in node.names:
                if alias.name == "abc":
                    bound_names[alias.asname or "abc"] = "collections.abc"
    return bound_names
