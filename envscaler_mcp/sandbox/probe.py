"""Whether the kernel layer works on this machine: tried, not guessed from a version."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass

from envscaler_mcp.sandbox import landlock, seccomp
from envscaler_mcp.sandbox.system import IS_LINUX, PR_SET_NO_NEW_PRIVS, prctl

_PROBE_CHANNEL = 3


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the kernel does for a worker here."""

    works: bool
    """Both of the following were tried and held."""
    landlock: int
    """The version in use, 0 for none."""
    seccomp: bool
    why_not: str
    """What is missing, in words; empty where it works."""
    forks: bool
    """Whether the harness can be asked before a fork, which is how a world in a worker is forked."""


def probe() -> Kernel:
    """Try each part in a child process. Only where nothing else runs in this process: it forks."""
    if not IS_LINUX:
        return Kernel(False, 0, False, "This is not Linux, so there is no Landlock and no seccomp.", False)
    offered = landlock.version() if _holds(_landlock_refuses_a_file) else 0
    filtered = seccomp.known_machine() and _holds(_seccomp_kills, ends_by=signal.SIGSYS)
    asks = filtered and _holds(_listener_is_there)
    missing = [
        *(["the kernel has no Landlock, or it is switched off"] if not offered else []),
        *(["seccomp filters are refused here"] if not filtered else []),
    ]
    return Kernel(bool(offered) and filtered, offered, filtered, "; ".join(missing), asks)


def harden(kernel: Kernel) -> int | None:
    """Apply what the probe found; the descriptor of the fork listener, which the caller passes on and closes.

    The list of system calls comes last and by another door, `seccomp.allow_only_the_list`, because handing on a
    descriptor is not on it.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if kernel.landlock:
        landlock.forbid_everything()
    return seccomp.ask_before_fork() if kernel.seccomp and kernel.forks else None


def _landlock_refuses_a_file() -> bool:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    landlock.forbid_everything()
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return True
    return False


def _seccomp_kills() -> bool:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.allow_only_the_list(_PROBE_CHANNEL, forks=True)
    with contextlib.suppress(OSError):
        socket.socket()
    return False


def _listener_is_there() -> bool:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    return seccomp.ask_before_fork() > 0


def _holds(attempt: Callable[[], bool], ends_by: int = 0) -> bool:
    """Whether the attempt answers yes, or is ended by that signal, in a child of its own."""
    child = os.fork()
    if child == 0:
        held = False
        with contextlib.suppress(BaseException):
            held = attempt()
        os._exit(0 if held else 1)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == ends_by if ends_by else status == 0
