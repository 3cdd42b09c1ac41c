"""The studio as people use it: they find a world, call its tools, undo, fork, watch a task being solved, and take over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.farm.farms import ROOT
from tests.homes import register, start_state, write_server, written
from tests.runs.home import LIBRARY, content
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]

ENVIRONMENT = "hospital_stays"


@contextmanager
def studio_program(folder: Path, home: Path, *options: str) -> Iterator[str]:
    """`envscaler studio` as a process of its own: the address that it would open a browser with."""
    command = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), "studio", "--no-browser", "--json", *options]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["address"])
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def tab() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as opened:
        yield opened


@pytest.fixture
def owner(tab: Browser, tmp_path: Path) -> Iterator[Browser]:
    """A tab that the command has opened."""
    with studio_program(tmp_path, ROOT) as address:
        enter(tab, address)
        yield tab
        assert tab.complaints == []
        assert all(url.startswith((address.split("/#")[0], "data:")) for url in tab.requests)


def enter(tab: Browser, address: str, width: int = 1280) -> None:
    wide(tab, width)
    tab.requests.clear()
    tab.ask("Page.navigate", url=address)
    tab.until("document.querySelector('.card')")


def wide(tab: Browser, width: int) -> None:
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 700)


def press_button(tab: Browser, text: str) -> None:
    """A click on the button with this text."""
    chosen = f"[...document.querySelectorAll('button, a')].find(b => b.textContent.trim() === {json.dumps(text)})"
    tab.until(chosen)
    tab.do(f"{chosen}.setAttribute('data-pressed', '')")
    tab.click("[data-pressed]")
    tab.do("document.querySelector('[data-pressed]')?.removeAttribute('data-pressed')")


def texts(tab: Browser, selector: str) -> list[str]:
    return list(tab.do(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)"))


def go(tab: Browser, place: str) -> None:
    tab.do(f"location.hash = {json.dumps(place)}")


def open_world(tab: Browser) -> None:
    go(tab, f"#/environment/{ENVIRONMENT}")
    press_button(tab, "Open a fresh world")
    tab.until("document.querySelector('table.records')")


def open_task(tab: Browser, button: str) -> None:
    go(tab, f"#/environment/{ENVIRONMENT}")
    press_button(tab, button)
    tab.until("document.querySelector('.lamp')")


def open_live(tab: Browser) -> None:
    """A task before its first call, in the view of an agent at work."""
    open_task(tab, "Play it yourself")
    press_button(tab, "Live")
    tab.until("document.querySelector('.live .lamp')")


def hurry(tab: Browser) -> None:
    """Agents call as fast as they may."""
    tab.do(
        "(() => { const s = document.querySelector('[aria-label=Speed]'); s.value = '250'; s.dispatchEvent(new Event('change')); })()"
    )


def in_view(tab: Browser, selector: str) -> bool:
    """Whether the whole of an element is seen without scrolling."""
    return bool(
        tab.do(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
            "const top = document.querySelector('.top').getBoundingClientRect().bottom; "
            "return b.height > 0 && b.top >= top - 1 && b.bottom <= innerHeight + 1; })()"
        )
    )


def call(tab: Browser, tool: str, **values: str) -> None:
    """Fill in a form and send it."""
    tab.until(f"document.querySelector('[data-tool={tool}]')")
    tab.click(f"[data-tool={tool}]")
    for name, value in values.items():
        tab.do(f"document.querySelector('.form [name={name}]').value = {json.dumps(value)}")
    before = tab.do("document.querySelectorAll('.steps .step').length")
    tab.click(".form .primary")
    tab.until(f"document.querySelectorAll('.steps .step').length > {before}")


def test_a_person_finds_a_world_calls_tools_undoes_and_forks(owner: Browser) -> None:
    tab = owner
    tab.do("document.querySelector('#search').focus()")
    tab.write("hospital bed")
    tab.until("document.querySelectorAll('.card').length === 1")
    tab.click(".card a")
    press_button(tab, "Open a fresh world")
    tab.until("document.querySelector('table.records')")
    tab.click("[data-table=stays]")
    tab.until("document.querySelector('table.records th[scope=row] .ref')")
    press_button(tab, "Playground")
    call(tab, "list_wards")
    call(tab, "block_bed", bed_id="BED-00005", reason="broken rail")
    tab.until("document.querySelectorAll('.tables .lit').length === 2")
    assert "103 A" in texts(tab, ".answer")[0]
    call(tab, "block_bed", bed_id="BED-00005", reason="again")
    assert "condition" in texts(tab, ".answer .refusal code")[0]
    assert len(texts(tab, ".steps .step.refused .refusal")) == 1
    tab.click("[aria-label='Undo 2 calls, from call 2 on']")
    tab.until("document.querySelectorAll('.steps .step').length === 1")
    tab.until("![...document.querySelectorAll('.tables td')].some(e => e.textContent === 'broken rail')")
    first = tab.do("location.hash")
    press_button(tab, "Fork")
    tab.until(f"location.hash !== {json.dumps(first)}")
    tab.until("document.querySelector('header.world')?.dataset.world === location.hash.split('/')[2]")
    call(tab, "block_bed", bed_id="BED-00005", reason="only in the fork")
    press_button(tab, "Branches")
    tab.until("document.querySelector('dialog .branches .branches')")
    assert "forked after call 1" in texts(tab, "dialog .branches .branches")[0]


def test_a_call_can_be_copied_as_mcp_curl_and_python(owner: Browser) -> None:
    open_world(owner)
    press_button(owner, "Playground")
    owner.until("document.querySelector('.form')")
    owner.click("[data-tool=list_wards]")
    press_button(owner, "Copy the call")
    owner.until("document.querySelectorAll('dialog .snippet').length === 3")
    assert all("list_wards" in text for text in texts(owner, "dialog pre"))


def test_a_form_does_not_say_how_to_write_what_is_chosen(owner: Browser) -> None:
    go(owner, "#/environment/board_game_cafe")
    owner.until("document.querySelector('li.task')")
    # What the world can do and what holds in it stand before its tasks, unfolded.
    order = "[...document.querySelectorAll('main details.rules[open], main [aria-label=Tasks]')].map(e => e.className)"
    assert owner.do(order) == ["rules", "rules tools", ""]
    press_button(owner, "Open a fresh world")
    owner.until("document.querySelector('table.records')")
    press_button(owner, "Playground")
    owner.until("document.querySelector('.toollist .tool')")
    hints = (
        "[...document.querySelectorAll('.tool')].flatMap(({dataset}) => { document.querySelector(`[data-tool=${dataset.tool}]`).click();"
        " return [...document.querySelectorAll('.entry:has(select, [type=date]) .hint')].map(e => e.textContent); })"
    )
    shown = [hint for hint in owner.do(hints) if hint]
    assert shown
    assert not [hint for hint in shown if "YYYY" in hint or "such as" in hint]
    assert owner.do("[...document.querySelectorAll('option')].every(e => !/a [aeiou]/.test(e.textContent.slice(0, 9)))")


def test_tables_are_sorted_filtered_and_lead_to_the_records_that_they_name(owner: Browser) -> None:
    open_world(owner)
    owner.click("[data-table=patients]")
    owner.click("th[data-column=name] button")
    names = texts(owner, "tbody th")
    assert names == sorted(names)
    owner.click("th[data-column=name] button")
    assert texts(owner, "tbody th") == names[::-1]
    assert owner.do("document.querySelector('th[data-column=name]').ariaSort") == "descending"
    owner.do("document.querySelector('.tools input').focus()")
    owner.write("bauer")
    owner.until("document.querySelectorAll('tbody tr').length === 1")
    owner.click("[data-table=stays]")
    patient = texts(owner, "tbody th .ref")[0]
    owner.click("tbody th .ref")
    owner.until("document.querySelector('tr.target')")
    assert owner.do("document.querySelector('[data-table=patients]').ariaPressed") == "true"
    assert texts(owner, "tr.target th") == [patient]


def test_the_oracle_solves_a_task_with_lamps_turning_on_and_a_person_takes_over(owner: Browser) -> None:
    tab = owner
    open_live(tab)
    lamps = len(texts(tab, ".lamp"))
    assert len(texts(tab, ".lamp.off")) == lamps
    tab.click("[data-does=step]")
    tab.until("document.querySelectorAll('.talk .turn.agent').length === 1")
    tab.click("[data-does=step]")
    tab.until("document.querySelectorAll('.talk .turn.agent').length === 2")
    tab.click("[data-does=step]")
    tab.until("document.querySelector('.lamp.on')")
    assert "is true now" in texts(tab, ".steps .turned")[0]
    tab.click("[data-does=take-over]")
    tab.until("document.querySelector('.person .form')")
    assert in_view(tab, ".person .request")
    call(tab, "block_bed", bed_id="BED-00019", reason="broken side rail")
    tab.until("document.querySelector('.verdict.solved')")
    assert len(texts(tab, ".lamp.on")) == lamps
    assert texts(tab, ".talk .who")[-1] == "you"


def test_a_task_that_is_watched_plays_at_once_and_to_the_end(owner: Browser) -> None:
    tab = owner
    open_task(tab, "Watch it being solved")
    tab.until("document.querySelector('[data-does=play]').textContent === 'Pause'")
    hurry(tab)
    tab.until("document.querySelector('.verdict.solved')")
    tab.until(
        "document.querySelector('.turn.end') && document.querySelector('[data-does=play]').textContent === 'Play'"
    )
    press_button(tab, "World")
    tab.until("document.querySelector('.view-tables')")
    press_button(tab, "Live")
    tab.until("document.querySelector('[data-does=play]')?.textContent === 'Play'")


def test_playing_pauses_and_goes_on(owner: Browser) -> None:
    tab = owner
    open_live(tab)
    assert texts(tab, ".steps .step") == []
    tab.click("[data-does=play]")
    tab.until("document.querySelectorAll('.steps .step').length === 1")
    tab.click("[data-does=play]")
    tab.until("document.querySelector('[data-does=play]').textContent === 'Play'")
    hurry(tab)
    tab.click("[data-does=play]")
    tab.until("document.querySelector('.verdict.solved')")


def test_a_person_says_that_a_task_is_done_and_gets_the_verdict(owner: Browser) -> None:
    tab = owner
    open_live(tab)
    tab.click("[data-does=take-over]")
    tab.until("document.querySelector('.person .form')")
    tab.click(".person [data-does=done]")
    tab.until("document.querySelector('dialog')")
    assert texts(tab, "dialog h2") == ["Not solved"]
    assert "Reward 0.00" in texts(tab, "dialog .verdict")[0]
    assert len(texts(tab, "dialog ol li")) == len(texts(tab, ".lamp.off"))
    tab.press("Escape")
    tab.until("!document.querySelector('dialog')")
    press_button(tab, "Task")
    tab.until("document.querySelector('[data-does=solve-step]')")
    while not tab.do("document.querySelector('[data-does=solve-step]').disabled"):
        before = len(texts(tab, ".steps .step"))
        tab.click("[data-does=solve-step]")
        tab.until(f"document.querySelectorAll('.steps .step').length === {before + 1}")
    tab.until("document.querySelector('.verdict.solved')")
    tab.click("[data-does=done]")
    tab.until("document.querySelector('dialog h2')")
    assert texts(tab, "dialog h2") == ["Solved"]


def type_into(tab: Browser, name: str, text: str) -> None:
    tab.do(f"document.querySelector('.form [name={name}]').focus()")
    tab.write(text)


def test_a_refusal_goes_when_another_call_is_being_made(owner: Browser) -> None:
    tab = owner
    open_world(tab)
    press_button(tab, "Playground")
    shown = "document.querySelector('.answer .refusal')"
    goes_with: tuple[Callable[[], None], ...] = (
        lambda: tab.click("[data-tool=list_wards]"),
        lambda: type_into(tab, "reason", "x"),
        lambda: tab.click("[aria-label^='Undo call']"),
    )
    for does in goes_with:
        call(tab, "block_bed", bed_id="BED-00005", reason="broken rail")
        call(tab, "block_bed", bed_id="BED-00005", reason="again")
        tab.until(shown)
        does()
        tab.until(f"!{shown}")
        tab.click("[data-does=undo-all]")
        tab.until("!document.querySelector('.steps .step')")


def test_a_solution_is_shown_step_by_step_and_taken_back(owner: Browser) -> None:
    tab = owner
    open_task(tab, "Play it yourself")
    for number in range(1, 5):
        tab.click("[data-does=solve-step]")
        tab.until(f"document.querySelectorAll('.steps .step').length === {number}")
    tab.until("document.querySelector('.verdict.solved') && document.querySelector('[data-does=solve-step]').disabled")
    press_button(tab, "Back to the start")
    tab.until("document.querySelectorAll('.steps .step').length === 0 && !document.querySelector('.lamp.on')")


def test_what_an_agent_does_elsewhere_is_shown_as_it_happens(owner: Browser) -> None:
    tab = owner
    open_world(tab)
    name = tab.do("location.hash.split('/')[2]")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    message["params"] = {"name": "block_bed", "arguments": {"bed_id": "BED-00005", "reason": "seen"}}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    sent = {"method": "POST", "headers": headers, "body": json.dumps(message)}
    assert tab.do(f"fetch('/e/{ENVIRONMENT}/{name}/mcp', {json.dumps(sent)}).then(a => a.status)") == 200
    tab.until("document.querySelector('.steps .step')")
    assert texts(tab, ".steps .by") == ["agent"]


def test_a_reader_sees_worlds_and_has_nothing_to_press(owner: Browser, tmp_path: Path) -> None:
    tab = owner
    open_live(tab)
    tab.click("[data-does=step]")
    tab.until("document.querySelector('.steps .step')")
    base = tab.do("location.origin")
    state = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "envscaler_mcp", "farm", "token", "read"]
    token = subprocess.run(command, env=state, capture_output=True, text=True, check=True).stdout.strip()
    press_button(tab, "Log out")
    tab.until("document.querySelector('#token')")
    tab.click("#token")
    tab.write(token)
    tab.click("form .primary")
    tab.until("document.querySelector('.chip')")
    tab.click(".chip")
    tab.until("document.querySelector('table.records')")
    press_button(tab, "Live")
    tab.until("document.querySelector('.talk .turn.agent')")
    buttons = texts(tab, "main button:not(.tab):not(.sort):not(.ref)")
    assert set(buttons) == {"Rules", "Branches"}
    assert base == tab.do("location.origin")
    go(tab, f"#/environment/{ENVIRONMENT}")
    tab.until("document.querySelector('li.task')")
    assert texts(tab, "main button:not([data-level])") == []


def test_everything_is_done_with_the_keyboard_alone(owner: Browser) -> None:
    tab = owner
    tab.press("/")
    assert tab.do("document.activeElement.id") == "search"
    tab.write("hospital bed")
    tab.until("document.querySelectorAll('.card').length === 1")
    reach(tab, "document.activeElement.closest('.card')")
    enter_key(tab)
    tab.until("document.querySelector('li.task')")
    reach(tab, "document.activeElement.textContent === 'Play it yourself'")
    enter_key(tab)
    tab.until("document.querySelector('.lamp')")
    reach(tab, "document.activeElement.dataset.does === 'solve-step'")
    enter_key(tab)
    tab.until("document.querySelector('.steps .step')")
    reach(tab, "document.activeElement.matches('.undo')")
    enter_key(tab)
    tab.until("!document.querySelector('.steps .step')")


def reach(tab: Browser, wanted: str) -> None:
    """Tab, until the focus is there."""
    for _ in range(400):
        tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        tab.ask("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        if tab.do(f"Boolean({wanted})"):
            return
    raise AssertionError(f"never reached: {wanted}")


def enter_key(tab: Browser) -> None:
    tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    tab.ask("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)


def test_at_400_pixels_no_view_is_wider_than_the_screen(owner: Browser) -> None:
    tab = owner
    wide(tab, 400)
    open_live(tab)
    tab.click("[data-does=step]")
    tab.until("document.querySelector('.steps .step')")
    for view in ("World", "Playground", "Task", "Live"):
        press_button(tab, view)
        tab.until(f"document.querySelector('.views [aria-current]').textContent === '{view}'")
        tab.until("document.querySelector('table.records')")
        assert tab.do("document.documentElement.scrollWidth") <= 400, view
    for place in (f"#/environment/{ENVIRONMENT}", "#/"):
        go(tab, place)
        tab.until("document.querySelector('li.task, .card')")
        assert tab.do("document.documentElement.scrollWidth") <= 400, place


def test_everything_to_press_or_fill_in_has_a_name(owner: Browser) -> None:
    tab = owner
    open_task(tab, "Play it yourself")
    nodes: list[dict[str, Any]] = tab.ask("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "listbox", "Date"}
    nameless = [
        node for node in nodes
        if not node["ignored"] and node["role"]["value"] in controls and not node.get("name", {}).get("value")
    ]  # fmt: skip
    assert nameless == []


def test_hostile_texts_of_a_world_are_shown_as_text(tab: Browser, tmp_path: Path) -> None:
    home = _hostile_home(tmp_path / "home")
    with studio_program(tmp_path / "state", home) as address:
        enter(tab, address)
        go(tab, "#/environment/hostile_library")
        press_button(tab, "Open a fresh world")
        tab.until("document.querySelector('table.records')")
        press_button(tab, "Playground")
        tab.until("document.querySelector('.form')")
        call(tab, "join", name=HOSTILE[:200], email="a@example.org")
        tab.until("document.querySelector('.answer:not(:empty)')")
        for view in ("World", "Task", "Live"):
            press_button(tab, view)
            tab.until(f"document.querySelector('.views [aria-current]').textContent === '{view}'")
            assert "owned" not in tab.do("document.title")
            assert tab.do("document.querySelectorAll('main script, main img').length") == 0
        text = tab.do("document.body.textContent")
        assert "\u202e" not in text
        assert "⟨U+202E⟩" in text
        assert tab.complaints == []


def _hostile_home(home: Path) -> Path:
    """A library in which the environment, its rules and its records have hostile texts."""
    texts_of_card = {"title": HOSTILE[:120], "about": HOSTILE, "introduction": HOSTILE, "rules": (HOSTILE,)}
    code = written(LIBRARY.read_text(), "hostile_library", **texts_of_card)
    state = content(books=3, members=3)
    for number, member in enumerate(state["members"].values()):
        member["name"] = f"{number}{HOSTILE[:150]}"
    state["books"]["<b>constructor</b>"] = {"title": "__proto__", "shelf": HOSTILE}
    start = start_state(state, "hostile_library")
    return register(home, write_server(home / "generated_servers" / "hostile_library", code, start))


def test_a_world_that_has_ended_says_so(owner: Browser) -> None:
    open_world(owner)
    name = owner.do("location.hash.split('/')[2]")
    owner.do(
        "fetch('/v1/worlds/' + " + json.dumps(name) + ", {method: 'DELETE', headers: "
        "{'X-Envscaler-Studio': JSON.parse(localStorage.getItem('envscaler-studio')).key}}).then(a => a.status)"
    )
    owner.until("!document.querySelector('.banner').hidden")
    assert "closed" in texts(owner, ".banner")[0]


def test_an_address_that_leads_nowhere_says_so(owner: Browser) -> None:
    for place in ("#/world/no-such-world/live", "#/environment/no_such_environment", "#/nothing"):
        go(owner, place)
        owner.until("document.querySelector('main > .empty a')")
    owner.complaints.clear()


def test_the_focus_stays_where_it_was_when_a_part_is_drawn_anew(owner: Browser) -> None:
    open_task(owner, "Play it yourself")
    for number in (1, 2):
        owner.click("[data-does=solve-step]")
        owner.until(f"document.querySelectorAll('.steps .step').length === {number}")
    owner.do("document.querySelector('.undo').focus()")
    enter_key(owner)
    owner.until("document.querySelectorAll('.steps .step').length === 1")
    assert owner.do("document.activeElement.matches('.timeline button')")
    owner.do("document.querySelector('.undo').focus()")
    enter_key(owner)
    # Nothing is left there to press: the tool can be called again.
    owner.until("!document.querySelector('.steps .step')")
    owner.do("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))")
    assert owner.do("document.activeElement.matches('.form .primary')")


def test_a_fork_is_taken_back_to_where_it_began_with_one_button(owner: Browser) -> None:
    open_world(owner)
    press_button(owner, "Playground")
    call(owner, "block_bed", bed_id="BED-00005", reason="broken rail")
    first = owner.do("location.hash")
    press_button(owner, "Fork")
    owner.until(f"location.hash !== {json.dumps(first)} && document.querySelectorAll('.steps .step').length === 1")
    owner.until("document.querySelector('[data-does=undo-all]')?.disabled")
    for number in (2, 3):
        call(owner, "list_beds")
        assert len(texts(owner, ".steps .step")) == number
    assert texts(owner, "[data-does=undo-all]") == ["Back to the fork (2 calls)"]
    assert texts(owner, ".undo") == ["Undo", "Undo 2 calls"]
    owner.click("[data-does=undo-all]")
    owner.until("document.querySelectorAll('.steps .step').length === 1")
    assert not owner.do("document.querySelector('#notice.wrong')")


def test_a_shared_address_shows_the_same_world_to_a_reader_who_is_in_the_studio_already(owner: Browser) -> None:
    tab = owner
    open_live(tab)
    tab.click("[data-does=step]")
    tab.until("document.querySelector('.steps .step')")
    assert texts(tab, ".steps .by") == ["oracle"]
    press_button(tab, "Task")
    tab.until("document.querySelector('.form')")
    call(tab, "list_wards")
    assert texts(tab, ".steps .by") == ["you", "oracle"]
    press_button(tab, "Share")
    tab.until("document.querySelector('dialog .snippet')")
    (address,) = texts(tab, "dialog pre")
    # The page stays, only what follows `#` is another.
    tab.ask("Page.navigate", url=address)
    tab.until("document.querySelector('#session .tag')?.textContent === 'read only'")
    tab.until("document.querySelector('.talk .turn.agent')")
    assert texts(tab, ".steps .by") == ["the owner", "oracle"]
    assert not tab.do("document.querySelector('main [data-does]')")
    assert "code=" not in tab.do("location.href")
    # It opens once.
    tab.ask("Page.navigate", url="about:blank")
    tab.ask("Page.navigate", url=address)
    tab.until("document.querySelector('main [role=alert]')?.textContent.startsWith('This link was used already')")
    tab.complaints.clear()
    press_button(tab, "Go on as you are logged in")
    tab.until("document.querySelector('.talk .turn.agent')")
