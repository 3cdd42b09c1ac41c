"""A run that is judged anew is another run: the old one stays as it is, and what changed is counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Scenario, Trajectory, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.episode.agent import Action, Agent, Briefing
from envscaler_mcp.episode.agents import Scripted
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.rescoring import Rescored, rescore_run, rescored_folder
from envscaler_mcp.scoring.journal import Journal
from envscaler_mcp.scoring.run_folder import RunFolder, read_run, read_trajectories
from envscaler_mcp.scoring.trajectory import record_of
from tests.runs.home import write_home

SERVER = "lending_library"


@pytest.fixture
def servers(tmp_path: Path) -> Path:
    return write_home(tmp_path / "home", tasks=3) / "generated_servers"


class Spoiling:
    """Does everything, and before that what must not be done."""

    def __init__(self, scenario: Scenario, *first: Action) -> None:
        self._first = iter(first)
        self._oracle = Scripted(scenario.oracle)

    def act(self, observation: str) -> Action:
        return next(self._first, None) or self._oracle.act(observation)


NOTE = Action(tool="note", arguments={"member_id": "MEMB-00009", "text": "hello"})
STUMBLE = Action(tool="stumble", arguments={"member_id": "MEMB-00002"})


def spoiling(_briefing: Briefing, scenario: Scenario) -> Agent:
    """The second task is done well, and in the third a tool breaks down."""
    first = {f"{SERVER}-001": (NOTE,), f"{SERVER}-002": (), f"{SERVER}-003": (STUMBLE, NOTE)}
    return Spoiling(scenario, *first[scenario.id])


def played(servers: Path, folder: Path, **options: Any) -> Path:
    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, [SERVER], RunConfig(**options))
        anyio.run(run_episodes, farm, plan, spoiling, folder, 2, lambda *_: None)
    return folder


def rescored(servers: Path, folder: Path, out: Path, scoring: Scoring | None = None) -> Rescored:
    with WorldHome.at(servers) as farm:
        return anyio.run(rescore_run, farm, folder, out, scoring, "direct", 2, lambda *_: None)


def verdicts(folder: Path) -> dict[str, Verdict]:
    return {one.scenario.removeprefix(f"{SERVER}-"): one.verdict for one in read_trajectories(folder)}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_another_rule_gives_other_verdicts_in_a_folder_of_their_own(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    before = contents(folder)
    told = rescored(servers, folder, tmp_path / "new", "upstream")
    assert [(then.solved, now.solved) for then, now in told.judged] == [(False, True), (True, True), (False, False)]
    assert [now.id for _, now in told.changed] == [f"{SERVER}-001/oracle/1", f"{SERVER}-003/oracle/1"]
    assert told.not_judged == {}
    assert contents(folder) == before
    assert verdicts(tmp_path / "new") == verdicts(played(servers, tmp_path / "upstream", scoring="upstream"))
    plan, _, _ = read_run(tmp_path / "new")
    assert (plan.scoring, plan.rescored) == ("upstream", GRADING.split("/")[1])
    assert plan.provenance.parents == {"run": read_run(folder)[0].digest}


def test_an_agent_whose_call_made_a_tool_raise_is_judged_by_the_ending_under_either_rule(
    servers: Path, tmp_path: Path
) -> None:
    folder = played(servers, tmp_path / "run", scoring="upstream")
    assert verdicts(folder)["003"].owner == "agent"
    rescored(servers, folder, tmp_path / "new", "framed")
    assert verdicts(tmp_path / "new") == verdicts(played(servers, tmp_path / "framed"))
    assert (verdicts(tmp_path / "new")["003"].owner, verdicts(tmp_path / "new")["001"].owner) == (
        "agent", "agent",
    )  # fmt: skip


def test_nothing_changes_but_the_verdicts_and_judging_twice_changes_nothing(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    rescored(servers, folder, tmp_path / "new")
    again = contents(tmp_path / "new")
    rescored(servers, folder, tmp_path / "new")
    assert contents(tmp_path / "new") == again
    first, second = ({one.id: one for one in read_trajectories(place)} for place in (folder, tmp_path / "new"))
    assert first == second


def test_what_cannot_be_played_again_is_named_and_not_recorded_until_it_can(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    scenarios = servers / SERVER / "scenarios.jsonl"
    before = scenarios.read_text()
    scenarios.write_text("\n".join(before.splitlines()[:1]) + "\n")
    for _ in range(2):
        told = rescored(servers, folder, tmp_path / "new", "upstream")
        assert sorted(told.not_judged) == [f"{SERVER}-002/oracle/1", f"{SERVER}-003/oracle/1"]
        assert [now.id for _, now in told.judged] == [f"{SERVER}-001/oracle/1"]
    scenarios.write_text(before)
    assert rescored(servers, folder, tmp_path / "new", "upstream").not_judged == {}
    assert {one.scoring for one in verdicts(tmp_path / "new").values()} == {"upstream"}
    assert len(verdicts(tmp_path / "new")) == 3


def test_a_record_that_nobody_can_read_hides_no_other(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    records = [record_of(one) for one in read_trajectories(folder)]
    with Journal.open(tmp_path / "newer") as journal:
        journal.append([b'{"unheard_of":1,' + records[0][1:], *records[1:]])
    shutil.copy(folder / "plan.json", tmp_path / "newer")
    told = rescored(servers, tmp_path / "newer", tmp_path / "new")
    assert (len(told.judged), len(told.not_judged)) == (2, 1)


def test_what_is_played_after_the_run_was_judged_anew_is_judged_by_the_next_call(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "played")
    records = list(read_trajectories(folder))
    lost = records[0].model_copy(update={"verdict": unplayable("infrastructure", "gone", "framed")})
    with RunFolder.open(tmp_path / "run", read_run(folder)[0]) as run:
        run.record([lost, records[1]])
    for _ in range(2):
        told = rescored(servers, tmp_path / "run", tmp_path / "new", "upstream")
        assert (set(told.after.attempts), told.not_judged) == ({records[1].id}, {})
    played(servers, tmp_path / "run")
    rescored(servers, tmp_path / "run", tmp_path / "new", "upstream")
    rescored(servers, tmp_path / "run", tmp_path / "whole", "upstream")
    assert verdicts(tmp_path / "new") == verdicts(tmp_path / "whole")
    assert set(read_run(tmp_path / "new")[1].attempts.values()) == {1}


def test_what_was_judged_before_it_was_stopped_is_safe_and_it_goes_on_from_there(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    told: list[str] = []

    async def stopped(farm: WorldHome) -> None:
        def stop(name: str, done: int, _all: int) -> None:
            told.append(name)
            if done == 2:
                scope.cancel()

        with anyio.CancelScope() as scope:
            await rescore_run(farm, folder, tmp_path / "new", "upstream", "direct", 1, stop)

    with WorldHome.at(servers) as farm:
        anyio.run(stopped, farm)
    assert set(read_run(tmp_path / "new")[1].done) == set(told)
    assert len(told) == 2
    rescored(servers, folder, tmp_path / "new", "upstream")
    rescored(servers, folder, tmp_path / "whole", "upstream")
    assert verdicts(tmp_path / "new") == verdicts(tmp_path / "whole")
    assert set(read_run(tmp_path / "new")[1].attempts.values()) == {1}


def test_who_disturbed_an_older_record_is_in_its_verdict(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    masked = {"owner": "timeout", "masked": True, "reason": "slow"}
    with RunFolder.open(tmp_path / "older", read_run(folder)[0]) as run:
        run.record([
            one.model_copy(update={"verdict": one.verdict.model_copy(update=masked)})
            for one in read_trajectories(folder)
            if one.scenario == f"{SERVER}-001"
        ])  # fmt: skip
    rescored(servers, tmp_path / "older", tmp_path / "new")
    (verdict,) = verdicts(tmp_path / "new").values()
    assert (verdict.owner, verdict.masked, verdict.reason, verdict.reward) == ("timeout", True, "slow", 0.0)


def test_the_new_run_lies_beside_the_old_one_with_its_rule_and_grading(
    servers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = played(servers, tmp_path / "run")
    number = GRADING.split("/")[1]
    assert rescored_folder(folder, None) == tmp_path / f"run-rescored-framed-{number}"
    monkeypatch.chdir(folder)
    assert rescored_folder(Path(), "upstream") == tmp_path / f"run-rescored-upstream-{number}"
    assert rescored_folder(Path("../home/..") / "run", None) == tmp_path / f"run-rescored-framed-{number}"


def test_two_rules_do_not_share_a_folder_and_nobody_plays_into_it(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    rescored(servers, folder, tmp_path / "new", "upstream")
    with pytest.raises(RunError, match="scoring 'upstream', not 'framed'"):
        rescored(servers, folder, tmp_path / "new", "framed")
    with pytest.raises(RunError, match="the verdicts on another run"):
        rescored(servers, played(servers, tmp_path / "more", repeat=2), tmp_path / "new", "upstream")
    with pytest.raises(RunError, match=r"rescored '.*', not ''"):
        played(servers, tmp_path / "new", scoring="upstream", max_steps=60)


def test_a_record_names_what_judged_it(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    assert {one.grading for one in verdicts(folder).values()} == {GRADING}
    plan, _, _ = read_run(folder)
    older = [
        one.model_copy(update={"verdict": one.verdict.model_copy(update={"grading": "0.0.9/1", "reward": 0.5})})
        for one in read_trajectories(folder)
    ]
    with RunFolder.open(tmp_path / "older", plan) as run:
        run.record(older)
    rescored(servers, tmp_path / "older", tmp_path / "new")
    assert verdicts(tmp_path / "new") == verdicts(folder)


def test_records_read_as_they_were_written(servers: Path, tmp_path: Path) -> None:
    folder = played(servers, tmp_path / "run")
    for record in read_trajectories(folder):
        assert Trajectory.model_validate(json.loads(record.to_text())) == record
