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
OPENING = frozenset(_SCOPES)
"""Nodes with children that are in another scope."""
_NAMING = frozenset(
    {
        ast.Name,
        ast.FunctionDef,
        ast.ClassDef,
        ast.ExceptHandler,
        ast.MatchAs,
        ast.MatchStar,
        ast.MatchMapping,
        ast.Global,
        ast.Nonlocal,
    }
)
"""Nodes that say something of a name."""


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


def children(node: ast.AST) -> list[ast.AST]:
    """What `ast.iter_child_nodes` gives, in a third of its time: the gate asks for them several times for each node."""
    below: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            below.append(value)
        elif isinstance(value, list):
            below.extend([item for item in value if isinstance(item, ast.AST)])
    return below


def _walk(node: ast.AST) -> list[ast.AST]:
    """The node and everything below it."""
    nodes = [node]
    for each in nodes:
        nodes.extend(children(each))
    return nodes


def opened(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """Every child and the place it stands in: decorators, defaults and bases stand outside."""
    if isinstance(node, ast.ClassDef):
        return _class_parts(node, scope)
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return _function_parts(node, scope)
    if isinstance(node, _COMPREHENSIONS):
        return _comprehension_parts(node, scope)
    return ((child, scope) for child in children(node))


def _class_parts(node: ast.ClassDef, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    # A name that the body assigns to is looked up past the functions around it when it is missing.
    assigned = _names(node.body).bound
    own = {name: binding for name, binding in scope.own.items() if name not in assigned}
    inner = replace(scope, in_class=True, own=own)
    for child in children(node):
        yield child, inner if isinstance(child, ast.stmt) else scope


def _function_parts(node: _Function, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    inner = _inside(node, scope)
    body = {id(line) for line in node.body} if isinstance(node, ast.FunctionDef) else {id(node.body)}
    for child in children(node):
        yield child, inner if id(child) in body else scope


def _comprehension_parts(node: ast.expr, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    parts = [child for child in children(node) if isinstance(child, ast.comprehension)]
    names = {name: False for part in parts for name in _stored(part.target)}
    inner = replace(scope, in_class=False, own={**scope.own, **names})
    for child in children(node):
        if child is not parts[0]:
            yield child, inner
    # The first source is evaluated outside, where these names may not exist.
    for part in children(parts[0]):
        yield part, scope if part is parts[0].iter else inner


def _inside(node: _Function, scope: Scope) -> Scope:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    parameters = [*positional, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    said = _names(body)
    own = dict.fromkeys((said.bound | {parameter.arg for parameter in parameters}) - said.elsewhere, False)
    static = isinstance(node, ast.FunctionDef) and any(
        isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list
    )
    if scope.in_class and positional and not static and isinstance(node, ast.FunctionDef):
        first = positional[0].arg
        own[first] = first not in said.bound and not _rebound_within(body, first)
    not_seen = said.elsewhere - said.nonlocals
    outer = {name: binding for name, binding in scope.own.items() if name not in not_seen}
    return replace(scope, in_class=False, own={**outer, **own})


@dataclass(frozen=True, slots=True)
class _Names:
    """What the statements of a function say of names: each is looked at once."""

    bound: set[str]
    """Names that they bind: Python then treats them as the function's own throughout."""
    elsewhere: set[str]
    """Names that they say are bound in another place."""
    nonlocals: set[str]
    """Those of them that are bound in a function around this one."""


def _names(body: list[ast.stmt] | list[ast.expr]) -> _Names:
    said = _Names(set(), set(), set())
    for node in _same_function(body):
        if type(node) not in _NAMING:
            continue
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                said.bound.add(node.id)
            case ast.FunctionDef() | ast.ClassDef():
                said.bound.add(node.name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                said.bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                said.bound.add(name)
            case ast.Global():
                said.elsewhere.update(node.names)
            case ast.Nonlocal():
                said.elsewhere.update(node.names)
                said.nonlocals.update(node.names)
    return said


def _rebound_within(body: list[ast.stmt] | list[ast.expr], name: str) -> bool:
    """Whether a function inside says `nonlocal self`, and could put something else there; or an import takes the name."""
    for line in body:
        for node in _walk(line):
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
            waiting.extend(children(node))


def _stored(target: ast.expr) -> Iterator[str]:
    for node in _walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _imported_modules(module: ast.Module) -> dict[str, str]:
    bound_names: dict[str, str] = {}
    for node in _walk(module):
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
