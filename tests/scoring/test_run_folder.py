"""A run directory knows what was planned, what is done, and which attempt counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Provenance, Step, Trajectory, Verdict
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.verdicts import final_verdict, unplayable
from envscaler_mcp.scoring.journal import Journal
from envscaler_mcp.scoring.run_folder import (
    RunFolder,
    read_places,
    read_run,
    read_trajectories,
    recorded_episodes,
)
from envscaler_mcp.scoring.trajectory import content_digest, trajectory_of

PLAN = RunPlan(
    agent="oracle",
    via="direct",
    scoring="framed",
    max_steps=30,
    max_seconds=60,
    episodes=tuple(
        PlannedEpisode(
            id=f"s{n}/oracle/1",
            scenario=f"s{n}",
            scenario_digest="d",
            environment="e",
            code_digest="c",
            repetition=1,
            seed=0,
        )
        for n in range(3)
    ),
)


def played(number: int, verdict: Verdict | None = None, attempt: int = 1, **changes: Any) -> Trajectory:
    return Trajectory(
        id=f"s{number}/oracle/1",
        attempt=attempt,
        scenario=f"s{number}",
        scenario_digest="d",
        environment="e",
        code_digest="c",
        seed=0,
        agent="oracle",
        via="direct",
        steps=(Step(number=1, text="„Grüße“\u2028\n", milliseconds=changes.pop("milliseconds", 0.0)),),
        verdict=verdict or Verdict(checks=(True,), reward=1.0, solved=True),
        **changes,
    )


def test_only_what_is_missing_is_to_be_played(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, PLAN) as run:
        assert run.missing() == PLAN.episodes
        run.record([played(1)])
        assert run.missing() == (PLAN.episodes[0], PLAN.episodes[2])
    with RunFolder.open(tmp_path, PLAN) as run:
        assert run.missing() == (PLAN.episodes[0], PLAN.episodes[2])


def test_what_is_read_is_what_was_recorded(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, PLAN) as run:
        run.record([played(0), played(2)])
    assert list(read_trajectories(tmp_path)) == [played(0), played(2)]


def test_the_first_record_of_an_episode_counts_for_ever(tmp_path: Path) -> None:
    worse = Verdict(checks=(False,), owner="agent")
    with RunFolder.open(tmp_path, PLAN) as run:
        run.record([played(0), played(0, worse, 2)])
        assert run.tally.done["s0/oracle/1"].reward == 1.0
    plan, tally, _ = read_run(tmp_path)
    assert plan == PLAN
    assert (tally.done["s0/oracle/1"].reward, tally.attempts["s0/oracle/1"]) == (1.0, 2)
    assert [one.attempt for one in read_trajectories(tmp_path)] == [1]


def test_only_a_failure_of_the_machine_is_tried_again_and_every_attempt_is_kept(tmp_path: Path) -> None:
    lost, slow = unplayable("infrastructure", "gone", "framed"), unplayable("timeout", "slow", "framed")
    with RunFolder.open(tmp_path, PLAN) as run:
        run.record([played(0, lost), played(1, slow)])
        assert [episode.scenario for episode in run.missing()] == ["s0", "s2"]
        assert set(run.tally.failed) == {"s0/oracle/1"}
        run.record([played(0, attempt=2)])
        assert [episode.scenario for episode in run.missing()] == ["s2"]
        assert run.tally.failed == {}
    _, tally, _ = read_run(tmp_path)
    assert tally.attempts == {"s0/oracle/1": 2, "s1/oracle/1": 1}
    assert [one.attempt for one in read_trajectories(tmp_path)] == [1, 2]


def test_the_attempt_of_each_episode_is_found_where_it_lies_whatever_is_damaged_beside_it(tmp_path: Path) -> None:
    lost, slow = unplayable("infrastructure", "gone", "framed"), unplayable("timeout", "slow", "framed")
    with RunFolder.open(tmp_path, PLAN) as run:
        run.record([played(0, lost), played(1, slow), played(0, attempt=2), played(2, lost), played(2, lost, 2)])
    (shard,) = tmp_path.glob("episodes-*.jsonl")
    begin = shard.read_bytes().index(b"\n") + 1
    shard.write_bytes(shard.read_bytes()[:begin] + b"junk \n" + shard.read_bytes()[begin:])
    _, tally, damaged, places = read_places(tmp_path)
    assert places == recorded_episodes(tmp_path)
    assert (set(tally.done), set(tally.failed), damaged) == ({"s0/oracle/1", "s1/oracle/1"}, {"s2/oracle/1"}, 1)
    found = {name: (place.counts, trajectory_of(place.read())) for name, place in places.items()}
    assert found == {
        "s0/oracle/1": (True, played(0, attempt=2)),
        "s1/oracle/1": (True, played(1, slow)),
        "s2/oracle/1": (False, played(2, lost, 2)),
    }


@pytest.mark.parametrize("record", [b"{}", b"[]", b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"])
def test_a_record_that_is_no_trajectory_is_told(tmp_path: Path, record: bytes) -> None:
    with RunFolder.open(tmp_path, PLAN):
        pass
    with Journal.open(tmp_path) as journal:
        journal.append([record])
    with pytest.raises(RunError, match="written by another program"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"agent": "noop"}, "agent 'oracle', not 'noop'"),
        ({"scoring": "upstream"}, "scoring 'framed', not 'upstream'"),
        ({"provenance": Provenance(parents={"run": "x"})}, "the verdicts on another run"),
        ({"episodes": PLAN.episodes[:2]}, "3 episodes, not 2"),
        ({"episodes": (PLAN.episodes[0].model_copy(update={"code_digest": "new"}), *PLAN.episodes[1:])}, "made again"),
    ],
)
def test_another_plan_is_refused_with_what_to_do(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    with RunFolder.open(tmp_path, PLAN):
        pass
    other = PLAN.model_copy(update=changes)
    with pytest.raises(RunError, match=rf"{told}.*choose another folder with --out"), RunFolder.open(tmp_path, other):
        pass


def test_records_without_a_plan_are_nobody_s(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, PLAN) as run:
        run.record([played(0)])
    (tmp_path / "plan.json").unlink()
    with pytest.raises(RunError, match="no plan"), RunFolder.open(tmp_path, PLAN):
        pass
    with pytest.raises(RunError, match="There is no run"):
        read_run(tmp_path)


def test_how_long_it_took_is_no_part_of_what_happened() -> None:
    assert content_digest(played(0, milliseconds=1.5, attempt=2)) == content_digest(played(0))
    assert content_digest(played(0, ended="steps")) != content_digest(played(0))


def test_what_is_done_is_done_whatever_else_went_wrong() -> None:
    solved = Verdict(checks=(True,), reward=1.0, solved=True)
    assert final_verdict(solved, "timeout", "slow") == solved


@pytest.mark.parametrize("owner", ["environment", "timeout"])
def test_whoever_disturbed_an_episode_comes_before_the_agent_and_masks_it(owner: Any) -> None:
    missed = Verdict(checks=(False,), owner="agent", reason="missed")
    verdict = final_verdict(missed, owner, "why")
    assert (verdict.owner, verdict.masked, verdict.reason) == (owner, True, "why")
    assert final_verdict(missed, None, "") == missed
    assert not final_verdict(missed, "agent", "raised").masked


def test_where_a_check_cannot_answer_nobody_else_is_blamed() -> None:
    silent = Verdict(checks=(False,), owner="checker", masked=True, reason="check 1: KeyError")
    assert final_verdict(silent, "environment", "a defect") == silent
