"""Garbage collection in a process that holds many worlds: what has survived a long collection is not looked at again.

A full collection looks at every object, and one world has thousands; with ten thousand worlds nothing else would be done
for seconds. Closed worlds go without the collector, since nothing in them refers to itself.
"""

from __future__ import annotations

import gc
import time
from typing import Any

LONG = 0.01
"""Seconds of a full collection after which its survivors are set aside."""

_began = 0.0
_set_aside = False


def set_survivors_aside() -> None:
    """Do so from here on, in this process."""
    if _note not in gc.callbacks:
        gc.callbacks.append(_note)


def collect_what_was_set_aside() -> None:
    """Look at everything again; for a moment in which no world is open."""
    global _set_aside  # noqa: PLW0603
    if _set_aside:
        _set_aside = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _note(phase: str, info: dict[str, Any]) -> None:
    global _began, _set_aside  # noqa: PLW0603
    if info["generation"] < 2:
        return
    if phase == "start":
        _began = time.thread_time()
    elif time.thread_time() - _began > LONG:
        _set_aside = True
        gc.freeze()
