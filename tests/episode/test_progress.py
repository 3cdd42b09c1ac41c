"""Which checks are whose is found by playing the solution; where nobody knows it, they belong to the last goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Conversation, Goal, Scenario
from envscaler_mcp.episode.progress import ChecksOfGoals, GoalProgress, checks_of_goals
from envscaler_mcp.runs import WorldHome
from tests.episode.voices import SERVER
from tests.runs.home import write_home


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> WorldHome:
    return WorldHome(write_home(tmp_path_factory.mktemp("home")) / "generated_servers")


def owned(farm: WorldHome, threads: Sequence[Sequence[int]], goals: int, **changes: Any) -> tuple[ChecksOfGoals, int]:
    """Whose the checks are of the scenario with these changes, and how many there are."""
    found = farm.scenarios(SERVER)[0]
    talk = (
        Conversation(first="Hello.", goals=(Goal(story="", ask="One.", request="Do it."),) * goals) if goals else None
    )
    told = tuple(tuple(thread) for thread in threads)
    scenario: Scenario = found.model_copy(update={"threads": told, "conversation": talk, **changes})
    with closing(farm.open(SERVER, scenario=found.id, isolation="local")) as session:
        world = session.world
        assert hasattr(world, "code")
        initial = world.state()

        def answers(state: Mapping[str, Any]) -> Sequence[bool]:
            return farm.judge(found, initial, state).checks

        return checks_of_goals(scenario, world.code, initial, answers), len(found.checks)


def test_each_goal_has_what_its_own_calls_make_true(farm: WorldHome) -> None:
    (joining, lending, noting), many = owned(farm, [[0, 1], [2, 3, 4, 5], [6]], 3)
    assert joining
    assert noting
    assert len(joining | lending | noting) == len(joining) + len(lending) + len(noting) == many


def test_what_the_last_goal_has_to_make_true_is_all_that_there_is_without_a_solution_or_its_threads(
    farm: WorldHome,
) -> None:
    for threads, goals, changes in (
        ([], 0, {"oracle": ()}),
        ([], 3, {"oracle": ()}),
        ([[0, 1], [2, 3, 4, 5, 6]], 3, {}),
    ):
        found, many = owned(farm, threads, goals, **changes)
        assert found == (*[frozenset()] * (goals - 1), frozenset(range(many)))


def test_a_solution_without_threads_is_that_of_the_one_goal(farm: WorldHome) -> None:
    found, many = owned(farm, [], 0)
    assert found == (frozenset(range(many)),)


@settings(max_examples=30)
@given(st.lists(st.frozensets(st.integers(0, 7)), max_size=4), st.lists(st.booleans(), min_size=8, max_size=8))
def test_nothing_is_left_of_a_goal_just_when_all_its_checks_hold_and_without_checks_it_cannot_be_told(
    goals: list[frozenset[int]], holds: list[bool]
) -> None:
    left = GoalProgress(tuple(goals), lambda state: state["checks"]).left({"checks": holds})
    assert [None if missing is None else not missing for missing in left] == [
        all(holds[one] for one in goal) if goal else None for goal in goals
    ]
