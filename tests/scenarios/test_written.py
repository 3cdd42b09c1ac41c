"""A class that nobody has read gets tasks that can be solved, are not given away, and need nothing that cannot be known."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envscaler_mcp.artifacts import LEVELS, Level, Registry, RegistryEntry, Scenario
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.cli.program import app
from envscaler_mcp.errors import GrowthError, WorldError
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.pipeline.proving import prove_folder, write_scenarios
from envscaler_mcp.sandbox.checking import checker
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios import WrittenProver, WrittenTaskMaker
from envscaler_mcp.scenarios.tasks import BANDS
from tests.homes import written
from tests.scenarios.written_classes import (
    DEVICES,
    FROZEN,
    LENDING,
    devices_state,
    lending_state,
    start_state,
)

ROOT = Path(__file__).resolve().parents[2]
DESKS = {"lending": (LENDING, "LendingDesk", lending_state()), "devices": (DEVICES, "DeviceRegistry", devices_state())}
CASES = [
    pytest.param(desk, level, marks=pytest.mark.slow if (desk, level) == ("devices", "hard") else ())
    for desk in DESKS
    for level in LEVELS
]

_executed: list[str] = []
"""Names under which Python code was run in this process since it was told to take notes."""
_noting = [False]


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _noting[0] and event == "exec" and arguments:
        _executed.append(getattr(arguments[0], "co_filename", ""))


sys.addaudithook(_note)


@cache
def made(desk: str, level: Level) -> Scenario:
    source, _, content = DESKS[desk]
    maker = WrittenTaskMaker(written(source), 7, open_isolated)
    _noting[0] = True
    try:
        return maker.scenario(start_state(content), level, 1)
    finally:
        _noting[0] = False


def played(desk: str, scenario: Scenario) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The oracle's answers, each with the state after it, in a worker."""
    source, _, content = DESKS[desk]
    world = open_isolated(written(source), content, scenario.seed)
    try:
        for call in scenario.oracle:
            yield world.call(call.tool, call.arguments), world.state()
    finally:
        world.close()


def ids_of(state: dict[str, Any]) -> set[str]:
    """The ids of all records."""
    return {
        key
        for records in state.values()
        if isinstance(records, dict)
        for key, record in records.items()
        if isinstance(record, dict)
    }


def folder_of(home: Path, source: str, class_name: str, content: dict[str, Any]) -> Path:
    code = written(source, "desk")
    folder = home / "desk"
    code.environment.write(folder / "environment.json")
    (folder / "environment.py").write_text(source, encoding="utf-8")
    start_state(content, "desk").write(folder / "states" / "start.json")
    return folder


@pytest.mark.parametrize(("desk", "level"), CASES)
def test_doing_what_is_asked_earns_everything_and_doing_nothing_earns_nothing(desk: str, level: Level) -> None:
    scenario = made(desk, level)
    initial = DESKS[desk][2]
    outcomes = list(played(desk, scenario))
    assert all(outcome.kind == "done" for outcome, _ in outcomes)
    solved = judge(scenario, initial, outcomes[-1][1])
    assert (solved.reward, solved.owner, solved.frame_violations) == (1.0, None, ())
    untouched = judge(scenario, initial, initial)
    assert (untouched.reward, any(untouched.checks)) == (0.0, False)


@pytest.mark.parametrize(("desk", "level"), CASES)
def test_every_mutant_is_noticed_and_every_harmless_variant_is_not(desk: str, level: Level) -> None:
    scenario = made(desk, level)
    assert scenario.proof is not None
    mutants = scenario.proof.mutants
    assert sum(tally.made - tally.equivalent for tally in mutants.values()) >= 8
    assert all(tally.right == tally.made - tally.equivalent for tally in mutants.values())
    assert mutants["drop"].equivalent == 0
    assert scenario.proof.benign["other new ids"].made == 1
    assert all(tally.right == tally.made for tally in scenario.proof.benign.values())
    assert scenario.proof.orders.right == scenario.proof.orders.made
    low, high = BANDS[level]
    assert low <= len(scenario.oracle) <= high
    assert scenario.features["default_words"] == 100


