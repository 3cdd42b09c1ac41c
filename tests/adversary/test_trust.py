"""A folder from outside cannot make its code run in the process of the person who uses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Environment, Registry
from envscaler_mcp.cli.program import app
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.serving.code import load_folder
from envscaler_mcp.trust import load_code, memory, remember
from tests.adversary.folders import GENUINE, ROOT, home_with, infect, plant, planting, quietly_planting

COMMANDS = (
    ("call", GENUINE, "list_beds"),
    ("check", GENUINE),
    ("prove", GENUINE),
    ("run", "--env", GENUINE, "--limit", "1", "--out", "OUT"),
    ("run", "--env", GENUINE, "--limit", "1", "--via", "worker", "--out", "OUT"),
    ("play", "--scenario", f"{GENUINE}-easy-01", "--agent", "oracle"),
    ("scenarios", GENUINE),
    ("export", "envscaler", GENUINE, "--out", "OUT"),
)
THROUGH_PROCESSES = (
    ("run", "--env", GENUINE, "--limit", "1", "--via", "stdio", "--out", "OUT"),
    ("run", "--env", GENUINE, "--limit", "1", "--via", "http", "--out", "OUT"),
)

OTHER = "chess_club"
_RUN = ("run", "--env", GENUINE, "--limit", "4", "--out", "out")
STARTING: Sequence[Any] = (
    (*_RUN, "--agent", "oracle", "--processes", "2"),
    pytest.param((*_RUN, "--agent", "an_agent:AnAgent", "--processes", "2"), marks=pytest.mark.slow),
    pytest.param((*_RUN, "--agent", "an_agent:AnAgent", "--processes", "1"), marks=pytest.mark.slow),
    pytest.param((*_RUN, "--via", "stdio", "--processes", "2"), marks=pytest.mark.slow),
    pytest.param((*_RUN, "--via", "http", "--processes", "1"), marks=pytest.mark.slow),
    pytest.param((*_RUN, "--via", "worker", "--processes", "2"), marks=pytest.mark.slow),
    pytest.param(("prove", GENUINE, OTHER, "--workers", "2"), marks=pytest.mark.slow),
    pytest.param(("build", GENUINE, OTHER, "--workers", "2"), marks=pytest.mark.slow),
    pytest.param(
        ("tasks", GENUINE, OTHER, "--count", "4", "--out", "tasks.jsonl", "--workers", "2"), marks=pytest.mark.slow
    ),
    pytest.param(("doctor",), marks=pytest.mark.slow),
)
"""What starts processes, by the command as a person types it in the folder."""
AGENT = """
from envscaler_mcp.episode.agent import COMPLETED, Action

class AnAgent:
    def __init__(self, briefing):
        pass

    def act(self, observation):
        return Action(text=COMPLETED)
