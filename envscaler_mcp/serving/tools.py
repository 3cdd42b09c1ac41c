"""The tools of an environment, read from its source and never by running it.

A tool is a public method written in the class itself. Its signature becomes the argument schema, its docstring the
words, and whether it may change the state its annotation.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.effects import changes
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.signature import Annotations, input_schema

_HIDDEN = frozenset({"staticmethod", "classmethod", "property", "cached_property", "abstractmethod", "overload"})
_PARAMETER = re.compile(r"\*{0,2}(?P<name>\w+)\s*(?:\((?P<type>[^()]*+(?:\([^()]*+\)[^()]*+)*+)\))?\s*:\s*(?P<text>.*)")
_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns|Return|Yields|Raises|Constraints|Notes?|Examples?):\s*$")


def tool_table(source: str, class_name: str | None = None) -> tuple[Tool, ...]:
    """Every tool of the module's one public class, in the order in which they are written."""
    module = parse(source)
    node = environment_class(module, class_name)
    types = Annotations(module)
    methods = {line.name: line for line in node.body if isinstance(line, ast.FunctionDef)}
    declared = _declared_changes(module)
    return tuple(
        Tool(
            name=method.name,
            description=description_of(method),
            effect="writes" if _writes(method.name, declared, methods) else "reads",
            input_schema=input_schema(method, types, argument_notes(ast.get_docstring(method) or "")),
        )
        for method in methods.values()
        if _is_tool(method)
    )


def parse(source: str) -> ast.Module:
    """The module's syntax tree."""
    try:
        return parsed_module(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        raise WorldError(f"The environment's source is not Python: {cause}") from cause


def environment_class(module: ast.Module, class_name: str | None = None) -> ast.ClassDef:
    """The class of that name, or the only public class that does more than describe data."""
    types = Annotations(module)
    classes = [line for line in module.body if isinstance(line, ast.ClassDef)]
    if class_name is not None:
        matching = [node for node in classes if node.name == class_name]
    else:
        matching = [
            node
            for node in classes
            if not node.name.startswith("_")
            and not types.is_typed_dict(node)
            and any(isinstance(line, ast.FunctionDef) and line.name == "__init__" for line in node.body)
        ]
    if len(matching) != 1:
        wanted = f"class {class_name!r}" if class_name else "public class with an __init__"
        raise WorldError(f"The environment's source must hold exactly one {wanted}; it holds {len(matching)}.")
    return matching[0]


def description_of(method: ast.FunctionDef) -> str:
    """The first paragraph of the docstring, or the name in words."""
    lines: list[str] = []
    for line in (ast.get_docstring(method) or "").splitlines():
        if (lines and not line.strip()) or _SECTION.match(line):
            break
        if line.strip():
            lines.append(line.strip())
    return " ".join(lines) or f"{method.name.replace('_', ' ').capitalize()}."


def argument_notes(docstring: str) -> dict[str, str]:
    """What a Google docstring says about each argument."""
    notes: dict[str, str] = {}
    name = ""
    margin: int | None = None
    for line in _argument_lines(docstring):
        indent = len(line) - len(line.lstrip())
        margin = indent if margin is None else margin
        parameter = _PARAMETER.fullmatch(line.strip())
        if indent <= margin and parameter is not None:
            name = parameter["name"]
            notes[name] = parameter["text"].strip()
        elif name:
            notes[name] = f"{notes[name]} {line.strip()}".strip()
    return {name: text for name, text in notes.items() if text}


def _argument_lines(docstring: str) -> Iterator[str]:
    inside = False
    for line in inspect.cleandoc(docstring).splitlines():
        if _SECTION.match(line):
            inside = line.startswith(("Args", "Arguments", "Parameters"))
        elif inside and line.strip():
            if not line.startswith(" "):
                return
            yield line


def _is_tool(method: ast.FunctionDef) -> bool:
    decorators = {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in method.decorator_list
    }
    return not method.name.startswith("_") and bool(method.args.args) and not decorators & _HIDDEN


def _declared_changes(module: ast.Module) -> frozenset[str] | None:
    for line in module.body:
        if isinstance(line, (ast.Assign, ast.AnnAssign)) and line.value is not None:
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            if any(isinstance(target, ast.Name) and target.id == "CHANGES" for target in targets):
                try:
                    return frozenset(ast.literal_eval(line.value))
                except (ValueError, TypeError):
                    return None
    return None


def _writes(name: str, declared: frozenset[str] | None, methods: Mapping[str, ast.FunctionDef]) -> bool:
    return changes(name, methods) if declared is None else name in declared
