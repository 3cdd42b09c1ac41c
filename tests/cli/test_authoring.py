"""An author begins a world, is told what is wrong with it, and has it served."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.cli.scenes import NEXT
from envscaler_mcp.pipeline.building import blueprint_of


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    file = tmp_path / "game_shelf.yaml"
    assert envscaler(tmp_path, "blueprint", "new", "game_shelf", "--sector", "leisure", "--out", file).exit_code == 0
    return file


def test_a_new_blueprint_is_sound_as_it_stands_and_nothing_is_to_be_looked_at(blueprint: Path) -> None:
    told = envscaler(blueprint.parent, "blueprint", "check", "--strict", blueprint)
    assert told.exit_code == 0, told.output
    assert ": sound: 3 entities" in told.output


def test_a_new_blueprint_never_takes_the_place_of_a_file(blueprint: Path) -> None:
    before = blueprint.read_text(encoding="utf-8")
    told = envscaler(blueprint.parent, "blueprint", "new", "game_shelf", "--out", blueprint)
    assert (told.exit_code, blueprint.read_text(encoding="utf-8")) == (2, before)


@pytest.mark.parametrize("name", ["Tool Shed", "tool-shed", "7_sheds", "_shed", ""])
def test_an_id_that_could_not_be_a_name_is_wrong_use(name: str, tmp_path: Path) -> None:
    told = envscaler(tmp_path, "blueprint", "new", name, "--out", tmp_path / "new.yaml")
    assert (told.exit_code, list(tmp_path.iterdir())) == (2, [])


def test_a_fault_is_told_with_its_place_and_what_may_have_been_meant(blueprint: Path) -> None:
    text = blueprint.read_text(encoding="utf-8").replace("not member.suspended", "not member.suspend")
    blueprint.write_text(text, encoding="utf-8")
    told = envscaler(blueprint.parent, "blueprint", "check", blueprint)
    assert told.exit_code == 1
    assert "operation lend_game" in told.output
    assert "did you mean 'suspended'?" in told.output
    (document,) = json.loads(envscaler(blueprint.parent, "blueprint", "check", "--json", blueprint).output)
    assert document["sound"] is False
    assert {problem["severity"] for problem in document["problems"]} == {"error"}


def test_a_rule_without_a_guard_is_found_by_playing(blueprint: Path) -> None:
    text = blueprint.read_text(encoding="utf-8")
    guard = "      - member.open_loans < 3 | {member.name} already has three open loans.\n"
    assert guard in text
    rule = "holds: all(m.open_loans <= 3 for m in Member)"
    blueprint.write_text(text.replace(guard, "").replace(rule, rule.replace("3", "1")), encoding="utf-8")
    told = envscaler(blueprint.parent, "blueprint", "check", blueprint)
    assert told.exit_code == 0
    assert "calls that passed every guard were refused" in told.output
    assert "A member has at most three open loans." in told.output
    assert envscaler(blueprint.parent, "blueprint", "check", "--strict", blueprint).exit_code == 1
    assert envscaler(blueprint.parent, "blueprint", "check", "--strict", "--no-probe", blueprint).exit_code == 0


def test_a_kind_without_a_record_in_the_start_state_is_told(blueprint: Path) -> None:
    text = blueprint.read_text(encoding="utf-8")
    assert "  history: " in text
    blueprint.write_text(re.sub(r"  history: \d+", "  history: 0", text), encoding="utf-8")
    told = envscaler(blueprint.parent, "blueprint", "check", blueprint)
    assert "warning: entity Loan: no record of it in the start state" in told.output


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(blueprint: Path) -> None:
    below_a_file = blueprint / "other.yaml"
    told = envscaler(blueprint.parent, "blueprint", "new", "other", "--out", below_a_file)
    assert told.exit_code == 1
    assert f"{below_a_file} cannot be written" in told.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder with the blueprint and a home in which it was built, and what was told."""
    folder = tmp_path_factory.mktemp("built")
    file, home = folder / "game_shelf.yaml", folder / "home"
    assert envscaler(home, "blueprint", "new", "game_shelf", "--sector", "leisure", "--out", file).exit_code == 0
    told = envscaler(home, "build", file)
    assert told.exit_code == 0
    return folder, told


def test_an_emitted_world_is_found_called_and_recognised_when_it_was_changed_by_hand(
    built: tuple[Path, Result], tmp_path: Path
) -> None:
    folder = shutil.copytree(built[0], tmp_path / "copy")
    home, blueprint = folder / "home", folder / "game_shelf.yaml"
    assert envscaler(home, "build", blueprint, "--check").exit_code == 0
    assert [e["id"] for e in json.loads(envscaler(home, "list", "--json").output)] == ["game_shelf"]
    assert envscaler(home, "call", "game_shelf", "list_games", "kind=dice_game").exit_code == 0
    assert envscaler(home, "list", "--check").output == "1 folder is as registered.\n"
    source = home / "generated_servers" / "game_shelf" / "environment.py"
    source.write_text(source.read_text(encoding="utf-8") + "# by hand\n", encoding="utf-8")
    told = envscaler(home, "build", blueprint, "--check")
    assert told.exit_code == 1
    assert "game_shelf: environment.py is not what would be emitted" in told.stderr
    told = envscaler(home, "list", "--check")
    assert (told.exit_code, told.stderr) == (1, "game_shelf: environment.py is not the one that was registered\n")


