"""A file of fresh tasks: JSON lines that are added batch by batch, and every start state only once.

The first line is the stream, which decides every task. Then, for each start state, its line, the lines of its tasks, and a
line that ends the batch. What lies behind the last whole batch was cut off by a crash: it is not read, and the next
writer removes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from pydantic import ValidationError

from envscaler_mcp.artifacts import FreshTask, Scenario, State, canonical_json
from envscaler_mcp.artifacts.fresh_task import TaskBatch, TaskStream
from envscaler_mcp.artifacts.mistakes import first_mistake
from envscaler_mcp.errors import ArtifactError, escaped_line
from envscaler_mcp.plain_files import PlainFolder, write_all

LONGEST = 64 << 20
"""Bytes that a line may have."""


@dataclass(slots=True)
class _Places:
    """Where in a file things lie."""

    stream: TaskStream
    whole: int = 0
    """Up to where the file holds whole batches."""
    batches: dict[str, list[TaskBatch]] = field(default_factory=dict)
    tasks: dict[str, dict[str, _Line]] = field(default_factory=dict)
    """By environment and id, the line of each task."""
    states: dict[tuple[str, str], int] = field(default_factory=dict)
    """By environment and name, where the line of each state begins."""


class TaskFile:
    """Fresh tasks that lie in a file. No more of them are in memory than are asked for."""

    def __init__(self, path: Path, opened: Callable[[], BinaryIO]) -> None:
        """`opened` opens the file, which may come from anywhere."""
        self.path = path
        self._opened = opened
        with opened() as file:
            places = _read(file, path)
        if places is None:
            raise ArtifactError(f"{path} is no file of tasks: it has no first line")
        self._places = places
        self._state = lru_cache(maxsize=64)(self._read_state)

    @classmethod
    def at(cls, path: Path) -> Self:
        """The file that a user named, perhaps by a link."""
        return cls(path, lambda: _open_named(path))

    @classmethod
    def of_run(cls, folder: Path) -> Self | None:
        """The fresh tasks that a run was played with, if it was."""
        with PlainFolder.at(folder) as opened:
            if not opened.has(TASKS_OF_RUN):
                return None
        return cls(folder / TASKS_OF_RUN, lambda: _open_member(folder, TASKS_OF_RUN))

    @property
    def stream(self) -> TaskStream:
        """What decides its tasks."""
        return self._places.stream

    @property
    def environments(self) -> tuple[str, ...]:
        """Of which there are tasks."""
        return tuple(name for name, places in self._places.tasks.items() if places)

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """The tasks of an environment, in their order."""
        return tuple(task.scenario for task in self.tasks(environment))

    def tasks(self, environment: str) -> Iterator[FreshTask]:
        """The same with their start states."""
        with self._opened() as file:
            for line in self._places.tasks.get(environment, {}).values():
                yield self._task(_line_at(file, line.begin, self.path))

    def scenario(self, environment: str, id_: str) -> Scenario:
        """The task of that id."""
        line = self._places.tasks.get(environment, {}).get(id_)
        if line is None:
            raise ArtifactError(f"{self.path} holds no task {id_[:200]!r} of {environment!r}")
        with self._opened() as file:
            return self._task(_line_at(file, line.begin, self.path)).scenario

    def ids(self, environment: str) -> tuple[str, ...]:
        """Those of the tasks of an environment."""
        return tuple(self._places.tasks.get(environment, {}))

    def write_played(self, folder: Path, ids: AbstractSet[str]) -> None:
        """Copy these tasks into a run folder, where replaying, judging and exporting look for them; once."""
        with PlainFolder.at(folder) as opened, self._opened() as file:
            if opened.has(TASKS_OF_RUN):
                return
            temporary = f".{TASKS_OF_RUN}.new"
            if opened.has(temporary):
                opened.remove(temporary)
            copy = opened.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                for line in self._copied(file, ids):
                    write_all(copy, line)
                os.fsync(copy)
            finally:
                os.close(copy)
            opened.rename(temporary, TASKS_OF_RUN)
            opened.sync()

    def _copied(self, file: BinaryIO, ids: AbstractSet[str]) -> Iterator[bytes]:
        """The lines of a file that holds these tasks alone."""
        stream = self.stream.model_dump(mode="json")
        yield f"{canonical_json({'kind': 'stream', 'stream': stream})}\n".encode()
        for environment, lines in self._places.tasks.items():
            states: set[str] = set()
            chosen = [line for id_, line in lines.items() if id_ in ids]
            for line in chosen:
                if line.state not in states:
                    states.add(line.state)
                    file.seek(self._state_place(environment, line.state))
                    yield file.readline(LONGEST)
                file.seek(line.begin)
                yield file.readline(LONGEST)
            batch = TaskBatch(environment=environment, number=0, made=len(chosen), written=len(chosen))
            yield f"{canonical_json({'kind': 'batch', 'batch': batch.model_dump(mode='json')})}\n".encode()

    def __iter__(self) -> Iterator[FreshTask]:
        for environment in self.environments:
            yield from self.tasks(environment)

    def state(self, scenario: Scenario) -> State:
        """Where a task begins."""
        state, digest = self._state(scenario.environment, scenario.state)
        if digest != scenario.state_digest:
            raise ArtifactError(f"{self.path}: the state {state.name!r} is not that of the task {scenario.id!r}")
        return state

    def _read_state(self, environment: str, name: str) -> tuple[State, str]:
        with self._opened() as file:
            document = _line_at(file, self._state_place(environment, name), self.path)
        try:
            state = State.model_validate(document["state"])
        except ValidationError as cause:
            raise _misfit(self.path, "state", cause) from cause
        return state, state.digest

    def _state_place(self, environment: str, name: str) -> int:
        place = self._places.states.get((environment, name))
        if place is None:
            raise ArtifactError(f"{self.path} holds no state {name!r} of {environment!r}")
        return place

    def _task(self, document: Mapping[str, Any]) -> FreshTask:
        try:
            scenario = Scenario.model_validate(document["task"]["scenario"])
            return FreshTask.model_validate({**document["task"], "scenario": scenario, "start": self.state(scenario)})
        except ValidationError as cause:
            raise _misfit(self.path, "task", cause) from cause
        except (KeyError, TypeError) as cause:
            raise ArtifactError(f"{self.path} holds a task without a scenario; make the file again") from cause


TASKS_OF_RUN = "tasks.jsonl"
"""In a run folder: the fresh tasks that it was planned with."""


class TaskFileWriter:
    """A tasks file that grows; what was appended lies on the disk."""

    def __init__(self, path: Path, descriptor: int, places: _Places) -> None:
        self.path, self._descriptor = path, descriptor
        self.batches: Mapping[str, Sequence[TaskBatch]] = places.batches
        """What the file held when it was opened."""
        self.patterns: Mapping[str, Sequence[str]] = {
            name: [line.pattern for line in lines.values()] for name, lines in places.tasks.items()
        }
        """Those of the tasks that it held."""
        self._states = set(places.states)

    @classmethod
    @contextmanager
    def open(cls, path: Path, stream: TaskStream) -> Iterator[Self]:
        """The file of this stream, for this process alone: begun, or continued where its first line is that stream."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(path, flags, 0o644)
        except OSError as cause:
            raise ArtifactError(f"{path} cannot be opened: {cause}") from cause
        try:
            _check_plain(descriptor, path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ArtifactError(
                    f"Another process is writing tasks to {path}; wait for it, or choose another file"
                ) from None
            yield cls(path, descriptor, _continued(descriptor, path, stream))
        finally:
            os.close(descriptor)

    def append(self, tasks: Sequence[FreshTask], batch: TaskBatch) -> None:
        """Add the tasks of one start state; when this returns, they are on the disk."""
        lines: list[object] = []
        for task in tasks:
            key = task.start.environment, task.start.name
            if key not in self._states:
                self._states.add(key)
                lines.append({"kind": "state", "state": task.start.model_dump(mode="json")})
            lines.append({"kind": "task", "task": task.model_dump(mode="json", exclude={"start"})})
        lines.append({"kind": "batch", "batch": batch.model_dump(mode="json")})
        before = os.fstat(self._descriptor).st_size
        try:
            _write(self._descriptor, "".join(f"{canonical_json(line)}\n" for line in lines))
        except OSError as cause:
            os.ftruncate(self._descriptor, before)
            raise ArtifactError(
                f"Tasks cannot be written to {self.path}: {cause}. Those before are safe; make room and run the same command again"
            ) from cause


def _continued(descriptor: int, path: Path, stream: TaskStream) -> _Places:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        places = _read(file, path)
    if places is not None:
        if places.stream != stream:
            raise ArtifactError(f"{path} holds tasks {_otherwise(places.stream, stream)}; choose another file")
        os.ftruncate(descriptor, places.whole)
        return places
    os.ftruncate(descriptor, 0)
    line = canonical_json({"kind": "stream", "stream": stream.model_dump(mode="json")}) + "\n"
    _write(descriptor, line)
    return _Places(stream, whole=len(line.encode()))


def _otherwise(there: TaskStream, wanted: TaskStream) -> str:
    """In what two streams differ."""
    for name in ("seed", "level", "split", "extent"):
        if getattr(there, name) != getattr(wanted, name):
            return f"with another {name} ({getattr(there, name)}, not {getattr(wanted, name)})"
    names = [world.environment for world in there.worlds]
    if names != [world.environment for world in wanted.worlds]:
        return f"of other environments ({', '.join(names[:5])})"
    return "of environments that were built otherwise"


def _read(file: BinaryIO, path: Path) -> _Places | None:
    """What lies where; None where not even the first line was written to its end."""
    places: _Places | None = None
    ahead: list[_Line] = []
    file.seek(0)
    begin, number = 0, 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise ArtifactError(f"{path}, line {number}, has more than {LONGEST:,} bytes")
        try:
            entry = _entry(line, begin)
        except (ValueError, KeyError, TypeError, RecursionError) as cause:
            if not file.read(1):
                # The last line of a file whose writer was stopped.
                break
            said = escaped_line(str(cause).partition("\n")[0])[:200]
            raise ArtifactError(f"{path}, line {number}, is no line of a file of tasks: {said}") from cause
        begin += len(line)
        if places is None:
            if not isinstance(entry, TaskStream):
                raise ArtifactError(f"{path} is no file of tasks: its first line is no stream")
            places = _Places(entry, whole=begin)
        elif isinstance(entry, TaskBatch):
            _end_batch(places, entry, ahead)
            places.whole, ahead = begin, []
        elif isinstance(entry, _Line):
            ahead.append(entry)
    return places


class _Line(NamedTuple):
    """A state or a task."""

    kind: str
    environment: str
    begin: int
    state: str
    """The state's name, or that at which the task begins."""
    id: str = ""
    pattern: str = ""


def _entry(line: bytes, begin: int) -> TaskStream | TaskBatch | _Line:
    if not line.endswith(b"\n"):
        raise ValueError("it has no end")
    document = json.loads(line)
    match document["kind"]:
        case "stream":
            return TaskStream.model_validate(document["stream"])
        case "batch":
            return TaskBatch.model_validate(document["batch"])
        case "state":
            state = document["state"]
            return _Line("state", str(state["environment"]), begin, str(state["name"]))
        case "task":
            task = document["task"]
            scenario = task["scenario"]
            environment, state, id_ = (str(scenario[name]) for name in ("environment", "state", "id"))
            return _Line("task", environment, begin, state, id_, str(task["pattern"]))
        case other:
            raise ValueError(f"there is no kind {str(other)[:40]!r} of line")


def _end_batch(places: _Places, batch: TaskBatch, ahead: Sequence[_Line]) -> None:
    places.batches.setdefault(batch.environment, []).append(batch)
    for line in ahead:
        if line.kind == "state":
            places.states.setdefault((line.environment, line.state), line.begin)
        else:
            places.tasks.setdefault(line.environment, {})[line.id] = line


def _line_at(file: BinaryIO, place: int, path: Path) -> dict[str, Any]:
    file.seek(place)
    try:
        document = json.loads(file.readline(LONGEST))
    except (ValueError, RecursionError) as cause:
        raise ArtifactError(f"{path} has changed since it was opened: {cause}") from cause
    if not isinstance(document, dict):
        raise ArtifactError(f"{path} has changed since it was opened")
    return document


def _misfit(path: Path, what: str, cause: ValidationError) -> ArtifactError:
    said = escaped_line(first_mistake(cause, "the document: "))
    return ArtifactError(f"{path}: {what} is not as it should be: {said}")


def _open_named(path: Path) -> BinaryIO:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as cause:
        raise ArtifactError(f"{path} cannot be read: {cause}") from cause
    return _plain(descriptor, path)


def _open_member(folder: Path, name: str) -> BinaryIO:
    with PlainFolder.at(folder) as opened:
        return _plain(opened.open_file(name), folder / name)


def _plain(descriptor: int, path: Path) -> BinaryIO:
    try:
        _check_plain(descriptor, path)
    except ArtifactError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _check_plain(descriptor: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise ArtifactError(f"{path} is not a plain file; name one")


def _write(descriptor: int, text: str) -> None:
    write_all(descriptor, text.encode())
    os.fsync(descriptor)
