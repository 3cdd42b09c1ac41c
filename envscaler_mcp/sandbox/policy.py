"""The gate: generated code is read before it is run, and what is not on the lists is refused with its line.

It never executes anything. It is one layer of several: it gives an author reasons, and keeps honest mistakes and known
tricks out; the worker and the kernel keep out what it does not know.
"""

from __future__ import annotations

import ast
import hashlib
import string
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.allowed import (
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_NAMES,
    MODULES,
    NODES,
    OWN_CONSTANTS,
    OWN_METHODS,
    READ_NAMES,
    TUPLE_METHODS,
    is_special,
)
from envscaler_mcp.sandbox.scopes import OPENING, Scope, children, opened
from envscaler_mcp.sandbox.source_cache import LONGEST, remembered
from envscaler_mcp.serving.parsing import parsed_module

MAX_SOURCE = 400_000
"""Characters; a hundred times the size of an ordinary environment."""
MAX_CHECK_NESTING = 100
"""Levels of a check's syntax tree: three times the deepest that ships, and a few hundred below what can be parsed anywhere."""
_SHOWN = 8
_FUTURE = "__future__"


class RefusedError(SandboxError):
    """Code that is not allowed to run, with its lines."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that the code may not do, and where it does it."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


def admit(source: str, name: str = "the code") -> None:
    """Return when the code may be run in a worker; otherwise say what in it may not, line by line."""
    long = _digest(source) if len(source) > LONGEST else None
    if long is not None and long in _ADMITTED:
        return
    refused = refusals(source)
    if not refused and long is not None:
        _remember_admitted(long)
    if refused:
        more = f" (and {len(refused) - _SHOWN} more)" if len(refused) > _SHOWN else ""
        message = "; ".join(str(refusal) for refusal in refused[:_SHOWN])
        raise RefusedError(f"{name} was refused before it was run: {message}{more}")


_MOST_ADMITTED = 4096
_ADMITTED: OrderedDict[bytes, None] = OrderedDict()
"""Digests of long sources with nothing to refuse: environments, whose code is admitted again for each world."""
_admitting = threading.Lock()


def _digest(source: str) -> bytes:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()


def _remember_admitted(digest: bytes) -> None:
    with _admitting:
        _ADMITTED[digest] = None
        if len(_ADMITTED) > _MOST_ADMITTED:
            _ADMITTED.popitem(last=False)


def admit_check(source: str, name: str = "the check") -> None:
    """The same for a check function: the module must also define `check_func(final_state)`, and be nested less deep.

    How deep a source may be nested for Python to parse it depends on how deep the caller is. A check is judged in several
    processes, so its nesting is bounded far below that.
    """
    try:
        nested, is_check = _shape(source) if len(source) <= MAX_SOURCE else (0, False)
    except (RecursionError, MemoryError):
        nested, is_check = MAX_CHECK_NESTING + 1, False
    if nested > MAX_CHECK_NESTING:
        raise RefusedError(
            f"{name} was refused before it was run: it is nested more than {MAX_CHECK_NESTING} levels deep"
        )
    admit(source, name)
    if not is_check:
        raise RefusedError(f"{name} was refused before it was run: it defines no function check_func(final_state)")


@remembered
def _shape(source: str) -> tuple[int, bool]:
    """How many levels deep a source is nested, and whether it defines a check; the gate says why it is no Python."""
    try:
        module = parsed_module(source)
    except (SyntaxError, ValueError):
        return 0, False
    is_check = any(isinstance(line, ast.FunctionDef) and line.name == "check_func" for line in module.body)
    nested, level = 0, list(ast.iter_child_nodes(module))
    while level and nested <= MAX_CHECK_NESTING:
        nested += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return nested, is_check


@remembered
def refusals(source: str) -> tuple[Refusal, ...]:
    """Everything in the code that is not allowed, in the order of its lines."""
    if len(source) > MAX_SOURCE:
        return (Refusal(1, f"the source has {len(source)} characters; at most {MAX_SOURCE} are read"),)
    try:
        module = parsed_module(source)
        refused = _Gate().walk(module)
    except SyntaxError as cause:
        return (Refusal(cause.lineno or 1, f"this is not Python: {cause.msg}"),)
    except (ValueError, MemoryError, RecursionError) as cause:
        return (Refusal(1, f"this cannot be read: {str(cause) or 'it is nested too deeply'}"),)
    return tuple(sorted(set(refused), key=lambda refusal: (refusal.line, refusal.reason)))


_ALWAYS_ALLOWED = NODES - {
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.Name,
    ast.Attribute,
    ast.FunctionDef,
    ast.ClassDef,
    ast.arg,
    ast.ExceptHandler,
    ast.MatchStar,
    ast.MatchAs,
    ast.MatchMapping,
    ast.Global,
    ast.Nonlocal,
    ast.MatchClass,
    ast.keyword,
}
"""Nodes that `_Gate` has no reason to refuse where they are allowed at all: half of all that it visits."""


class _Gate:
    """One walk over one module."""

    def __init__(self) -> None:
        self._slots: set[int] = set()
        """Places, by identity, where `__slots__` is given a literal."""
        self._refused: list[Refusal] = []

    def walk(self, module: ast.Module) -> list[Refusal]:
        self._visit(module, Scope.of_module(module))
        return self._refused

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        kind = type(node)
        if kind not in NODES:
            self._refuse(node, f"{_spoken(node)} may not be used")
            return
        if kind not in _ALWAYS_ALLOWED:
            reason = self._reason(node, scope)
            if reason is not None:
                self._refuse(node, reason)
        if kind not in OPENING:
            for child in children(node):
                self._visit(child, scope)
            return
        for child, inner in opened(node, scope):
            self._visit(child, inner)

    def _refuse(self, node: ast.AST, reason: str) -> None:
        self._refused.append(Refusal(getattr(node, "lineno", 1), reason))

    def _reason(self, node: ast.AST, scope: Scope) -> str | None:  # noqa: C901
        match node:
            case ast.Import():
                return _first(_module_reason(alias.name) or _other_bound_reason(alias.asname) for alias in node.names)
            case ast.ImportFrom():
                return _import_from_reason(node)
            case (
                ast.Assign(targets=[ast.Name(id="__slots__") as target])
                | ast.AnnAssign(target=ast.Name(id="__slots__") as target)
            ):
                if not _is_plain_texts(node.value):
                    return "'__slots__' may only be given a tuple or a list of literal texts"
                self._slots.add(id(target))
            case ast.Name(id="__slots__", ctx=ast.Store()) if id(node) not in self._slots:
                return "'__slots__' may only be given a tuple or a list of literal texts, in a statement of its own"
            case ast.Name():
                return _name_reason(node, scope)
            case ast.Attribute():
                return _attribute_reason(node, scope)
            case ast.FunctionDef():
                return _defined_reason(node.name)
            case ast.ClassDef():
                return _class_reason(node)
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                return _other_bound_reason(name)
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                return _other_bound_reason(name)
            case ast.AnnAssign(target=ast.Name(id=name)) if scope.in_class and name in FORBIDDEN_ATTRIBUTES:
                # A field of a named tuple is what a pattern reads.
                return f"the name {name!r} may not be given to a field"
            case ast.Global() | ast.Nonlocal():
                return _first(_other_bound_reason(name) for name in node.names)
            case ast.MatchClass():
                return _first(_plain_attribute_reason(name) for name in node.kwd_attrs)
            case ast.keyword(arg=str(name)):
                return f"the keyword {name!r} may not be used" if is_special(name) else None
        return None


def _module_reason(name: str) -> str | None:
    if name in MODULES and name != _FUTURE:
        return None
    return f"the module {name!r} may not be imported"


def _import_from_reason(node: ast.ImportFrom) -> str | None:
    module = node.module or ""
    if node.level or module not in MODULES:
        return f"the module {'.' * node.level + module!r} may not be imported"
    for alias in node.names:
        if alias.name not in MODULES[module]:
            return f"{alias.name!r} may not be imported from {module!r}"
    return _first(_other_bound_reason(alias.asname) for alias in node.names)


def _name_reason(node: ast.Name, scope: Scope) -> str | None:
    if isinstance(node.ctx, ast.Load):
        if is_special(node.id):
            return None if node.id in READ_NAMES else f"the name {node.id!r} may not be used"
        if node.id in FORBIDDEN_NAMES and not scope.is_local(node.id):
            return f"{node.id!r} may not be used"
        return None
    return _bound_reason(node.id)


def _is_plain_texts(value: ast.expr | None) -> bool:
    texts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return all(isinstance(text, ast.Constant) and type(text.value) is str for text in texts)


def _bound_reason(name: str | None) -> str | None:
    """Why nothing may be given this name; a name that starts and ends with underscores is Python's own."""
    if name == "super":
        # What it answers with may be asked for special methods, so it must be Python's.
        return "the name 'super' may not be given to anything"
    if name is not None and is_special(name) and name not in OWN_CONSTANTS:
        return f"the name {name!r} may not be given to anything"
    return None


