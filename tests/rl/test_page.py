"""The page of the gym: every example runs, and prints what the page shows."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.farm.farms import ROOT

PAGE = (ROOT / "docs" / "rl.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python ?(\w*)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, re.MULTILINE | re.DOTALL)


def runs(code: str, shown: str, state: Path) -> None:
    variables = {**os.environ, "ENVSCALER_HOME": str(ROOT), "XDG_STATE_HOME": str(state), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=variables, cwd=state, timeout=60
    )
    assert (done.stdout, done.returncode) == (shown, 0), done.stderr


@contextmanager
def own_farm(state: Path) -> Iterator[None]:
    """The farm of this user on this machine."""
    words = [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "farm", "--port", "0", "--json"]
    variables = {**os.environ, "XDG_STATE_HOME": str(state)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=variables) as program:
        try:
            assert program.stdout is not None
            program.stdout.readline()
            yield
        finally:
            program.send_signal(signal.SIGTERM)
            program.wait(20)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "code", "shown"), EXAMPLES)
def test_every_example_prints_what_the_page_shows(kind: str, code: str, shown: str, tmp_path: Path) -> None:
    if kind == "farm":
        with own_farm(tmp_path):
            runs(code, shown, tmp_path)
    else:
        runs(code, shown, tmp_path)


def test_the_page_has_examples_of_every_part() -> None:
    assert len(EXAMPLES) == 8
    assert {"farm"} < {kind for kind, _, _ in EXAMPLES}
