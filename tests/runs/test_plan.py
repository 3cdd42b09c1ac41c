"""Which tasks a run takes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.errors import RunError
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run
from tests.runs.home import write_home

TASKS = {"lending_library": 5, "another_library": 2, "third_library": 3}
few = st.none() | st.integers(1, 12)


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> WorldHome:
    home = tmp_path_factory.mktemp("home")
    for name, tasks in TASKS.items():
        write_home(home, tasks=tasks, name=name)
    return WorldHome(home / "generated_servers")


@given(each=few, limit=few)
def test_a_limit_takes_the_first_tasks_of_each_environment_by_turns(
    farm: WorldHome, each: int | None, limit: int | None
) -> None:
    plan = plan_run(farm, list(TASKS), RunConfig(each=each, limit=limit))
    taken = Counter(one.environment for one in plan.episodes)
    bound = {name: min(tasks, each or tasks) for name, tasks in TASKS.items()}
    assert sum(taken.values()) == min(limit or 99, sum(bound.values()))
    # Nobody has two more than another who still has some.
    assert all(taken[a] <= taken[b] + 1 for a in TASKS for b in TASKS if taken[b] < bound[b])
    assert [one.scenario for one in plan.episodes] == [
        f"{name}-{number:03d}" for name in TASKS for number in range(1, taken[name] + 1)
    ]


def test_tasks_of_one_split_or_level_are_taken_alone(farm: WorldHome) -> None:
    everything = plan_run(farm, list(TASKS), RunConfig()).episodes
    assert plan_run(farm, list(TASKS), RunConfig(split="train", level="medium")).episodes == everything
    with pytest.raises(RunError, match="nothing to play"):
        plan_run(farm, list(TASKS), RunConfig(split="held_out"))


def test_only_the_tasks_that_are_named_are_taken(farm: WorldHome) -> None:
    plan = plan_run(farm, list(TASKS), RunConfig(scenarios=("lending_library-002",)))
    assert [one.scenario for one in plan.episodes] == ["lending_library-002"]


def test_a_task_that_is_not_there_is_told_whatever_the_limit(farm: WorldHome) -> None:
    with pytest.raises(RunError, match="no scenario 'nothing'"):
        plan_run(farm, list(TASKS), RunConfig(scenarios=("nothing",), limit=1))
