"""A hook on Python's audit events: code that asks for anything a world has no use for ends its worker.

It is a wire, not a wall: it tells that code is hostile, and stops what goes through Python. The kernel layer stops the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Literal

from envscaler_mcp.sandbox.sealing import closed

Stage = Literal["loading", "playing", "forking"]
"""What the worker itself is doing; code is compiled and classes are made while `loading` only."""

_EVERYDAY = frozenset({
    "array.__new__", "builtins.id", "object.__delattr__", "object.__setattr__", "object.__getattr__", "marshal.dumps",
    "marshal.loads", "time.sleep",
})  # fmt: skip
_ALLOWED = {
    "playing": _EVERYDAY,
    # Named tuples and dataclasses write their methods as text.
    "loading": _EVERYDAY | {"compile", "exec"},
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

    Everything the hook needs lies in its own cells: a global or an attribute could be replaced under it. No attribute leads
    from the answer to those cells. Nothing foreign is compared or hashed: the stage is one of three objects that were made
    here, and anything else in its place trips the wire.
    """
    loading, playing, forking = object(), object(), object()
    while_loading, while_playing, while_forking = _ALLOWED["loading"], _ALLOWED["playing"], _ALLOWED["forking"]
    reading, setting, deleting = _ATTRIBUTES
    never_read, never_set, only_loading = _NEVER_READ, _NEVER_SET, _WHILE_LOADING
    nothing: frozenset[str] = frozenset()
    ended, tripped, text, named_by = os._exit, TRIPPED, str, type
    stage = loading

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        allowed = nothing
        if stage is playing:
            allowed = while_playing
        elif stage is loading:
            allowed = while_loading
        elif stage is forking:
            allowed = while_forking
        if event in allowed:
            if event != reading and event != setting and event != deleting:
                return
            name = arguments[1]
            if named_by(name) is not text:
                name = "of another kind"
            elif name not in (never_read if event == reading else never_set) and (
                stage is loading or name not in only_loading
            ):
                return
            event = f"{event} {name}"
        try:
            report(event)
        finally:
            ended(tripped)

    def enter(new: Stage) -> None:
        nonlocal stage
        stage = {"loading": loading, "playing": playing, "forking": forking}[new]

    sys.addaudithook(watch)
    return closed(enter)


def unarmed(stage: Stage) -> None:
    """What a worker without this layer says of its stages: nothing."""
