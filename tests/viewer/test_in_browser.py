"""The page of a run as people use it: they search, sort, press keys, follow links, on a telephone and in the dark."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from envscaler_mcp.artifacts import Scenario
from tests.runs.home import oracle, write_home
from tests.viewer.chromium import PROGRAM, Browser, browser
from tests.viewer.playing import EXACT, envscaler, hostile_home, hostile_run

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]

REPEATED = 70


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as opened:
        yield opened


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("hostile")
    home = hostile_home(place / "home")
    return _page(home, hostile_run(home, place / "run"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three tasks, each played many times; one of them is always solved."""
    place = tmp_path_factory.mktemp("many")
    home = write_home(place / "home", tasks=3)
    tasks = home / "generated_servers" / "lending_library" / "scenarios.jsonl"
    levels = zip(tasks.read_text().splitlines(), ("easy", "hard", "medium"), strict=True)
    tasks.write_text("".join(_at(line, level) for line, level in levels))
    script = place / "script.json"
    solution = [call.model_dump(mode="json") for call in oracle(1)]
    script.write_text(
        json.dumps(
            {"lending_library-001": solution, "lending_library-002": solution[:2], "lending_library-003": solution[:1]}
        )
    )
    told = envscaler(home, "run", "--agent", f"scripted:{script}", "--repeat", REPEATED, "--out", place / "run")
    assert told.exit_code == 0, told.output
    return _page(home, place / "run")


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("at_once")
    home = write_home(place / "home", tasks=1)
    envscaler(home, "run", "--agent", "tests.viewer.playing:AtOnce", "--out", place / "run")
    return _page(home, place / "run")


def _at(line: str, level: str) -> str:
    return Scenario.from_text(json.dumps({**json.loads(line), "level": level}), "a task").to_line()


def _page(home: Path, run: Path) -> str:
    file = run / "page.html"
    told = envscaler(home, "runs", "html", run, "--out", file)
    assert told.exit_code == 0, told.output
    return file.as_uri()


def opened(tab: Browser, address: str, width: int = 1200) -> None:
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 700)
    tab.open("about:blank")
    tab.complaints.clear()
    tab.requests.clear()
    tab.open(address)
    tab.until("document.querySelector('#episodes tbody tr')")


