"""Training as an engineer looks at it: curves, pass@k, and the command for rows."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.farm.farms import ROOT
from tests.studio.runs import record_runs
from tests.studio.test_in_browser import enter, press_button, studio_program, texts, wide
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import envscaler

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]


@pytest.fixture
def engineer(tmp_path: Path) -> Iterator[Browser]:
    """A tab of a studio that shows four runs, one of each task three times, and one with a hostile name."""
    runs = record_runs(tmp_path / "runs")
    order = ("run", "--env", "hospital_stays", "--limit", 4, "--repeat", 3, "--agent", "random", "--json")
    assert json.loads(envscaler(ROOT, *order, "--out", runs / "<b>often<i>").output)["done"] == 12
    with (
        studio_program(tmp_path, ROOT, "--runs", str(runs)) as address,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        browser(Path(profile)) as tab,
    ):
        enter(tab, address)
        yield tab
        assert tab.complaints == []


def test_an_engineer_sees_curves_and_pass_at_k_and_copies_the_command_for_rows(engineer: Browser) -> None:
    tab = engineer
    press_button(tab, "Train")
    tab.until("document.querySelectorAll('.chart').length === 2 && document.querySelector('.rowsfound b')")
    assert tab.do("document.querySelector('.chart').getAttribute('aria-label')").startswith(
        "Reward of each run. all: 1.00"
    )
    heads = texts(tab, ".passing thead th")
    assert heads[-5:] == ["pass@1", "pass@2", "pass@3", "Reward", "Solved"]
    assert "<b>often<i>" in texts(tab, "[aria-label^='pass@k'] h2")[0]
    assert tab.do("document.querySelectorAll('main b b, main script').length") == 0
    tab.do(
        "(() => { const s = document.querySelector('#run'); s.value = 'solved'; s.dispatchEvent(new Event('change')); })()"
    )
    tab.until("document.querySelector('.rowsfound pre')?.textContent.includes('/solved --format trl')")
    assert texts(tab, ".passing tbody tr:first-child .number")[-2:] == ["1.000", "6 of 6"]
    solved = "document.querySelector('.passing tbody tr:first-child .number.dim').textContent"
    tab.click(".segments [data-level=easy]")
    tab.until(f"{solved} !== '6 of 6'")
    tab.do(
        "(() => { const s = document.querySelector('#format'); s.value = 'alpaca'; s.dispatchEvent(new Event('change')); })()"
    )
    tab.until("document.querySelector('.rowsfound pre')?.textContent.includes('--format alpaca')")
    tab.click("#solved")
    tab.until("document.querySelector('.rowsfound pre')?.textContent.includes('--only solved')")
    assert int(texts(tab, ".rowsfound b")[0].split()[0]) > 6
    for width in (1280, 400):
        wide(tab, width)
        assert tab.do("document.documentElement.scrollWidth") <= width
