"""What an environment says of itself."""

from __future__ import annotations

from envscaler_mcp.artifacts import Environment


def described(environment: Environment) -> str:
    """The words of an environment's card: what it is about, its rules and its tools."""
    tools = " ".join(f"{tool.name} {tool.description}" for tool in environment.tools)
    title = f"{environment.title} {environment.id}"
    return f"{title} {title} {environment.about} {environment.about} {' '.join(environment.rules)} {tools}"
