"""The folders of environments, read so that none of them can hold up the process that serves worlds.

The author of a folder decides how long its source takes to parse, and Python does nothing else in a process meanwhile.
So a source that was not compiled here is read by a process of its own, with bounds of time and memory; what comes back
is a bounded card. A folder that could not be read is not read again until its files change.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from envscaler_mcp.artifacts import Environment, digest_of
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.errors import (
    ArtifactError,
    BlueprintError,
    EnvScalerError,
    LaunchError,
    SandboxError,
    WorkerEndedError,
    WorldError,
)
from envscaler_mcp.launch.opening import StateBounds
from envscaler_mcp.processes import own_program
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.serving.code import CARD, SOURCE, EnvironmentCode, load_folder
from envscaler_mcp.serving.tasks import MORE_TASKS, TASKS, TaskBounds
from envscaler_mcp.trust import known_code, load_code
from envscaler_mcp.trust.blueprint import BLUEPRINT

if sys.platform != "win32":
    import resource

MOST_CARD = 1 << 19
"""Bytes; twenty times the largest that ships."""
MOST_SOURCE = 1 << 19
"""Bytes; five times the largest that ships, and about what the gate lets through."""
TASK_BOUNDS = TaskBounds(size=4 << 20, letters=1 << 18, tasks=5_000)
"""Thirty times the largest file that ships, and eight times the longest task."""
STATES = StateBounds(1 << 20, 100_000)
"""Seventeen times the largest that ships."""
STATES_HERE = StateBounds(1 << 18, 25_000)
"""Where worlds open in the process that serves the others."""

READING_SECONDS = 5.0
"""Processor time that the source of a folder may take; it may take three times as long by the clock."""
AGAIN_SECONDS = 60.0
"""After how long something is tried again that may have failed because the machine was busy."""
_MEMORY = 2 << 30
_MOST_FAILURES = 64

T = TypeVar("T")


class FolderError(WorldError):
    """The folder of an environment cannot be served as it is; its author can mend it."""


class _BusyError(EnvScalerError):
    """Reading took too long, perhaps because the machine was busy."""


@dataclass(frozen=True, slots=True)
class ReadFolder:
    """What a folder holds, besides its tasks and its states."""

    code: EnvironmentCode
    refusal: str | None = None
    """Why the code may not run."""


def read_known(folder: Path, registered: RegistryDigests) -> ReadFolder | None:
    """What a folder holds whose code was compiled here; None for any other."""
    known = known_code(folder, registered, MOST_CARD, MOST_SOURCE)
    return None if known is None else ReadFolder(known)


def read_unknown(folder: Path, registered: RegistryDigests) -> ReadFolder:
    """What any folder holds; its source is parsed in another process."""
    answer = _read_elsewhere(folder, registered)
    if answer.get("failed") is not None:
        raise FolderError(answer["failed"])
    source = read_member_text(folder, SOURCE, MOST_SOURCE)
    if digest_of(source) != answer["source"]:
        raise FolderError(f"{SOURCE} was changed while it was read; ask again")
    card = Environment.model_validate_json(answer["card"])
    if answer["trust"] != "unread":
        return ReadFolder(EnvironmentCode.of(card, source, answer["trust"]))
    # Calls of unread code are checked where it runs.
    code = EnvironmentCode(card, source, MappingProxyType({}), answer["genuine"], admitted=answer["refusal"] is None)
    return ReadFolder(code, answer["refusal"])


def _read_elsewhere(folder: Path, registered: RegistryDigests) -> dict[str, Any]:
    request = {"folder": str(folder.absolute()), "registered": registered.model_dump(mode="json")}
    order = json.dumps({**request, "seconds": READING_SECONDS})
    try:
        ended = subprocess.run(
            own_program(f"{__name__}:read_for_farm", options=("-s",)),
            input=order.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=3 * READING_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _BusyError("its source takes too long to read") from None
    except OSError as cause:
        raise _BusyError(f"no process can be started that reads it: {cause.strerror}") from cause
    if ended.returncode == -signal.SIGKILL:
        raise _BusyError("the process that reads it was ended")
    if ended.returncode:
        raise FolderError("its source takes more time or memory to read than a farm spends on it")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def read_for_farm() -> None:
    """The program of the process that reads one folder: the folder is named on its input, and described on its output."""
    order = json.loads(sys.stdin.buffer.read())
    if sys.platform != "win32":
        seconds = math.ceil(order["seconds"])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        os.nice(5)
    try:
        answer = _contents(Path(order["folder"]), RegistryDigests.model_validate(order["registered"]))
    except (EnvScalerError, RecursionError, MemoryError) as cause:
        answer = {"failed": _words_of(cause, Path(order["folder"]))}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _contents(folder: Path, registered: RegistryDigests) -> dict[str, Any]:
    load_folder(folder, MOST_CARD, MOST_SOURCE)
    code = load_code(folder, registered)
    card = code.environment.model_dump_json()
    if len(card) > MOST_CARD:
        raise ArtifactError(f"the tools of {SOURCE} take {len(card):,} bytes; {MOST_CARD:,} are allowed")
    refusal = None
    try:
        if not code.trusted:
            admit(code.source, f"The code of {code.environment.id!r}")
    except SandboxError as cause:
        refusal = str(cause)
    return {
        "card": card,
        "source": digest_of(code.source),
        "genuine": code.genuine,
        "trust": code.trust,
        "refusal": refusal,
    }


CODE_FILES = (CARD, SOURCE, BLUEPRINT)
TASK_FILES = (TASKS, MORE_TASKS)

Stamp = tuple[tuple[int, int, int] | None, ...]
"""When the files were changed, how large they are, and which they are."""


class Failures:
    """What could not be done with a folder, and why: said again for as long as the files are as they were."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._failed: dict[object, tuple[tuple[str, ...], Stamp, float | None, str]] = {}

    def check(self, what: object) -> None:
        """FolderError where it failed before, and would again."""
        files, stamp, until, said = self._failed.get(what, ((), (), 0.0, ""))
        if not said:
            return
        if (until is None or time.monotonic() < until) and self._stamp(files) == stamp:
            # Without the first error, whose traceback would hold what was read.
            raise FolderError(said)
        self._failed.pop(what, None)

    def noting(self, what: object, files: tuple[str, ...], does: Callable[[], T]) -> T:
        """What it gives; FolderError where it fails, or failed before with the same files."""
        self.check(what)
        stamp = self._stamp(files)
        try:
            return does()
        except (ArtifactError, BlueprintError, LaunchError, WorldError, WorkerEndedError, _BusyError) as cause:
            busy = isinstance(cause, _BusyError) or (
                isinstance(cause, WorkerEndedError) and cause.reason in ("time", "crash", "closed")
            )
            said = f"The folder of {self._folder.name} cannot be served: {_words_of(cause, self._folder)}"
            while len(self._failed) >= _MOST_FAILURES:
                self._failed.pop(next(iter(self._failed)), None)
            self._failed[what] = files, stamp, time.monotonic() + AGAIN_SECONDS if busy else None, said
            raise FolderError(said) from None

    def _stamp(self, files: tuple[str, ...]) -> Stamp:
        return tuple(map(self._stamp_of, files))

    def _stamp_of(self, name: str) -> tuple[int, int, int] | None:
        try:
            about = (self._folder / name).lstat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size, about.st_ino


def _words_of(cause: BaseException, folder: Path) -> str:
    """The words of an error, in which no path of this machine stands."""
    words = str(cause) or type(cause).__name__
    for path in (str(folder.absolute()), str(folder)):
        words = words.replace(f"{path}{os.sep}", "").replace(path, "it")
    return words[:1_000]
