"""A disk that is full ends a run with one clear error; what was recorded is safe, and the run goes on when there is room."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from tests.runs.home import write_home

ROOT = Path(__file__).parents[2]
EPISODES = 60
RUN = f'{sys.executable} -m envscaler_mcp --home "$1" run --out "$2/run" --env lending_library --parallel 8'
FULL_FILES = f"(ulimit -f 200; {RUN}); echo $?; cp -r $2/run $3; {RUN}"
"""No file may be larger, which is the nearest thing to a full disk that every machine has."""
FULL_DISK = f"mount -t tmpfs -o size=300k none $2; {RUN}; echo $?; cp -r $2/run $3; mount -o remount,size=20m $2; {RUN}"
"""A small disk of its own, in a view of the machine that only these commands have."""


def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    words = ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("full", ["files", "disk"])
def test_a_run_on_a_full_disk_ends_with_one_error_and_goes_on_when_there_is_room(tmp_path: Path, full: str) -> None:
    if full == "disk" and not _may_mount():
        pytest.skip("nothing can be mounted here")
    home = write_home(tmp_path / "home", tasks=EPISODES)
    (tmp_path / "out").mkdir()
    commands = FULL_FILES if full == "files" else f"{FULL_DISK}; cp -r $2/run $4"
    words = ["bash", "-c", commands, "-", home, tmp_path / "out", tmp_path / "then", tmp_path / "later"]
    told = subprocess.run(
        [*(["unshare", "-Urm"] if full == "disk" else []), *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "1" in told.stdout.splitlines(), told.stdout
    assert told.stderr.count("What was recorded before is safe; make room") == 1, told.stderr
    assert "Traceback" not in told.stderr
    _, tally, damaged = read_run(tmp_path / "then")
    assert (0 < len(tally.done) < EPISODES, damaged) == (True, 0)
    later = tmp_path / ("later" if full == "disk" else "out/run")
    found = [one.id for one in read_trajectories(later)]
    assert len(found) == len(set(found)) == EPISODES
