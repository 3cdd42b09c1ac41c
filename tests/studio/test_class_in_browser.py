"""A class as people have it: three visitors join with their own browsers, and a board shows who has solved the task."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.farm.farms import ROOT
from tests.studio.test_in_browser import call, enter, go, press_button, studio_program, texts, wide
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]

ENVIRONMENT = "hospital_stays"


@pytest.fixture
def tabs(tmp_path: Path) -> Iterator[list[Browser]]:
    """The teacher's browser, which the command has opened, and three others."""
    with ExitStack() as stack:
        address = stack.enter_context(studio_program(tmp_path, ROOT))
        made = []
        for _ in range(4):
            profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            made.append(stack.enter_context(browser(Path(profile))))
        enter(made[0], address)
        yield made
        for tab in made:
            assert tab.complaints == []
            assert all(url.startswith((address.split("/#")[0], "data:", "about:")) for url in tab.requests)


def open_class(tab: Browser) -> str:
    """Open one at the first task; where visitors join."""
    go(tab, f"#/environment/{ENVIRONMENT}")
    press_button(tab, "Play it with a class")
    tab.until("document.querySelector('.join .qr path')")
    return texts(tab, ".join .address")[0]


def join(tab: Browser, address: str, name: str, width: int = 1280) -> None:
    wide(tab, width)
    tab.ask("Page.navigate", url=address)
    tab.until("document.querySelector('#name')")
    tab.click("#name")
    tab.write(name)
    tab.click("form .primary")
    tab.until("location.hash === '#/seat' && document.querySelector('.lamp')")


def cell(tab: Browser, name: str, selector: str) -> str:
    row = f"[...document.querySelectorAll('.board tbody tr')].find(r => r.dataset.seat === {json.dumps(name)})"
    return str(tab.do(f"{row}?.querySelector({json.dumps(selector)})?.textContent ?? ''"))


def row_is(tab: Browser, name: str, selector: str, text: str) -> None:
    row = f"[...document.querySelectorAll('.board tbody tr')].find(r => r.dataset.seat === {json.dumps(name)})"
    tab.until(f"{row}?.querySelector({json.dumps(selector)})?.textContent === {json.dumps(text)}")


def solution(tab: Browser) -> list[dict[str, Any]]:
    """The calls that solve the task, as only the teacher can see them."""
    key = "{'X-Envscaler-Studio': JSON.parse(localStorage.getItem('envscaler-studio')).key}"
    asked = f"fetch('/v1/environments/{ENVIRONMENT}/scenarios', {{headers: {key}}}).then(a => a.json())"
    return list(tab.do(f"{asked}.then(a => a.scenarios[0].oracle)"))


def test_a_class_of_three_is_played_locked_shown_and_reset(tabs: list[Browser]) -> None:
    teacher, ada, ben, eve = tabs
    address = open_class(teacher)
    for tab, name in ((ada, "Ada"), (ben, "Ben"), (eve, HOSTILE[:40])):
        join(tab, address, name, 400 if name == "Ben" else 1280)
    teacher.until("document.querySelectorAll('.board tbody tr').length === 3")
    assert not ada.do("document.querySelector('[data-does=solve-step], #rooms a, .classhead .controls')")
    for step in solution(teacher):
        call(ada, step["tool"], **step["arguments"])
    ada.until("document.querySelector('.verdict.solved')")
    teacher.until("document.querySelectorAll('.board tr.solved').length === 1")
    assert cell(teacher, "Ada", ".after") != "–"
    assert texts(teacher, ".board caption b") == ["1 of 3"]
    call(ben, "block_bed", bed_id="BED-00005", reason="broken rail")
    row_is(teacher, "Ben", "td.number", "1")
    # Locked: what visitors could press is dead, and says why.
    teacher.click("[data-does=lock]")
    ben.until("!document.querySelector('.banner').hidden && document.querySelector('.view').inert")
    assert ben.do(
        "document.querySelector('.form .primary').disabled && document.querySelector('[data-does=done]').disabled"
    )
    teacher.click("[data-does=lock]")
    ben.until("document.querySelector('.banner').hidden && !document.querySelector('.view').inert")
    assert ben.do("!document.querySelector('.form .primary').disabled")
    assert texts(ben, ".by") == ["you"]
    teacher.click("[aria-label='Show the world of Ben']")
    teacher.until("document.querySelector('.steps .step')")
    assert "broken rail" in texts(teacher, "main")[0]
    assert (texts(teacher, "h1"), texts(teacher, ".by")) == (["Ben"], ["Ben"])
    # Nothing to press there but what leads through the tables.
    assert texts(teacher, "main button:not(.tab):not(.sort):not(.ref)") == []
    teacher.click("[data-does=back]")
    teacher.until("document.querySelector('.board')")
    teacher.click("[aria-label='Reset the world of Ben']")
    row_is(teacher, "Ben", "td.number", "0")
    ben.until("!document.querySelector('.steps .step')")
    assert ben.do("document.documentElement.scrollWidth") <= 400
    # A hostile name is text, on the board and on the page of its owner.
    for tab in (teacher, eve):
        assert tab.do("document.querySelectorAll('main script, main img').length") == 0
        assert "owned" not in tab.do("document.title")
        assert "\u202e" not in tab.do("document.body.textContent")


