"""The collector does not look at what a program loads at its start, and works as ever afterwards."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_mcp.processes.collector import starting
from envscaler_mcp.processes.function_process import FunctionProcess


@pytest.fixture
def process() -> Iterator[FunctionProcess]:
    started = FunctionProcess()
    yield started
    started.close()


def test_a_process_of_this_package_begins_with_its_modules_set_aside(process: FunctionProcess) -> None:
    assert process.call(gc.isenabled)
    assert process.call(gc.get_freeze_count) > 1_000


def loaded_in_a_block() -> tuple[bool, int, bool]:
    with starting():
        before = gc.isenabled()
        made: list[list[object]] = [[] for _ in range(5_000)]
    return before, gc.get_freeze_count() - len(made), gc.isenabled()


def test_what_is_made_while_a_program_starts_is_set_aside_and_the_collector_goes_on(process: FunctionProcess) -> None:
    before = process.call(gc.get_freeze_count)
    during, aside, afterwards = process.call(loaded_in_a_block)
    assert (during, afterwards) == (False, True)
    assert aside >= before


def test_a_collector_that_was_off_stays_off(process: FunctionProcess) -> None:
    process.call(gc.disable)
    assert process.call(loaded_in_a_block)[2] is False


def test_a_program_that_ends_at_once_writes_what_it_has_printed(tmp_path: Path) -> None:
    program = (
        "from envscaler_mcp.processes.collector import end_at_once\n"
        "end_at_once()\n"
        "print('a word')\n"
        "open('file', 'w').write('another')\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("a word\n", "")
    assert (tmp_path / "file").read_text() == "another"
