"""Official code in a host of its own, as this process uses it: forks are opened for episodes and verdicts, and asked.

Nothing of the official code is imported here. Each question has a limit of time, after which its fork is ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.to_thread

from envscaler_mcp.errors import LaunchError, SandboxError, UnreadableStateError, WorldError
from envscaler_mcp.official.host_program import LIMITS
from envscaler_mcp.processes import own_program
from envscaler_mcp.sandbox import limits
from envscaler_mcp.sandbox.frames import Bounds
from envscaler_mcp.sandbox.isolation import without_kernel
from envscaler_mcp.sandbox.worker_errors import MessageTooLargeError
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.zygote import Spawned
from envscaler_mcp.settings import portable_allowed

_PROGRAM = "envscaler_mcp.official.host_program:main"
_START_SECONDS = 120.0
_BOUNDS = Bounds(64 << 20, 8 << 20, 200)
CALL_SECONDS = limits.Limits().call_seconds
"""Wall time for one call, as in any other worker."""
_MOST_JUDGE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class HostedCode:
    """What a host imports: a module of ours, and through it the verified files of official packages."""

    adapter: str
    """The module of ours with `load`, `World` and `judge`; it needs nothing but Python and the official code."""
    packages: tuple[str, ...]
    roots: tuple[Path, ...]
    """The folders in which the packages lie."""
    pins: Mapping[str, str] | None
    """The digest of every file that may be imported; nothing only where these are taken for the first time."""
    stubs: tuple[str, ...] = ()
    """Modules that the official code imports and does not need for this."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of the environment; the name of a temporary folder stands for `{temp}`."""


