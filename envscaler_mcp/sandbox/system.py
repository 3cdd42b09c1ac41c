"""The few calls to the C library that Python has no name for; every one answers or raises OSError."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
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


def hide_memory() -> bool:
    """Whether other processes of this user can no longer read this one's memory and environment."""
    try:
        prctl(PR_SET_DUMPABLE, 0)
    except OSError:
        return False
    return True