@pytest.mark.parametrize(("desk", "level"), CASES)
def test_every_id_that_a_call_names_stands_in_an_earlier_answer_or_in_the_words(desk: str, level: Level) -> None:
    scenario = made(desk, level)
    heard = scenario.task
    ids = ids_of(DESKS[desk][2])
    for call, (outcome, state) in zip(scenario.oracle, played(desk, scenario), strict=True):
        made_up = ids_of(state) - ids - set(map(str, call.arguments.values()))
        assert not any(key in scenario.task for key in made_up)
        ids |= ids_of(state)
        for value in call.arguments.values():
            if value in ids:
                assert re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", heard), (call, value)
        heard += outcome.text


@pytest.mark.parametrize("desk", DESKS)
def test_nothing_of_the_class_and_no_check_runs_in_this_process(desk: str) -> None:
    for level in LEVELS:
        made(desk, level)
    assert not {name for name in _executed if name.endswith(("environment.py", "check"))}


@pytest.mark.parametrize("desk", DESKS)
def test_equal_seeds_give_equal_scenarios_and_others_give_others(desk: str) -> None:
    source, _, content = DESKS[desk]
    again = WrittenTaskMaker(written(source), 7, open_isolated).scenario(start_state(content), "easy", 1)
    other = WrittenTaskMaker(written(source), 8, open_isolated).scenario(start_state(content), "easy", 1)
    assert again == made(desk, "easy")
    assert other.oracle != again.oracle


def test_what_no_query_shows_is_never_asked_for() -> None:
    maker = WrittenTaskMaker(written(DEVICES), 11, open_isolated)
    scenarios = [maker.scenario(start_state(devices_state()), "easy", 1), *(made("devices", level) for level in LEVELS)]
    assert all(call.tool != "break_seal" for one in scenarios for call in one.oracle)
    assert all("SEAL" not in one.task for one in scenarios)


def test_minutes_and_made_up_ids_are_nobodys_wish() -> None:
    maker = WrittenTaskMaker(written(LENDING), 5, open_isolated)
    for number in range(6):
        scenario = maker.scenario(start_state(lending_state()), "medium", number)
        frame = scenario.frame
        if frame is not None and "loans" in frame.created:
            break
    entered = next(check for check in scenario.checks if check.check_item.startswith("Has a loan been entered"))
    assert "due_date" in entered.check_func
    assert "created_at" not in entered.check_func
    assert not re.search(r"LN-[0-9a-f]{8}", "".join(check.check_func for check in scenario.checks))
    assert frame is not None
    assert "lent_in_all" in frame.scalars
    assert not any("lent_in_all" in check.check_func for check in scenario.checks)


BOARD = '''
class Board:
    """The lines of a departure board."""

    def __init__(self, init_config: dict):
        self.lines: dict = {}

    def list_lines(self) -> dict:
        """List the lines."""
        return {"success": True, "data": list(self.lines.values())}

    def write_line(self, line_id: str, words: str, minutes: int) -> dict:
        """Write what a line says, and how late it is."""
        if line_id not in self.lines:
            return {"success": False, "error": "There is no such line"}
        line = self.lines[line_id]
        line["words"] = words
        line["turns"] += line["minutes"] != minutes
        line["minutes"] = minutes
        return {"success": True, "message": "Written."}
'''
STOPS = ("Harbour", "Market", "Old Town", "Airport", "Museum", "Stadium")


def test_a_proof_is_the_same_whether_its_calls_were_just_made_or_read_from_a_file() -> None:
    lines = {
        f"L{n}": {"line_id": f"L{n}", "stop": stop, "words": "", "minutes": 0, "turns": 0}
        for n, stop in enumerate(STOPS)
    }
    code, start = written(BOARD), start_state({"lines": lines})
    maker = WrittenTaskMaker(code, 5, open_isolated)
    for number in range(2):
        scenario = maker.scenario(start, "medium", number)
        read = Scenario.from_text(scenario.to_line(), "scenario")
        with checker() as judging, closing(open_isolated(code, start.content, read.seed)) as world:
            assert WrittenProver(read, code, world, open_isolated, judging).prove() == scenario.proof


def test_later_changes_need_earlier_ones() -> None:
    maker = WrittenTaskMaker(written(DEVICES), 3, open_isolated)
    found = [maker.scenario(start_state(devices_state()), "medium", n) for n in range(4)]
    assert sum(one.features["dependent"] for one in found) >= 2