def test_a_build_names_the_stories_that_are_in_no_scenario(blueprint: Path) -> None:
    text = blueprint.read_text(encoding="utf-8")
    name, cast = re.search(r"^stories:\n  (\w+):\n(?:.*\n)*?    cast:\n      - (.+)\n", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    blueprint.write_text(
        text.replace(f"- {cast}", f"- {cast.partition(' if ')[0]} if today == '1999-01-01'", 1), encoding="utf-8"
    )
    built = envscaler(blueprint.parent / "home", "build", blueprint, "--scenarios", 10)
    assert f"game_shelf: the story {name} is in no scenario: no record fits" in built.stderr


def test_emitting_twice_changes_nothing_the_second_time(built: tuple[Path, Result]) -> None:
    folder, told = built
    assert "game_shelf is new or has changed.\n" in told.output
    assert "changed" not in envscaler(folder / "home", "build", folder / "game_shelf.yaml").output


@pytest.mark.parametrize("words", [[], ["--all", "hospital_stays"], ["hospital_stay"], ["nowhere.yaml"]])
def test_emitting_wants_to_know_what(words: list[str], tmp_path: Path) -> None:
    assert envscaler(tmp_path, "build", *words).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_check_writes_nothing(blueprint: Path) -> None:
    assert envscaler(blueprint.parent, "build", blueprint, "--check").exit_code == 1
    assert list(blueprint.parent.iterdir()) == [blueprint]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_demo_plays_in_worlds_of_its_own_and_what_it_says_to_type_next_works(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    built = {"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    assert envscaler(home, "build", blueprint_of("hospital_stays"), "--scenarios", 12).exit_code == 0
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    command = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), "demo"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work, env=built)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("MCP 2026-07-28") == 3
    assert told.stdout.count("     refused  ") == 4
    assert "       ~ stays STAY-" in told.stdout
    assert "Everything that was launched has ended." in told.stdout
    assert f"are ready in {tmp_path / 'state' / 'envscaler' / 'demo'}" in told.stdout
    assert {file: file.read_bytes() for file in home.rglob("*") if file.is_file()} == before
    lines = told.stdout.partition("What to type next:")[2].splitlines()
    typed = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert len(typed) == len(NEXT)
    for line in typed:
        done = subprocess.run(
            line, shell=True, capture_output=True, text=True, check=False, cwd=work, env=built, stdin=subprocess.DEVNULL
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)


def children_of(process_id: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{process_id}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread may end while it is looked at
            found += map(int, (thread / "children").read_text().split())
    return found


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells a process's children and when they end")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_stopped_ends_what_it_launched(
    ending: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = [sys.executable, "-m", "envscaler_mcp", "--home", str(tmp_path), "demo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while "Trading desk, in a process of its own" not in (line := process.stdout.readline()):
            assert line
        while "tools after" not in (line := process.stdout.readline()):
            assert line
        launched = children_of(process.pid)
        assert launched
        handles = [os.pidfd_open(child) for child in launched]
        process.send_signal(ending)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == "Stopped; every server that was started has ended.\n"
        for handle in handles:
            assert select.select([handle], [], [], 30)[0] == [handle]
            os.close(handle)


def test_an_author_sees_the_tasks_and_what_became_of_each_story(tmp_path: Path) -> None:
    told = envscaler(tmp_path, "blueprint", "tell", blueprint_of("bank_accounts"), "--scenarios", 12, "--json")
    document = json.loads(told.output)
    assert len(document["tasks"]) == 12
    assert document["failures"] == []
    assert sum(story["told"] for story in document["stories"]) >= 12
    assert all(sum(story["tellings"]) == story["told"] for story in document["stories"])
    assert told.exit_code == (0 if document["whole"] else 1)


def test_a_blueprint_without_stories_is_told_that_it_has_no_tasks_and_how_to_write_stories(blueprint: Path) -> None:
    text = blueprint.read_text(encoding="utf-8")
    blueprint.write_text(text[: text.index("stories:\n")], encoding="utf-8")
    told = envscaler(blueprint.parent, "blueprint", "tell", blueprint)
    assert told.exit_code == 1
    assert "has no stories, so it has no tasks" in told.output
    assert "error" not in told.output


def test_a_story_that_was_not_tried_is_no_error_of_its_author(blueprint: Path) -> None:
    told = envscaler(blueprint.parent, "blueprint", "tell", blueprint, "--scenarios", 1)
    assert "was not tried for 1 task; --scenarios makes more." in told.output
    assert "error" not in told.output


def test_a_story_that_nobody_can_be_in_is_an_answer_of_no(tmp_path: Path) -> None:
    file = tmp_path / "bank_accounts.yaml"
    text = blueprint_of("bank_accounts").read_text(encoding="utf-8")
    nobody = """
  nobody_at_all:
    cast:
      - who in Customer if who.name == ''
    do:
      - freeze_account(account=first(a for a in Account if a.holder == who), kind='full', reason='none', ordered_by='nobody')
    tell:
      - "Freeze the first account of {who}."
"""
    file.write_text(text.rstrip("\n") + nobody, encoding="utf-8")
    told = envscaler(tmp_path, "blueprint", "tell", file, "--scenarios", 4)
    assert told.exit_code == 1
    assert "nobody_at_all" in told.output
