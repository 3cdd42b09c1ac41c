"""How long a call of a compiled class may work: past that it is ended from outside, and its world takes it back.

Rules that loop over records in one another may take hours, and Python has no way to ask a method to stop. So a thread
looks now and then at what every other thread is calling, and raises an error in one that has worked too long. It does so
only where the class is between two writes: in the middle of one, the journal would not tell all that is to be undone.
What is counted is the processor time of the thread, so a busy machine ends no call.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SECONDS = 5.0
"""The slowest calls of the library take a hundredth of it."""
_TICK = 0.25
_PART_OF_LIMIT = 4
"""A thread with a shorter limit is looked at so many times within it."""
_TRIES = 200
"""How often a thread that is in the middle of a write is looked at again before the next tick."""
_FILE = "environment.py"
"""What compiled classes are called in a traceback."""
_WRITING = frozenset({"_new_id", "_add", "_put", "_remove", "_take_back", "_undo", "_link", "_unlink"})
_RULE = re.compile(r"_breaks_rule_(\d+)")


class OverdueError(BaseException):
    """A call did not end in its time. Not an Exception, so that nothing inside takes it for its own."""


class Slot:
    """What one thread is calling."""

    __slots__ = ("clock", "limit", "paused", "running", "turn")

    def __init__(self) -> None:
        self.running = False
        self.turn = 0
        self.limit = SECONDS
        """Seconds that the calls of this thread may work."""
        self.paused = 0.0
        """Seconds that the collector of garbage took in this thread, which are no work of a call."""
        self.clock = time.pthread_getcpuclockid(threading.get_ident()) if _HAS_CLOCKS else None

    def is_in(self, turn: int) -> bool:
        """Whether the thread is still in that call."""
        return self.running and self.turn == turn

    def now(self) -> float:
        """How long the thread has worked."""
        if self.clock is None:
            return time.monotonic()
        try:
            return time.clock_gettime(self.clock) - self.paused
        except OSError:
            # The thread has ended.
            return 0.0


_HAS_CLOCKS = hasattr(time, "pthread_getcpuclockid")
_here = threading.local()
_slots: dict[int, Slot] = {}
_watched = True
_started = threading.Lock()
_watch: threading.Thread | None = None


def slot() -> Slot:
    """The slot of the thread that asks; a caller sets `running`, raises `turn`, and clears it behind the call."""
    try:
        slot: Slot = _here.slot
    except AttributeError:
        slot = _here.slot = _slots[threading.get_ident()] = Slot()
        _start()
    return slot


def within_time(method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """What the method answers; OverdueError where that takes too long."""
    mine = slot()
    mine.turn += 1
    mine.running = True
    try:
        return method(**arguments)
    finally:
        mine.running = False


def rule_in(error: BaseException) -> int | None:
    """The number of the rule that was being checked."""
    trace: TracebackType | None = error.__traceback__
    number = None
    while trace is not None:
        match = _RULE.match(trace.tb_frame.f_code.co_name)
        number = int(match[1]) if match else number
        trace = trace.tb_next
    return number


def ended_in_a_write(error: BaseException) -> bool:
    """Whether the journal does not tell all that is to be undone."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE and trace.tb_frame.f_code.co_name in _WRITING:
            return True
        trace = trace.tb_next
    return False


def count_no_garbage() -> None:
    """Leave out what the collector takes, which in a process with many worlds is longer than a short limit."""
    if _note_garbage not in gc.callbacks:
        gc.callbacks.append(_note_garbage)


_collecting = [0.0]


def _note_garbage(phase: str, info: dict[str, Any]) -> None:
    if info["generation"] < 2:
        return
    if phase == "start":
        _collecting[0] = time.thread_time()
    elif (mine := _slots.get(threading.get_ident())) is not None:
        mine.paused += time.thread_time() - _collecting[0]


def leave_to_worker() -> None:
    """In a worker, whose own deadline ends the whole process, and which may start no threads."""
    global _watched  # noqa: PLW0603
    _watched = False


def _start() -> None:
    global _watch  # noqa: PLW0603
    with _started:
        if _watched and _watch is None:
            _watch = threading.Thread(target=_look, name="deadline", daemon=True)
            _watch.start()


def _look() -> None:
    seen: dict[int, tuple[int, float]] = {}
    while True:
        time.sleep(min([_TICK, *(slot.limit / _PART_OF_LIMIT for slot in list(_slots.values()))]))
        for thread, slot in list(_slots.items()):
            if not slot.running:
                seen.pop(thread, None)
                continue
            turn, since = seen.get(thread, (-1, 0.0))
            if turn != slot.turn:
                seen[thread] = slot.turn, slot.now()
            elif slot.now() - since > slot.limit:
                _end(thread, slot)


def _end(thread: int, slot: Slot) -> None:
    turn = slot.turn
    for _ in range(_TRIES):
        if not slot.is_in(turn):
            return
        # Between the look and the raise nothing else runs, unless the machine stops this thread for milliseconds just
        # there. Then the error may come in the middle of a write, which `ended_in_a_write` tells.
        if _may_end(sys._current_frames().get(thread)):
            _raise_in(thread, OverdueError)
            if slot.is_in(turn):
                return
            # The call ended between the look and the raise, and what comes behind it must not be hit.
            _raise_in(thread, None)
        time.sleep(0.002)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    # Hardly ever needed, and everything that serves a world imports this module.
    import ctypes

    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _may_end(frame: FrameType | None) -> bool:
    """Whether the thread is in a compiled class, and not in the middle of a write."""
    codes = []
    while frame is not None and frame.f_code.co_filename == _FILE:
        codes.append(frame.f_code.co_name)
        frame = frame.f_back
    return bool(codes) and _WRITING.isdisjoint(codes)


def _forget() -> None:
    """A forked process has none of the threads, and clocks of its own."""
    global _here, _watch, _started
    _here, _watch, _started = threading.local(), None, threading.Lock()
    _slots.clear()


os.register_at_fork(after_in_child=_forget)
