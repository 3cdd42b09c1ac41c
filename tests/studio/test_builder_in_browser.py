"""The builder as an author uses it: a rule is edited, a task becomes unprovable, and a world of one's own is published."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from envscaler_mcp.registry import read_registry
from tests.farm.farms import ROOT
from tests.studio.test_in_browser import call, enter, go, press_button, studio_program, texts, wide
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]

ENVIRONMENT = "hospital_stays"
STRICTER = "\nrules:\n  - text: No bed is ever blocked.\n    holds: all(b.condition != 'blocked' for b in Bed)\n"
SOURCE = "document.querySelector('#source')"


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Browser]:
    """A tab of a studio whose home holds one environment, and may be written."""
    home = tmp_path / "home"
    (home / "generated_servers").mkdir(parents=True)
    entries = read_registry(ROOT / "registry.json")
    only = tuple(entry for entry in entries.entries if entry.id == ENVIRONMENT)
    entries.model_copy(update={"entries": only}).write(home / "registry.json")
    _copy(ROOT / "generated_servers" / ENVIRONMENT, home / "generated_servers" / ENVIRONMENT)
    with ExitStack() as stack:
        address = stack.enter_context(studio_program(tmp_path, home))
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        tab = stack.enter_context(browser(Path(profile)))
        enter(tab, address)
        yield tab
        assert tab.complaints == []


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for file in source.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            (target / file.relative_to(source)).parent.mkdir(exist_ok=True)
            (target / file.relative_to(source)).write_bytes(file.read_bytes())


def write(tab: Browser, before: str, after: str) -> None:
    """Put one text in the place of another, as an author would."""
    assert tab.do(f"{SOURCE}.value.includes({json.dumps(before)})")
    tab.do(f"void ({SOURCE}.value = {SOURCE}.value.replace({json.dumps(before)}, () => {json.dumps(after)}))")


def build(tab: Browser) -> None:
    tab.click("[data-does=build]")
    tab.until("document.querySelector('[data-does=stop]:not([hidden])')")
    for _ in range(5):
        try:
            tab.until("document.querySelector('[data-does=stop][hidden]') && document.querySelector('.stage')")
        except AssertionError:
            continue
        return
    raise AssertionError("the build does not end")


def open_builder(tab: Browser, blueprint: str) -> None:
    go(tab, f"#/builder/{blueprint}" if blueprint else "#/builder")
    tab.until(f"{SOURCE}?.value.includes('entities:')")


@pytest.mark.slow
def test_an_edited_rule_makes_a_task_unprovable_and_the_page_says_why(author: Browser) -> None:
    tab = author
    open_builder(tab, ENVIRONMENT)
    tab.until(f"{SOURCE}.value.includes('id: {ENVIRONMENT}')")
    write(tab, "\nrules:\n", STRICTER)
    build(tab)
    why = texts(tab, "[data-stage=before] .unproven > p")
    assert why
    assert all("block_bed, is refused: No bed is ever blocked." in reason for reason in why)
    assert tab.do("document.querySelectorAll('[data-stage=prove] .made').length") == 10
    tab.click("[data-stage=check] button.place")
    assert "block_bed:" in tab.do(f"{SOURCE}.value.slice({SOURCE}.selectionStart, {SOURCE}.selectionEnd)")
    # An environment of the library stays what it is.
    tab.click("[data-does=publish]")
    tab.until("document.querySelector('#notice.wrong')")
    assert "library" in texts(tab, "#notice")[0]
    tab.complaints.clear()


def test_a_world_of_an_edited_blueprint_is_built_published_and_played(author: Browser, tmp_path: Path) -> None:
    tab = author
    press_button(tab, "Builder")
    tab.until(f"{SOURCE}?.value.includes('entities:')")
    write(tab, "id: tool_lending", "id: ladder_library")
    write(tab, "A member has at most three open loans.", "A member has at most two open loans.")
    write(tab, "all(m.open_loans <= 3", "all(m.open_loans <= 2")
    build(tab)
    tab.click("[data-does=publish]")
    tab.until("location.hash === '#/environment/ladder_library' && document.querySelector('.rules li')")
    assert "A member has at most two open loans." in texts(tab, ".rules li")
    assert {entry.id for entry in read_registry(tmp_path / "home" / "registry.json").entries} == {
        ENVIRONMENT,
        "ladder_library",
    }
    press_button(tab, "Open a fresh world")
    tab.until("document.querySelector('table.records')")
    press_button(tab, "Playground")
    call(tab, "list_members")
    tab.until("document.querySelector('.answer:not(:empty)')")


def test_what_is_wrong_is_said_beside_the_blueprint_and_hostile_text_stays_text(author: Browser) -> None:
    tab = author
    open_builder(tab, "")
    write(tab, "title: Tool lending", f"title: {json.dumps(HOSTILE[:60])}")
    write(tab, "holds: all(m.open_loans <= 3", "holds: all(m.opened_loans <= 3")
    build(tab)
    assert texts(tab, "[data-stage=check].bad .problem.error")
    assert tab.do("document.querySelectorAll('main script, main img').length") == 0
    assert "owned" not in tab.do("document.title")
    for width in (1280, 400):
        wide(tab, width)
        assert tab.do("document.documentElement.scrollWidth") <= width
    tab.do(f"{SOURCE}.focus()")
    tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, modifiers=2)
    tab.until("document.querySelector('[data-does=build]').disabled")
