"""A format of another package is used as a built-in one; what is not a format is refused by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import PlugInError
from envscaler_mcp.export.formats import FORMATS, HOME_FORMATS, Format
from envscaler_mcp.plugins import PlugIns
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from tests.plug_in import install
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
GROUP = "envscaler.export_formats"
SOURCE = """
from envscaler_mcp.export.formats import RECORDS, Format, HomeFormat

def write(path, dialogues):
    lines = [f"{one.trajectory.id}: {one.trajectory.verdict.reward:g}" for one in dialogues]
    path.write_text("\\n".join(lines) + "\\n")
    return len(lines)

def write_home(folders, environments, scenarios):
    environments.write_text(" ".join(folder.name for folder in folders))
    scenarios.write_text("none")
    return len(folders), 0

REWARDS = Format("a line for each episode", (".txt",), write, RECORDS)
NAMES = HomeFormat("names", write_home)
NO_FORMAT = write
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = write_home(tmp_path_factory.mktemp("home"), tasks=2)
    with WorldHome.at(home / "generated_servers") as worlds:
        plan = plan_run(worlds, ["lending_library"], RunConfig())
        anyio.run(run_episodes, worlds, plan, agent_named("oracle")[1], home / "run", 1, lambda *_: None)
    return home


def envscaler(home: Path, site: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The program as it runs where the package of the site is installed."""
    command = [sys.executable, "-m", "envscaler_mcp", "--home", home, *words]
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"}
    return subprocess.run(
        list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_command_writes_a_run_in_the_format_of_another_package(home: Path, tmp_path: Path) -> None:
    members = {"rewards": "rewards_format:REWARDS", "broken": "rewards_format:NO_FORMAT", "gone": "rewards_format:GONE"}
    install(tmp_path / "site", "rewards_format", SOURCE, {GROUP: members})
    out = tmp_path / "rows.txt"
    done = envscaler(home, tmp_path / "site", "export", home / "run", "--format", "rewards", "--out", out)
    assert done.returncode == 0, done.stderr
    assert out.read_text() == "lending_library-001/oracle/1: 1\nlending_library-002/oracle/1: 1\n"
    # The conditions of a format are its own, and so is the end of its file's name.
    refused = envscaler(home, tmp_path / "site", "export", home / "run", "--format", "rewards", "--out", "rows.csv")
    assert "its name ends with .txt" in refused.stderr
    for name, why in (
        ("broken", "is a function, not a Format"),
        ("gone", "cannot be imported"),
        ("rewrads", "rewards"),
    ):
        refused = envscaler(home, tmp_path / "site", "export", home / "run", "--format", name, "--out", out)
        assert refused.returncode != 0
        assert why in " ".join(refused.stderr.split())


def test_the_command_writes_environments_in_the_format_of_another_package(home: Path, tmp_path: Path) -> None:
    install(tmp_path / "site", "names_format", SOURCE, {"envscaler.home_formats": {"names": "names_format:NAMES"}})
    files = ("--environments", tmp_path / "environments", "--scenarios", tmp_path / "scenarios")
    done = envscaler(home, tmp_path / "site", "export", "names", *files)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "environments").read_text() == "lending_library"


def test_built_in_formats_are_declared_as_those_of_other_packages_and_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {entry.group for entry in FORMATS.built_in.values()} == {GROUP}
    assert HOME_FORMATS["envscaler"].about == "the files of the EnvScaler paper"
    install(tmp_path, "another_trl", SOURCE, {GROUP: {"trl": "another_trl:REWARDS", "rewards": "another_trl:REWARDS"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    known = PlugIns(GROUP, Format, {"trl": "envscaler_mcp.export.trl:FORMAT"})
    assert list(known) == ["trl", "rewards"]
    assert known["trl"] is FORMATS["trl"]


def test_two_packages_that_offer_one_name_are_both_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("first_format", "second_format"):
        install(tmp_path / module, module, SOURCE, {GROUP: {"rewards": f"{module}:REWARDS"}})
        monkeypatch.syspath_prepend(str(tmp_path / module))
    with pytest.raises(PlugInError, match=r"first_format and second_format"):
        PlugIns(GROUP, Format, {})["rewards"]
