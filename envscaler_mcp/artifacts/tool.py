"""One tool of an environment, as a client sees it."""

from __future__ import annotations

from typing import Any, Literal

from envscaler_mcp.artifacts.artifact import Part


class Tool(Part):
    """A method of the environment class that an agent may call."""

    name: str
    description: str
    effect: Literal["reads", "writes"]
    """Whether a call may change the state; the quality stage proves it."""
    input_schema: dict[str, Any]
    """JSON Schema of the arguments; unknown ones are refused."""

    @property
    def function(self) -> dict[str, Any]:
        """The tool as chat endpoints are told of it."""
        definition = {"name": self.name, "description": self.description, "parameters": self.input_schema}
        return {"type": "function", "function": definition}
