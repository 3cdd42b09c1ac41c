"""How much of the machine one worker may use, and how it is made to keep to it."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from envscaler_mcp.sandbox.system import IS_LINUX, PR_SET_PDEATHSIG, prctl

if sys.platform != "win32":
    import resource

MIB = 1 << 20
CHANNEL = 3
"""The descriptor of a worker's only way out."""
_DESCRIPTORS = 8
_MANY = 65_536
_FIRST_UID = 0x6E000000
_UIDS = 1 << 20
_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Limits:
    """What one worker may use; a worker that goes over it is ended."""

    memory: int = 512 * MIB
    """Address space in bytes."""
    resident: int = 384 * MIB
    """Memory really used, watched from outside while a call runs."""
    cpu_seconds: int = 600
    """Processor time of a worker's whole life: the net under the limits in wall time, should the harness be gone."""
    open_seconds: float = 10.0
    """Wall time for loading code and opening a world."""
    call_seconds: float = 10.0
    """Wall time for one call; ended from outside, because code can swallow an alarm."""
    busy_seconds: float = 0.1
    """Processor time within one call, after which a farm lets it take turns with others; less where many wait."""
    output: int = MIB
    """Characters that code may print; they are thrown away."""
    frame: int = 32 * MIB
    """Bytes of one message to the worker."""
    result: int = 4 * MIB
    """Bytes of the answer to a call; its text is bounded again once it is understood."""
    state: int = 8 * MIB
    """Bytes of an answer that holds a state."""

    def to_json(self) -> dict[str, Any]:
        """As it travels to the worker."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """As it arrives."""
        return cls(**fields)


def leave_the_others(parent: int) -> None:
    """A group of its own, and the end when the parent ends; the parent may have ended before this ran."""
    os.setpgid(0, 0)
    die_with_parent()
    if os.getppid() != parent:
        os._exit(0)


def die_with_parent() -> None:
    """Killed by the kernel when the parent goes; to be asked for again after every change of user."""
    if IS_LINUX:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def keep_only(channel: int) -> None:
    """Every descriptor but the channel is closed; 0 to 2 lead nowhere."""
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL, inheritable=False)
    os.closerange(CHANNEL + 1, _highest_descriptor())
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard, inheritable=True)
    os.close(nowhere)


def apply(limits: Limits) -> None:
    """Bounds that the kernel holds and that a process cannot raise again."""
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_FSIZE, 0)
    _bound(resource.RLIMIT_NOFILE, _DESCRIPTORS)
    _bound(resource.RLIMIT_CPU, limits.cpu_seconds)
    _bound(resource.RLIMIT_AS, limits.memory)
    allow_processes(False)


def allow_processes(allowed: bool) -> None:
    """Whether this process may make others; the hard bound stays, so that a world can be forked when it is asked for."""
    if IS_LINUX:
        hard = _hard(resource.RLIMIT_NPROC)
        resource.setrlimit(resource.RLIMIT_NPROC, (hard if allowed else 0, hard))


def hold_many_worlds() -> None:
    """Let this process hold as many descriptors as it may: each world in a worker is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MANY if hard == resource.RLIM_INFINITY else min(hard, _MANY)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def drop_root(number: int) -> int:
    """A user that owns nothing, another one for each worker where the system has so many; the user it is now.

    A bound on processes does not bind root, and workers of one user could send each other signals.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    for uid in (_FIRST_UID + number % _UIDS, _NOBODY):
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except (OSError, AttributeError):
            continue
        return uid
    return 0


def resident(pid: int) -> int:
    """Bytes of memory that a process uses now; 0 where that is unknown."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used; 0 where that cannot be read."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        fields = _stat(pid)
        return 0.0 if fields is None else (int(fields[_UTIME]) + int(fields[_UTIME + 1])) / os.sysconf("SC_CLK_TCK")


def own_memory(pid: int, inherited: int) -> int:
    """Bytes that a forked process holds beside the `inherited` ones that it shares, which it may have changed in part.

    Any user may read these figures of the kernel's, and nothing a process does makes them smaller than they are. A page
    that it changes stops being shared and costs a fault; memory that is freed and taken again costs faults as well, so
    no more than `CHANGED` bytes are counted for them.
    """
    fields = _stat(pid)
    if fields is None:
        return 0
    page = resource.getpagesize()
    grown = max(0, int(fields[_RSS]) * page - inherited)
    return grown + min(max(0, int(fields[_FAULTS]) * page - grown), CHANGED)


CHANGED = 4 * MIB
_FAULTS, _UTIME, _RSS = 7, 11, 21
"""Where they stand in a process's `stat`, after its name."""


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # The name stands in parentheses and may hold anything.
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > _RSS else None


def share_of(pid: int) -> int:
    """Bytes that a process has for itself, and its part of what it shares; 0 where that is unknown."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def _bound(kind: int, value: int) -> None:
    hard = _hard(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (value, value))
    except (OSError, ValueError):
        # Some systems do not know a bound on address space; the watch over resident memory remains.
        if kind != resource.RLIMIT_AS:
            raise


def _hard(kind: int) -> int:
    return resource.getrlimit(kind)[1]


def _highest_descriptor() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 65536 if soft == resource.RLIM_INFINITY else max(soft, 256)
