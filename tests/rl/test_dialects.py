"""Episodes of a program in which its policy speaks a dialect: forked, recorded and replayed as any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp import rl
from envscaler_mcp.cli.program import app
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.errors import WorldError

ENVIRONMENT = "hospital_stays"


def test_the_solution_in_a_dialect_is_rewarded_and_can_be_stored_and_replayed(tmp_path: Path) -> None:
    with rl.local() as gym:
        dialect = Dialect(gym.card(ENVIRONMENT), DialectName(21))
        with gym.open(environment=ENVIRONMENT, dialect="21") as episode:
            assert [tool["function"]["name"] for tool in episode.tools] == [tool.name for tool in dialect.tools()]
            for call in episode.scenario.oracle:
                spoken = dialect.encode(call)
                episode.call(spoken.tool, spoken.arguments)
            episode.finish()
            assert episode.verify().reward == 1.0
            trajectory = episode.record()
        assert trajectory.dialect == "21"
        assert [step.meant for step in trajectory.steps if step.tool] == list(episode.scenario.oracle)
        gym.store(tmp_path / "run", [trajectory])
    replayed = CliRunner().invoke(app, ["runs", "replay", str(tmp_path / "run")])
    assert replayed.exit_code == 0, replayed.output


def test_a_fork_may_name_what_its_origin_has_read() -> None:
    with rl.local() as gym, gym.open(environment=ENVIRONMENT, dialect="held-out-3") as episode:
        dialect = Dialect(gym.card(ENVIRONMENT), DialectName(3, held_out=True))
        calls = [dialect.encode(call) for call in episode.scenario.oracle]
        episode.call(calls[0].tool, calls[0].arguments)
        with episode.fork() as twin:
            for call in calls[1:]:
                assert not twin.call(call.tool, call.arguments).refused
            assert twin.verify().reward == 1.0
        assert episode.verify().reward == 0.0


def test_what_is_no_dialect_is_refused_before_a_world_is_opened() -> None:
    with rl.local() as gym, pytest.raises(WorldError, match="is no dialect"):
        gym.open(environment=ENVIRONMENT, dialect="random")
