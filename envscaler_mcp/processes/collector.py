"""The garbage collector while a program starts: it would look again and again at modules that stay until the end."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def starting() -> Iterator[None]:
    """What is loaded in this block of a program stays as long as its process; the collector does not look at it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def end_at_once() -> None:
    """Let the process end without a last look at all that it loaded: its memory goes with it."""
    atexit.register(gc.freeze)
