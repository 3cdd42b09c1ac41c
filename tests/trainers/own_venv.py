"""Trainers that cannot live beside this package's development tools run in environments of their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.trainers.packages import NotInstalledError, Trainer, python_of
from tests.farm.farms import ROOT


def python_with(name: str, *packages: str, here: bool = True) -> Path:
    """An interpreter with these packages, and with this one where they can live beside it."""
    try:
        return python_of(Trainer(name, packages, here))
    except NotInstalledError as cause:
        pytest.skip(str(cause))


def program(python: Path, *words: str, cwd: Path, seconds: float = 900) -> str:
    """What a program prints; its errors are in the failure."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VIRTUAL_ENV"))}
    variables = {
        **own,
        "PYTHONPATH": str(ROOT),
        "ENVSCALER_HOME": str(ROOT),
        "HF_HUB_OFFLINE": "1",
        "XDG_STATE_HOME": str(cwd / "state"),
        "TRL_EXPERIMENTAL_SILENCE": "1",
    }
    done = subprocess.run(
        [str(python), *words], check=False, capture_output=True, text=True, env=variables, cwd=cwd, timeout=seconds
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout
