"""Threads of tasks in environments whose class is not compiled: changes with the reads that make them possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from envscaler_mcp.artifacts import Call, StateDiff
from envscaler_mcp.scenarios.replay import added_ids, with_new_ids
from envscaler_mcp.scenarios.routes import ReadRoute
from envscaler_mcp.scenarios.shapes import Shapes, shown_in
from envscaler_mcp.scenarios.trying import Chain, TriedChange
from envscaler_mcp.serving.world import World


@dataclass(slots=True)
class WrittenThread:
    """A chain of changes with the reads that make it possible."""

    chain: Chain
    calls: list[Call]
    routes: dict[str, ReadRoute]
    written: set[str]
    named: set[str]

    @property
    def changes(self) -> int:
        return len(self.chain.steps)


def together(world: World, threads: Sequence[WrittenThread]) -> list[WrittenThread]:
    """The threads as they are one after the other, where new records get other ids than in each thread alone."""
    mark = world.snapshot()
    renamed: list[WrittenThread] = []
    try:
        for thread, part in zip(threads, list(_parts(threads)), strict=True):
            names: dict[str, str] = {}
            created = {str(step.call): step.created for step in thread.chain.steps}
            calls: list[Call] = []
            for call in part:
                real = Call(tool=call.tool, arguments=with_new_ids(call.arguments, names))
                made = added_ids(world, world.call(real.tool, real.arguments))
                names.update(zip(created.get(str(call), ()), made, strict=False))
                calls.append(real)
            renamed.append(_renamed(thread, calls, names))
    finally:
        world.restore(mark)
    return renamed


def _renamed(thread: WrittenThread, calls: list[Call], names: dict[str, str]) -> WrittenThread:
    steps = [
        TriedChange(
            Call(tool=step.call.tool, arguments=with_new_ids(step.call.arguments, names)),
            tuple(names.get(key, key) for key in step.created),
        )
        for step in thread.chain.steps
    ]
    diff = thread.chain.diff
    created = {
        container: {names.get(key, key): record for key, record in records.items()}
        for container, records in diff.created.items()
    }
    return replace(thread, chain=Chain(steps, diff.model_copy(update={"created": created})), calls=calls)


def joined_calls(threads: Sequence[WrittenThread]) -> list[Call]:
    """The calls of all threads; what was read already is not read again."""
    return [call for part in _parts(threads) for call in part]


def _parts(threads: Sequence[WrittenThread]) -> Iterator[list[Call]]:
    seen: list[Call] = []
    for thread in threads:
        changes = thread.chain.calls
        part = [call for call in thread.calls if call in changes or call not in seen]
        seen += part
        yield part


def places(threads: Sequence[WrittenThread]) -> Iterator[tuple[int, ...]]:
    """Where each thread's calls stand in the oracle."""
    start = 0
    for part in _parts(threads):
        yield tuple(range(start, start + len(part)))
        start += len(part)


def distinct(calls: Iterator[Call]) -> list[Call]:
    """The calls, each once."""
    different: list[Call] = []
    for call in calls:
        if call not in different:
            different.append(call)
    return different


def only_ones(thread: WrittenThread, shapes: Shapes, call: Call) -> dict[str, str]:
    """Records of a call that cannot be taken for another one of the thread when they are mentioned again."""
    homes = Counter(shapes.home[key] for key in thread.named if key in shapes.home)
    homes.update(container for container, records in thread.chain.diff.created.items() for _ in records)
    return {key: shapes.home[key] for key in shapes.ids_in(call.arguments) if homes[shapes.home[key]] == 1}


def also_fits(threads: Sequence[WrittenThread], shapes: Shapes, diff: StateDiff) -> bool:
    """Whether the words for a record fit another one as well once all is done."""
    for key in {key for thread in threads for key in thread.routes}:
        home = shapes.home[key]
        parts = shapes.description(home, key)
        changed = diff.changed.get(home, {})
        after = {
            other: {**record, **{name: pair[1] for name, pair in changed.get(other, {}).items()}}
            for other, record in shapes.containers[home].items()
        }
        for other, record in {**after, **diff.created.get(home, {})}.items():
            if parts and other != key and all(record.get(field) == value for field, value in parts):
                return True
    return False


def texts_in(call: Call) -> set[str]:
    """Everything that a call names."""
    return shown_in(call.arguments)
