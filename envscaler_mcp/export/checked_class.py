"""The class that others run in the place of ours: it refuses what our servers refuse before a tool is called.

The published runtime hands arguments on unchecked and sets the state field by field, so a class of ours needs both from
itself. The checks are the text of the modules that check here, so that the two cannot come apart.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path
from pprint import pformat

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.serving import formats, suggestion, validation
from envscaler_mcp.serving.code import COMPILED_ITEMS
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.tools import environment_class

_CHECKS = '''

def _argument_checks():
    """Makes the check of a tool's arguments from its schema; nothing in here can be mistaken for a name of the class."""
{modules}
    return compile_arguments


_ARGUMENTS = {{
    name: _argument_checks()(schema, {most})
    for name, schema in {schemas}.items()
}}


class {name}Env({name}):
    """The same for a runtime that checks no arguments and sets the state field by field once the constructor has read it."""
{settling}'''
_SETTLING = '''
    def _settle_containers(self) -> None:
        """Records are found by indexes, which are made anew where a container was replaced."""
        containers = [{containers}]
        if len(self._settled) != len(containers) or any(
            one is not other for one, other in zip(self._settled, containers)
        ):
            super().__init__({{{state}}})
            self._settled = [{containers}]

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        self._settled: list[Any] = []
        super().__init__(init_config)
        self._settled = [{containers}]
'''
_METHOD = """
    def {name}({arguments}) -> {returns}:
        {doc}
{settle}        wrong = _ARGUMENTS[{quoted}]({{{given}}})
        if wrong is not None:
            return {{"success": False, "error": wrong}}
        return super().{name}({passed})
"""


def checked_class(card: Environment, source: str) -> str:
    """What is put after the source: the class of the same name with `Env` behind it."""
    cls = environment_class(parsed_module(source), card.class_name)
    methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
    compiled = card.origin == "compiled"
    most = COMPILED_ITEMS if compiled else validation.MAX_ITEMS
    schemas = pformat({tool.name: tool.input_schema for tool in card.tools}, width=110, sort_dicts=False)
    head = _CHECKS.format(
        modules=textwrap.indent(_modules(), "    "),
        most=most,
        schemas=textwrap.indent(schemas, "    ").strip(),
        name=card.class_name,
        settling=_settling(methods["__init__"]) if compiled else "",
    )
    return head + "".join(_method(tool, methods[tool.name], compiled) for tool in card.tools)


def _settling(init: ast.FunctionDef) -> str:
    attributes = dict(_public_attributes(init))
    return _SETTLING.format(
        containers=", ".join(f"self.{name}" for name, is_container in attributes.items() if is_container),
        state=", ".join(f"{name!r}: self.{name}" for name in attributes),
    )


def _public_attributes(init: ast.FunctionDef) -> Iterator[tuple[str, bool]]:
    """What the constructor makes of the configuration, and whether it holds records."""
    for node in init.body:
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.AnnAssign) and isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
            yield target.attr, ast.unparse(node.annotation).startswith("dict[")


def _method(tool: Tool, method: ast.FunctionDef, compiled: bool) -> str:
    names = [argument.arg for argument in (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)][1:]
    return _METHOD.format(
        name=tool.name,
        quoted=repr(tool.name),
        arguments=ast.unparse(method.args),
        returns=ast.unparse(method.returns) if method.returns is not None else "dict",
        doc=repr(ast.get_docstring(method) or tool.description),
        settle="        self._settle_containers()\n" if compiled else "",
        given=", ".join(f"{name!r}: {name}" for name in names),
        passed=", ".join(f"{name}={name}" for name in names),
    )


def _modules() -> str:
    """The checking modules as one text, without what they take from this package."""
    texts = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (formats, validation)]
    quoting = _function(Path(str(suggestion.__file__)).read_text(encoding="utf-8"), "quote_value")
    lines = ["WorldError = ValueError", _NO_SUGGESTION, quoting]
    return "\n\n".join([*lines, *(_without_own_imports(text) for text in texts)])


_NO_SUGGESTION = "def did_you_mean(word, known):\n    return '.'"
"""What may have been meant is found with a module that generated code may not import."""


def _function(text: str, name: str) -> str:
    function = next(
        node for node in parsed_module(text).body if isinstance(node, ast.FunctionDef) and node.name == name
    )
    return ast.unparse(function)


def _without_own_imports(text: str) -> str:
    module = parsed_module(text)
    nodes = [
        node
        for node in module.body[1:]
        if not (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] in ("envscaler_mcp", "__future__")
        )
        and not isinstance(node, ast.Expr)
    ]
    return "\n".join(ast.unparse(node) for node in nodes)