def unfold(tab: Browser) -> None:
    tab.do("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.until("[...document.querySelectorAll('.step pre')].every((one) => one.firstChild)")


def count(tab: Browser) -> str:
    return str(tab.do("document.getElementById('count').textContent"))


def focused(tab: Browser) -> str:
    return str(tab.do("document.activeElement.textContent"))


def choose(tab: Browser, name: str, value: str) -> None:
    tab.do(
        f"(() => {{ const s = document.getElementById('filter-{name}'); s.value = {json.dumps('=' + value)}; "
        "s.dispatchEvent(new Event('change')); })()"
    )


def test_hostile_text_is_shown_and_nothing_of_it_runs(tab: Browser, hostile: str) -> None:
    opened(tab, hostile)
    scripts = tab.do("document.scripts.length")
    for number in (1, 2):
        tab.click(f"#episodes tbody tr:nth-child({number}) a")
        tab.until("document.querySelector('.verdict')")
        unfold(tab)
        shown = tab.do("document.getElementById('episode').innerText")
        assert shown.count("</script><script>document.title = 'owned'</script><img src=x") >= 5
        assert "U+202E" in shown
        assert "\u202e" not in shown
        assert tab.do("document.images.length") == 0
        assert tab.do("document.scripts.length") == scripts
        assert "owned" not in tab.do("document.title")
        tab.press("Escape")
        tab.until("!document.getElementById('list').hidden")
    assert tab.complaints == []
    assert tab.requests == [hostile]


def test_several_calls_of_one_turn_and_what_was_thought_stand_together(tab: Browser, hostile: str) -> None:
    opened(tab, hostile)
    tab.click("#episodes tbody a")
    tab.until("document.querySelector('.verdict')")
    assert tab.do("document.querySelector('.turn.agent').querySelectorAll('.step').length") == 2
    assert tab.do("document.querySelector('.turn.agent').querySelectorAll('.reasoning').length") == 1
    speakers = tab.do("[...document.querySelectorAll('.turn h3 span:first-child')].map((one) => one.textContent)")
    assert speakers[:4] == ["agent", "agent", "user", "agent"]


def test_calls_of_one_turn_are_shown_to_the_letter_and_each_with_the_check_that_it_turned(
    tab: Browser, at_once: str
) -> None:
    opened(tab, at_once)
    tab.click("#episodes tbody a")
    tab.until("document.querySelector('.verdict')")
    short = tab.do("[...document.querySelectorAll('.arguments .dim')].at(-1).textContent")
    assert "\U0001f600" in short
    assert "U+D83D" not in short
    unfold(tab)
    steps = tab.do("[...document.querySelectorAll('.step')].map((one) => one.innerText)")
    assert [step.partition("\n")[0] for step in steps] == ["join", "lend_book", "(no name)", "get_book"]
    assert [("check 1 is true now" in step, "check 2 is true now" in step) for step in steps[:2]] == [
        (True, False),
        (False, True),
    ]
    written = tab.do("[...document.querySelectorAll('.step .arguments pre')].map((one) => one.textContent)")
    assert written[2] == '{\n  "secret": 1\n}'
    assert written[3] == json.dumps(EXACT, ensure_ascii=False, indent=2)


def test_a_long_list_is_drawn_bit_by_bit_filtered_searched_and_sorted(tab: Browser, many: str) -> None:
    opened(tab, many)
    rows = "document.querySelectorAll('#episodes tbody tr').length"
    assert count(tab) == f"{3 * REPEATED} of {3 * REPEATED} episodes"
    assert tab.do(rows) == 100
    tab.do("document.getElementById('more').scrollIntoView()")
    tab.until(f"{rows} === 200")
    choose(tab, "solved", "yes")
    assert count(tab) == f"{REPEATED} of {3 * REPEATED} episodes"
    choose(tab, "owner", "agent")
    assert count(tab).startswith("0 of")
    choose(tab, "solved", "no")
    tab.click("#search")
    tab.write("002 checks")
    assert count(tab) == f"{REPEATED} of {3 * REPEATED} episodes"
    tab.press("Escape")
    assert count(tab) == f"{2 * REPEATED} of {3 * REPEATED} episodes"
    choose(tab, "owner", "agent")
    tab.click("#search")
    tab.write("get_book")
    assert count(tab).startswith("0 of")
    tab.press("Escape")
    tab.write("/list_books join")
    assert count(tab) == f"{REPEATED} of {3 * REPEATED} episodes"
    tab.press("Escape")
    steps = "[...document.querySelectorAll('#episodes tbody .c-steps')].map((one) => Number(one.textContent))"
    for direction, order in (("ascending", False), ("descending", True)):
        tab.click("[data-sort=steps]")
        assert tab.do("document.querySelector('th.c-steps').getAttribute('aria-sort')") == direction
        assert tab.do(steps) == sorted(tab.do(steps), reverse=order)
    assert tab.do(f"new Set({steps}).size") == 2
    tab.press("Escape")
    choose(tab, "owner", "agent")
    tab.do("document.querySelectorAll('#filters select').forEach((one) => { one.value = ''; })")
    assert tab.do("[...document.querySelectorAll('#filter-level option')].map((one) => one.textContent)") == [
        "all",
        "easy",
        "medium",
        "hard",
    ]
    tab.click("[data-sort=level]")
    shown = tab.do("[...document.querySelectorAll('#episodes tbody .c-level')].map((one) => one.textContent)")
    assert list(dict.fromkeys(shown)) == ["easy", "medium"]
    tab.click("[data-sort=id]")
    names = tab.do("[...document.querySelectorAll('#episodes tbody a')].map((one) => one.textContent)")
    assert [int(name.rpartition("/")[2]) for name in names[:REPEATED]] == [*range(1, REPEATED + 1)]


def test_keys_move_through_the_list_and_through_episodes(tab: Browser, many: str) -> None:
    opened(tab, many)
    ids = tab.do("[...document.querySelectorAll('#episodes tbody a')].map((one) => one.textContent)")
    tab.press("j")
    tab.press("j")
    assert focused(tab) == ids[1]
    tab.press("k")
    assert focused(tab) == ids[0]
    tab.do("document.activeElement.click()")
    for key, number in (("j", 1), ("j", 2), ("k", 1)):
        tab.until("document.querySelector('.verdict')")
        tab.press(key)
        tab.until(f"document.querySelector('#episode h2')?.textContent === {json.dumps(ids[number])}")
    tab.press("Escape")
    tab.until("!document.getElementById('list').hidden")
    assert focused(tab) == ids[1]
    tab.press("/")
    tab.write("j003")
    assert tab.do("document.getElementById('search').value") == "j003"
    tab.press("Escape")
    tab.click("#episodes tbody a")
    tab.until("document.querySelector('.verdict')")
    tab.press("/")
    tab.until("!document.getElementById('list').hidden")
    assert tab.do("document.activeElement.id") == "search"


def test_keys_can_be_turned_off(tab: Browser, many: str) -> None:
    opened(tab, many)
    tab.click("#keys")
    tab.press("j")
    assert tab.do("document.activeElement.id") == "keys"
    tab.click("#keys")
    tab.press("j")
    assert tab.do("document.activeElement.tagName") == "A"


def test_a_link_leads_to_its_episode_and_shows_what_changed_and_turned_true(tab: Browser, many: str) -> None:
    opened(tab, many)
    name = tab.do(
        "[...document.querySelectorAll('#episodes tbody a')].map((one) => one.textContent).find((one) => one.includes('-001'))"
    )
    tab.open("about:blank")
    tab.open(f"{many}#{quote(name, safe='')}")
    tab.until("document.querySelector('.verdict')")
    turned = tab.do("[...document.querySelectorAll('.turned')].map((one) => one.textContent)")
    assert [text.partition(":")[0] for text in turned] == [f"✓ check {number} is true now" for number in (1, 2, 3, 4)]
    assert "+ members MEMB-00021" in tab.do("document.querySelector('.changes').textContent")
    assert tab.do("document.title").startswith(f"{name}, run: scripted-")
    assert tab.do("document.querySelector('.verdict').innerText").startswith("Verdict\n\nsolved")
    tab.do("location.hash = '#nobody%'")
    tab.until("!document.getElementById('list').hidden")
    assert count(tab) == "There is no episode #nobody% in this page."


def test_it_fits_a_telephone_and_the_dark(tab: Browser, many: str) -> None:
    opened(tab, many, width=390)
    ground = "getComputedStyle(document.body).backgroundColor"
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    light = tab.do(ground)
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.do(ground) != light
    assert tab.do("document.documentElement.scrollWidth") == 390
    tab.click("#episodes tbody a")
    tab.until("document.querySelector('.verdict')")
    assert tab.do("document.documentElement.scrollWidth") == 390


def test_whoever_cannot_see_it_is_told_what_everything_is(tab: Browser, many: str) -> None:
    opened(tab, many)
    _everything_is_named(tab, {"main", "search", "table", "columnheader", "rowheader", "status", "heading", "image"})
    tab.click("#episodes tbody a")
    tab.until("document.querySelector('.verdict')")
    _everything_is_named(tab, {"main", "navigation", "article", "list", "group", "heading", "button"})
    assert tab.do("document.querySelectorAll('section[aria-label], [role=region]').length") <= 2


def _everything_is_named(tab: Browser, wanted: set[str]) -> None:
    nodes = [one for one in tab.ask("Accessibility.getFullAXTree")["nodes"] if not one["ignored"]]
    named = [(one["role"]["value"], one.get("name", {}).get("value", "")) for one in nodes]
    operated = {"link", "button", "combobox", "searchbox", "DisclosureTriangle", "image", "navigation", "region"}
    assert [role for role, name in named if role in operated and not name] == []
    assert wanted <= {role for role, _ in named}
