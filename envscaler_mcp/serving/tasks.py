"""The tasks that a server folder holds: read, found by id, and offered to clients."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.members import MOST_BYTES, has_member, read_member_text
from envscaler_mcp.config import choices
from envscaler_mcp.errors import ArtifactError, WorldError
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value

TASKS = "scenarios.jsonl"
MORE_TASKS = "more_scenarios.jsonl"
"""Those that were made here and do not ship."""


Offer = choices.OfferedTasks
"""Which tasks a world offers as prompts."""


class Startable(Protocol):
    """A scenario, or no more than its words."""

    @property
    def state(self) -> str: ...
    @property
    def split(self) -> str: ...


Task = TypeVar("Task", bound=Startable)


def offered_tasks(tasks: Sequence[Task], offer: Offer | None, scenario: str | None, state: str | None) -> list[Task]:
    """The tasks that can be done in a world that was opened here.

    Those of the split `train` by default, and none in a world that was opened at a scenario: its opener tells the
    task, perhaps bit by bit as its user, and the rest of the words would give that away.
    """
    chosen = offer or ("train" if scenario is None else "none")
    if chosen == "none":
        return []
    return [task for task in tasks if task.state == state and (chosen == "all" or task.split == "train")]


def offered_anywhere(tasks: Sequence[Task], offer: Offer | None) -> list[Task]:
    """The tasks that a world offers which can begin anew at the state of any of them."""
    return [] if offer == "none" else [task for task in tasks if offer == "all" or task.split == "train"]


def load_scenarios(folder: Path) -> tuple[Scenario, ...]:
    """Every scenario of the folder, in its order; none where it holds no tasks."""
    scenarios: tuple[Scenario, ...] = ()
    for name in (TASKS, MORE_TASKS):
        path = folder / name
        try:
            changed = path.lstat().st_mtime_ns
        except OSError:
            continue
        scenarios += _read(path, changed)
    if len({scenario.id for scenario in scenarios}) < len(scenarios):
        raise ArtifactError(f"{folder} holds two scenarios of one id; make it again with `envscaler build`.")
    return scenarios


@lru_cache(maxsize=512)
def _read(path: Path, _changed: int) -> tuple[Scenario, ...]:
    return tuple(
        Scenario.from_text(line, f"{path}, line {number}")
        for number, line in enumerate(_lines_of(path), 1)
        if line.strip()
    )


@dataclass(frozen=True, slots=True)
class TaskWords:
    """What a client that chooses a task sees of it."""

    id: str
    level: str
    task: str
    state: str
    split: str


@dataclass(frozen=True, slots=True)
class TaskBounds:
    """How many tasks a folder may hold, and how large."""

    size: int = MOST_BYTES
    """Bytes of each of the two files."""
    letters: int = MOST_BYTES
    """Of one task."""
    tasks: int = MOST_BYTES


ANY_TASKS = TaskBounds()


class TaskList:
    """The tasks of a folder, of which no more than the words are kept until one is played."""

    def __init__(self, folder: Path, bounds: TaskBounds = ANY_TASKS) -> None:
        self.words: list[TaskWords] = []
        self._bounds = bounds
        self._lines: dict[str, tuple[Path, int]] = {}
        self._found: dict[str, Scenario] = {}
        for path in (folder / TASKS, folder / MORE_TASKS):
            for number, line in enumerate(_lines_of(path, bounds.size) if has_member(folder, path.name) else (), 1):
                if line.strip():
                    self._note(line, path, number)
                if len(self.words) > bounds.tasks:
                    raise ArtifactError(f"{folder} holds more than {bounds.tasks:,} tasks")

    def _note(self, line: str, path: Path, number: int) -> None:
        try:
            if len(line) > self._bounds.letters:
                raise ValueError(f"it has {len(line):,} letters; {self._bounds.letters:,} are allowed")
            record = json.loads(line)
            fields = record["id"], record["level"], record["task"], record["state"], record.get("split", "train")
            words = TaskWords(*map(str, fields))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as cause:
            raise ArtifactError(f"{path}, line {number}, is no scenario: {cause}") from cause
        self.words.append(words)
        self._lines[words.id] = path, number

    def place_of(self, named: str) -> tuple[Path, int]:
        """The file and the line of the scenario of that id."""
        if named not in self._lines:
            raise WorldError(f"There is no scenario {quote_value(named)} here{did_you_mean(named, self._lines)}")
        return self._lines[named]

    def known(self, named: str) -> Scenario | None:
        """The scenario of that id, if it was read already."""
        return self._found.get(named)

    def find(self, named: str) -> Scenario:
        """The scenario of that id."""
        known = self._found.get(named)
        if known is None:
            path, number = self.place_of(named)
            name = f"{path}, line {number}"
            lines = _lines_of(path, self._bounds.size)
            if number > len(lines) or len(lines[number - 1]) > self._bounds.letters:
                raise ArtifactError(f"{name} was changed after the tasks had been read; start again")
            known = self._found[named] = Scenario.from_text(lines[number - 1], name)
        return known


def _lines_of(path: Path, most: int = MOST_BYTES) -> list[str]:
    return read_member_text(path.parent, path.name, most).split("\n")


def find_scenario(scenarios: Sequence[Scenario], named: str) -> Scenario:
    """The scenario of that id."""
    for scenario in scenarios:
        if scenario.id == named:
            return scenario
    raise WorldError(
        f"There is no scenario {named!r} here{did_you_mean(named, [scenario.id for scenario in scenarios])}"
    )
