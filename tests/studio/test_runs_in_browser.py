"""Recorded runs and the arena as people use them: compare two runs, step through an episode, play on from a step, let agents compete."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.farm.farms import ROOT
from tests.studio.runs import TASKS, record_runs
from tests.studio.test_in_browser import (
    ENVIRONMENT,
    call,
    enter,
    enter_key,
    go,
    press_button,
    reach,
    studio_program,
    texts,
    wide,
)
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import hostile_home, hostile_run

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture
def tab() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as opened:
        yield opened


@pytest.fixture
def owner(tab: Browser, tmp_path: Path, recorded: Path) -> Iterator[Browser]:
    """A tab that the command has opened."""
    with studio_program(tmp_path, ROOT, "--runs", str(recorded)) as address:
        enter(tab, address)
        yield tab
        assert tab.complaints == []
        assert all(url.startswith((address.split("/#")[0], "data:")) for url in tab.requests)


def follow(tab: Browser, selector: str) -> None:
    tab.until(f"document.querySelector({json.dumps(selector)})")
    tab.click(selector)


def open_run(tab: Browser, name: str) -> None:
    press_button(tab, "Runs")
    follow(tab, f"tr[data-run={name}] a")
    tab.until(f"document.querySelectorAll('tr[data-episode]').length === {TASKS}")


def open_episode(tab: Browser, run: str) -> None:
    open_run(tab, run)
    tab.click("tr[data-episode] a")
    tab.until("document.querySelector('.toldstep') && document.querySelector('.aside table.records')")


def open_arena(tab: Browser) -> None:
    go(tab, f"#/environment/{ENVIRONMENT}")
    press_button(tab, "Arena")
    tab.until("document.querySelector('[data-does=start]')")


def test_a_person_compares_two_runs_and_sees_where_two_episodes_part(owner: Browser) -> None:
    tab = owner
    press_button(tab, "Runs")
    tab.until("document.querySelectorAll('tr[data-run]').length === 3")
    for name in ("solved", "guessed"):
        tab.click(f"tr[data-run={name}] input")
    tab.click("[data-does=compare]")
    tab.until("document.querySelector('tr[data-change]')")
    assert texts(tab, ".side h2") == ["solved", "guessed"]
    tab.click("[data-change=left]")
    tab.until("document.querySelector('[data-change=left]').ariaPressed === 'true'")
    assert set(tab.do("[...document.querySelectorAll('tr[data-change]')].map(r => r.dataset.change)")) == {"left"}
    tab.click("tr[data-change] a")
    tab.until("document.querySelector('.pair')")
    assert "part at" in texts(tab, ".hero p")[0]
    assert len(texts(tab, ".pairs .parting")) == 1
    assert texts(tab, ".pair .cell.a .step b")
    assert tab.do("document.querySelectorAll('.side.a .lamp.on').length") > 0


def test_a_person_filters_a_run_by_a_cell_of_its_table_and_by_outcome(owner: Browser) -> None:
    tab = owner
    open_run(tab, "guessed")
    cells = texts(tab, ".verdicts tbody tr:last-child .heat")
    (solved, played), first = cells[0].split("/"), "document.querySelectorAll('tr[data-episode]').length"
    assert int(solved) <= int(played)
    tab.click(".verdicts tbody tr:last-child .heat button")
    tab.until(f"{first} === {played}")
    assert tab.do("document.querySelector('#episodes-world').value") == ENVIRONMENT
    tab.click("[data-outcome=solved]")
    tab.until(f"{first} === {solved}")
    tab.click("[data-outcome='']")
    tab.do("document.querySelector('#episodes-search').focus()")
    tab.write("no such episode")
    tab.until(f"{first} === 0")


def test_an_episode_is_stepped_through_with_lamps_and_records_as_they_were(owner: Browser) -> None:
    tab = owner
    open_episode(tab, "solved")
    last = len(texts(tab, ".toldstep"))
    assert "Solved" in texts(tab, ".verdictbar h1")[0]
    tab.until(
        "document.querySelectorAll('.aside .lamp.on').length === document.querySelectorAll('.aside .lamp').length"
    )
    tab.click("[aria-label='To the start']")
    tab.until("document.querySelectorAll('.aside .lamp.on').length === 0")
    assert texts(tab, ".controls output") == ["at the start"]
    for number in range(1, last):
        tab.press("j")
        tab.until(f"location.hash.endsWith('/{number}')")
    turned = tab.do("document.querySelectorAll('.toldstep:not(.coming) .turned.on').length")
    tab.until(f"document.querySelectorAll('.aside .lamp.on').length === {turned}")
    tab.press("k")
    tab.until(f"document.querySelector('.toldstep.current').dataset.place === '{last - 2}'")
    # The address of a step leads there again.
    address = tab.do("location.href")
    tab.ask("Page.navigate", url="about:blank")
    tab.ask("Page.navigate", url=address)
    tab.until(f"document.querySelector('.toldstep.current')?.dataset.place === '{last - 2}'")


def test_cells_that_a_step_changed_are_lit(owner: Browser) -> None:
    tab = owner
    open_episode(tab, "solved")
    place = tab.do("document.querySelector('.toldstep:has(.difference)').dataset.place")
    tab.click(f".toldstep[data-place='{place}'] button.number")
    tab.until("document.querySelector('.aside .lit, .aside tr.fresh')")


def test_a_person_plays_on_from_a_step_of_an_episode(owner: Browser) -> None:
    tab = owner
    open_episode(tab, "half")
    steps = len(texts(tab, ".toldstep .step"))
    tab.click("[aria-label='One step back']")
    tab.until("!document.querySelector('[aria-label=\"One step on\"]').disabled")
    tab.click("[data-does=open-step]")
    tab.until("location.hash.endsWith('/playground') && document.querySelector('.steps .step')")
    assert len(texts(tab, ".steps .step")) in (steps, steps - 1)
    call(tab, "list_wards")
    tab.until(f"document.querySelector('[data-step=\"{len(texts(tab, '.steps .step'))}\"]')")


def test_an_episode_stands_beside_its_solution(owner: Browser) -> None:
    tab = owner
    open_episode(tab, "half")
    press_button(tab, "Beside the solution")
    tab.until("document.querySelector('.pairs .parting')")
    assert len(texts(tab, ".pair:not(.same)")) >= 1
    assert "solution" in texts(tab, ".side.b .who")[0]


def test_an_arena_of_oracle_and_random_shows_where_they_part_and_who_solved_it(owner: Browser) -> None:
    tab = owner
    open_arena(tab)
    tab.do(
        "(() => { const s = document.querySelector('.arena [aria-label=Speed]'); s.value = '200'; s.dispatchEvent(new Event('change')); })()"
    )
    tab.click("[data-does=start]")
    tab.until("document.querySelectorAll('.lane').length === 2")
    tab.until("document.querySelector('.lane[data-agent=oracle].won')")
    tab.until("document.querySelector('.board tr.leads th')?.textContent === 'oracle'")
    said = next(text for text in texts(tab, ".arena [role=status]") if text)
    assert "part at" in said
    assert "Oracle solved it with" in said


def test_a_person_competes_with_the_oracle(owner: Browser) -> None:
    tab = owner
    open_arena(tab)
    tab.do(
        "(() => { const s = document.querySelector('[aria-label=\"Agent 2\"]'); s.value = 'person'; s.dispatchEvent(new Event('change')); })()"
    )
    tab.click("[data-does=start]")
    tab.until("document.querySelector('.person .form')")
    tab.click("[data-tool=list_wards]")
    tab.click(".form .primary")
    tab.until("document.querySelectorAll('.lane[data-agent=person] .step').length === 1")
    tab.until("document.querySelector('.lane[data-agent=oracle] .step')")


def test_runs_are_compared_with_the_keyboard_alone(owner: Browser) -> None:
    tab = owner
    reach(tab, "document.activeElement.textContent === 'Runs'")
    enter_key(tab)
    tab.until("document.querySelectorAll('tr[data-run]').length === 3")
    for name in ("guessed", "half"):
        tab.do("document.querySelector('main').focus()")
        reach(
            tab, f"document.activeElement.closest('tr[data-run={name}]') && document.activeElement.type === 'checkbox'"
        )
        tab.press(" ")
    tab.do("document.querySelector('main').focus()")
    reach(tab, "document.activeElement.dataset.does === 'compare'")
    enter_key(tab)
    tab.until("document.querySelector('tr[data-change] a')")
    reach(tab, "document.activeElement.closest('tr[data-change]')")
    enter_key(tab)
    tab.until("document.querySelector('.pair')")


def test_at_400_pixels_no_view_of_runs_is_wider_than_the_screen(owner: Browser) -> None:
    tab = owner
    wide(tab, 400)
    open_episode(tab, "half")
    assert tab.do("document.documentElement.scrollWidth") <= 400
    press_button(tab, "Beside the solution")
    tab.until("document.querySelector('.pair')")
    assert tab.do("document.documentElement.scrollWidth") <= 400
    for place, there in (
        ("#/runs", "tr[data-run]"),
        ("#/run/half", "tr[data-episode]"),
        ("#/compare/solved/guessed", "tr[data-change]"),
    ):
        go(tab, place)
        tab.until(f"document.querySelector({json.dumps(there)})")
        assert tab.do("document.documentElement.scrollWidth") <= 400, place
    open_arena(tab)
    tab.click("[data-does=start]")
    tab.until("document.querySelector('.lane .step')")
    assert tab.do("document.documentElement.scrollWidth") <= 400


def test_everything_to_press_in_the_views_of_runs_has_a_name(owner: Browser) -> None:
    tab = owner
    for place, there in (
        ("#/runs", "tr[data-run]"),
        ("#/run/half", "tr[data-episode]"),
        ("#/compare/solved/guessed", "tr[data-change]"),
    ):
        go(tab, place)
        tab.until(f"document.querySelector({json.dumps(there)})")
        assert nameless(tab) == [], place
    open_episode(tab, "half")
    assert nameless(tab) == []


def nameless(tab: Browser) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = tab.ask("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton"}
    return [
        node for node in nodes
        if not node["ignored"] and node["role"]["value"] in controls and not node.get("name", {}).get("value")
    ]  # fmt: skip


def test_hostile_texts_of_a_run_are_shown_as_text(tab: Browser, tmp_path: Path) -> None:
    home = hostile_home(tmp_path / "home")
    hostile_run(home, tmp_path / "runs" / "<b>x")
    hostile_run(home, tmp_path / "runs" / "other")
    with studio_program(tmp_path / "state", home, "--runs", str(tmp_path / "runs")) as address:
        enter(tab, address)
        press_button(tab, "Runs")
        tab.until("document.querySelectorAll('tr[data-run] a').length === 2")
        run = tab.do("[...document.querySelectorAll('tr[data-run]')].map(r => r.dataset.run).find(n => n !== 'other')")
        for place, there in (
            (f"#/run/{run}", "tr[data-episode]"),
            (f"#/compare/{run}/other", "tr[data-change]"),
        ):
            go(tab, place)
            tab.until(f"document.querySelector({json.dumps(there)})")
            check_harmless(tab)
        go(tab, f"#/run/{run}")
        tab.until("document.querySelectorAll('tr[data-episode] a').length === 2")
        episodes = tab.do("[...document.querySelectorAll('tr[data-episode] a')].map(a => a.getAttribute('href'))")
        for episode in episodes:
            go(tab, episode)
            tab.until("document.querySelector('.toldstep')")
            tab.do("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            check_harmless(tab)
            assert "⟨U+202E⟩" in tab.do("document.body.textContent")
            go(tab, episode.replace("#/run/", "#/beside/") + "/solution")
            tab.until("document.querySelector('.pair')")
            check_harmless(tab)
        assert tab.complaints == []


def check_harmless(tab: Browser) -> None:
    assert "owned" not in tab.do("document.title")
    assert tab.do("document.querySelectorAll('main script, main img').length") == 0
    assert "\u202e" not in tab.do("document.body.textContent")
