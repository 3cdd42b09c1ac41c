"""A line of work of which an environment can be made."""

from __future__ import annotations

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact


class Topic(Artifact):
    """What an environment shall be about."""

    id: str = Field(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length=40)
    title: str = Field(min_length=3, max_length=60)
    introduction: str = Field(min_length=20)
    usefulness: int = Field(ge=1, le=10)
    """How many people would need it, and how rich its tasks would be."""
    modelability: int = Field(ge=1, le=10)
    """How well it can be a world of its own, with nothing but records and rules."""
    tasks: tuple[str, ...] = ()
    """Raw tasks that are about it."""

    @property
    def text(self) -> str:
        """The topic as a model is told of it."""
        tasks = "\n".join(f"* {' '.join(task.split())}" for task in self.tasks)
        asked = f"\n\nPeople ask there, for example:\n{tasks}" if tasks else ""
        return f"{self.title} (id: {self.id})\n\n{self.introduction}{asked}"
