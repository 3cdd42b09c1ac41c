"""What starting a command costs before it does anything."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import ROOT
from benchmarks.timing import by_turns


def measure(scale: Scale) -> list[Figure]:
    """Seconds from start to end of a process."""
    found = by_turns(
        {
            "floor": lambda: _seconds("-c", "pass"),
            "package": lambda: _seconds("-c", "import envscaler_mcp"),
            "serving": lambda: _seconds("-c", "import envscaler_mcp.serving"),
            "help": lambda: _seconds(str(Path(sys.executable).parent / "envscaler"), "--help"),
            "mcp": lambda: _seconds("-c", "import mcp"),
        },
        scale.rounds,
    )
    floor, mcp = Peer("python -c pass", found["floor"]), Peer("import mcp", found["mcp"])
    return [
        Figure("import envscaler_mcp", found["package"], "s", floor, Budget("at most", 0.3)),
        Figure("envscaler --help", found["help"], "s", floor, Budget("at most", 0.3)),
        Figure("import envscaler_mcp.serving", found["serving"], "s", mcp),
    ]


def _seconds(*words: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL, env={"PATH": os.defpath, "HOME": "/"}
    )
    return time.perf_counter() - start


BENCHMARK = Benchmark("imports", "importing the package, and help on the command line", measure)
