"""A hook on Python's audit events: code that asks for anything a world has no use for ends its worker.

It is a wire, not a wall: it tells that code is hostile, and stops what goes through Python. The kernel layer stops the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Literal

Stage = Literal["loading", "playing", "forking"]
"""What the worker itself is doing; code is compiled and classes are made while `loading` only."""

_EVERYDAY = frozenset({
    "array.__new__", "builtins.id", "object.__delattr__", "object.__setattr__", "object.__getattr__", "marshal.dumps",
    "marshal.loads", "time.sleep",
})  # fmt: skip
_ALLOWED = {
    "playing": _EVERYDAY,
    # Named tuples and dataclasses write their methods as text.
    "loading": _EVERYDAY | {"compile", "exec", "sys._getframe", "sys._getframemodulename"},
    "forking": _EVERYDAY | {"resource.setrlimit"},
}
_ATTRIBUTES = ("object.__getattr__", "object.__setattr__", "object.__delattr__")
_NEVER_READ = frozenset({
    "tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "cr_code", "ag_code", "f_code", "__globals__", "__closure__",
})  # fmt: skip
_NEVER_SET = _NEVER_READ | {"__code__", "__class__", "__builtins__"}
_WHILE_LOADING = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__bases__"})
"""What dataclasses read of a method and named tuples set on one, and on their class."""
TRIPPED = 99
"""Exit status of a worker that touched the wire."""


def arm(report: Callable[[str], None]) -> Callable[[Stage], None]:
    """From here on, and for ever; the answer says what the worker is doing from now on.

    Everything the hook needs lies in its own cells: a global or an attribute could be replaced under it.
    """
    allowed, attributes, ended = dict(_ALLOWED), _ATTRIBUTES, os._exit
    never = {_ATTRIBUTES[0]: _NEVER_READ, _ATTRIBUTES[1]: _NEVER_SET, _ATTRIBUTES[2]: _NEVER_SET}
    loading, tripped = _WHILE_LOADING, TRIPPED
    stage: Stage = "loading"

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in allowed[stage]:
            if event not in attributes:
                return
            name = arguments[1]
            if name not in never[event] and (stage == "loading" or name not in loading):
                return
            event = f"{event} {name}"
        try:
            report(event)
        finally:
            ended(tripped)

    def enter(new: Stage) -> None:
        nonlocal stage
        stage = new

    sys.addaudithook(watch)
    return enter


def unarmed(stage: Stage) -> None:
    """What a worker without this layer says of its stages: nothing."""
