"""The kernel's own path gate, opened for no path at all: nothing on this machine can be named any more."""

from __future__ import annotations

import ctypes
import os

from envscaler_mcp.sandbox.system import syscall

CREATE_RULESET = 444
RESTRICT_SELF = 446
_ASK_VERSION = 1

_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files each version of the interface knows; later ones know as many as version 5."""
_TCP_RIGHTS = 0b11
_SCOPES = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def version() -> int:
    """The version this kernel offers, 0 where there is none."""
    try:
        return syscall(CREATE_RULESET, None, 0, _ASK_VERSION)
    except OSError:
        return 0


def forbid_everything() -> int:
    """From here on this process opens no file, binds no port and signals no process outside; the version used.

    Needs no_new_privs. Descriptors that are open already stay usable, and UDP is not covered: seccomp is for that.
    """
    offered = version()
    if offered == 0:
        raise OSError(38, "the kernel has no Landlock")
    rules = _Ruleset(files=(1 << _FILE_RIGHTS[min(offered, 5)]) - 1)
    size = 8
    if offered >= 4:
        rules.network, size = _TCP_RIGHTS, 16
    if offered >= 6:
        rules.scoped, size = _SCOPES, 24
    ruleset = syscall(CREATE_RULESET, ctypes.byref(rules), size, 0)
    syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return offered
