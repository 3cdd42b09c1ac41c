"""Paths and addresses as programs name them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from envscaler_mcp.rl.errors import UsageError
from envscaler_mcp.rl.other_door import refuse_benchmark
from envscaler_mcp.scoring.task_file import TaskFile

_IS_ADDRESS = re.compile(r"[/:.]|^\d+$")
"""A URL, a socket file or a port, and no name alone."""


def task_file_named(path: str | Path | None) -> TaskFile | None:
    """The file of fresh tasks, if one is named."""
    return None if path is None else TaskFile.at(path_named("tasks", path))


def prompts_named(folder: str | Path | None) -> Path | None:
    """The folder with wordings, if one is named."""
    path = None if folder is None else path_named("prompts", folder)
    if path is not None and not path.is_dir():
        raise UsageError(f"There is no folder {str(path)!r} with prompts.")
    return path


def path_named(name: str, value: Any) -> Path:
    """The path that the argument of this name gives."""
    if not isinstance(value, str | Path):
        raise UsageError(f"{name} is {value!r:.80}; it is a path.")
    return Path(value).expanduser()


def seconds_of(timeout: Any) -> float:
    """How long an answer of a farm is waited for."""
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise UsageError(f"timeout is {timeout!r}; it is a number of seconds above 0.")
    return timeout


def address_named(url: Any) -> str:
    """The address of a control plane, as text."""
    address = str(url) if isinstance(url, int) and not isinstance(url, bool) else url
    if not isinstance(address, str):
        raise UsageError(f"{url!r:.80} is no address of a farm; give a URL, HOST:PORT, a port, or a socket file.")
    if not _IS_ADDRESS.search(address):
        refuse_benchmark(address)
        if not Path(address).exists():
            raise UsageError(f"{address!r} is no address of a farm; give a URL, HOST:PORT, a port, or a socket file.")
    return address
