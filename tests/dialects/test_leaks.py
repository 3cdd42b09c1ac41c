"""No word of the world itself is read by an agent that speaks a dialect."""

from __future__ import annotations

import pytest

from tests.dialects.leaks import PLAYERS, Read, leaks_of, play_episodes
from tests.dialects.shipped import ALL, TURNS


@pytest.mark.parametrize("environment", TURNS)
def test_agents_that_play_well_at_random_and_badly_read_no_word_of_the_world(environment: str) -> None:
    read = Read()
    play_episodes(environment, 6, read)
    assert set(read.episodes) == {*PLAYERS}
    assert read.answers > 60
    assert not read.leaks, read.leaks[:3]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ALL)
def test_ten_episodes_of_every_world_hold_no_word_of_it(environment: str) -> None:
    read = Read()
    play_episodes(environment, 10, read)
    assert not read.leaks, read.leaks[:3]


def test_a_leak_would_be_seen() -> None:
    hidden, ids = frozenset({"bed_id"}), frozenset({"BED-00001"})
    assert leaks_of('{"bed_id": "BED-00001"}', "", hidden, ids) == ["BED-00001", "bed_id"]
    assert leaks_of("There is no tool bed_id.", '["bed_id"]', hidden, ids) == []
