"""The tour of the README is what the studio shows: a refusal with its rule, and a task that is solved."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.studio.test_in_browser import texts
from tests.studio.tour import FILE, HEIGHT, LARGEST, SCALE, WIDTH, take_tour, visitor_of_a_studio
from tests.viewer.chromium import PROGRAM


def seconds(file: Path) -> float:
    """How long it plays."""
    with Image.open(file) as tour:
        total = 0
        for number in range(getattr(tour, "n_frames", 1)):
            tour.seek(number)
            tour.load()
            total += tour.info["duration"]
    return total / 1000


def test_the_tour_that_ships_is_small_short_and_plays_again_and_again() -> None:
    assert FILE.stat().st_size < LARGEST
    assert 20 < seconds(FILE) < 45
    with Image.open(FILE) as tour:
        assert tour.size == (round(WIDTH * SCALE), round(HEIGHT * SCALE))
        assert tour.info["loop"] == 0


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(300)
@pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")
def test_the_tour_can_be_taken_anew(tmp_path: Path) -> None:
    with visitor_of_a_studio() as tab:
        tour = take_tour(tab, tmp_path / "tour.webp")
        assert texts(tab, ".verdict.solved b") == ["Solved"]
        assert tab.complaints == []
    assert seconds(tmp_path / "tour.webp") == pytest.approx(sum(tour.durations) / 1000, abs=0.1)
    assert (tmp_path / "tour.webp").stat().st_size < LARGEST
