"""Start states of a class that a model wrote: believable records that refer to each other."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import State
from envscaler_mcp.errors import EnvScalerError, ungrouped
from envscaler_mcp.llm import Author, MisfitError, bullets, json_in
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.determinism import DEFAULT_NOW
from envscaler_mcp.synthesis.written.classes import WrittenClass, card_of
from envscaler_mcp.synthesis.written.logic import StateSpace

_FEWEST = 2
"""How many records a container holds at least."""
_TOLD = 12


async def write_states(author: Author, made: WrittenClass, names: Mapping[str, int]) -> list[State]:
    """A start state for each name, with the seed of its world."""
    states: dict[str, State] = {}

    async def write(name: str, seed: int, number: int) -> None:
        read: Callable[[str], Awaitable[dict[str, Any]]] = partial(_read, author, made, seed)
        content: dict[str, Any] = await author.ask_for(
            "write_state",
            read,
            draw=number,
            definition=made.written.definition,
            rules=made.rules,
            now=DEFAULT_NOW[:10],
            number=str(number + 1),
        )
        states[name] = State(
            provenance=author.provenance("write_state", {"topic": made.topic}).model_copy(update={"seed": seed}),
            environment=made.topic.id,
            name=name,
            seed=seed,
            content=content,
        )

    with ungrouped():
        async with anyio.create_task_group() as group:
            for number, (name, seed) in enumerate(names.items()):
                group.start_soon(write, name, seed, number)
    return [states[name] for name in names]


async def _read(author: Author, made: WrittenClass, seed: int, answer: str) -> dict[str, Any]:
    content = json_in(answer)
    wrong = list(_wrong_with(content, made.space))
    if wrong:
        raise MisfitError(bullets(wrong[:_TOLD]))
    return await anyio.to_thread.run_sync(_opened, author, made, content, seed)


def _opened(author: Author, made: WrittenClass, content: dict[str, Any], seed: int) -> dict[str, Any]:
    """The state as the class itself has it once it is opened with it."""
    code = EnvironmentCode.of(card_of(author, made, ()), made.written.source)
    try:
        with closing(open_isolated(code, content, seed)) as world:
            state = world.state()
    except EnvScalerError as error:
        raise MisfitError(f"The class cannot be opened with it: {error}") from error
    lost = [name for name, records in content.items() if state.get(name) != records]
    if lost:
        raise MisfitError(f"The class does not keep `{lost[0]}` as it is given.")
    return state


def _wrong_with(content: Any, space: StateSpace) -> Iterator[str]:
    if not isinstance(content, dict):
        yield "It is no JSON object."
        return
    containers = {entity.container: entity for entity in space.entities}
    yield from (f"There is no container {name!r} in the class." for name in content if name not in containers)
    ids = {key for records in content.values() if isinstance(records, dict) for key in records}
    for name, entity in containers.items():
        records = content.get(name)
        if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
            yield f"`{name}` must map ids to records."
            continue
        if len(records) < _FEWEST:
            yield f"`{name}` holds {len(records)} records; {_FEWEST} is the fewest."
        wanted = {attribute.name for attribute in entity.attributes}
        for key, record in records.items():
            if wanted - record.keys():
                yield f"{name} {key} lacks {', '.join(sorted(wanted - record.keys()))}."
            for field, value in record.items():
                if field.endswith("_id") and isinstance(value, str) and value and value not in ids:
                    yield f"{name} {key} names {field} {json.dumps(value)}, which nothing has."
