"""A hook on Python's audit events: code that asks for anything a world has no use for ends its worker.

It is a wire, not a wall: it tells that code is hostile, and stops what goes through Python. The kernel layer stops the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

_EVERYDAY = frozenset({
    "array.__new__", "builtins.id", "object.__delattr__", "object.__setattr__", "marshal.dumps", "marshal.loads",
    "time.sleep",
})  # fmt: skip
_WHILE_LOADING = frozenset({"compile", "exec", "sys._getframe", "sys._getframemodulename"})
"""Named tuples and dataclasses write their methods as text."""
_WHILE_FORKING = frozenset({"resource.setrlimit"})
_FRAMES = frozenset({"tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "cr_code", "ag_code", "f_code"})
TRIPPED = 99
"""Exit status of a worker that touched the wire."""


class Tripwire:
    """Armed once, never disarmed; what is allowed depends on what the worker itself is doing."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self.stage = "loading"
        """`loading`, `playing` or `forking`."""

    def arm(self) -> None:
        """From here on."""
        end, everyday, loading, forking = self._end, _EVERYDAY, _EVERYDAY | _WHILE_LOADING, _EVERYDAY | _WHILE_FORKING

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            stage = self.stage
            allowed = everyday if stage == "playing" else loading if stage == "loading" else forking
            if event in allowed:
                return
            if event == "object.__getattr__" and arguments[1] not in _FRAMES:
                return
            end(event)

        sys.addaudithook(watch)

    def _end(self, event: str) -> None:
        try:
            self._report(event)
        finally:
            os._exit(TRIPPED)
