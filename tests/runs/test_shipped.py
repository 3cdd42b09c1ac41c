"""Every task that ships: whoever knows the solution earns everything on every way, whoever does nothing earns nothing."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Trajectory
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.library_sample import sample

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
ALL = tuple(sorted(path.parent.name for path in SERVERS.glob("*/scenarios.jsonl")))
NAMES = tuple(sample(ALL, 4))
MORE = tuple(name for name in sample(ALL, 8) if name not in NAMES)
BOTH = [NAMES, pytest.param(MORE, marks=pytest.mark.slow)]
SHIPPED = 10


def played(folder: Path, agent: str, via: Via = "direct", names: tuple[str, ...] = NAMES) -> dict[str, Trajectory]:
    with WorldHome.at(SERVERS) as farm:
        plan = plan_run(farm, names, RunConfig(agent=agent, via=via, max_steps=60, each=SHIPPED))
        tally = anyio.run(run_episodes, farm, plan, agent_named(agent)[1], folder, 2, lambda *_: None)
    assert not tally.failed
    return {one.scenario: one for one in read_trajectories(folder)}


def same(found: Trajectory) -> dict[str, Any]:
    left_out: Any = {"via": True, "steps": {"__all__": {"milliseconds"}}}
    return found.model_dump(mode="json", exclude=left_out)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trajectory]:
    return played(tmp_path_factory.mktemp("runs") / "oracle", "oracle")


pytestmark = pytest.mark.skipif(not NAMES, reason="no server here holds tasks")


def expect_everything(oracle: dict[str, Trajectory], names: tuple[str, ...]) -> None:
    with WorldHome.at(SERVERS) as farm:
        for name in names:
            for scenario in farm.scenarios(name)[:SHIPPED]:
                one = oracle[scenario.id]
                assert (one.verdict.reward, one.verdict.owner) == (1.0, None), scenario.id
                if scenario.proof is not None:
                    assert one.final_hash == scenario.proof.final_hash


def test_the_oracle_earns_everything_and_ends_where_its_proof_ended(oracle: dict[str, Trajectory]) -> None:
    expect_everything(oracle, NAMES)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_so_it_does_in_forty_others(tmp_path: Path) -> None:
    # `make prove` plays the oracle of every task that ships.
    others = tuple(name for name in sample(ALL, 48) if name not in NAMES)
    expect_everything(played(tmp_path, "oracle", names=others), others)


@pytest.mark.parametrize("names", BOTH, ids=["some", "more"])
def test_doing_nothing_earns_nothing(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert {one.verdict.reward for one in played(tmp_path, "noop", names=names).values()} == {0.0}


@pytest.mark.parametrize("names", BOTH, ids=["some", "more"])
def test_guessing_earns_little(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert mean(one.verdict.reward for one in played(tmp_path, "random", names=names).values()) < 0.1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("via", ["worker", "stdio", "http"])
def test_every_way_tells_the_same(oracle: dict[str, Trajectory], tmp_path: Path, via: Via) -> None:
    direct = oracle | played(tmp_path / "direct", "oracle", names=MORE)
    for scenario, one in played(tmp_path / via, "oracle", via, (*NAMES, *MORE)).items():
        assert same(one) == same(direct[scenario])
