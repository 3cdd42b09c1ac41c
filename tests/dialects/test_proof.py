"""The same task in another dialect is the same task: its solution, translated, ends in the state that was proven."""

from __future__ import annotations

import pytest

from envscaler_mcp.dialects import DialectName
from envscaler_mcp.grading.judging import judge
from tests.dialects.shipped import ALL, TURNS, dialect_of, scenarios_of, spoken_world_at, state_of

SEEDS = tuple(DialectName(seed) for seed in range(10)) + tuple(DialectName(seed, held_out=True) for seed in range(10))


def play_all(environment: str, name: DialectName, most: int | None = None) -> None:
    dialect = dialect_of(environment, name)
    for number, scenario in enumerate(scenarios_of(environment)):
        if number == most:
            return
        world = spoken_world_at(scenario, dialect)
        for call in scenario.oracle:
            spoken = dialect.encode(call)
            outcome = world.call(spoken.tool, spoken.arguments)
            assert outcome.kind == "done", (environment, str(name), scenario.id, spoken, outcome)
        assert scenario.proof is not None
        assert world.state_hash() == scenario.proof.final_hash, (environment, str(name), scenario.id)


@pytest.mark.parametrize("environment", TURNS)
def test_the_solution_in_a_dialect_ends_where_its_proof_ended(environment: str) -> None:
    for name in SEEDS:
        play_all(environment, name, most=2)


@pytest.mark.parametrize("environment", TURNS)
def test_the_solution_in_a_dialect_earns_everything_and_doing_nothing_earns_nothing(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    dialect = dialect_of(environment, DialectName(4))
    world = spoken_world_at(scenario, dialect)
    initial = state_of(environment, scenario.state)
    assert judge(scenario, initial, world.state()).reward == 0.0
    for call in scenario.oracle:
        spoken = dialect.encode(call)
        world.call(spoken.tool, spoken.arguments)
    assert judge(scenario, initial, world.state()).reward == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("environment", ALL)
def test_every_task_that_ships_is_solved_in_twenty_dialects(environment: str) -> None:
    for name in SEEDS:
        play_all(environment, name)
