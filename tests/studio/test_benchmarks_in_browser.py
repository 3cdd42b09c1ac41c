"""A person looks at a benchmark in the studio: its tasks, a world at one of them, its turns, and the official verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.farm.farms import ROOT
from tests.official.staging import registered
from tests.studio.test_in_browser import enter, press_button, studio_program, tab, wide
from tests.viewer.chromium import PROGRAM, Browser

__all__ = ["tab"]
pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]


@pytest.fixture
def owner(tab: Browser, tmp_path: Path) -> Iterator[Browser]:
    with registered(tmp_path / "site") as patch:
        patch.setenv("PYTHONPATH", f"{tmp_path / 'site'}:{Path.cwd()}")
        with studio_program(tmp_path, ROOT, "--benchmark", "till") as address:
            enter(tab, address)
            yield tab
            assert tab.complaints == []


def buttons(tab: Browser) -> list[str]:
    return list(tab.do("[...document.querySelectorAll('main button, main nav a')].map(b => b.textContent.trim())"))


def test_a_person_plays_a_task_of_a_benchmark_and_asks_its_judge(owner: Browser) -> None:
    assert "and 1 benchmark" in owner.do("document.querySelector('main').textContent")
    owner.until(
        "[...document.querySelectorAll('.card')].some(c => c.textContent.includes('benchmark of other authors'))"
    )
    press_button(owner, "A till")
    owner.until("document.querySelector('[data-task=till_3]')")
    assert not {"Play it yourself", "Watch it being solved", "Connect a host"} & set(buttons(owner))
    owner.do("document.querySelector('[data-task=till_3] button').click()")
    owner.until("document.querySelector('.turns li')")
    shown = buttons(owner)
    assert not {"Live", "Fork", "Branches", "Undo all", "Rules"} & set(shown), shown
    assert "Turn 1 of 2. Take 4 out." in owner.do("document.querySelector('.turns').textContent")
    assert owner.do("document.querySelector('[data-tool=withdraw]')") is None
    owner.click("[data-does=turn]")
    owner.until("document.querySelector('[data-tool=withdraw]')")
    owner.click("[data-does=judge]")
    owner.until("document.querySelector('.checks .verdict.spoilt')")
    assert "wrong_balance" in owner.do("document.querySelector('.checks').textContent")
    owner.click("[data-tool=withdraw]")
    owner.until("document.querySelector('.form input[name=amount]')")
    owner.do("(() => { const field = document.querySelector('.form input[name=amount]'); field.value = '4'; })()")
    press_button(owner, "Call")
    owner.until("document.querySelector('.step.done')")
    assert not any(text == "Undo" for text in buttons(owner))
    owner.click("[data-does=judge]")
    owner.until("document.querySelector('.checks .verdict.solved')")
    wide(owner, 400)
    assert owner.do("document.documentElement.scrollWidth <= 400")
    press_button(owner, "World")
    owner.until("document.querySelector('.scalars')")
    assert "Balance 6" in owner.do("document.querySelector('.scalars').textContent")
    assert owner.do("document.querySelector('table.records td, table.records th') !== null")
    assert owner.do("document.documentElement.scrollWidth <= 400")
