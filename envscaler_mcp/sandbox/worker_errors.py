"""Why a worker is gone, by its exit status, and what is raised where it goes on."""

from __future__ import annotations

import os
import signal

from envscaler_mcp.errors import SandboxError, WorkerEndedError
from envscaler_mcp.sandbox.tripwire import TRIPPED

EXHAUSTED = 98
"""Exit status of a worker that has no memory left to answer with."""


class MessageTooLargeError(SandboxError):
    """What a worker was to be sent is larger than any message may be; the worker goes on."""


def ended_by(status: int | None, doing: str) -> WorkerEndedError:
    """What an exit status says about a worker that ended without being told to."""
    code = os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None
    if code == TRIPPED:
        return WorkerEndedError("hostile", f"{doing}: the code asked for something that no world needs")
    if code == EXHAUSTED:
        return WorkerEndedError("memory", f"{doing}: the worker's memory was used up")
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
