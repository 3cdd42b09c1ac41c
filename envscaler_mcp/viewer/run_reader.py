"""Answers about run folders, made in a process that has nothing else to do: a folder may come from strangers.

Its memory is bounded here; the farm that asks bounds the time, and ends the process that takes longer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.viewer import run_answers
from envscaler_mcp.viewer.packing import dumped_json
from envscaler_mcp.viewer.run_answers import StepStart
from envscaler_mcp.viewer.run_shelf import NoRunError, RunShelf
from envscaler_mcp.viewer.training import rows_of, training

if sys.platform != "win32":
    import resource

MOST_MEMORY = 3 << 30
"""Address space of the process."""
MOST_WRITTEN = 512 << 20
"""Bytes of a file that it writes."""
FOLDER = "folder"
"""Where what is asked names the empty folder for files of one answer: who asks removes it, also when this process was ended."""

Asks = Literal[
    "runs", "run", "episodes", "episode", "run_tables", "compare_runs", "compare_episodes", "start", "training", "rows"
]
Kind = Literal["done", "start", "missing", "refused"]


class Answer(NamedTuple):
    """What came of a question."""

    kind: Kind
    content: bytes = b""
    """JSON."""
    start: StepStart | None = None
    why: str = ""


def answer(root: Path, servers: ServerFolders, asks: Asks, asked: Mapping[str, str]) -> Answer:
    """The answer to one question; nothing is raised, since what is raised would have to travel."""
    _bound()
    try:
        made = _made(_shelf(root, servers), asks, asked)
    except NoRunError as cause:
        return Answer("missing", why=str(cause))
    except EnvScalerError as cause:
        return Answer("refused", why=_without(root, str(cause)))
    except MemoryError:
        _SHELVES.clear()
        return Answer("refused", why="This run is too large to be shown here; `envscaler runs show` reads it.")
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as cause:
        return Answer("refused", why=f"This run cannot be read: {_without(root, type(cause).__name__)}.")
    if isinstance(made, StepStart):
        return Answer("start", start=made)
    return Answer("done", dumped_json(made.model_dump()).encode())


def _made(shelf: RunShelf, asks: Asks, asked: Mapping[str, str]) -> BaseModel | StepStart:
    if asks == "runs":
        return run_answers.run_list(shelf)
    if asks == "training":
        return training(shelf)
    run, id_, beside = shelf.run(asked["run"]), asked.get("id", ""), asked.get("with", "")
    match asks:
        case "run":
            return run_answers.run_answer(run)
        case "episodes":
            return run_answers.episode_list(run, asked)
        case "episode":
            return run_answers.one_episode(run, id_)
        case "run_tables":
            return run_answers.tables_after(
                run, id_, _number(asked.get("after", "")), solution=asked.get("of") == "solution"
            )
        case "compare_runs":
            return run_answers.run_comparison(run, shelf.run(beside), asked)
        case "compare_episodes":
            return run_answers.episode_comparison(run, id_, shelf.run(beside) if beside else None)
        case "rows":
            return rows_of(run, asked, Path(asked[FOLDER]))
        case "start":
            return run_answers.step_start(run, id_, _number(asked.get("step", "")))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _shelf(root: Path, servers: ServerFolders) -> RunShelf:
    """What was read of a folder before stays known."""
    return _SHELVES.setdefault((root, repr(servers)), RunShelf(root, servers))


_SHELVES: dict[tuple[Path, str], RunShelf] = {}


@cache
def _bound() -> None:
    if sys.platform != "win32":
        for what, wanted in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_FSIZE, MOST_WRITTEN)):
            _, hard = resource.getrlimit(what)
            most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
            resource.setrlimit(what, (most, hard))


def _without(root: Path, sentence: str) -> str:
    """A sentence without the path of this machine."""
    text = sentence.replace(f"{root}/", "").replace(str(root), "the folder of runs")
    return text.encode(errors="replace").decode()[:1_000]
