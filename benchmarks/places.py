"""Environments as they ship, calls that are done in them, and the same worlds with many more records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.language.model import Model
from envscaler_mcp.launch.opening import start_state
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sampling.arguments import Arguments, RecordPool
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios import examples
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, World, open_world
from envscaler_mcp.trust import load_code

ROOT = Path(__file__).resolve().parent.parent
SERVERS = ROOT / "generated_servers"
ROOM = 1_000


@dataclass(frozen=True, slots=True)
class Job:
    """One call that is done where its place begins, after others where it must be."""

    tool: str
    arguments: dict[str, Any]
    first: tuple[tuple[str, dict[str, Any]], ...]
    writes: bool
    """Whether it changes something here; a tool that may may also leave all as it was."""

    def prepare(self, world: World) -> None:
        """Let the world be as this call needs it."""
        for tool, arguments in self.first:
            world.call(tool, arguments)

    def on(self, world: World) -> None:
        """Make the call, which must be done."""
        outcome = world.call(self.tool, self.arguments)
        if outcome.kind != "done":
            raise AssertionError(f"{world.environment.id} {self.tool}: {outcome.text}")


class Place:
    """One environment with its start state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code: EnvironmentCode = load_code(folder)
        start = start_state(folder, self.code)
        self.content: dict[str, Any] = start.content
        self.seed = start.seed

    @cached_property
    def model(self) -> Model:
        model = check_blueprint(read_blueprint(self.folder / "blueprint.yaml")).model
        assert model is not None
        return model

    def open(self, content: Mapping[str, Any] | None = None) -> LocalWorld:
        return open_world(self.code, self.content if content is None else content, self.seed)

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """A call of every tool."""
        found = examples(self.model, self.code.environment, self.open())
        jobs = [Job(name, one.arguments, one.first, writes=False) for name, one in found.items()]
        return tuple(replace(job, writes=self._changes(job)) for job in jobs)

    def _changes(self, job: Job) -> bool:
        world = self.open()
        job.prepare(world)
        job.on(world)
        return not world.diff().empty

    @cached_property
    def changes(self) -> tuple[Job, ...]:
        """A call of every change; one that is refused where no other was met. A change without arguments to draw has none."""
        done = {job.tool: job for job in self.jobs}
        calls = (done.get(name) or self._refused(name) for name in self.model.operations)
        return tuple(job for job in calls if job is not None)

    def _refused(self, tool: str) -> Job | None:
        """Some call of a change of which no call was done."""
        operation = Arguments(self.model.operations[tool], self.model)
        try:
            arguments = operation.draw(RecordPool(self.open().state()), Chance(0, tool))
        except GrowthError:
            # A text that only the author could choose, and nothing was said.
            return None
        return None if arguments is None else Job(tool, arguments, (), writes=False)

    @property
    def lookup(self) -> Job | None:
        """Looking up one record by its id, where there is such a tool."""
        return next((job for job in self.jobs if job.tool.startswith("get_")), None)

    @property
    def change(self) -> Job:
        """The first change that needs no preparation."""
        return next(job for job in self.jobs if job.writes and not job.first)

    @property
    def size(self) -> int:
        """How many records the start state has."""
        return sum(len(records) for records in self._containers(self.content).values())

    def widened(self, records: int) -> dict[str, Any]:
        """A state of at least so many records: the start state again and again, side by side.

        Nothing in one copy refers to another, so each obeys the rules as the original does, but for rules about all
        records at once; `widens` tells where there are none. New records get the same ids as in the start state: behind
        each copy is room for them.
        """
        containers = self._containers(self.content)
        copies = -(-records // max(1, self.size))
        width = ROOM + max(int(key.rpartition("-")[2]) for rows in containers.values() for key in rows)
        known = {key for rows in containers.values() for key in rows}
        wide: dict[str, Any] = {**self.content, **{name: dict(rows) for name, rows in containers.items()}}
        for copy in range(1, copies):
            moved = {key: _moved(key, copy * width) for key in known}
            for name, rows in containers.items():
                wide[name].update(_copies(rows, moved, self._names[name], copy))
        return wide

    @cached_property
    def widens(self) -> bool:
        """Whether several copies of the start state obey the rules side by side."""
        return Interpreter(self.model, self.widened(3 * self.size)).check_state() == []

    def _containers(self, content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return {entity.container: content[entity.container] for entity in self.model.entities.values()}

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """What records are told apart by, which so must differ from copy to copy."""
        return {
            entity.container: {
                one.key for one in entity.stored if (one.unique or one.name == entity.label) and one.type.kind == "text"
            }
            for entity in self.model.entities.values()
        }


def _moved(key: str, by: int) -> str:
    prefix, _, number = key.rpartition("-")
    return f"{prefix}-{int(number) + by:05d}"


def _copies(
    rows: Mapping[str, dict[str, Any]], moved: Mapping[str, str], names: set[str], copy: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, record in rows.items():
        twin = {field: _renamed(value, moved) for field, value in record.items()}
        for field in names:
            twin[field] = f"{twin[field]} {copy}" if isinstance(twin[field], str) else twin[field]
        yield moved[key], twin


def _renamed(value: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return moved.get(value, value)
    if isinstance(value, list):
        return [_renamed(one, moved) for one in value]
    return value


_LOOKED_AT = 24


@lru_cache(maxsize=64)
def place(name: str) -> Place:
    """One environment by its id."""
    return Place(SERVERS / name)


def places(number: int) -> list[Place]:
    """So many of the environments that ship, from all over the list; those that can look up a single record first."""
    entries = read_registry(ROOT / "registry.json").entries
    lookers = [entry.id for entry in entries if any(name.startswith("get_") for name in entry.tools)]
    others = [entry.id for entry in entries if entry.id not in lookers]
    chosen = [name for names in (lookers, others) for name in _spread(names, number)][:number]
    return [place(name) for name in chosen]


def _spread(names: list[str], number: int) -> list[str]:
    return names[:: max(1, len(names) // max(_LOOKED_AT, number))]
