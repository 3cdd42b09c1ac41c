"""Code that a model wrote: read, looked at before it ever runs, and put together."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envscaler_mcp.errors import SandboxError, WorldError
from envscaler_mcp.llm import MisfitError, block_in
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.tools import tool_table

_LANGUAGES = ("python", "py", "python3")


@dataclass(frozen=True, slots=True)
class Written:
    """A class in pieces."""

    class_name: str
    definition: str
    """The module with the class and its constructor."""
    methods: tuple[str, ...] = ()
    """Each from `def` on, with the imports that came with it in front."""

    @property
    def source(self) -> str:
        return assembled(self)


def class_in(text: str, class_name: str) -> str:
    """The module of an answer: a class of that name with a constructor and nothing that is refused."""
    source = block_in(text, *_LANGUAGES)
    tree = _parsed(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        raise MisfitError(f"There is no class {class_name}; there are {', '.join(classes) or 'none'}.")
    methods = [node.name for node in classes[class_name].body if isinstance(node, ast.FunctionDef)]
    if methods != ["__init__"]:
        raise MisfitError(f"{class_name} must have `__init__` and no other method here; it has {methods}.")
    loose = [ast.unparse(node)[:60] for node in tree.body if not _may_stand_loose(node)]
    if loose:
        raise MisfitError(f"Only imports, constants and classes stand in the module; not {loose[0]!r}.")
    _admit(source)
    return source


def method_in(text: str, name: str, definition: str, class_name: str) -> str:
    """The method of an answer, if it is one and nothing in it is refused in its class."""
    source = block_in(text, *_LANGUAGES)
    tree = _parsed(source)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            # The whole class came back; only the method was asked for.
            tree.body = [*[n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)], *node.body]
            break
    methods = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(methods) != 1:
        raise MisfitError(f"There is no method {name} in the answer.")
    (method,) = methods
    _look_at_signature(method)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    piece = "\n".join([*map(ast.unparse, imports), _text_of(source, method)])
    whole = assembled(Written(class_name, definition, (piece,)))
    _admit(whole)
    try:
        tool_table(whole, class_name)
    except WorldError as error:
        raise MisfitError(f"No tool can be made of {name}: {error}") from error
    return piece


def _look_at_signature(method: ast.FunctionDef) -> None:
    arguments = method.args
    if not arguments.args or arguments.args[0].arg != "self":
        raise MisfitError(f"The first parameter of {method.name} must be `self`.")
    if arguments.vararg or arguments.kwarg:
        raise MisfitError(f"{method.name} must name its parameters; `*args` and `**kwargs` say nothing to a caller.")
    bare = [argument.arg for argument in [*arguments.args[1:], *arguments.kwonlyargs] if argument.annotation is None]
    if bare:
        raise MisfitError(f"The parameter {bare[0]!r} of {method.name} has no type.")
    if method.decorator_list:
        raise MisfitError(f"{method.name} must have no decorator.")
    if not ast.get_docstring(method):
        raise MisfitError(f"{method.name} needs a docstring.")
    if not any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(method)):
        raise MisfitError(f"{method.name} returns nothing.")


def assembled(written: Written) -> str:
    """One module: every import once at the top, then the types, then the class with all its methods."""
    tree = _parsed(written.definition)
    pieces = [_parsed(piece) for piece in written.methods]
    imports = [ast.unparse(line) for line in _imports([tree, *pieces])]
    end = next(
        node.end_lineno or 0 for node in tree.body if isinstance(node, ast.ClassDef) and node.name == written.class_name
    )
    lines = written.definition.splitlines()
    hoisted = {
        number for node in tree.body if _is_import(node) for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    head = [line for number, line in enumerate(lines[:end], start=1) if number not in hoisted]
    tail = [line for number, line in enumerate(lines[end:], start=end + 1) if number not in hoisted]
    methods = [_in_class(text, piece) for text, piece in zip(written.methods, pieces, strict=True)]
    return "\n".join([*imports, "", *head, *(f"\n{method}" for method in methods), *tail]).strip("\n") + "\n"


def _in_class(text: str, piece: ast.Module) -> str:
    """The method with a margin; one with a text of several lines is written anew, so that the margin stays out of it."""
    method = next(node for node in piece.body if isinstance(node, ast.FunctionDef))
    inner = [node for line in method.body[1:] for node in ast.walk(line)]
    spread = any(isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno for node in inner)
    return textwrap.indent(ast.unparse(method) if spread else _text_of(text, method), "    ")


def _may_stand_loose(node: ast.stmt) -> bool:
    said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return said or isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.Assign | ast.AnnAssign)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _imports(trees: Iterable[ast.Module]) -> list[ast.stmt]:
    """Every import of the module level, once; a name that means two things is refused."""
    meant: dict[str, tuple[str, str]] = {}
    order: list[ast.stmt] = []
    for tree in trees:
        for node in tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias in node.names:
                origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                name, what = alias.asname or alias.name, (origin, alias.name)
                known = meant.setdefault(name, what)
                if known != what:
                    raise MisfitError(
                        f"`{name}` already means {known[0]}{known[1]} in the module; import {origin}{alias.name} by "
                        "another name."
                    )
                line = type(node)(**{**vars(node), "names": [alias]})
                if all(ast.unparse(line) != ast.unparse(other) for other in order):
                    order.append(line)
    future = [line for line in order if isinstance(line, ast.ImportFrom) and line.module == "__future__"]
    return [*future, *(line for line in order if line not in future)]


def _text_of(source: str, method: ast.FunctionDef) -> str:
    lines = source.splitlines()[method.lineno - 1 : method.end_lineno]
    margin = method.col_offset
    return "\n".join(line[margin:] if line[:margin].isspace() else line for line in lines)


def _parsed(source: str) -> ast.Module:
    try:
        return parsed_module(source)
    except (SyntaxError, ValueError) as error:
        raise MisfitError(f"It is no Python: {error}") from error


def _admit(source: str) -> None:
    try:
        admit(source, "The code")
    except SandboxError as error:
        raise MisfitError(str(error)) from error


def with_method(written: Written, name: str, piece: str) -> Written:
    """The class with a method in the place of the one of that name, or one more."""
    names = [_name_of(method) for method in written.methods]
    methods: Sequence[str] = written.methods
    if name in names:
        methods = [piece if known == name else method for known, method in zip(names, methods, strict=True)]
    else:
        methods = [*methods, piece]
    return Written(written.class_name, written.definition, tuple(methods))


def method_of(written: Written, name: str) -> str:
    """The text of a method."""
    return next(piece for piece in written.methods if _name_of(piece) == name)


def _name_of(piece: str) -> str:
    return next(node.name for node in _parsed(piece).body if isinstance(node, ast.FunctionDef))
