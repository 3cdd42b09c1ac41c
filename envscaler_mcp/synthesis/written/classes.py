"""An environment as a class: the published way, one question for each operation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio

from envscaler_mcp.artifacts import Environment, Topic, digest_of
from envscaler_mcp.errors import BlueprintError, ungrouped
from envscaler_mcp.llm import Author, UnusableError, bullets
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.synthesis.written.code import Written, class_in, method_in, method_of, with_method
from envscaler_mcp.synthesis.written.logic import PlannedOperation, StateSpace, infer_operations, infer_state


@dataclass(frozen=True, slots=True)
class WrittenClass:
    """A class with everything that was decided before it was written."""

    topic: Topic
    space: StateSpace
    operations: tuple[PlannedOperation, ...]
    written: Written
    dropped: tuple[str, ...]
    """Operations of which no usable method came, and why."""

    @property
    def rules(self) -> str:
        return bullets(self.space.rules)


async def write_class(author: Author, topic: Topic, progress: Callable[[str], None] = lambda _: None) -> WrittenClass:
    """State space, operations, class, and each operation's method; one that cannot be written is left out and told."""
    space = await infer_state(author, topic)
    progress("state space")
    operations = await infer_operations(author, topic, space)
    progress("operations")
    class_name = "".join(word.capitalize() for word in topic.id.split("_"))
    definition = await author.ask_for(
        "write_class",
        functools.partial(class_in, class_name=class_name),
        topic=topic.text,
        state=space.text,
        class_name=class_name,
    )
    progress("class")
    pieces: dict[str, str] = {}
    dropped: dict[str, str] = {}

    async def write(operation: PlannedOperation) -> None:
        try:
            pieces[operation.name] = await _method(author, operation, definition, class_name, space, operations)
        except UnusableError as error:
            dropped[operation.name] = str(error)
        progress(operation.name)

    with ungrouped():
        async with anyio.create_task_group() as group:
            for operation in operations:
                group.start_soon(write, operation)
    if not pieces:
        raise BlueprintError(f"{topic.id}: no operation could be written; {next(iter(dropped.values()))}")
    ordered = tuple(pieces[operation.name] for operation in operations if operation.name in pieces)
    left_out = tuple(
        f"{operation.name}: {dropped[operation.name]}" for operation in operations if operation.name in dropped
    )
    return WrittenClass(topic, space, operations, Written(class_name, definition, ordered), left_out)


async def _method(
    author: Author,
    operation: PlannedOperation,
    definition: str,
    class_name: str,
    space: StateSpace,
    operations: Sequence[PlannedOperation],
) -> str:
    read = functools.partial(method_in, name=operation.name, definition=definition, class_name=class_name)
    return await author.ask_for(
        "write_method",
        read,
        definition=definition,
        rules=bullets(space.rules),
        operations=", ".join(other.name for other in operations),
        name=operation.name,
        kind=f"a {operation.kind}",
        about=operation.about,
    )


async def repair_method(author: Author, made: WrittenClass, name: str, findings: Sequence[str]) -> WrittenClass:
    """The class with one method written anew, by what was found when it was tried."""
    written = made.written
    piece = await author.ask_for(
        "repair_method",
        functools.partial(method_in, name=name, definition=written.definition, class_name=written.class_name),
        definition=written.definition,
        rules=made.rules,
        method=method_of(written, name),
        findings=bullets(findings),
        name=name,
    )
    return WrittenClass(made.topic, made.space, made.operations, with_method(written, name, piece), made.dropped)


def card_of(author: Author, made: WrittenClass, states: tuple[str, ...]) -> Environment:
    """The card of a class that a model wrote."""
    source, topic = made.written.source, made.topic
    containers = ", ".join(entity.container.replace("_", " ") for entity in made.space.entities)
    return Environment(
        provenance=author.provenance("write_class", {"topic": topic}),
        id=topic.id,
        title=topic.title,
        about=" ".join(topic.introduction.split()),
        sector="written",
        version="1",
        origin="written",
        class_name=made.written.class_name,
        introduction=f"{topic.title}. {' '.join(topic.introduction.split())} It keeps {containers}.",
        rules=tuple(made.space.rules),
        tools=tool_table(source, made.written.class_name),
        states=states,
        code_digest=digest_of(source),
    )
