"""A person finds a world, reads about it, tries its tools and serves it, all from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import State
from envscaler_mcp.cli.program import app

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ROOT / "clients" / "plain_mcp.py"


def envscaler(*words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(ROOT), *map(str, words)], env={"COLUMNS": "200"})


def test_every_world_is_listed_with_its_sector_and_number_of_tools() -> None:
    told = envscaler("list")
    assert told.exit_code == 0
    rows = told.output.splitlines()
    assert rows[0].split() == ["id", "sector", "tools", "about"]
    assert len(rows) == 1 + len(json.loads((ROOT / "registry.json").read_text(encoding="utf-8"))["entries"])
    assert [row.split()[:3] for row in rows if row.startswith("hospital_stays")] == [["hospital_stays", "health", "23"]]


def test_words_find_a_world_for_people_and_for_programs() -> None:
    assert "hospital_stays" in envscaler("list", "--search", "patients bed").output
    found = json.loads(envscaler("list", "--search", "hospital wards", "--json").output)
    assert found[0]["id"] == "hospital_stays"
    for words in ("hospital", "wards"):
        (only,) = {entry["id"] for entry in json.loads(envscaler("list", "--search", words, "--json").output)} & {
            "hospital_stays"
        }
        assert only in [entry["id"] for entry in found]


def test_a_search_with_a_word_too_many_still_finds_the_world_and_says_what_it_leaves_out() -> None:
    told = envscaler("list", "--search", "submarine hospital bed that is clean")
    assert told.exit_code == 0
    assert told.stdout.splitlines()[1].split()[0] == "hospital_stays"
    assert len(told.stdout.splitlines()) <= 1 + 20
    assert "more have fewer of the words; --json lists them too." in told.stderr


def test_nothing_found_is_the_answer_no() -> None:
    told = envscaler("list", "--search", "submarine")
    assert (told.exit_code, told.stdout) == (1, "")
    assert "No environment matches 'submarine'." in told.stderr


def test_a_world_is_shown_with_its_rules_and_all_its_tools() -> None:
    card = json.loads(envscaler("show", "hospital_stays", "--json").output)
    told = envscaler("show", "hospital_stays").output
    for rule in card["rules"]:
        assert f"  * {rule}\n" in told
    for tool in card["tools"]:
        assert f"  {tool['name']}(" in told


@pytest.mark.parametrize("command", ["show", "call", "serve", "bundle"])
def test_a_misspelt_world_is_wrong_use_and_is_told_what_it_may_have_meant(command: str) -> None:
    told = envscaler(command, "hospital_stay")
    assert told.exit_code == 2
    assert "did you mean 'hospital_stays'?" in told.stderr


def test_a_call_answers_and_a_call_without_a_tool_lists_the_tools() -> None:
    told = envscaler("call", "hospital_stays", "list_wards")
    assert told.exit_code == 0
    assert json.loads(told.output)["success"] is True
    assert "clean_bed bed_id=… [disinfected=…]\n" in envscaler("call", "hospital_stays").output


def test_a_call_that_changes_something_shows_each_fact_before_and_after() -> None:
    told = envscaler("call", "hospital_stays", "block_bed", f"bed_id={free_bed()}", "reason=broken rail")
    assert told.exit_code == 0, told.output
    assert f'  ~ beds {free_bed()}: blocked_for null → "broken rail"\n' in told.output


def test_a_refused_call_is_the_answer_no_and_changes_nothing() -> None:
    told = envscaler("call", "hospital_stays", "reopen_bed", f"bed_id={free_bed()}")
    assert told.exit_code == 1
    assert "is clean, not blocked." in told.output
    assert "refused; nothing was changed" in told.output


def test_a_call_tells_programs_outcome_answer_and_change_in_one_object() -> None:
    told = envscaler("call", "hospital_stays", "block_bed", f"bed_id={free_bed()}", "reason=x", "--json")
    document = json.loads(told.output)
    assert document["outcome"] == "done"
    assert document["changed"]["changed"]["beds"][free_bed()]["condition"] == ["clean", "blocked"]
    wrong = envscaler("call", "hospital_stays", "block_bed", "bed_id=3", "raeson=x", "--json")
    assert (wrong.exit_code, json.loads(wrong.output)["outcome"]) == (1, "invalid")


def test_a_misspelt_tool_is_wrong_use_and_is_told_what_it_may_have_meant() -> None:
    told = envscaler("call", "hospital_stays", "list_ward")
    assert told.exit_code == 2
    assert "did you mean 'list_wards'?" in told.stderr


def test_a_kept_world_goes_on_where_the_last_call_left_it(tmp_path: Path) -> None:
    keep = ["--keep", tmp_path / "mine.json"]
    assert envscaler("call", "hospital_stays", "block_bed", f"bed_id={free_bed()}", "reason=x", *keep).exit_code == 0
    again = envscaler("call", "hospital_stays", "block_bed", f"bed_id={free_bed()}", "reason=x", *keep)
    assert (again.exit_code, "is blocked" in again.output) == (1, True)
    assert envscaler("call", "hospital_stays", "reopen_bed", f"bed_id={free_bed()}", *keep).exit_code == 0
    assert State.read(tmp_path / "mine.json").content["beds"][free_bed()]["condition"] == "dirty"


def test_a_kept_world_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    keep = ["--keep", tmp_path / "mine.json"]
    assert envscaler("call", "hospital_stays", "list_wards", *keep, "--state", "start").exit_code == 0
    before = (tmp_path / "mine.json").read_bytes()
    told = envscaler("call", "hospital_stays", "list_wards", *keep, "--state", "start")
    assert told.exit_code == 2
    assert "holds a world already; leave out --state" in told.stderr
    assert (tmp_path / "mine.json").read_bytes() == before


def test_a_world_kept_for_another_environment_is_wrong_use(tmp_path: Path) -> None:
    keep = ["--keep", tmp_path / "mine.json"]
    envscaler("call", "hospital_stays", "list_wards", *keep)
    told = envscaler("call", "shared_drive", "list_users", *keep)
    assert told.exit_code == 2
    assert "is a state of 'hospital_stays', not of 'shared_drive'" in told.stderr


def test_connecting_prints_the_lines_installs_them_and_takes_them_out(tmp_path: Path) -> None:
    words = ["connect", "hospital_stays", "--client", "cursor", "--file", tmp_path / "mcp.json"]
    printed = envscaler(*words)
    said = json.loads(printed.stdout)["mcpServers"]["hospital_stays"]
    assert (said["command"], said["args"][-2:]) == (sys.executable, ["serve", "hospital_stays"])
    assert not (tmp_path / "mcp.json").exists()
    assert envscaler(*words, "--install").exit_code == 0
    assert json.loads((tmp_path / "mcp.json").read_text(encoding="utf-8")) == json.loads(printed.stdout)
    assert [envscaler(*words, "--remove").exit_code for _ in range(2)] == [0, 1]
    assert envscaler(*words, "--remove", "--install").exit_code == 2


def test_served_on_standard_streams_it_is_the_same_server() -> None:
    direct = [sys.executable, str(ROOT / "generated_servers" / "hospital_stays" / "server.py"), "--seed", "5"]
    served = [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "serve", "hospital_stays", "--seed", "5"]
    told = [
        subprocess.run(
            [sys.executable, PLAIN, "--call", "list_stays", "{}", "--", *command],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in (direct, served)
    ]
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == 2


@pytest.mark.parametrize("ending", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_served_over_http_it_says_where_and_ends_when_it_is_told_to(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "serve", "hospital_stays", "--http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        called = subprocess.run(
            [sys.executable, PLAIN, "--call", "list_wards", "{}", url], capture_output=True, text=True, check=False
        )
        process.send_signal(ending)
        assert process.wait(timeout=30) == 0
    assert called.returncode == 0, called.stderr


@pytest.mark.parametrize(
    "words", [["--port", "8000"], ["--http", "--port", "70000"], ["--isolation", "lax"], ["--state", "nowhere"]]
)
def test_options_that_cannot_be_meant_are_wrong_use(words: list[str]) -> None:
    assert envscaler("serve", "hospital_stays", *words).exit_code == 2


def free_bed() -> str:
    state = State.read(ROOT / "generated_servers" / "hospital_stays" / "states" / "start.json").content
    taken = {stay["bed_id"] for stay in state["stays"].values() if stay["status"] == "admitted"}
    return next(str(key) for key, bed in state["beds"].items() if bed["condition"] == "clean" and key not in taken)
