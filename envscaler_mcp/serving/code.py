"""An environment's code: its card, its source, its tools, and how the class in it is made."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType, MappingProxyType, ModuleType
from typing import Any, Literal

from envscaler_mcp.artifacts import Environment, Tool, digest_of
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.deadline import leave_to_worker
from envscaler_mcp.serving.determinism import Sources
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.replaced_modules import builtins_with, replaced_modules
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.serving.validation import MAX_ITEMS, Check, compile_arguments

MOST_SOURCE = 2 << 20
"""Bytes of a source that are read at all; the gate lets fewer through."""
CARD = "environment.json"
SOURCE = "environment.py"
COMPILED_ITEMS = 20
"""How long a list argument of a compiled environment may be where its schema does not say."""


Trust = Literal["unread", "compiled", "shipped"]
"""What this installation knows of a source: nothing; that its own compiler makes it of the blueprint beside it; that the
blueprint is one of the library, too. A folder cannot say it of itself: see the room `trust`."""


@dataclass(frozen=True, slots=True)
class CallableTool:
    """A tool and the check of its arguments."""

    tool: Tool
    check: Check
    nested: bool
    """Whether an argument may be a list or an object, which the world must not share with the caller."""


@dataclass(frozen=True, slots=True)
class EnvironmentCode:
    """What every world of one environment shares."""

    environment: Environment
    source: str = field(repr=False)
    tools: Mapping[str, CallableTool] = field(repr=False)
    genuine: bool
    """Whether the source is the one that the card was made for."""
    trust: Trust = "unread"
    admitted: bool = False
    """Whether the gate has let this source through already, in another process."""

    @classmethod
    def of(cls, environment: Environment, source: str, trust: Trust = "unread") -> EnvironmentCode:
        """Card and source together; a source that was changed gets the tools it really has."""
        genuine = digest_of(source) == environment.code_digest
        if not genuine and environment.origin != "published":
            table = tool_table(source, environment.class_name)
            environment = environment.model_copy(update={"tools": table, "answers": None})
        return cls(environment, source, callable_tools(environment), genuine, trust)

    @property
    def trusted(self) -> bool:
        """Whether the code is the compiler's own and may run inside this process."""
        return self.trust != "unread"

    @property
    def journaled(self) -> bool:
        """Whether the class says that it keeps a journal of its changes, as compiled ones do."""
        return self.genuine and self.environment.origin == "compiled"

    @property
    def published(self) -> bool:
        """Whether its worlds do exactly what the published runtime does."""
        return self.environment.origin == "published"


def callable_tools(environment: Environment) -> Mapping[str, CallableTool]:
    """The tools of a card, by name, with the checks of their arguments."""
    limit = COMPILED_ITEMS if environment.origin == "compiled" else MAX_ITEMS
    # Published tools are offered with the schemas that they were published with, which nothing there enforces.
    made = _unchecked_tool if environment.origin == "published" else partial(_callable_tool, limit=limit)
    return MappingProxyType({tool.name: made(tool) for tool in environment.tools})


def _callable_tool(tool: Tool, limit: int) -> CallableTool:
    check = compile_arguments(tool.input_schema, limit)
    nested = any(not _is_flat(schema) for schema in tool.input_schema.get("properties", {}).values())
    return CallableTool(tool, check, nested)


def _unchecked_tool(tool: Tool) -> CallableTool:
    return CallableTool(tool, lambda _arguments: None, nested=True)


def _is_flat(schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return all(_is_flat(option) for option in schema["anyOf"])
    return schema.get("type") in ("string", "integer", "number", "boolean", "null")


def load_folder(
    folder: Path, most_card: int = Environment.MOST_BYTES, most_source: int = MOST_SOURCE
) -> tuple[Environment, str]:
    """The card and the source in a server folder; the bounds are bytes."""
    card = read_member_text(folder, CARD, most_card)
    return Environment.from_text(card, str(folder / CARD)), read_member_text(folder, SOURCE, most_source)


def read_code(folder: Path, vouched: str = "") -> EnvironmentCode:
    """The code of a server folder, unread unless its digest is the one that the caller vouches for."""
    environment, source = load_folder(folder)
    known = vouched != "" and vouched == digest_of(source)
    return EnvironmentCode.of(environment, source, "compiled" if known else "unread")


def load_class(source: str, class_name: str, sources: Sources | None = None) -> type:
    """The environment class. This executes the source: only for code that is trusted, or inside a worker.

    Without sources, the class is made once per process and shared. With them, it is made anew, in a module of its own
    that sees the world's time and chance, so that nothing a module holds leaks into another world.
    """
    if sources is None:
        return _shared_class(source, class_name)
    return _make_class(source, class_name, (_guard or builtins_with)(replaced_modules(sources)))


Builtins = Callable[[Mapping[str, ModuleType]], dict[str, Any]]
"""What environment code sees as Python's builtins, made from the modules that are replaced."""

Rewriting = Callable[[ast.Module], ast.Module]
_making = threading.Lock()
_guard: Builtins | None = None
_rewriting: Rewriting | None = None


def guard_with(guard: Builtins, rewriting: Rewriting) -> None:
    """Every class made in this process from here on gets these builtins, and its source is rewritten before it is compiled.

    For a worker, before it loads anything.
    """
    global _guard, _rewriting
    _guard, _rewriting = guard, rewriting
    leave_to_worker()


@lru_cache(maxsize=512)
def _shared_class(source: str, class_name: str) -> type:
    return _make_class(source, class_name, _guard({}) if _guard is not None else None)


@lru_cache(maxsize=512)
def _compiled(source: str) -> CodeType:
    module = parsed_module(source)
    return compile(module if _rewriting is None else _rewriting(module), "environment.py", "exec", dont_inherit=True)


def _make_class(source: str, class_name: str, builtins: Mapping[str, Any] | None) -> type:
    name = "environment_" + digest_of(source).removeprefix("sha256:")[:16]
    module = ModuleType(name)
    if builtins is not None:
        vars(module)["__builtins__"] = builtins
    # A dataclass looks its own module up while it is being made. Another thread may make the same one.
    with _making:
        sys.modules[name] = module
        try:
            exec(_compiled(source), vars(module))  # noqa: S102
        except KeyboardInterrupt:
            raise
        except BaseException as cause:
            raise WorldError(f"The environment's source cannot be run: {type(cause).__name__}: {cause}") from cause
        finally:
            del sys.modules[name]
    made = vars(module).get(class_name)
    if not isinstance(made, type):
        raise WorldError(f"The environment's source makes no class {class_name!r}.")
    return made
