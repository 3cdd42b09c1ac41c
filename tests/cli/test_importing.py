"""Published files come in by one command, are played as they would be there, and go out by another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from tests.pipeline.published import ENVIRONMENTS, published

SCRIPT = {
    "task_1": [
        {"tool": "take_back", "arguments": {"loan_id": "LN-0001"}},
        {"tool": "update_email", "arguments": {"reader_id": "RD-1", "email": "ada@example.org"}},
    ],
    "task_6": [{"tool": "take_back", "arguments": {"loan_id": "LN-0002"}}],
}


def envscaler(home: Path, *words: str) -> tuple[int, str, str]:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["--home", str(home), *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("imported")


@pytest.fixture(scope="module")
def told(home: Path) -> tuple[int, str, str]:
    environments, scenarios = published(home / "files")
    return envscaler(home, "import", "envscaler", "--environments", str(environments), "--scenarios", str(scenarios))


def test_what_came_in_and_what_did_not_is_told(told: tuple[int, str, str]) -> None:
    code, out, err = told
    assert code == 0
    assert "3 of 6 environments are imported." in out
    assert "6 of 10 scenarios are here; 3 of them are gradable." in out
    assert "left out, since its environment is in no file: task_10" in out
    assert "1 scenario has checks that cannot run, and is masked: task_3" in out
    assert "Agents read results as JSON; there they read them as Python prints them." in out
    assert "env_3 is refused: " in err
    assert "env_2_sft: its class has no fly, which its metadata names" in err


@pytest.mark.parametrize("scoring", [pytest.param("upstream", marks=pytest.mark.slow), "framed"])
def test_imported_tasks_are_played_over_a_real_server(home: Path, told: tuple[int, str, str], scoring: str) -> None:
    assert told[0] == 0
    (home / "script.json").write_text(json.dumps(SCRIPT))
    wanted = ["--scenario", "task_1", "--scenario", "task_6", "--scoring", scoring, "--via", "stdio", "--json"]
    out = str(home / "runs" / scoring)
    words = ["run", "--agent", f"scripted:{home / 'script.json'}", "--out", out, *wanted]
    program = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), *words]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert [one["reward"] for one in json.loads(done.stdout)["episodes"]] == [1.0, 0.5]


def test_what_came_in_goes_out(home: Path, told: tuple[int, str, str]) -> None:
    assert told[0] == 0
    files = ["--environments", str(home / "e.json"), "--scenarios", str(home / "s.json")]
    code, out, _ = envscaler(home, "export", "envscaler", "env_1_rl", *files)
    assert (code, out.startswith("1 environment is written")) == (0, True)
    assert json.loads((home / "e.json").read_text()) == {"env_1_rl": ENVIRONMENTS["env_1_rl"]}


def test_nothing_that_can_be_imported_is_an_answer_of_no(tmp_path: Path) -> None:
    file = tmp_path / "empty.json"
    file.write_text("{}")
    assert envscaler(tmp_path, "import", "envscaler", "--environments", str(file))[0] == 1
    file.write_text("nonsense")
    code, _, err = envscaler(tmp_path, "import", "envscaler", "--environments", str(file))
    assert (code, "cannot be read as JSON" in err) == (1, True)
