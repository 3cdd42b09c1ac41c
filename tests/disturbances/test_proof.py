"""A disturbed task is the same task: who sends again what failed, and picks the right tools, ends where the proof ended."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.disturbances.kinds import KINDS
from tests.dialects.shipped import ALL, SAMPLE, scenarios_of
from tests.disturbances.playing import disturbed, solve, some_scenarios

SCENARIOS = some_scenarios(SAMPLE, 2)
kinds = st.lists(st.sampled_from(KINDS), unique=True, min_size=1).map(tuple)
seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_leaves_a_task_solvable(kind: str) -> None:
    for scenario in SCENARIOS:
        assert scenario.proof is not None
        assert solve(scenario, [kind]).final_hash == scenario.proof.final_hash, (scenario.id, kind)


@given(st.sampled_from(SCENARIOS), kinds, seeds, st.none() | st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_the_world_gets_the_calls_of_the_solution_and_no_other(scenario, on, seed, dialect) -> None:  # type: ignore[no-untyped-def]
    played = solve(scenario, on, seed, dialect)
    assert [call.tool for call in played.meant] == [call.tool for call in scenario.oracle]
    if dialect is None:
        assert played.meant == list(scenario.oracle)
    assert scenario.proof is not None
    assert played.final_hash == scenario.proof.final_hash
    assert set(played.disturbed) <= set(on)


@given(st.sampled_from(SCENARIOS), kinds, seeds)
@settings(max_examples=40, deadline=None)
def test_task_seed_and_kinds_decide_everything(scenario, on, seed) -> None:  # type: ignore[no-untyped-def]
    first, again = disturbed(scenario, on, seed), disturbed(scenario, on, seed)
    assert first.card == again.card
    assert solve(scenario, on, seed) == solve(scenario, on, seed)


def test_another_seed_disturbs_other_calls() -> None:
    scenario = SCENARIOS[0]
    assert len({tuple(solve(scenario, ["timeout"], seed).read) for seed in range(8)}) > 1


def test_without_sending_again_the_share_of_failures_that_the_rate_predicts_is_lost() -> None:
    """A task is lost where one of its changes is disturbed; of calls in a row at most two are."""
    lost = predicted = 0.0
    scenarios = some_scenarios(ALL[::7], 10)
    for scenario in scenarios:
        assert scenario.proof is not None
        lost += solve(scenario, ["timeout"], resends=False).final_hash != scenario.proof.final_hash
        card = disturbed(scenario, ["timeout"]).card
        effects = {tool.name: tool.effect for tool in card.tools}
        predicted += 1 - 0.8 ** sum(effects[call.tool] == "writes" for call in scenario.oracle)
    # Four standard deviations.
    assert abs(lost - predicted) < 4 * (0.25 * len(scenarios)) ** 0.5, (lost, predicted, len(scenarios))


@pytest.mark.slow
@pytest.mark.parametrize("environment", ALL)
def test_every_task_that_ships_is_solved_under_each_kind_and_all_together(environment: str) -> None:
    for scenario in scenarios_of(environment):
        assert scenario.proof is not None
        for on in (*((kind,) for kind in KINDS), KINDS):
            assert solve(scenario, on).final_hash == scenario.proof.final_hash, (scenario.id, on)
        assert solve(scenario, KINDS, dialect=7).final_hash == scenario.proof.final_hash, scenario.id
