"""What is known about an environment without running its code."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from envscaler_mcp.artifacts.artifact import Artifact
from envscaler_mcp.artifacts.names import EnvironmentId, StateName
from envscaler_mcp.artifacts.tool import Tool
from envscaler_mcp.errors import ArtifactError

MAX_CARD = 4 << 20
"""Bytes; the largest that ships has 24 thousand."""


class Environment(Artifact):
    """The card of a server folder: enough to list, search and serve tools without importing anything."""

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
    states: tuple[StateName, ...]
    """Names of the start states beside the code."""
    code_digest: str
    blueprint_digest: str | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """The card in a file of bounded size: programs that list environments read it."""
        try:
            size = path.stat().st_size
        except OSError as cause:
            raise ArtifactError(f"{path} cannot be read: {cause}") from cause
        if size > MAX_CARD:
            raise ArtifactError(f"{path} has {size} bytes; a card has at most {MAX_CARD}.")
        return super().read(path)

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return next((tool for tool in self.tools if tool.name == name), None)
