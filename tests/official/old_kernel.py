"""Runs a command as a kernel without Landlock would: each of its system calls is answered that there is none."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_FIRST, _LAST = 444, 446
"""The numbers of Landlock's system calls, on every machine."""
_LOAD, _AT_LEAST, _MORE_THAN, _ANSWER = 0x20, 0x35, 0x25, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def forget_landlock() -> None:
    """For this process and those that it starts."""
    steps = b"".join(
        struct.pack("HBBI", *step)
        for step in (
            (_LOAD, 0, 0, 0),
            (_AT_LEAST, 0, 2, _FIRST),
            (_MORE_THAN, 1, 0, _LAST),
            (_ANSWER, 0, 0, _ERROR | errno.ENOSYS),
            (_ANSWER, 0, 0, _ALLOW),
        )
    )
    held = ctypes.create_string_buffer(steps, len(steps))
    program = _Program(len(steps) // 8, ctypes.addressof(held))
    library = ctypes.CDLL(None, use_errno=True)
    for words in ((_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SECCOMP, _FILTER, ctypes.byref(program))):
        if library.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forget_landlock()
    os.execvp(sys.argv[1], sys.argv[1:])
