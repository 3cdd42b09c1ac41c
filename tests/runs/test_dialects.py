"""Runs in which worlds are spoken to in a dialect: played, recorded, replayed and exported as any other run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import anyio
import pytest
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Call, Trajectory
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.cli.program import app
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import RunError, WorldError
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
WORLDS = ("hospital_stays", "code_review")
pytestmark = pytest.mark.skipif(not (SERVERS / WORLDS[0]).exists(), reason="no server here holds tasks")


def played(folder: Path, dialect: str, agent: str = "oracle", mode: str = "task") -> dict[str, Trajectory]:
    with WorldHome.at(SERVERS) as home:
        config = RunConfig(agent=agent, dialect=dialect, each=4, max_steps=60, mode=mode)  # type: ignore[arg-type]
        plan = plan_run(home, WORLDS, config)
        tally = anyio.run(run_episodes, home, plan, agent_named(agent)[1], folder, 2, lambda *_: None)
    assert not tally.failed
    return {trajectory.scenario: trajectory for trajectory in read_trajectories(folder)}


@pytest.mark.parametrize("dialect", ["11", "held-out-4", "random"])
def test_the_oracle_earns_everything_in_a_dialect(tmp_path: Path, dialect: str) -> None:
    for trajectory in played(tmp_path / "run", dialect).values():
        assert trajectory.verdict.reward == 1.0, trajectory.verdict
        assert trajectory.dialect


def test_a_step_holds_what_was_said_and_what_was_meant(tmp_path: Path) -> None:
    spoken = played(tmp_path / "spoken", "11")
    native = played(tmp_path / "native", "native")
    for scenario, trajectory in spoken.items():
        assert trajectory.dialect == "11"
        meant = [step.meant for step in trajectory.steps if step.tool]
        own = [step for step in native[scenario].steps if step.tool]
        assert [call and (call.tool, call.arguments) for call in meant] == [(step.tool, step.arguments) for step in own]
        assert [step.diff for step in trajectory.steps if step.tool] == [step.diff for step in own]
        assert {step.tool for step in trajectory.steps if step.tool} <= {tool.name for tool in trajectory.tools}
        assert trajectory.final_hash == native[scenario].final_hash


def test_a_native_record_says_nothing_of_dialects(tmp_path: Path) -> None:
    for trajectory in played(tmp_path / "run", "native").values():
        text = trajectory.model_dump_json()
        assert '"dialect"' not in text
        assert '"meant"' not in text


def test_a_conversation_in_a_dialect_is_solved(tmp_path: Path) -> None:
    for trajectory in played(tmp_path / "run", "random", mode="conversation").values():
        assert trajectory.verdict.solved


@pytest.mark.parametrize("agent", ["oracle", "random"])
def test_a_run_in_dialects_is_replayed_and_scored_again(tmp_path: Path, agent: str) -> None:
    folder = tmp_path / "run"
    played(folder, "random", agent)
    replayed = CliRunner().invoke(app, ["runs", "replay", str(folder), "--json"])
    assert replayed.exit_code == 0, replayed.output
    scored = CliRunner().invoke(app, ["runs", "rescore", str(folder), "--out", str(tmp_path / "again")])
    assert scored.exit_code == 0, scored.output


def test_rows_hold_the_tools_and_calls_of_the_dialect(tmp_path: Path) -> None:
    spoken = played(tmp_path / "run", "11")
    out = tmp_path / "rows.jsonl"
    done = CliRunner().invoke(
        app,
        ["export", str(tmp_path / "run"), "--format", "trl", "--out", str(out), "--split", "train", "--only", "solved"],
    )
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows
    names = {tool.name for trajectory in spoken.values() for tool in trajectory.tools}
    native = re.compile(r"\b(?:PATIENT|BED|WARD|STAY)-[0-9]{5}\b")
    for row in rows:
        tools = json.loads(row["tools"]) if isinstance(row["tools"], str) else row["tools"]
        assert {tool["function"]["name"] for tool in tools} <= names
        assert not native.search(json.dumps(row["messages"]))


def test_a_dialect_needs_a_world_that_is_reached_here() -> None:
    with WorldHome.at(SERVERS) as home:
        with pytest.raises(RunError, match="direct or in a worker"):
            plan_run(home, WORLDS, RunConfig(dialect="1", via="http"))
        with pytest.raises(WorldError, match="is no dialect"):
            plan_run(home, WORLDS, RunConfig(dialect="one"))


def test_a_dialect_in_a_worker_says_the_same() -> None:
    with WorldHome.at(SERVERS) as home:
        code = home.code(WORLDS[0])
        dialect = Dialect(code.environment, DialectName(6))
        answers = []
        ways: tuple[Isolation | None, ...] = (None, "auto")
        for isolation in ways:
            session = home.open(WORLDS[0], isolation=isolation).spoken(dialect)
            spoken = dialect.encode(Call(tool="list_patients", arguments={}))
            answers.append(session.world.call(spoken.tool, spoken.arguments).text)
            session.close()
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "options",
    [("--dialect", "klingon"), ("--dialect", "3", "--via", "http"), ("--dialect", "random", "--engine", "ray")],
)
def test_what_cannot_be_spoken_is_wrong_use(tmp_path: Path, options: tuple[str, ...]) -> None:
    words = ["run", "--agent", "oracle", "--env", WORLDS[0], "--out", str(tmp_path / "run"), *options]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2, result.output
    assert "--dialect" in result.output
    assert not (tmp_path / "run").exists()
