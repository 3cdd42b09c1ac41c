"""What an environment's class looks like from outside: its state, who reads and writes it, and its methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from envscaler_mcp.serving.effects import changes
from envscaler_mcp.serving.parsing import parsed_module


def class_map(source: str, class_name: str) -> dict[str, Any]:
    """`env_structure` of the published metadata: states with their types and users, methods with what they touch."""
    cls = _class_of(source, class_name)
    methods = _methods(cls)
    types = dict(_states(methods.get("__init__")))
    touched = {name: _touched(method, types.keys(), methods) for name, method in methods.items() if name != "__init__"}
    return {
        "states": {
            state: {
                "type": type_,
                "used_by": sorted(name for name, (_, reads, _) in touched.items() if state in reads),
                "modified_by": sorted(name for name, (_, _, writes) in touched.items() if state in writes),
            }
            for state, type_ in types.items()
        },
        "methods": {
            name: {"calls": sorted(calls), "reads": sorted(reads), "writes": sorted(writes)}
            for name, (calls, reads, writes) in touched.items()
        },
    }


def method_details(source: str, class_name: str) -> dict[str, Any]:
    """`env_func_details` of the published metadata: signature, documentation and source of each method."""
    return {
        name: {
            "signature": {
                "parameters": list(_parameters(method)),
                "return": ast.unparse(method.returns) if method.returns else None,
            },
            "doc": ast.get_docstring(method) or "",
            "source_code": ast.get_source_segment(source, method) or "",
        }
        for name, method in _methods(_class_of(source, class_name)).items()
    }


def class_head(source: str, class_name: str) -> str:
    """The module up to the end of the constructor, without which states mean nothing."""
    cls = _class_of(source, class_name)
    method = _methods(cls).get("__init__")
    last = method if method is not None else cls.body[0]
    return "\n".join(source.splitlines()[: last.end_lineno]) + "\n"


def _class_of(source: str, class_name: str) -> ast.ClassDef:
    return next(
        node for node in parsed_module(source).body if isinstance(node, ast.ClassDef) and node.name == class_name
    )


def _methods(cls: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}


def _states(init: ast.FunctionDef | None) -> Iterator[tuple[str, str | None]]:
    """The attributes that the constructor makes, with their types where it names them."""
    for node in ast.walk(init) if init is not None else ():
        if isinstance(node, ast.AnnAssign) and _is_own(node.target):
            yield node.target.attr, ast.unparse(node.annotation)  # type: ignore[union-attr]
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if _is_own(target):
                    yield target.attr, None  # type: ignore[attr-defined]


def _is_own(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _touched(
    method: ast.FunctionDef, states: Any, methods: dict[str, ast.FunctionDef]
) -> tuple[set[str], set[str], set[str]]:
    """Methods it calls, states it reads, and those that it may write: all it names, unless it is seen to write none."""
    own = {node.attr for node in ast.walk(method) if _is_own(node)}  # type: ignore[attr-defined]
    reads = own & set(states)
    return own & methods.keys(), reads, reads if changes(method.name, methods) else set()


def _parameters(method: ast.FunctionDef) -> Iterator[dict[str, Any]]:
    given = method.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        if argument.arg != "self":
            yield _parameter(argument, default, "POSITIONAL_OR_KEYWORD")
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(argument, default, "KEYWORD_ONLY")


def _parameter(argument: ast.arg, default: ast.expr | None, kind: str) -> dict[str, Any]:
    return {
        "name": argument.arg,
        "type": ast.unparse(argument.annotation) if argument.annotation else None,
        "default": ast.unparse(default) if default is not None else None,
        "kind": kind,
    }
