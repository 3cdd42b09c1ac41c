"""Disturbed runs: played, recorded, replayed and exported as any other run."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Trajectory
from envscaler_mcp.cli.program import app
from envscaler_mcp.disturbances.kinds import KINDS
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import RunError, WorldError
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
WORLDS = ("hospital_stays", "code_review")
pytestmark = pytest.mark.skipif(not (SERVERS / WORLDS[0]).exists(), reason="no server here holds tasks")


def played(
    folder: Path, disturb: str, agent: str = "oracle", mode: str = "task", dialect: str = "native", steps: int = 60
) -> dict[str, Trajectory]:
    with WorldHome.at(SERVERS) as home:
        config = RunConfig(agent=agent, disturb=disturb, each=4, max_steps=steps, mode=mode, dialect=dialect)  # type: ignore[arg-type]
        plan = plan_run(home, WORLDS, config)
        tally = anyio.run(run_episodes, home, plan, agent_named(agent)[1], folder, 2, lambda *_: None)
    assert not tally.failed
    return {trajectory.scenario: trajectory for trajectory in read_trajectories(folder)}


@pytest.mark.parametrize(("disturb", "dialect"), [("transition", "native"), ("all", "native"), ("all", "random")])
@pytest.mark.parametrize("mode", ["task", "conversation"])
def test_the_oracle_earns_everything_however_it_is_disturbed(
    tmp_path: Path, disturb: str, dialect: str, mode: str
) -> None:
    records = played(tmp_path / "run", disturb, mode=mode, dialect=dialect).values()
    assert all(trajectory.verdict.reward == 1.0 for trajectory in records)
    assert any(step.disturbed for trajectory in records for step in trajectory.steps)
    for trajectory in records:
        assert trajectory.disturbances == (KINDS if disturb == "all" else KINDS[-6:])


def test_an_agent_that_sends_nothing_again_loses_tasks_to_failures_on_the_way_alone(tmp_path: Path) -> None:
    lost = played(tmp_path / "lost", "transition", "oracle-once")
    assert not all(trajectory.verdict.solved for trajectory in lost.values())
    for group in ("observation", "action", "metadata"):
        records = played(tmp_path / group, group, "oracle-once")
        assert all(trajectory.verdict.solved for trajectory in records.values())


def test_a_record_holds_what_was_said_what_was_meant_and_what_was_disturbed(tmp_path: Path) -> None:
    records, plain = played(tmp_path / "run", "all"), played(tmp_path / "plain", "")
    for scenario, trajectory in records.items():
        meant = [step.meant for step in trajectory.steps if step.tool and not step.disturbed]
        own = [step for step in plain[scenario].steps if step.tool]
        assert [call and (call.tool, call.arguments) for call in meant] == [(step.tool, step.arguments) for step in own]
        assert not any(step.meant or not step.diff.empty for step in trajectory.steps if step.disturbed)
        assert trajectory.final_hash == plain[scenario].final_hash
        assert trajectory.messages[1]["content"] != plain[scenario].messages[1]["content"]
        assert {step.tool for step in trajectory.steps if step.tool} <= {tool.name for tool in trajectory.tools}
    for trajectory in plain.values():
        assert "disturb" not in trajectory.model_dump_json(exclude={"disturbed_by", "disturbance"})


def test_a_disturbed_call_takes_none_of_the_moves_that_an_agent_has(tmp_path: Path) -> None:
    plain = played(tmp_path / "plain", "")
    most = max(trajectory.steps[-1].turn for trajectory in plain.values())
    records = played(tmp_path / "run", "transition", steps=most)
    assert max(trajectory.steps[-1].turn for trajectory in records.values()) > most
    assert all(trajectory.verdict.solved for trajectory in records.values())
    # The limit still holds for calls that are none of a disturbance's.
    assert played(tmp_path / "short", "transition", steps=3)
    replayed = CliRunner().invoke(app, ["runs", "replay", str(tmp_path / "short")])
    assert replayed.exit_code == 0, replayed.output


@pytest.mark.parametrize("agent", ["oracle", "oracle-once", "random"])
def test_a_disturbed_run_is_replayed_and_scored_again(tmp_path: Path, agent: str) -> None:
    folder = tmp_path / "run"
    played(folder, "all", agent, dialect="random")
    replayed = CliRunner().invoke(app, ["runs", "replay", str(folder), "--json"])
    assert replayed.exit_code == 0, replayed.output
    scored = CliRunner().invoke(app, ["runs", "rescore", str(folder), "--out", str(tmp_path / "again")])
    assert scored.exit_code == 0, scored.output


def test_exported_rows_hold_what_was_read_and_say_what_was_disturbed(tmp_path: Path) -> None:
    records = played(tmp_path / "run", "typos,rate-limit,cost-suffix")
    out = tmp_path / "rows.jsonl"
    done = CliRunner().invoke(app, ["export", str(tmp_path / "run"), "--format", "trl", "--out", str(out)])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows
    for row in rows:
        trajectory = records[row["scenario"]]
        assert row["disturbances"] == "typos,cost-suffix,rate-limit"
        assert row["messages"][1]["content"] == trajectory.messages[1]["content"]
        names = {tool["function"]["name"] for tool in json.loads(row["tools"])}
        assert names == {tool.name for tool in trajectory.tools}
        assert any(name.endswith("_budget") for name in names)


def test_what_cannot_be_disturbed_is_refused() -> None:
    with WorldHome.at(SERVERS) as home:
        with pytest.raises(RunError, match="direct or in a worker"):
            plan_run(home, WORLDS, RunConfig(disturb="all", via="http"))
        with pytest.raises(WorldError, match="There is no disturbance"):
            plan_run(home, WORLDS, RunConfig(disturb="earthquake"))


@pytest.mark.parametrize("options", [("earthquake",), ("all", "--via", "http"), ("all", "--engine", "ray")])
def test_a_wrong_disturbance_is_wrong_use(tmp_path: Path, options: tuple[str, ...]) -> None:
    words = ["run", "--agent", "oracle", "--env", WORLDS[0], "--out", str(tmp_path / "run"), "--disturb", *options]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2, result.output
    assert "--disturb" in result.output
    assert not (tmp_path / "run").exists()