def test_a_class_in_which_nothing_can_be_changed_is_told_clearly() -> None:
    content = {"exhibits": {"E1": {"name": "Vase", "place": "hall"}, "E2": {"name": "Bust", "place": "stairs"}}}
    maker = WrittenTaskMaker(written(FROZEN), 7, open_isolated)
    with pytest.raises(
        GrowthError, match=r"written offers nothing to do at 'start': none of \d+ calls of 1 changing tools"
    ):
        maker.scenario(start_state(content), "easy", 1)


def registered(home: Path) -> Path:
    """The folder of the lending desk under a home whose registry knows it."""
    folder = folder_of(home / "generated_servers", LENDING, "LendingDesk", lending_state())
    card = written(LENDING, "desk").environment
    entry = RegistryEntry(
        id="desk",
        title=card.title,
        about=card.about,
        sector=card.sector,
        version=card.version,
        tools=tuple(tool.name for tool in card.tools),
        digests=RegistryDigests(environment=card.digest, code=card.code_digest),
        command=("{python}", "generated_servers/desk/server.py"),
    )
    Registry(entries=(entry,)).write(home / "registry.json")
    return folder


def test_a_folder_gets_scenarios_that_are_proven_again_and_counted(tmp_path: Path) -> None:
    folder = registered(tmp_path)
    written = write_scenarios(folder, 7, 2, tmp_path / "registry.json")
    assert [one.level for one in written] == ["easy", "medium"]
    assert Registry.read(tmp_path / "registry.json").entries[0].scenarios == 2
    assert [(one.scenario, one.failure) for one in prove_folder(folder)] == [(one.id, "") for one in written]


@pytest.mark.slow
def test_ten_scenarios_are_made_proven_and_played_from_the_command_line(tmp_path: Path) -> None:
    registered(tmp_path)

    def envscaler(*words: str) -> str:
        told = CliRunner().invoke(app, ["--home", str(tmp_path), *words], env={"COLUMNS": "200"})
        assert told.exit_code == 0, told.output
        return told.output

    assert "desk: 10 scenarios are made and proven (3 easy, 4 medium, 3 hard)." in envscaler("scenarios", "desk")
    assert "10 of 10 scenarios are proven." in envscaler("prove", "desk")
    run = ("run", "--env", "desk", "--via", "worker", "--out", str(tmp_path / "run"))
    episodes = json.loads(envscaler(*run, "--agent", "oracle", "--json"))["episodes"]
    assert [one["reward"] for one in episodes] == [1.0] * 10


READS_FILES = "def check_func(final_state):\n    return open('/etc/passwd').read() == ''\n"


def with_a_check_that_reads_files(folder: Path) -> None:
    lines = folder / "scenarios.jsonl"
    scenario = json.loads(lines.read_text(encoding="utf-8").splitlines()[0])
    scenario["checks"][0]["check_func"] = READS_FILES
    lines.write_text(json.dumps(scenario) + "\n", encoding="utf-8")


@pytest.mark.parametrize("origin", ["written", "compiled"])
def test_a_proof_on_disk_does_not_trust_the_checks_on_disk(tmp_path: Path, origin: str) -> None:
    if origin == "written":
        folder = folder_of(tmp_path, LENDING, "LendingDesk", lending_state())
        write_scenarios(folder, 7, 1)
    else:
        folder = tmp_path / "bank_accounts"
        ignored = shutil.ignore_patterns("more_scenarios.jsonl")
        shutil.copytree(ROOT / "generated_servers" / "bank_accounts", folder, ignore=ignored)
    with_a_check_that_reads_files(folder)
    (proven,) = prove_folder(folder)
    assert proven.failure.startswith("check 1 says nothing: ")
    assert "'open' may not be used" in proven.failure


def test_compiled_folders_get_no_scenarios_by_trying(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, LENDING, "LendingDesk", lending_state())
    card = folder / "environment.json"
    card.write_text(card.read_text(encoding="utf-8").replace('"written"', '"compiled"', 1), encoding="utf-8")
    with pytest.raises(WorldError, match="'desk' is compiled"):
        write_scenarios(folder)
