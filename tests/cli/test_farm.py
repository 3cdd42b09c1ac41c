"""The farm from a command line: where it is, who gets a token, what it refuses, and a host that is told of a world."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from tests.farm.farms import ROOT, farm_program
from tests.farm.talking import Talk


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def envscaler(*words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(ROOT), *map(str, words)], env={"COLUMNS": "200"})


def test_a_host_is_told_of_a_fresh_world_which_then_answers(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    with farm_program(tmp_path, processes=1) as farm:
        told = envscaler(
            "connect", f"{farm.url}/e/hospital_stays/new", "--client", "vscode", "--install", "--file", file
        )
        assert told.exit_code == 0, told.output
        server: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["servers"]["hospital_stays"]
        with Talk(farm.url) as talk:
            status, said = talk.ask(server["url"], "tools/list")
        assert (status, len(said["result"]["tools"]) > 5) == (200, True)
        again = envscaler("connect", server["url"], "--client", "vscode", "--install", "--file", file)
        assert again.exit_code == 0
        assert json.loads(file.read_text(encoding="utf-8"))["servers"]["hospital_stays"] == server
        wrong = envscaler("connect", f"{farm.url}/e/hospital/new", "--client", "vscode")
        assert wrong.exit_code == 2
        assert "There is no such environment" in wrong.output
    gone = envscaler("connect", f"{farm.url}/e/hospital_stays", "--client", "vscode")
    assert gone.exit_code == 1
    assert "`envscaler farm` starts one" in gone.output
    taken = envscaler("connect", f"{farm.url}/e/hospital_stays/new", "--client", "vscode", "--remove", "--file", file)
    assert taken.exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["servers"] == {}


def test_an_address_that_is_no_world_is_wrong_use() -> None:
    told = envscaler("connect", "http://127.0.0.1:1/somewhere", "--client", "vscode")
    assert told.exit_code == 2
    assert "no world of a farm" in told.output


def test_a_token_is_made_from_a_secret_that_only_this_user_can_read(state: Path) -> None:
    first, second = envscaler("farm", "token", "control"), envscaler("farm", "token", "control", "--days", 1)
    assert first.exit_code == second.exit_code == 0
    assert first.output != second.output
    secret = state / "envscaler" / "farm.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.chmod(0o644)
    told = envscaler("farm", "token", "control")
    assert told.exit_code == 1
    assert "chmod 600" in told.output


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--host", "0.0.0.0"], 2, "--secret-env"),
        (["--host", "0.0.0.0", "--secret-env", "NOBODY_SET_THIS"], 2, "empty or not set"),
        (["--isolation", "trusted"], 2, "never runs unread code"),
        (["--control", "/proc/nowhere/farm.sock"], 1, "--control"),
    ],
)
def test_what_would_not_be_safe_or_cannot_be_is_refused_at_once(
    words: list[str], status: int, says: str, state: Path
) -> None:
    told = envscaler("farm", "--port", 0, *words)
    assert told.exit_code == status, told.output
    assert says in told.output


def test_a_secret_that_could_be_guessed_is_refused(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARM_SECRET", "hunter2")
    told = envscaler("farm", "--port", 0, "--secret-env", "FARM_SECRET")
    assert told.exit_code == 1
    assert "32 letters" in told.output
