"""Garbage collection in a process that holds many worlds: what has survived a long collection is not looked at again.

A full collection looks at every object, and one world has thousands; with ten thousand worlds nothing else would be done
for seconds. Closed worlds go without the collector, since nothing in them refers to itself.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LONG = 0.01
"""Seconds of a full collection after which its survivors are set aside."""

_wanted = 0
_began = 0.0
_set_aside = False
"""Whether anything is."""
_since_looked = False
"""Whether anything was since all of it was looked at last."""


@contextmanager
def survivors_set_aside() -> Iterator[None]:
    """Do so in this process, for as long as one of these lasts: what runs here afterwards collects as it did before."""
    global _wanted  # noqa: PLW0603
    _wanted += 1
    if _note not in gc.callbacks:
        gc.callbacks.append(_note)
    try:
        yield
    finally:
        _wanted -= 1
        if not _wanted:
            gc.callbacks.remove(_note)
            _give_back()


def collect_what_was_set_aside() -> None:
    """Look at everything again; for a moment in which no world is open."""
    global _since_looked  # noqa: PLW0603
    if _since_looked:
        _since_looked = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _give_back() -> None:
    """Nothing is set aside any more."""
    global _set_aside, _since_looked  # noqa: PLW0603
    if _set_aside:
        gc.unfreeze()
    _set_aside = _since_looked = False


def _note(phase: str, info: dict[str, Any]) -> None:
    global _began, _set_aside, _since_looked  # noqa: PLW0603
    if info["generation"] < 2:
        return
    if phase == "start":
        _began = time.thread_time()
    elif time.thread_time() - _began > LONG:
        _set_aside = _since_looked = True
        gc.freeze()
