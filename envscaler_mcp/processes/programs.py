"""The command that starts a program of this package, and runs nothing of the folder that the user stands in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[2])


def own_program(function: str, *words: str, options: Sequence[str] = ()) -> list[str]:
    """The command that calls `module:function` of this package in a new process, with the words in `sys.argv`.

    It imports from where this process does. Python itself would look in the current folder first (`-m`, `-c`, the workers
    of multiprocessing and of anyio), which may have been sent by a stranger.
    """
    module, _, name = function.partition(":")
    # Modules stay until the process ends, so the collector does not look at them (`processes/collector.py`).
    loaded = f"gc.disable(); from {module} import {name}; gc.freeze(); gc.enable()"
    start = f"import gc, sys; sys.path[:] = {_paths()!r}; {loaded}; {name}()"
    return [sys.executable, "-P", "-X", "utf8", *options, "-c", start, *words]


def installed_program(*words: str) -> tuple[str, ...]:
    """The command line `envscaler` of this installation, for files that other programs read and start later."""
    return (sys.executable, "-P", "-m", "envscaler_mcp", *words)


def _paths() -> list[str]:
    """Where this process finds its modules, and nothing that depends on where it stands."""
    absolute = [path for path in map(str, sys.path) if Path(path).is_absolute()]
    return absolute if _ROOT in absolute else [_ROOT, *absolute]
