"""The harness's hold on its zygote: workers are asked for here and ended here."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import threading
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.processes import own_program
from envscaler_mcp.sandbox import limits, system
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.probe import Kernel

_PROGRAM = "envscaler_mcp.sandbox.zygote_program:main"
_MESSAGE = 65536
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Spawned:
    """A worker that was asked for: its process, and our end of its channel."""

    pid: int
    stream: socket.socket


class Zygote:
    """A warm interpreter that forks workers. One request at a time; threads may share it."""

    def __init__(self) -> None:
        """Start it. From here on other processes of this user cannot read this one's memory and environment."""
        system.hide_memory()
        self.owner = os.getpid()
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                own_program(_PROGRAM, str(theirs.fileno()), options=("-s",)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(_START_SECONDS)
        try:
            self.kernel = Kernel(**self._hear()["kernel"])
        except SandboxError:
            self.close()
            raise
        self._control.settimeout(None)
        self.memory = limits.resident(self._process.pid)
        """Bytes that it held when it began to fork workers, which they share."""

    def spawn(self, allowed: Limits, layers: Layers) -> Spawned:
        """A fork of the zygote, which hardens itself before it answers."""
        ours, theirs = socket.socketpair()
        with theirs:
            asked = {"do": "spawn", "limits": allowed.to_json(), "layers": layers.to_json()}
            try:
                answer = self._ask(asked, theirs.fileno())
            except BaseException:
                ours.close()
                raise
        return Spawned(answer["pid"], ours)

    def adopt(self, pid: int) -> bool:
        """Whether a worker that a worker forked is the zygote's child now, to be ended with the rest."""
        return bool(self._ask({"do": "adopt", "pid": pid})["adopted"])

    def end(self, pid: int, wait: float = 0.0) -> int | None:
        """Kill a worker; its exit status tells how it ended, if it ended before or within so many seconds."""
        status: int | None = self._ask({"do": "end", "pid": pid, "wait": wait})["status"]
        return status

    def drop(self, pid: int) -> None:
        """Have a worker killed without waiting for it."""
        with self._lock:
            self._send({"do": "drop", "pid": pid})

    def close(self) -> None:
        """Hang up: the zygote ends its workers and itself."""
        self._control.close()
        try:
            self._process.wait(_START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def alive(self) -> bool:
        """Whether it can be asked for workers by this very process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def _ask(self, asked: dict[str, Any], descriptor: int | None = None) -> dict[str, Any]:
        with self._lock:
            self._send(asked, descriptor)
            return self._hear()

    def _send(self, asked: dict[str, Any], descriptor: int | None = None) -> None:
        text = json.dumps(asked).encode() + b"\n"
        try:
            if descriptor is None:
                self._control.sendall(text)
            else:
                socket.send_fds(self._control, [text], [descriptor])
        except OSError as cause:
            raise SandboxError(f"The zygote cannot be asked for {asked['do']!r}: {cause}") from cause

    def _hear(self) -> dict[str, Any]:
        text = b""
        while not text.endswith(b"\n"):
            try:
                piece = self._control.recv(_MESSAGE)
            except OSError as cause:
                raise SandboxError(f"The zygote does not answer: {cause}") from cause
            if not piece:
                raise SandboxError("The zygote ended; run `envscaler doctor` to see why workers cannot start here.")
            text += piece
        answer: dict[str, Any] = json.loads(text)
        return answer


_held: Zygote | None = None
_holding = threading.Lock()


def zygote() -> Zygote:
    """The zygote of this process, started when it is first needed and ended with the process."""
    global _held  # noqa: PLW0603
    with _holding:
        if _held is None or not _held.alive:
            if os.name != "posix":
                raise SandboxError(
                    "Workers need fork, which this system does not have; mode 'trusted' runs your own code."
                )
            limits.hold_many_worlds()
            _held = Zygote()
            atexit.register(_held.close)
        return _held
