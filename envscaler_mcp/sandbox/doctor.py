"""What this machine offers for running unread code, tried and measured, and what is left open."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Environment, digest_of
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.probe import Kernel
from envscaler_mcp.sandbox.system import IS_LINUX, MACHINE
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.settings import PORTABLE, portable_allowed

_SOURCE = '''
class Bell:
    def __init__(self, init_config: dict):
        self.rung = 0

    def ring(self) -> dict:
        """Ring once."""
        self.rung += 1
        return {"success": True, "data": self.rung}
'''
_WORLDS = 15
_CALLS = 2_000


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing that stands between unread code and this machine."""

    name: str
    works: bool
    told: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The answer of `envscaler doctor`."""

    system: str
    layers: tuple[Layer, ...]
    modes: dict[str, str]
    """Mode to what it means here."""
    unprotected: tuple[str, ...]
    """In plain words, what code that finds its way past the gate could do here."""
    measured: dict[str, float]
    """Milliseconds to open and to fork a world, calls per second; empty where no worker starts."""

    @property
    def hard(self) -> bool:
        """Whether mode `hard` can be had."""
        return all(layer.works for layer in self.layers)


def examine() -> Machine:
    """Start a worker and look at it."""
    try:
        kernel = zygote().kernel
        with_worker = _measured()
    except SandboxError as cause:
        return _without_workers(str(cause))
    world, measured = with_worker
    layers = (
        Layer("gate", True, "code is read before it runs and sees only lists of names"),
        Layer("process", True, "one worker per world, forked from a clean interpreter"),
        Layer("limits", True, _limits_told(int(world["uid"]))),
        Layer("tripwire", True, "an audit event that no world causes ends the worker"),
        Layer("kernel", kernel.works, _kernel_told(kernel)),
    )
    modes = {
        "auto": "every layer" if kernel.works else _auto_without_kernel(),
        "portable": "every layer" if kernel.works else "every layer but the kernel's",
        "hard": "every layer" if kernel.works else "refuses to start here",
        "trusted": "no layer: in this process, for code of your own",
    }
    return Machine(_system(), layers, modes, _gaps(kernel, int(world["uid"])), measured)


def _auto_without_kernel() -> str:
    if portable_allowed():
        return f"every layer but the kernel's, because {PORTABLE}=portable allows it"
    return "only the compiler's own code, and checks that only look; refuses any other"


def _without_workers(why: str) -> Machine:
    layers = (
        Layer("gate", True, "code is read before it runs and sees only lists of names"),
        *(Layer(name, False, why) for name in ("process", "limits", "tripwire", "kernel")),
    )
    modes = {
        "auto": "refuses to start here",
        "portable": "refuses to start here",
        "hard": "refuses to start here",
        "trusted": "in this process, for code of your own",
    }
    gap = "Unread code cannot be run here at all, except in mode 'trusted', where it may do whatever you may do."
    return Machine(_system(), layers, modes, (gap,), {})


def _system() -> str:
    python = ".".join(str(part) for part in sys.version_info[:3])
    return f"{sys.platform} {os.uname().release if os.name == 'posix' else ''} {MACHINE}, Python {python}".replace(
        "  ", " "
    )


def _limits_told(uid: int) -> str:
    bounds = "memory, processor time, files, processes and output are bounded; watched and ended from outside"
    if os.name == "posix" and os.geteuid() == 0:
        return (
            f"{bounds}; workers are user {uid}"
            if uid
            else f"{bounds}; workers stay root, because no other user can be had"
        )
    return f"{bounds}; workers are the user that you are"


def _kernel_told(kernel: Kernel) -> str:
    if not kernel.works:
        return kernel.why_not
    forks = (
        "" if kernel.forks else "; worlds in workers cannot be forked, because another program listens to the filter"
    )
    return f"Landlock {kernel.landlock} with no path, and a seccomp list of system calls{forks}"


def _gaps(kernel: Kernel, uid: int) -> tuple[str, ...]:
    always = (
        "Side channels: how long a call takes and what the processor's caches remember is not hidden from other worlds.",
        "A hole in the kernel itself, in a system call that every worker needs.",
        "What an environment answers: a hostile one can lie to the agent, and about its own state.",
    )
    if kernel.works:
        return always
    root = ("Workers are root here: what they could reach, they could change.",) if uid == 0 else ()
    open_without_kernel = (
        "Files: code that gets past the gate and the tripwire can read what the worker's user can read.",
        "Network: it can connect to servers and to daemons on this machine, and send out what it knows.",
        "Other processes: it can signal processes of the worker's user.",
    )
    also = () if IS_LINUX else ("Memory: the bound on address space may not hold on this system.",)
    return (*open_without_kernel, *also, *root, *always)


def _measured() -> tuple[dict[str, Any], dict[str, float]]:
    code = _bell()
    world = open_isolated(code, {}, 0, "portable")
    if not isinstance(world, WorkerWorld):
        raise SandboxError("a world opened in this process where a worker was asked for")
    opening = _milliseconds(lambda: open_isolated(code, {}, 0, "portable"))
    measured = {"open_ms": opening}
    if world.line.forks:
        measured["fork_ms"] = _milliseconds(world.fork)
    began = time.perf_counter()
    for _ in range(_CALLS):
        world.call("ring", {})
    measured["calls_per_second"] = round(_CALLS / (time.perf_counter() - began))
    world.close()
    return world.line.applied, measured


def _milliseconds(make: Callable[[], Any]) -> float:
    taken = []
    for _ in range(_WORLDS):
        began = time.perf_counter()
        made = make()
        taken.append(1000 * (time.perf_counter() - began))
        made.close()
    return round(statistics.median(taken), 2)


def _bell() -> EnvironmentCode:
    card = Environment(
        id="bell",
        title="Bell",
        about="Can be rung.",
        sector="none",
        version="1.0.0",
        origin="written",
        class_name="Bell",
        introduction="A bell.",
        rules=(),
        tools=tool_table(_SOURCE, "Bell"),
        states=(),
        code_digest=digest_of(_SOURCE),
    )
    return EnvironmentCode.of(card, _SOURCE)
