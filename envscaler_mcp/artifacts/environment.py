"""What is known about an environment without running its code."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from envscaler_mcp.artifacts.answers import ToolAnswers
from envscaler_mcp.artifacts.artifact import Artifact
from envscaler_mcp.artifacts.names import EnvironmentId, StateName
from envscaler_mcp.artifacts.tool import Tool


class Environment(Artifact):
    """The card of a server folder: enough to list, search and serve tools without importing anything."""

    MOST_BYTES: ClassVar[int] = 4 << 20
    """Programs that list environments read it; the largest that ships has 24 thousand bytes."""
    id: EnvironmentId
    title: str
    about: str
    sector: str
    version: str
    origin: Literal["compiled", "written", "published"]
    """Compiled code may run inside the host; written code only in a worker, and published code as well, where it does
    exactly what the published runtime would do with it."""
    class_name: str
    introduction: str
    """What an agent is told first: what this system is and who uses it."""
    rules: tuple[str, ...]
    """Sentences that always hold; a call that would break one is refused with it."""
    tools: tuple[Tool, ...]
    answers: ToolAnswers | None = Field(default=None, exclude_if=lambda answers: answers is None)
    """What the compiler knows of the answers and of the changes of its tools; nothing of code that it did not make."""
    states: tuple[StateName, ...]
    """Names of the start states beside the code."""
    code_digest: str
    blueprint_digest: str | None = None

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return next((tool for tool in self.tools if tool.name == name), None)
