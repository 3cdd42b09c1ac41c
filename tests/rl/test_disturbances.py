"""Episodes of a program between whose policy and world something is disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Call
from envscaler_mcp.cli.program import app
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.disturbances import Disturbances, Disturbed, NativeInterface, read_disturbances, sent_again
from envscaler_mcp.errors import WorldError
from envscaler_mcp.rl import Episode

ENVIRONMENT = "hospital_stays"


def send(episode: Episode, call: Call) -> None:
    for _ in range(8):
        answer = episode.call(call.tool, call.arguments)
        assert not answer.refused
        if not answer.disturbed:
            return
        call = sent_again(call, answer)
    raise AssertionError(call)


@pytest.mark.parametrize("dialect", ["native", "21"])
def test_a_policy_that_sends_again_is_rewarded_and_can_be_stored_and_replayed(tmp_path: Path, dialect: str) -> None:
    with rl.local() as gym:
        with gym.open(environment=ENVIRONMENT, disturb="all", dialect=dialect, seed=5) as episode:
            card = gym.card(ENVIRONMENT)
            plain = NativeInterface(card) if dialect == "native" else Dialect(card, DialectName.read(dialect))
            drawn = Disturbances(read_disturbances("all"), episode.scenario.id, 5)
            interface = Disturbed(plain, drawn)
            assert [tool["function"]["name"] for tool in episode.tools] == [tool.name for tool in interface.card.tools]
            for call in episode.scenario.oracle:
                send(episode, interface.encode(call))
            episode.finish()
            assert episode.verify().reward == 1.0
            trajectory = episode.record()
        assert trajectory.disturbances == drawn.kinds
        gym.store(tmp_path / "run", [trajectory])
    replayed = CliRunner().invoke(app, ["runs", "replay", str(tmp_path / "run")])
    assert replayed.exit_code == 0, replayed.output


def test_a_fork_meets_the_failures_that_its_origin_meets() -> None:
    with rl.local() as gym, gym.open(environment=ENVIRONMENT, disturb="transition") as episode, episode.fork() as twin:
        call = episode.scenario.oracle[0]
        answers = [[one.call(call.tool, call.arguments) for _ in range(12)] for one in (episode, twin)]
        assert answers[0] == answers[1]
        assert any(answer.disturbed for answer in answers[0])


@pytest.mark.parametrize("most", [2, 5, 9])
def test_a_move_with_a_disturbed_call_does_not_count_and_the_episode_is_replayed(tmp_path: Path, most: int) -> None:
    with rl.local() as gym:
        with gym.open(environment=ENVIRONMENT, disturb="timeout", max_steps=most, seed=4) as episode:
            disturbed = counted = 0
            while not episode.done:
                answer = episode.call("list_beds", {})
                disturbed, counted = disturbed + answer.disturbed, counted + (not answer.disturbed)
            assert episode.truncated
            assert counted == most or disturbed > most
            trajectory = episode.record()
        gym.store(tmp_path / "run", [trajectory])
    replayed = CliRunner().invoke(app, ["runs", "replay", str(tmp_path / "run")])
    assert replayed.exit_code == 0, replayed.output


def test_a_conversation_is_disturbed_in_what_its_user_says() -> None:
    with rl.local() as gym:
        said = []
        for disturb in ("", "typos"):
            with gym.open(environment=ENVIRONMENT, mode="conversation", disturb=disturb, level="easy") as episode:
                said.append(episode.say("What exactly is to be done?"))
        assert said[0] != said[1]


def test_what_is_no_disturbance_is_refused_before_a_world_is_opened() -> None:
    with rl.local() as gym, pytest.raises(WorldError, match="There is no disturbance"):
        gym.open(environment=ENVIRONMENT, disturb="weather")
