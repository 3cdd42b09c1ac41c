"""A demonstration: the farm plays tasks of unlike worlds one after the other, until a person takes over."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from envscaler_mcp.farm.access import SESSION_KEY
from envscaler_mcp.farm.demonstration import DemonstrationPlan
from envscaler_mcp.registry import read_registry
from tests.farm.farms import ROOT
from tests.studio.test_in_browser import go, press_button, studio_program, texts, wide
from tests.studio.visitors import ENVIRONMENT, Visitor, studio, visitor
from tests.viewer.chromium import PROGRAM, Browser, browser

QUICK = 0.02
PATH = "/v1/demonstration"


async def next_world(page: Visitor, before: str = "") -> str:
    """The world that is shown after another."""
    for _ in range(3_000):
        shown = await page.get(PATH)
        if shown["world"] not in ("", before):
            return str(shown["world"])
        await asyncio.sleep(0.01)
    raise AssertionError("no world is shown")


async def solved(page: Visitor, world: str) -> Any:
    """What its checks say once the task is solved."""
    for _ in range(3_000):
        checks = await page.get(f"/v1/worlds/{world}/checks")
        if checks["solved"]:
            return checks
        await asyncio.sleep(0.01)
    raise AssertionError("the task is never solved")


async def test_tasks_of_unlike_sectors_are_solved_one_after_the_other_and_their_worlds_closed() -> None:
    sectors = {entry.id: entry.sector for entry in read_registry(ROOT / "registry.json").entries}
    async with studio(demonstration=DemonstrationPlan(0.1)) as (farm, owner):
        first = await next_world(owner)
        await solved(owner, first)
        second = await next_world(owner, first)
        worlds = [farm.front.worlds.named(name).environment.card.id for name in (first, second)]
        assert sectors[worlds[0]] != sectors[worlds[1]]
        await next_world(owner, second)
        await owner.ask("GET", f"/v1/worlds/{first}", status=404)


async def test_a_person_who_takes_over_keeps_the_world_as_it_is_and_may_let_it_go_on() -> None:
    async with studio(demonstration=DemonstrationPlan(QUICK, ENVIRONMENT)) as (_, owner):
        world = await next_world(owner)
        taken = await owner.ask("POST", f"{PATH}/take")
        assert (taken["playing"], taken["world"]) == (False, world)
        path = f"/v1/worlds/{world}"
        # A call that was under way is made; none follows it.
        await owner.call(path, "list_wards")
        state = await owner.hash(path)
        await asyncio.sleep(20 * QUICK)
        assert await owner.hash(path) == state
        await owner.ask("POST", f"{PATH}/start")
        assert await next_world(owner, world) != world
        assert (await owner.get(path))["name"] == world


async def test_readers_watch_under_other_names_and_can_stop_nothing() -> None:
    async with (
        studio(demonstration=DemonstrationPlan(QUICK, ENVIRONMENT)) as (farm, owner),
        visitor(farm.url, "read") as reader,
    ):
        world = await next_world(owner)
        assert (await reader.get(PATH))["world"].startswith("view-")
        for does in ("take", "start"):
            await reader.ask("POST", f"{PATH}/{does}", status=403)
        assert (await owner.get(PATH))["playing"]
        await owner.ask("POST", f"{PATH}/take")
        assert (await reader.get(f"/v1/worlds/{(await reader.get(PATH))['world']}"))["environment"] == ENVIRONMENT
        other = await owner.opened()
        for path, shows in ((f"/v1/worlds/{world}", True), (other, False)):
            async with sharing(farm.url, await owner.ask("POST", f"{path}/share")) as page:
                assert (await page.get(PATH))["offered"] == shows


@asynccontextmanager
async def sharing(url: str, shared: Any) -> AsyncIterator[Visitor]:
    """The page of a reader who has opened an address that shows one world."""
    code = shared["address"].partition("#code=")[2].partition("&")[0]
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as web:
        answer = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
        web.headers[SESSION_KEY] = answer.json()["key"]
        yield Visitor(web)


async def test_a_farm_without_a_demonstration_says_so_and_starts_none() -> None:
    async with studio() as (_, owner):
        assert await owner.get(PATH) == {"offered": False, "playing": False, "world": ""}
        assert not (await owner.ask("POST", f"{PATH}/start"))["playing"]


def test_one_process_plays_it() -> None:
    command = [sys.executable, "-m", "envscaler_mcp", "studio", "--demo", "--processes", "2", "--no-browser"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, "--processes" in ended.stderr) == (2, True)


@pytest.fixture
def tab() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as opened:
        wide(opened, 1280)
        yield opened
        assert opened.complaints == []


def watch(tab: Browser, address: str) -> None:
    tab.ask("Page.navigate", url=address)
    tab.until("document.querySelector('.demo .lamp')")


def solving(tab: Browser) -> None:
    tab.until("document.querySelector('.demo .step')")
    tab.until("document.querySelector('.demo .lamp.on')")


@pytest.mark.parametrize("touch", ["key", "mouse"])
@pytest.mark.browser
@pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")
def test_the_demonstration_fills_the_screen_and_is_the_persons_who_touches_it(
    tab: Browser, tmp_path: Path, touch: str
) -> None:
    with studio_program(tmp_path, ROOT, ENVIRONMENT, "--demo", "--pace", "0.3") as address:
        watch(tab, address)
        for width, height in ((1920, 1080), (1280, 720), (800, 1280)):
            tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
            assert tab.do("document.documentElement.scrollHeight <= innerHeight")
            assert tab.do("document.documentElement.scrollWidth <= innerWidth")
        solving(tab)
        tab.press("x") if touch == "key" else tab.click(".demo h1")
        tab.until("document.querySelector('[data-does=play]')?.textContent === 'Play'")
        name = tab.do("location.hash.split('/')[2]")
        calls = len(texts(tab, ".steps .step"))
        assert tab.do(f"document.querySelector('header.world').dataset.world === {json.dumps(name)}")
        tab.do("new Promise(done => setTimeout(done, 1200))")
        assert len(texts(tab, ".steps .step")) in (calls, calls + 1)
        press_button(tab, "Demonstration")
        tab.until("document.querySelector('[data-does=demonstrate]')")
        tab.click("[data-does=demonstrate]")
        tab.until("document.querySelector('.demo .lamp')")
        go(tab, "#/")
        tab.until("document.querySelector('.card') && !document.body.classList.contains('showing')")


@pytest.mark.browser
@pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")
def test_a_reader_watches_world_after_world_and_a_touch_leads_to_the_gallery(tab: Browser, tmp_path: Path) -> None:
    with studio_program(tmp_path, ROOT, "--demo", "--pace", "0.3", "--scope", "read") as address:
        watch(tab, address)
        solving(tab)
        first = texts(tab, ".demo h1")
        tab.until(f"document.querySelector('.demo h1').textContent !== {json.dumps(first[0])}")
        tab.click(".demo h1")
        tab.until("document.querySelector('.card')")
        press_button(tab, "Demonstration")
        tab.until("document.querySelector('.demo .lamp')")
