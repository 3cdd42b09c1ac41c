"""Checks of published scenarios get the Python values that a published world has, which travel as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from envscaler_mcp.sandbox.execution import compiled_check
from envscaler_mcp.serving import python_values
from envscaler_mcp.serving.code import Rewriting

_SOURCE = Path(python_values.__file__).read_text(encoding="utf-8")


@lru_cache(maxsize=4)
def _compiled(rewriting: Rewriting | None) -> CodeType:
    return compiled_check(_SOURCE, rewriting)


class PythonValues:
    """States read and written as Python values, with the modules that the check finds and no name of the check's."""

    def __init__(self, builtins: Mapping[str, Any], rewriting: Rewriting | None) -> None:
        module = ModuleType("python_values")
        vars(module)["__builtins__"] = builtins
        exec(_compiled(rewriting), vars(module))
        self._read = vars(module)["python_value_from_json"]
        self._written = vars(module)["python_value_as_json"]

    def read(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that the state of a published world stands for."""
        return {name: self._read(value) for name, value in state.items()}

    def written(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The state that stands for attributes; TypeError names what cannot be told."""
        return {name: self._written(value) for name, value in attributes.items()}
