"""What a command runs through is listed, and what was only imported is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_walk_names_the_functions_that_ran_and_their_deepest_chain() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "walks.py"), "--list", "--version"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    ran, _, chain = told.partition("The deepest chain of calls:")
    assert "cli/program.py:main" in ran.splitlines()
    assert chain.split()[0] == "cli/program.py:main"
    assert "cli/program.py:_exit_code" not in ran
