"""Checks of published scenarios get the Python values that a published world has, which travel as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.serving import python_values
from envscaler_mcp.serving.python_values import holds_python_values

_VALUES = Path(python_values.__file__).read_text(encoding="utf-8")
"""The gate lets it through as it lets through any check."""


def reading_python(scenario: Scenario, *states: Mapping[str, Any]) -> Scenario:
    """The scenario with checks that find tuples, numbers as keys and the like where a published world has them."""
    if scenario.frame is not None or not any(holds_python_values(dict(state)) for state in states):
        return scenario
    checks = [
        one if one.engine != "worker" else one.model_copy(update={"check_func": _on_python_values(one.check_func)})
        for one in scenario.checks
    ]
    return scenario.model_copy(update={"checks": tuple(checks)})


def _on_python_values(source: str) -> str:
    try:
        admit_check(source)
    except SandboxError:
        return source
    return source + "\n\n" + _VALUES + _ON_PYTHON


_ON_PYTHON = """

initial_state = python_value_from_json(initial_state)
_check_on_python = check_func


def check_func(final_state):
    python = {name: python_value_from_json(value) for name, value in final_state.items()}
    try:
        return _check_on_python(python)
    finally:
        # By the published rule the next check sees what this one changed.
        final_state.clear()
        final_state.update({name: python_value_as_json(value) for name, value in python.items()})
"""
