"""Many environments at once, with forty scenarios each: time, memory of all processes, scenarios in a second."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Benchmark, Figure, Peer, Scale
from benchmarks.places import places

SCENARIOS = 40
_LOOK = 0.25


@dataclass(frozen=True, slots=True)
class Build:
    """One run of `envscaler build`."""

    seconds: float
    mebibytes: float
    """The most that all its processes shared among them at one time."""


def measure(scale: Scale) -> list[Figure]:
    """One worker and one per core build the same."""
    names = [place.code.environment.id for place in places(min(scale.environments, 8))]
    cores = os.cpu_count() or 1
    alone, together = _build(names, 1), _build(names, cores)
    made = len(names) * SCENARIOS
    what = f"{len(names)} environments, {SCENARIOS} scenarios each"
    return [
        Figure(f"build {what}", together.seconds, "s", Peer("one worker", alone.seconds), None, f"{cores} workers"),
        Figure(
            "scenarios made and proven, everything else included",
            made / together.seconds,
            "/s",
            Peer("one worker", made / alone.seconds),
        ),
        Figure("memory of all processes together", together.mebibytes, "MiB", Peer("one worker", alone.mebibytes)),
    ]


def _build(names: list[str], workers: int) -> Build:
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "envscaler_mcp", "--home", home, "build", *names, "--workers", str(workers)]
        began = time.perf_counter()
        process = subprocess.Popen([*command, "--scenarios", str(SCENARIOS)], stdout=subprocess.DEVNULL)
        most = 0.0
        while process.poll() is None:
            most = max(most, _memory(process.pid))
            time.sleep(_LOOK)
        if process.returncode:
            raise RuntimeError(f"the build ended with {process.returncode}")
        return Build(time.perf_counter() - began, most)


def _memory(pid: int) -> float:
    """Mebibytes of a process and all below it; what several share is counted once."""
    total = 0
    for one in _family(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def _family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            found += _family(int(child))
    return found


BENCHMARK = Benchmark("library", "many environments, with every scenario", measure)
