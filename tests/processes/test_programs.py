"""A process of this package imports from where the process does that starts it, wherever that stands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_mcp.errors import WorkerEndedError, WorldError
from envscaler_mcp.processes import installed_program, own_program
from envscaler_mcp.processes.function_process import FunctionProcess, FunctionProcessEndedError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def process() -> Iterator[FunctionProcess]:
    started = FunctionProcess()
    yield started
    started.close()


def test_what_depends_on_where_one_stands_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absolute = [path for path in sys.path if Path(path).is_absolute()]
    monkeypatch.setattr(sys, "path", ["", *absolute, "below", "."])
    monkeypatch.chdir(tmp_path)
    started = FunctionProcess()
    paths = started.call(eval, "__import__('sys').path")
    started.close()
    assert [path for path in paths if path != str(ROOT)] == [path for path in absolute if path != str(ROOT)]
    assert str(ROOT) in paths


@pytest.mark.parametrize("command", [own_program("envscaler_mcp.cli:main", "--help"), [*installed_program("--help")]])
def test_the_command_line_is_that_of_this_installation(command: list[str], tmp_path: Path) -> None:
    for name in ("envscaler_mcp", "typer", "signal", "re"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "synthesize" in done.stdout


def test_a_function_s_result_comes_back(process: FunctionProcess) -> None:
    assert process.call(divmod, 7, 2) == (3, 1)
    assert process.call(os.getpid) != os.getpid()


def test_what_a_function_prints_is_no_answer(process: FunctionProcess) -> None:
    assert process.call(os.write, 1, b"a word\n") == 7
    assert process.call(divmod, 7, 2) == (3, 1)


def test_what_a_function_raises_is_raised_here_and_the_process_goes_on(process: FunctionProcess) -> None:
    with pytest.raises(ZeroDivisionError):
        process.call(divmod, 7, 0)
    assert process.call(divmod, 7, 2) == (3, 1)


def test_an_error_that_cannot_travel_arrives_in_words(process: FunctionProcess) -> None:
    with pytest.raises(WorldError, match="WorkerEndedError: it is gone"):
        process.call(raising, "it is gone")


def raising(words: str) -> None:
    raise WorkerEndedError("crash", words)


def test_a_process_that_ends_is_an_error(process: FunctionProcess) -> None:
    with pytest.raises(FunctionProcessEndedError):
        process.call(os._exit, 3)
