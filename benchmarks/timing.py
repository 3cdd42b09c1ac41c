"""Clocks and turns: what is compared is measured alternately, so that a busy minute meets both sides."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median

Turn = Callable[[], float]
"""One turn of one side; what it returns is in seconds, or any other unit that all its turns share."""


def by_turns(sides: Mapping[str, Turn], rounds: int) -> dict[str, float]:
    """The median of each side over so many rounds of A B A B."""
    measured: dict[str, list[float]] = {name: [] for name in sides}
    with quiet():
        for turn in sides.values():
            turn()
        for _ in range(rounds):
            for name, turn in sides.items():
                measured[name].append(turn())
    return {name: median(values) for name, values in measured.items()}


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection in the middle of a turn."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def per_call(act: Callable[[], object], calls: int) -> float:
    """Seconds for one of many calls made one after the other."""
    start = time.perf_counter()
    for _ in range(calls):
        act()
    return (time.perf_counter() - start) / calls


def typical(act: Callable[[], object], calls: int, after: Callable[[], object] | None = None) -> float:
    """The median of single calls, in seconds; what is done after each of them is not counted."""
    clock = time.perf_counter_ns
    taken = []
    for _ in range(calls):
        start = clock()
        act()
        taken.append(clock() - start)
        if after is not None:
            after()
    return median(taken) / 1e9


def cpu_of(pid: int) -> float:
    """CPU seconds that a process has used with all its threads, as exactly as the kernel tells."""
    tasks = Path(f"/proc/{pid}/task")
    if tasks.is_dir() and (tasks / str(pid) / "schedstat").is_file():
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