def _other_bound_reason(name: str | None) -> str | None:
    """The same where a name is not assigned to: slots are only ever assigned."""
    return "'__slots__' may only be assigned to" if name == "__slots__" else _bound_reason(name)


def _defined_reason(name: str) -> str | None:
    if name == "super":
        return _bound_reason(name)
    if is_special(name) and name not in OWN_METHODS:
        return f"the special method {name!r} may not be defined"
    return None


def _class_reason(node: ast.ClassDef) -> str | None:
    if any(keyword.arg == "metaclass" or keyword.arg is None for keyword in node.keywords):
        return "a metaclass may not be used"
    return _other_bound_reason(node.name)


def _attribute_reason(node: ast.Attribute, scope: Scope) -> str | None:
    name, value = node.attr, node.value
    module = scope.module_named(value.id) if isinstance(value, ast.Name) else None
    if module is not None and name not in MODULES[module]:
        return f"{module}.{name} may not be used"
    if name == "format":
        return _format_reason(value)
    if name in READ_NAMES and isinstance(node.ctx, ast.Load):
        return None
    if is_special(name):
        called_above = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super"
        return (
            None
            if called_above and name in ("__init__", "__post_init__")
            else f"the attribute {name!r} may not be used"
        )
    if name.startswith("_") and name not in FORBIDDEN_ATTRIBUTES:
        own = isinstance(value, ast.Name) and scope.is_receiver(value.id)
        if own or name in TUPLE_METHODS:
            return (
                "the attributes '_…_' of enumerations may not be used" if name.endswith("_") and len(name) > 1 else None
            )
        return f"the attribute {name!r} is private to another object; only self._{name.lstrip('_')} may be used"
    return _plain_attribute_reason(name)


def _plain_attribute_reason(name: str) -> str | None:
    if name.startswith("_") or name in FORBIDDEN_ATTRIBUTES or name == "format":
        return f"the attribute {name!r} may not be used"
    return None


def _format_reason(value: ast.expr) -> str | None:
    """A format string reads attributes, so it must be seen here and read none."""
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return "format may be called on a literal text only; use an f-string"
    return None if _formats_plainly(value.value) else "a format text may not read attributes; use an f-string"


def _formats_plainly(text: str, depth: int = 0) -> bool:
    try:
        fields = [(field, spec) for _, field, spec, _ in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return True
    return depth < 3 and all(
        "." not in field and (not spec or _formats_plainly(spec, depth + 1)) for field, spec in fields
    )


def _spoken(node: ast.AST) -> str:
    """The construct in words an author knows."""
    kind = type(node).__name__
    return _SPOKEN.get(kind, f"the construct {kind}")


_SPOKEN = {
    "TryStar": "except*",
    "AsyncFunctionDef": "async def",
    "Await": "await",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "TypeAlias": "a type statement",
    "MatMult": "the operator @",
    "TemplateStr": "a template string",
}


def _first(reasons: Iterable[str | None]) -> str | None:
    return next((reason for reason in reasons if reason is not None), None)