"""


def envscaler(home: Path, words: Sequence[str], out: Path) -> None:
    arguments = [str(out) if word == "OUT" else word for word in words]
    CliRunner().invoke(app, ["--home", str(home), *arguments], catch_exceptions=True)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "planted"


def test_what_the_tests_plant_is_seen(tmp_path: Path, marker: Path) -> None:
    folder = infect(home_with(tmp_path / "home"), marker)
    code = load_code(folder)
    open_folder(folder, code, isolation="trusted")
    assert marker.exists()


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:3]))
def test_a_folder_whose_digests_all_fit_does_not_run_in_the_process_of_a_command(
    tmp_path: Path, marker: Path, words: Sequence[str]
) -> None:
    home = home_with(tmp_path / "home")
    infect(home, marker)
    envscaler(home, words, tmp_path / "out")
    assert not marker.exists()


@pytest.mark.parametrize("words", [("stats", "--signal"), ("stats", "--similarity", "--interfaces")], ids=" ".join)
def test_nor_in_that_of_one_which_measures_it_and_meets_no_refusal(
    tmp_path: Path, marker: Path, words: Sequence[str]
) -> None:
    home = home_with(tmp_path / "home")
    infect(home, marker, planted=quietly_planting)
    done = CliRunner().invoke(app, ["--home", str(home), *words])
    assert done.exit_code == 0, done.output
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize("words", THROUGH_PROCESSES, ids=lambda words: words[-3])
@pytest.mark.parametrize("what", ["environment.py", "server.py"])
def test_nor_in_a_server_that_a_run_starts(tmp_path: Path, marker: Path, words: Sequence[str], what: str) -> None:
    home = home_with(tmp_path / "home")
    if what == "server.py":
        (home / "generated_servers" / GENUINE / "server.py").write_text(planting(marker), encoding="utf-8")
    else:
        infect(home, marker)
    envscaler(home, words, tmp_path / "out")
    assert not marker.exists()


def test_the_emitted_program_runs_changed_code_in_a_worker(tmp_path: Path, marker: Path) -> None:
    folder = infect(home_with(tmp_path / "home"), marker)
    subprocess.run([sys.executable, str(folder / "server.py")], stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert not marker.exists()


@pytest.mark.slow
def test_nor_in_the_process_that_serves_it(tmp_path: Path, marker: Path) -> None:
    home = home_with(tmp_path / "home")
    infect(home, marker)
    command = [str(Path(sys.executable).parent / "envscaler"), "--home", str(home), "serve", GENUINE]
    subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert not marker.exists()


@pytest.mark.parametrize("words", STARTING, ids=lambda words: " ".join(words[:1] + words[-4:]))
def test_a_module_in_the_folder_one_stands_in_is_imported_by_no_process(
    tmp_path: Path, marker: Path, words: Sequence[str]
) -> None:
    home = home_with(tmp_path / "home", GENUINE, OTHER)
    plant(home, marker)
    (home / "an_agent.py").write_text(AGENT, encoding="utf-8")
    command = [str(Path(sys.executable).parent / "envscaler"), *words]
    done = subprocess.run(command, cwd=home, stdin=subprocess.DEVNULL, timeout=240, check=False)
    assert done.returncode == 0
    assert not marker.exists()


def test_a_folder_with_the_blueprint_of_another_world_is_unread(tmp_path: Path) -> None:
    folder = home_with(tmp_path / "home") / "generated_servers" / GENUINE
    assert load_code(folder).trust == "shipped"
    # What was compiled here once is remembered, so the question is put to an installation that remembers nothing.
    other = (ROOT / "generated_servers" / "chess_club" / "blueprint.yaml").read_text(encoding="utf-8")
    (folder / "blueprint.yaml").write_text(other, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        patch.setattr(memory, "_here", {})
        assert load_code(folder).trust == "unread"


def test_a_card_that_says_more_than_the_compiler_does_is_unread(tmp_path: Path) -> None:
    folder = home_with(tmp_path / "home") / "generated_servers" / GENUINE
    card = Environment.read(folder / "environment.json")
    first, *others = card.tools
    schema = {**first.input_schema, "properties": {"name": {"type": "string", "pattern": "^(a|a)+$"}}}
    changed = card.model_copy(update={"tools": (first.model_copy(update={"input_schema": schema}), *others)})
    changed.write(folder / "environment.json")
    assert load_code(folder).trust == "unread"


def test_a_folder_that_is_not_the_one_in_its_registry_is_unread(tmp_path: Path) -> None:
    home = home_with(tmp_path / "home")
    (entry,) = Registry.read(home / "registry.json").entries
    folder = home / "generated_servers" / GENUINE
    assert load_code(folder, entry.digests).trust == "shipped"
    other = entry.digests.model_copy(update={"code": "sha256:" + "0" * 64})
    assert load_code(folder, other).trust == "unread"


def test_what_others_may_write_is_no_memory_of_ours(tmp_path: Path, marker: Path) -> None:
    folder = infect(home_with(tmp_path / "home"), marker)
    environment, source = load_folder(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        patch.setattr(memory, "_here", {})
        remember(environment, source, "shipped")
        (written,) = (tmp_path / "state" / "envscaler").iterdir()
        patch.setattr(memory, "_here", {})
        assert load_code(folder).trust == "shipped", "the memory is what decides here"
        for open_to_others in (written, written.parent):
            mode = open_to_others.stat().st_mode
            open_to_others.chmod(mode | 0o022)
            patch.setattr(memory, "_here", {})
            assert load_code(folder).trust == "unread"
            open_to_others.chmod(mode)


def test_a_memory_that_cannot_be_written_costs_time_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        patch.setattr(memory, "_here", {})
        assert load_code(ROOT / "generated_servers" / GENUINE).trust == "shipped"
