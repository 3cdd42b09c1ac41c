"""The few calls to the C library that Python has no name for; every one answers or raises OSError."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

IS_LINUX = sys.platform == "linux"
MACHINE = platform.machine().lower().replace("arm64", "aarch64").replace("amd64", "x86_64")

_libc = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
if _libc is not None:
    _libc.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: object) -> int:
    """One system call by number; pointers are ctypes objects, numbers are ints."""
    if _libc is None:
        raise OSError(38, "this system has no Linux system calls")
    words = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *words))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def prctl(option: int, value: int) -> None:
    """One setting of this process."""
    if _libc is None:
        raise OSError(38, "this system has no prctl")
    none = ctypes.c_ulong(0)
    if _libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), none, none, none) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


_SIGCHLD = 17
CLONE_PARENT = 0x8000
_CLONE = {"x86_64": 56, "aarch64": 220}

CAN_FORK_SIBLINGS = IS_LINUX and MACHINE in _CLONE
"""Whether `fork_sibling` works on this system."""

# PyDLL holds the interpreter's lock during the call, as fork must; bound here, because looking names up later is noticed.
_sibling = ctypes.PyDLL(None).syscall if CAN_FORK_SIBLINGS else None
_moments = [
    getattr(ctypes.pythonapi, f"PyOS_{moment}")
    for moment in (("BeforeFork", "AfterFork_Parent", "AfterFork_Child") if CAN_FORK_SIBLINGS else ())
]


def fork_sibling() -> int:
    """`os.fork`, but the new process is a child of this one's parent, which alone waits for it and ends it."""
    if _sibling is None:
        raise OSError(38, "this system cannot fork a sibling")
    none = ctypes.c_long(0)
    before, after_here, after_there = _moments
    before()
    pid = int(_sibling(ctypes.c_long(_CLONE[MACHINE]), ctypes.c_long(CLONE_PARENT | _SIGCHLD), none, none, none, none))
    if pid == 0:
        after_there()
    else:
        after_here()
    if pid < 0:
        raise OSError(11, "no process could be made")
    return pid


def hide_memory() -> bool:
    """Whether other processes of this user can no longer read this one's memory and environment."""
    try:
        prctl(PR_SET_DUMPABLE, 0)
    except OSError:
        return False
    return True
