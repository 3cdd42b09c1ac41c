"""What is raised when a worker is gone, and why it went."""

from __future__ import annotations

import os
import signal
from typing import Literal

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.tripwire import TRIPPED

Reason = Literal["hostile", "time", "memory", "crash", "closed"]
"""`hostile`: it asked for what no world needs, or broke the wire; the others say which bound it went over, or that it
broke down. `closed` means by whoever held it."""


class MessageTooLargeError(SandboxError):
    """What a worker was to be sent is larger than any message may be; the worker goes on."""


class WorkerEndedError(SandboxError):
    """A world's worker is gone, and the world with it; open another one."""

    def __init__(self, reason: Reason, told: str) -> None:
        super().__init__(told)
        self.reason: Reason = reason

    @property
    def used_too_much(self) -> bool:
        """Whether it went over a bound by what it was asked to do, which is the failure of the one who asked."""
        return self.reason in ("time", "memory")


def ended_by(status: int | None, doing: str) -> WorkerEndedError:
    """What an exit status says about a worker that ended by itself."""
    if status is not None and os.WIFEXITED(status) and os.WEXITSTATUS(status) == TRIPPED:
        return WorkerEndedError("hostile", f"{doing}: the code asked for something that no world needs")
    if status is None or not os.WIFSIGNALED(status):
        return WorkerEndedError("crash", f"{doing}: the worker left without an answer")
    number = os.WTERMSIG(status)
    if number == getattr(signal, "SIGSYS", -1):
        return WorkerEndedError("hostile", f"{doing}: the code made a system call that no world needs")
    if number == signal.SIGXCPU:
        return WorkerEndedError("time", f"{doing}: the worker used up its processor time")
    if number == signal.SIGKILL:
        return WorkerEndedError("crash", f"{doing}: the worker closed its channel, or the system ended it")
    return WorkerEndedError("crash", f"{doing}: the worker crashed with {signal.Signals(number).name}")
