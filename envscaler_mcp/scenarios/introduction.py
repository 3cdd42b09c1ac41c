"""What an agent is told of a world before its task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.scenarios.phrases import heading
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.server_info import instructions, introduction_text, rules_text


def introduction_of(environment: Environment) -> str:
    """What an agent is told of a world first: what it is, and its rules."""
    if environment.origin == "published":
        return instructions(environment)
    return f"{introduction_text(environment)}\n{rules_text(environment)}"


def introduction_at(environment: Environment, initial: Mapping[str, Any], task: str) -> str:
    """The same with the hour of its world, and its day unless the task says it; a published introduction stays as it is."""
    now, introduction = initial.get("now"), introduction_of(environment)
    if environment.origin == "published" or not isinstance(now, str) or not is_minute(now):
        return introduction
    day, hour = heading(now), now[11:]
    return f"{introduction}\nIt is {hour if day in task else f'{day}, {hour}'}.\n"