def test_the_next_task_and_the_end_of_a_class(tabs: list[Browser]) -> None:
    teacher, ada, *_ = tabs
    join(ada, open_class(teacher), "Ada")
    first = texts(ada, ".request")[0]
    ada.click("[data-does=done]")
    ada.until("document.querySelector('dialog[open]')")
    press_button(teacher, "Next task")
    teacher.until("document.querySelector('#next-task option')")
    # The first task is being played, so the second is offered.
    assert teacher.do("document.querySelector('#next-task').selectedIndex") == 1
    teacher.do("document.querySelector('#next-task').selectedIndex = 3")
    press_button(teacher, "Go on to it")
    ada.until(
        f"document.querySelector('.request') && document.querySelector('.request').textContent !== {json.dumps(first)}"
    )
    assert not ada.do("document.querySelector('dialog')")
    teacher.until("document.querySelectorAll('.board thead th').length === 5")
    for width in (1280, 400):
        wide(teacher, width)
        assert teacher.do("document.documentElement.scrollWidth") <= width
    press_button(teacher, "End the class")
    teacher.until("document.querySelector('dialog [data-does=sure]')")
    teacher.click("[data-does=sure]")
    teacher.until("location.hash === '#/class'")
    ada.until("document.querySelector('h1').textContent === 'The class is over'")
    assert ada.do("document.querySelectorAll('main button, main input, main select').length") == 0
    # The browser notes that the world is gone.
    ada.complaints.clear()


def test_the_board_changes_under_the_hand_and_no_button_is_lost(tabs: list[Browser]) -> None:
    teacher, ada, ben, _ = tabs
    address = open_class(teacher)
    join(ada, address, "Ada")
    teacher.until("document.querySelector('[aria-label=\"Reset the world of Ada\"]')")
    teacher.do("window.held = [...document.querySelectorAll('.controls button, .board button, .board a')]")
    teacher.do("held.at(-1).focus()")
    call(ada, "block_bed", bed_id="BED-00005", reason="broken rail")
    join(ben, address, "Ben")
    row_is(teacher, "Ada", "td.number", "1")
    teacher.until("document.querySelectorAll('.board tbody tr').length === 2")
    assert teacher.do("held.length > 5 && held.every((element) => element.isConnected)")
    assert teacher.do("document.activeElement === held.at(-1)")
    # One who leaves takes away no row but theirs.
    teacher.click("[aria-label='Send Ben away']")
    teacher.until("document.querySelector('dialog [data-does=sure]')")
    teacher.click("[data-does=sure]")
    teacher.until("document.querySelectorAll('.board tbody tr').length === 1")
    assert teacher.do("held.every((element) => element.isConnected)")
    ben.until("document.querySelector('h1').textContent === 'The class is over'")
    # The browser notes that the world is gone, also for what was being asked then.
    ben.ask("Page.navigate", url="about:blank")
    ben.until("location.href === 'about:blank'")
    ben.complaints.clear()


def test_a_class_is_opened_from_its_own_view_with_names_for_everything(tabs: list[Browser]) -> None:
    teacher = tabs[0]
    press_button(teacher, "Class")
    teacher.until("document.querySelectorAll('#task option').length > 1")
    teacher.click("form .primary")
    teacher.until("document.querySelector('.join .qr')")
    nodes: list[dict[str, Any]] = teacher.ask("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "link", "textbox", "combobox", "spinbutton", "image", "img"}
    nameless = [
        node for node in nodes
        if not node["ignored"] and node["role"]["value"] in controls and not node.get("name", {}).get("value")
    ]  # fmt: skip
    assert nameless == []
