"""What an environment keeps and does, before any code: the first two steps of writing it as a class."""

from __future__ import annotations

import keyword
import re
from typing import Literal

from pydantic import BaseModel, Field

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.llm import Author, MisfitError, bullets

_MOST_TOOLS, _LONGEST_NAME = 22, 40
_FEWEST_OF_A_KIND = 3
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class PlannedAttribute(BaseModel):
    """One thing that is kept of a record."""

    name: str
    type: str = Field(description="A type of Python, such as str, int, list[str] or Optional[str].")
    about: str


class PlannedEntity(BaseModel):
    """One kind of record."""

    name: str = Field(description="CamelCase, singular.")
    container: str = Field(description="snake_case, plural: the attribute that maps ids to these records.")
    about: str
    attributes: list[PlannedAttribute] = Field(min_length=2)


class StateSpace(BaseModel):
    """What an environment keeps, and what must always hold."""

    entities: list[PlannedEntity] = Field(min_length=2, max_length=10)
    rules: list[str] = Field(min_length=3)

    @property
    def text(self) -> str:
        lines: list[str] = []
        for entity in self.entities:
            lines.append(f"{entity.name} (in `{entity.container}`): {entity.about}")
            lines += [f"  {attribute.name}: {attribute.type}  # {attribute.about}" for attribute in entity.attributes]
        return "\n".join([*lines, "", "Rules:", bullets(self.rules)])


class PlannedOperation(BaseModel):
    """One tool, in words."""

    name: str
    kind: Literal["query", "change"]
    about: str


class Operations(BaseModel):
    """The tools of an environment, in words."""

    operations: list[PlannedOperation]


async def infer_state(author: Author, topic: Topic) -> StateSpace:
    """The entities, attributes and rules of a topic."""

    def check(space: StateSpace) -> None:
        containers = [entity.container for entity in space.entities]
        odd = [name for name in containers if not _SNAKE.fullmatch(name) or keyword.iskeyword(name)]
        twice = {name for name in containers if containers.count(name) > 1}
        if odd or twice:
            raise MisfitError(f"Containers are plural snake_case, each another: {', '.join([*odd, *sorted(twice)])}.")

    return await author.ask("infer_state", StateSpace, check, topic=topic.text)


async def infer_operations(author: Author, topic: Topic, space: StateSpace) -> tuple[PlannedOperation, ...]:
    """The queries and changes of a topic."""

    def check(answer: Operations) -> None:
        wrong = list(_wrong_with(answer.operations, {entity.container for entity in space.entities}))
        if wrong:
            raise MisfitError(bullets(wrong))

    answer = await author.ask("infer_operations", Operations, check, topic=topic.text, state=space.text)
    return tuple(answer.operations)


def _wrong_with(operations: list[PlannedOperation], containers: set[str]) -> list[str]:
    names = [operation.name for operation in operations]
    wrong = [f"{name!r} is no snake_case name" for name in names if not _SNAKE.fullmatch(name)]
    wrong += [f"{name} is longer than {_LONGEST_NAME} characters" for name in names if len(name) > _LONGEST_NAME]
    wrong += [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    wrong += [f"{name} is already what a container is called" for name in names if name in containers]
    wrong += [f"{name} is a word of Python" for name in names if keyword.iskeyword(name)]
    if len(names) > _MOST_TOOLS:
        wrong.append(f"there are {len(names)} operations, and {_MOST_TOOLS} is the most")
    for kind in ("query", "change"):
        many = sum(operation.kind == kind for operation in operations)
        if many < _FEWEST_OF_A_KIND:
            wrong.append(f"there are {many} of kind {kind}, and {_FEWEST_OF_A_KIND} is the fewest")
    return wrong
