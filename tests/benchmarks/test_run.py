"""Every benchmark runs, says what it is compared with, and judges its budget; how fast anything is belongs to no test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.figures import Benchmark, Budget, Figure, Peer, table
from benchmarks.places import place
from benchmarks.run import BENCHMARKS, main
from envscaler_mcp.language.interpreter import Interpreter
from tests.viewer.chromium import PROGRAM

SLOW = {
    "http",
    "stdio",
    "memory",
    "imports",
    "library",
    "farm",
    "guards",
    "rl",
    "adapters",
    "others",
    "runs",
    "building",
    "growth",
    "worlds",
    "episodes",
}


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    if name == "studio":
        return pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")
    return (pytest.mark.slow,) if name in SLOW else ()


# A farm in a fresh home compiles all environments before it trusts them.
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=_marks(name))
        for name in BENCHMARKS
        # That one installs packages, and is played by tests/rl/test_trainers.py.
        if name != "trainers"
    ],
)
def test_a_benchmark_measures_something_beside_its_peer(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    assert main(["--scale", "tiny", "--only", name, "--json", str(file)]) == 0
    figures = json.loads(file.read_text())["figures"][name]
    told = capsys.readouterr().out
    assert figures
    for figure in figures:
        assert figure["value"] > 0
        assert figure["peer"]["value"] > 0
        assert figure["name"] in told


def test_a_benchmark_that_fails_does_not_take_the_others_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_scale: object) -> list[Figure]:
        raise AssertionError("broken")

    monkeypatch.setitem(BENCHMARKS, "calls", Benchmark("calls", "nothing", broken))
    file = tmp_path / "figures.json"
    words = ["--scale", "tiny", "--only", "calls", "--only", "rules", "--only", "worlds", "--without", "worlds"]
    assert main([*words, "--json", str(file)]) == 1
    assert list(json.loads(file.read_text())["figures"]) == ["rules"]
    assert "Failed here: calls." in capsys.readouterr().err


def test_a_missed_budget_is_said_and_met_ones_are_too() -> None:
    peer = Peer("walking", 4.0)
    told = table(
        [
            Figure("running", 8.0, "km/h", peer, Budget("at least", 10.0)),
            Figure("cycling", 12.0, "km/h", peer, Budget("at least", 10.0)),
        ]
    ).splitlines()
    assert told[2].split() == ["running", "8", "km/h", "walking:", "4", "2.00", "at", "least", "10", "NO"]
    assert told[3].split()[-1] == "yes"


@pytest.mark.parametrize(
    "name",
    [
        "bank_accounts",
        "issue_tracker",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("hospital_stays", "sports_league", "warehouse_stock")
        ),
    ],
)
def test_a_widened_state_obeys_the_rules_that_the_start_state_obeys(name: str) -> None:
    here = place(name)
    wide = here.widened(3 * here.size)
    records = sum(len(wide[entity.container]) for entity in here.model.entities.values())
    assert records == 3 * here.size
    assert Interpreter(here.model, wide).check_state() == []
    assert here.widens


def test_a_rule_about_all_records_at_once_keeps_a_state_from_being_widened() -> None:
    # Its gate handles three trucks in a slot, whoever they come for.
    assert not place("container_terminal").widens


def test_what_is_measured_as_a_change_changes_something() -> None:
    # Valuing a part that has no price at no price is done, and changes nothing.
    here = place("bill_of_materials")
    for job in here.jobs:
        world = here.open()
        job.prepare(world)
        job.on(world)
        assert world.diff().empty is not job.writes, job
    assert any(not job.writes and job.tool == "value_part" for job in here.jobs)


def test_a_call_says_the_same_in_a_widened_state() -> None:
    here = place("issue_tracker")
    job = here.change
    wide = here.open(here.widened(4 * here.size))
    assert wide.call(job.tool, job.arguments) == here.open().call(job.tool, job.arguments)
