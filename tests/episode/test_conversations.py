"""Everything in the library can be done in conversation with a user that needs no model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from envscaler_mcp.artifacts import Scenario, Trajectory
from envscaler_mcp.episode.agent import Action, Briefing, MakeAgent
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories

LIBRARY = Path(__file__).parent.parent.parent / "generated_servers"
NAMES = ("code_review", "hospital_stays", "key_value_store")


class Asker:
    """Asks for every detail until it was told all, offers what nobody wants, says too early that it is done, and then does what was asked for."""

    def __init__(self, _briefing: Briefing, scenario: Scenario) -> None:
        self._moves = self._conversation(scenario)

    def act(self, observation: str) -> Action:
        self._heard = observation
        return next(self._moves, Action(text="Is there anything else?"))

    def _conversation(self, scenario: Scenario) -> Iterator[Action]:
        assert scenario.conversation is not None
        for goal, thread in zip(scenario.conversation.goals, scenario.threads, strict=True):
            for fact in goal.facts:
                if fact.says and goal.request not in self._heard:
                    yield Action(text=f"Could you please tell me the {fact.name.replace('_', ' ')}?")
            yield Action(text="Would you like me to cancel something as well?")
            yield Action(text="Done. Anything else?")
            for place in thread:
                yield Action(tool=scenario.oracle[place].tool, arguments=dict(scenario.oracle[place].arguments))
            yield Action(text="I have done it. Can I help you with anything else?")


AGENTS: dict[str, MakeAgent] = {"oracle": agent_named("oracle")[1], "asker": Asker}


def played(folder: Path, agent: str, names: tuple[str, ...], limit: int, parallel: int) -> list[Trajectory]:
    with WorldHome.at(LIBRARY) as farm:
        plan = plan_run(farm, names, RunConfig(mode="conversation", each=limit, max_steps=200))
        anyio.run(run_episodes, farm, plan, AGENTS[agent], folder, parallel, lambda *_: None)
    done = list(read_trajectories(folder))
    assert len(done) == len(plan.episodes) >= len(names)
    return done


def check(done: list[Trajectory]) -> None:
    """The user ended each of them when all was done, and said nothing that they could not know."""
    wrong = [
        (one.id, one.ended, one.verdict.reward, one.verdict.reason, one.invented)
        for one in done
        if (one.ended, one.verdict.reward, one.invented) != ("completed", 1.0, ())
    ]
    assert wrong == []


@pytest.mark.parametrize("agent", AGENTS)
def test_oracle_and_scripted_user_finish_what_there_is_to_do(tmp_path: Path, agent: str) -> None:
    check(played(tmp_path, agent, NAMES, 1, 2))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("agent", AGENTS)
def test_so_they_do_in_every_environment_of_the_library(tmp_path: Path, agent: str) -> None:
    names = tuple(sorted(file.parent.name for file in LIBRARY.glob("*/scenarios.jsonl")))
    check(played(tmp_path, agent, names, 3, 4))
