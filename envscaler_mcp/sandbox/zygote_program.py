"""The zygote: a fresh interpreter with everything imported, that forks a hardened worker when it is asked to.

It is never a fork of the harness, so nothing of the harness is in its memory, and it runs no generated code itself.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from envscaler_mcp.sandbox import system
from envscaler_mcp.sandbox.frames import encode
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import CHANNEL, Limits
from envscaler_mcp.sandbox.modules import narrow_the_library, preload
from envscaler_mcp.sandbox.probe import Kernel, probe
from envscaler_mcp.sandbox.worker import run_worker

_MESSAGE = 65536
_BETWEEN = 0.001


def main() -> None:
    """Serve until the harness hangs up, then take every worker along."""
    control = socket.socket(fileno=int(sys.argv[1]))
    kernel = _prepare()
    _say(control, {"kernel": asdict(kernel)})
    zygote = _Zygote(control, kernel)
    while zygote.serve_one():
        pass
    zygote.end_all()


def _prepare() -> Kernel:
    system.hide_memory()
    _stand_nowhere()
    preload()
    narrow_the_library()
    kernel = probe()
    gc.collect()
    gc.freeze()
    return kernel


def _stand_nowhere() -> None:
    """A working directory that is removed under us: empty, and nothing can be made in it."""
    nowhere = Path(tempfile.mkdtemp(prefix="envscaler-"))
    os.chdir(nowhere)
    nowhere.rmdir()


class _Zygote:
    def __init__(self, control: socket.socket, kernel: Kernel) -> None:
        self._control = control
        self._kernel = kernel
        self._children: set[int] = set()
        self._dying: set[int] = set()
        """Killed, and not gone yet; until they are waited for no other process can have these numbers."""
        self._number = 0
        self._read = b""
        self._handed: list[int] = []

    def serve_one(self) -> bool:
        """Answer one request; false when there will be no more."""
        asked = self._next()
        if asked is None:
            return False
        self._dying = {pid for pid in self._dying if _status(pid) is None}
        answer: dict[str, Any]
        match asked["do"]:
            case "spawn":
                answer = {"pid": self._spawn(self._handed.pop(0), asked)}
            case "adopt":
                answer = {"adopted": self._adopt(asked["pid"])}
            case "drop":
                self._drop(asked["pid"])
                return True
            case _:
                answer = {"status": self._end(asked["pid"], asked["wait"])}
        _say(self._control, answer)
        return True

    def _next(self) -> dict[str, Any] | None:
        """One request of a line; several may arrive at once, because not every one is answered."""
        while b"\n" not in self._read:
            text, handed, _, _ = socket.recv_fds(self._control, _MESSAGE, 4)
            if not text:
                return None
            self._read += text
            self._handed += handed
        line, _, self._read = self._read.partition(b"\n")
        asked: dict[str, Any] = json.loads(line)
        return asked

    def _spawn(self, channel: int, asked: dict[str, Any]) -> int:
        self._number += 1
        zygote = os.getpid()
        child = os.fork()
        if child == 0:
            try:
                allowed, layers = Limits.from_json(asked["limits"]), Layers.from_json(asked["layers"])
                run_worker(channel, self._number, zygote, allowed, layers, self._kernel)
            except BaseException as cause:
                # Nothing generated has run yet: the loop itself never comes back here.
                _complain(cause)
            finally:
                os._exit(1)
        os.close(channel)
        self._children.add(child)
        return child

    def _adopt(self, pid: int) -> bool:
        """Whether a worker that a worker forked has become a child of ours; only the kernel is believed."""
        if pid in self._children:
            return False
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        self._children.add(pid)
        return True

    def _end(self, pid: int, wait: float) -> int | None:
        """End one worker; how it ended, where it had done so before.

        One that gets no processor time dies slowly; the harness does not wait for that, and it is buried later.
        """
        if pid not in self._children:
            return None
        self._children.remove(pid)
        # Until it is waited for, no other process can have this number.
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + wait
        while (status := _status(pid)) is None and time.monotonic() < deadline:
            time.sleep(_BETWEEN)
        if status is None:
            self._dying.add(pid)
        return status

    def _drop(self, pid: int) -> None:
        if pid in self._children:
            self._children.remove(pid)
            self._dying.add(pid)
            os.kill(pid, signal.SIGKILL)

    def end_all(self) -> None:
        """Every worker, and what a hostile one may have made when it was asked to fork."""
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
            for number in listed.split():
                os.kill(int(number), signal.SIGKILL)
        for pid in self._children | self._dying:
            os.waitpid(pid, 0)


def _status(pid: int) -> int | None:
    """The exit status of a child that has ended."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return status if ended else None


def _complain(cause: BaseException) -> None:
    """Tell the harness over the worker's own channel why it cannot start."""
    with contextlib.suppress(OSError):
        os.write(CHANNEL, b"-" + encode({"failed": f"{type(cause).__name__}: {cause}"}))


def _say(control: socket.socket, answer: dict[str, Any]) -> None:
    control.sendall(json.dumps(answer).encode() + b"\n")
