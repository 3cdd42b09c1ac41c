"""A person looks at a benchmark in the studio: its tasks, a world at one of them, its turns, and the official verdict."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    with at_studio(tab, tmp_path, "till"):
        yield tab


@contextmanager
def at_studio(tab: Browser, folder: Path, *options: str) -> Iterator[None]:
    with registered(folder / "site") as patch:
        patch.setenv("PYTHONPATH", f"{folder / 'site'}:{Path.cwd()}")
        with studio_program(folder, ROOT, "--benchmark", *options) as address:
            enter(tab, address)
            yield
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


def write(tab: Browser, place: int, text: str) -> None:
    tab.do(f"document.querySelectorAll('.saying textarea')[{place}].value = {text!r}")


def open_talk(tab: Browser, task: str) -> None:
    press_button(tab, "A till")
    tab.until(f"document.querySelector('[data-task={task}]')")
    tab.do(f"document.querySelector('[data-task={task}] button').click()")
    tab.until("document.querySelector('.saying')")


def said(tab: Browser) -> list[str]:
    return list(tab.do("[...document.querySelectorAll('.talk li p:last-child')].map(p => p.textContent)"))


def test_a_person_plays_both_sides_of_a_conversation_and_asks_its_judge(tab: Browser, tmp_path: Path) -> None:
    with at_studio(tab, tmp_path, "till-talk"):
        open_talk(tab, "till_1")
        assert tab.do("document.querySelector('.asked details').open")
        assert "Put 5 in." in tab.do("document.querySelector('.asked details').textContent")
        write(tab, 1, "Please put 5 in.")
        tab.click("[data-does=say]")
        tab.until("document.querySelectorAll('.talk .turn').length === 1")
        tab.do("document.querySelector('.form input[name=amount]').value = '5'")
        press_button(tab, "Call")
        tab.until("document.querySelectorAll('.talk .turn').length === 2")
        write(tab, 0, "It is in.")
        write(tab, 1, "Thanks.")
        tab.click("[data-does=stop]")
        tab.until("document.querySelector('.saying').hidden")
        assert said(tab) == ["Please put 5 in.", "calls Deposit", "It is in.", "Thanks. ###STOP###"]
        tab.click("[data-does=judge]")
        tab.until("document.querySelector('.checks .verdict.solved')")
        wide(tab, 400)
        assert tab.do("document.documentElement.scrollWidth <= 400")


def test_a_person_plays_the_agent_where_a_script_answers(tab: Browser, tmp_path: Path) -> None:
    with at_studio(tab, tmp_path, "till-talk", "--user", "scripted"):
        open_talk(tab, "till_3")
        assert not tab.do("document.querySelector('.asked details').open")
        assert "Let the user begin" in buttons(tab)
        tab.click("[data-does=say]")
        tab.until("document.querySelectorAll('.talk .turn').length === 1")
        write(tab, 0, "I cannot.")
        tab.click("[data-does=say]")
        tab.until("document.querySelectorAll('.talk .turn').length === 3")
        assert said(tab) == ["Take 4 out.", "I cannot.", "What about now?"]
        tab.until("document.querySelector('[data-tool=withdraw]')")