class OfficialHost:
    """An interpreter with the official code, that forks when it is asked to."""

    def __init__(self, code: HostedCode, *, portable: bool = False) -> None:
        """SandboxError where the kernel cannot confine it, unless that is accepted."""
        self._lock = threading.Lock()
        self.owner = os.getpid()
        self._temp = tempfile.TemporaryDirectory(prefix="envscaler-official-")
        variables = {name: value.format(temp=self._temp.name) for name, value in code.variables.items()}
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                own_program(_PROGRAM, str(theirs.fileno()), options=("-s", "-B")),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Sets are printed in one order, and times of day are the same, wherever it runs.
                env={"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": self._temp.name, **variables},
                cwd=self._temp.name,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(_START_SECONDS)
        asked = {
            "adapter": code.adapter,
            "packages": code.packages,
            "roots": [str(root) for root in code.roots],
            "pins": code.pins if code.pins is None else dict(code.pins),
            "stubs": code.stubs,
        }
        try:
            self._control.sendall(json.dumps(asked).encode() + b"\n")
            answer = self._heard()
            self.loaded: Mapping[str, str] = answer["ready"]
            """The digest of every official file that was imported."""
            why_not: str = answer["unconfined"]
            self.confined = not why_not
            """Whether the kernel lets no episode and no verdict reach anything of this machine."""
            if why_not and not (portable or portable_allowed()):
                raise SandboxError(without_kernel(why_not))
            self.memory = limits.resident(self._process.pid)
            """Bytes that it held when the official code was imported, which forks share."""
        except BaseException:
            self.close()
            raise

    @classmethod
    @contextmanager
    def of(cls, code: HostedCode, *, portable: bool = False) -> Iterator[Self]:
        """A host for the block; its forks end with it."""
        host = cls(code, portable=portable)
        try:
            yield host
        finally:
            host.close()

    def fork(self) -> OfficialProcess:
        """A fresh copy of the host, for one episode or one verdict."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._control, [b'{"do": "fork"}\n'], [theirs.fileno()])
                pid = self._heard()["pid"]
            except BaseException:
                ours.close()
                raise
        return OfficialProcess(self, pid, ours)

    @property
    def alive(self) -> bool:
        """Whether this process can ask it for forks."""
        return self.owner == os.getpid() and self._process.poll() is None

    def end(self, pid: int, wait: float = 0.0) -> int | None:  # noqa: ARG002 - nothing is waited for
        """End a fork, whatever it is doing; how it ended is not known."""
        self.drop(pid)
        return None

    def drop(self, pid: int) -> None:
        """The same."""
        with self._lock, contextlib.suppress(OSError):
            self._control.sendall(json.dumps({"do": "end", "pid": pid}).encode() + b"\n")

    def adopt(self, pid: int) -> bool:  # noqa: ARG002 - a fork forks nothing
        """Never."""
        return False

    def close(self) -> None:
        """Hang up: the host ends its forks and itself."""
        self._control.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            self._temp.cleanup()

    def _heard(self) -> dict[str, Any]:
        text = b""
        while not text.endswith(b"\n"):
            try:
                piece = self._control.recv(1 << 16)
            except OSError as cause:
                raise LaunchError(f"The host of official code does not answer: {cause}") from cause
            if not piece:
                raise LaunchError("The host of official code has ended.")
            text += piece
        answer: dict[str, Any] = json.loads(text)
        if "failed" in answer:
            raise LaunchError(f"The official code cannot be imported: {answer['failed']}")
        return answer


class OfficialProcess(WorkerHandle):
    """One fork; what goes wrong in it, or takes too long, ends it."""

    def __init__(self, host: OfficialHost, pid: int, stream: socket.socket) -> None:
        super().__init__(host, Spawned(pid, stream), LIMITS)
        self.applied = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, cause: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def bounds_of(self, doing: str) -> Bounds:  # noqa: ARG002 - what official code answers is of any length
        """How large an answer may be."""
        return _BOUNDS

    def open(self, task: Mapping[str, Any]) -> None:
        """The world of a task."""
        self.answer("open", task=dict(task))

    def write(self, task: Mapping[str, Any], calls: str) -> str:
        """Begin to word requests to a model that writes its calls in this way; what it is told first."""
        return str(self.answer("write", task=dict(task), calls=calls))

    def grows(self, doing: str) -> bool:  # noqa: ARG002 - what an agent does is in all of them
        """Whether an agent's calls may make the answer to this request too large: any."""
        return True

    def judge(self, task: Mapping[str, Any], record: Any, calls: int) -> dict[str, Any]:
        """The official verdict on a record of that many calls, which the judge makes again."""
        seconds = min(LIMITS.call_seconds + calls * CALL_SECONDS, _MOST_JUDGE_SECONDS)
        verdict: dict[str, Any] = self._answer("judge", seconds, task=dict(task), record=record)
        return verdict

    def answer(self, do: str, *given: Any, **fields: Any) -> Any:
        """What the fork answers; UnreadableStateError where its code raises, as it does after an agent's calls only."""
        seconds = CALL_SECONDS if do in ("call", "read") else LIMITS.call_seconds
        return self._answer(do, seconds, given=given, **fields)

    def _answer(self, do: str, seconds: float, **fields: Any) -> Any:
        try:
            return self.ask(do, seconds, **fields)["answer"]
        except MessageTooLargeError as cause:
            raise UnreadableStateError(str(cause)) from cause
        except WorldError as cause:
            raise UnreadableStateError(f"{do}: official code raised {cause}") from cause


@asynccontextmanager
async def opened_process(host: OfficialHost, task: Mapping[str, Any]) -> AsyncIterator[OfficialProcess]:
    """A fork with the world of a task, for the block."""
    process = await anyio.to_thread.run_sync(host.fork)
    try:
        await anyio.to_thread.run_sync(process.open, task, abandon_on_cancel=True)
        yield process
    finally:
        process.close()


async def asked(process: OfficialProcess, method: str, *given: Any) -> Any:
    """What a method of the fork's world answers; other episodes go on meanwhile."""
    return await anyio.to_thread.run_sync(partial(process.answer, method, *given), abandon_on_cancel=True)
