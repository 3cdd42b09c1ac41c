"""An agent knows what day it is and at what hour, whether all is told at once or bit by bit."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
import pytest

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.plan import LocalServer, plan_episode

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
TASK = "household_budget-easy-05"
TODAY = "Tuesday, 19 May 2026"


class Listening:
    """Notes what it is told first, and does nothing."""

    def __init__(self) -> None:
        self.told: list[Briefing] = []

    def make(self, briefing: Briefing, _scenario: Scenario) -> Listening:
        self.told.append(briefing)
        return self

    def act(self, _observation: str) -> Action:
        return Action(text="Task Completed")


def briefed(tmp_path: Path, mode: Mode) -> Briefing:
    agent = Listening()
    with WorldHome.at(SERVERS) as farm:
        config = RunConfig(scenarios=(TASK,), mode=mode, user="scripted" if mode == "conversation" else "", max_steps=1)
        plan = plan_run(farm, ["household_budget"], config)
        anyio.run(run_episodes, farm, plan, agent.make, tmp_path / mode, 1, lambda *_: None)
    return agent.told[0]


def test_the_day_is_told_once_in_a_task_and_in_the_introduction_of_a_conversation(tmp_path: Path) -> None:
    task, conversation = briefed(tmp_path, "task"), briefed(tmp_path, "conversation")
    assert (f"{task.introduction}\n{task.task}").count(TODAY) == 1
    assert TODAY not in conversation.task
    assert f"\nIt is {TODAY}, " in conversation.introduction


def test_the_hour_is_told_whether_or_not_the_task_says_the_day(tmp_path: Path) -> None:
    task, conversation = briefed(tmp_path, "task"), briefed(tmp_path, "conversation")
    hour = conversation.introduction.rpartition(f"It is {TODAY}, ")[2]
    assert re.fullmatch(r"\d\d:\d\d\.\n", hour)
    assert task.introduction.endswith(f"\nIt is {hour}")


@pytest.mark.parametrize("mode", ["task", "conversation"])
def test_the_day_is_told_over_several_servers_as_well(mode: Mode, tmp_path: Path) -> None:
    agent = Listening()
    with WorldHome.at(SERVERS) as home:
        (scenario,) = [one for one in home.scenarios("household_budget") if one.id == TASK]
        servers = [LocalServer("budget", "household_budget", scenario), LocalServer("other", "household_budget")]
        plan = plan_episode(home, servers, "", RunConfig(mode=mode, max_steps=1))
        anyio.run(run_episodes, home, plan, agent.make, tmp_path, 1, lambda *_: None)
    (briefing,) = agent.told
    assert TODAY in f"{briefing.introduction}\n{briefing.task}"
