"""Workers that use the processor although they are asked nothing are ended.

A worker waits on its channel between requests and uses no processor time. Code that got past the gate could go on after
its answer. Looking at workers between requests costs a call nothing; stopping and continuing them would.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from envscaler_mcp.sandbox.limits import processor_seconds

_SECONDS = 0.5
"""Between two looks. A worker that stays idle is looked at half as often each time."""
_LONGEST = 32.0
_AT_ONCE = 200
"""Workers that one look reads of, some 3 ms; the others are due at the next."""
_TOLERATED = 0.1
"""Seconds of processor time that one look may find."""


class Watched(Protocol):
    """What is known of one worker."""

    pid: int
    turns: int

    @property
    def ended(self) -> bool:
        """Whether it was ended."""

    def end_if_still_idle(self, turns: int) -> None:
        """End it."""


@dataclass(slots=True)
class _Look:
    """What the last look at a worker found."""

    turns: int
    used: float | None
    again: float
    pause: float = _SECONDS


class IdleWatch:
    """One thread for all workers of this process."""

    def __init__(self) -> None:
        self._looks: weakref.WeakKeyDictionary[Watched, _Look] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, worker: Watched) -> None:
        """Watch it until it ends."""
        with self._lock:
            self._looks[worker] = _Look(worker.turns, None, 0.0)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="idle workers", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            time.sleep(_SECONDS)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Once at every worker that is due."""
        with self._lock:
            looks = list(self._looks.items())
        left = _AT_ONCE
        for worker, last in looks:
            if worker.ended:
                with self._lock:
                    self._looks.pop(worker, None)
            elif worker.turns % 2 or worker.turns != last.turns:
                last.turns, last.used, last.again, last.pause = worker.turns, None, 0.0, _SECONDS
            elif now >= last.again and left:
                left -= 1
                self._look(worker, last, now)

    def _look(self, worker: Watched, last: _Look, now: float) -> None:
        used = processor_seconds(worker.pid)
        if last.used is not None and used - last.used > _TOLERATED:
            worker.end_if_still_idle(last.turns)
        last.used, last.again = used, now + last.pause
        last.pause = min(2 * last.pause, _LONGEST)


def idle_watch() -> IdleWatch:
    """The one of this process; a fork of it has threads of its own only."""
    return _watch_of(os.getpid())


@lru_cache(maxsize=1)
def _watch_of(process: int) -> IdleWatch:
    del process
    return IdleWatch()
