"""pass@k and pass^k are what all choices of k plays say on average."""

from __future__ import annotations

from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.scoring.pass_at_k import grouped, passing
from envscaler_mcp.scoring.trajectory import Attempted

Plays = list[list[bool | None]]


def planned(task: int, repetition: int) -> PlannedEpisode:
    return PlannedEpisode(
        id=f"s{task}/agent/{repetition}",
        scenario=f"s{task}",
        scenario_digest="d",
        environment=f"e{task % 2}",
        code_digest="c",
        repetition=repetition,
        seed=repetition,
        split="train" if task else None,
    )


def attempted(episode: PlannedEpisode, solved: bool | None) -> Attempted:
    """`None` is an episode that somebody else spoilt."""
    return Attempted(
        id=episode.id,
        environment=episode.environment,
        agent="agent",
        attempt=1,
        reward=float(bool(solved)),
        solved=bool(solved),
        owner={True: None, False: "agent", None: "environment"}[solved],
        reason="",
        steps=1,
        ended="completed",
        masked=solved is None,
        grading="",
    )


def run(plays: Plays) -> tuple[list[PlannedEpisode], dict[str, Attempted]]:
    episodes = [(planned(task, n), solved) for task, one in enumerate(plays) for n, solved in enumerate(one, 1)]
    return [episode for episode, _ in episodes], {one.id: attempted(one, solved) for one, solved in episodes}


@given(st.lists(st.lists(st.sampled_from([True, False, None]), max_size=5), max_size=4))
def test_they_are_the_mean_over_all_choices_of_the_plays_that_count(plays: Plays) -> None:
    counted = [[solved for solved in one if solved is not None] for one in plays]
    found = passing(*run(plays))
    assert [one.k for one in found] == list(range(1, max(map(len, counted), default=0) + 1))
    for one in found:
        choices = [list(combinations(task, one.k)) for task in counted if len(task) >= one.k]
        assert one.tasks == len(choices)
        assert one.at_least_once == pytest.approx(mean(mean(any(choice) for choice in task) for task in choices))
        assert one.every_time == pytest.approx(mean(mean(all(choice) for choice in task) for task in choices))


def test_what_is_not_done_yet_does_not_count() -> None:
    episodes, done = run([[True, False]])
    del done[episodes[1].id]
    (found,) = passing(episodes, done)
    assert (found.k, found.at_least_once, found.tasks) == (1, 1.0, 1)


def test_episodes_are_grouped_by_what_is_known_of_them() -> None:
    episodes, _ = run([[True], [True], [False]])
    assert {name: len(found) for name, found in grouped(episodes, "environment").items()} == {"e0": 2, "e1": 1}
    assert {name: len(found) for name, found in grouped(episodes, "split").items()} == {"train": 2}
    assert grouped(episodes, "level") == {}
