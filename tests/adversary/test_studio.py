"""What a page of one token asks for holds up no other token, and a reader takes nothing from the owner who shared a world."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from envscaler_mcp.farm import studio_plane
from envscaler_mcp.farm.access import SESSION_KEY
from envscaler_mcp.farm.watchers import MOST_GUESTS, MOST_WATCHERS
from envscaler_mcp.farm.world_views import WorldViews
from envscaler_mcp.serving.journaled_world import JournaledWorld
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.studio.tables import tables_of
from tests.farm.farms import Here, farm_program
from tests.studio.visitors import ENVIRONMENT, TASK, Visitor, studio, visitor


async def reader_of(farm: Here, owner: Visitor, world: str, web: httpx2.AsyncClient) -> str:
    """Log in as the reader of a shared world; its path as the reader knows it."""
    address = (await owner.ask("POST", f"{world}/share"))["address"]
    code, _, place = address.partition("#code=")[2].partition("&at=")
    answer = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
    web.headers[SESSION_KEY] = answer.json()["key"]
    return f"/v1/worlds/{place.split('/')[1]}"


async def test_tables_of_one_token_take_one_thread_and_another_token_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = tables_of
    release, lock = threading.Event(), threading.Lock()
    working = most = times = 0

    def slow(state: Any) -> Any:
        nonlocal working, most, times
        with lock:
            working, times = working + 1, times + 1
            most = max(most, working)
        release.wait(20)
        with lock:
            working -= 1
        return made(state)

    async with studio() as (_, owner):
        worlds = [await owner.opened() for _ in range(5)]
        monkeypatch.setattr(studio_plane, "tables_of", slow)
        asking = [asyncio.create_task(owner.get(f"{world}/tables")) for world in worlds for _ in range(12)]
        async with asyncio.timeout(20):
            while not working:  # noqa: ASYNC110 - a thread counts
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert most == 1
        release.set()
        await asyncio.gather(*asking)
    assert most == 1
    assert times <= 2 * len(worlds)


async def test_the_checks_of_a_world_are_judged_once_for_all_who_look_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async with studio() as (farm, owner), httpx2.AsyncClient(base_url=farm.url, trust_env=False, timeout=60) as web:
        world = await owner.opened(scenario=TASK)
        shown = await reader_of(farm, owner, world, web)
        verdict, release, times = farm.front.verdicts.verdict, asyncio.Event(), 0
        of_world, asked = WorldViews.of_world, 0

        async def counted(*arguments: Any) -> Any:
            nonlocal asked
            asked += 1
            return await of_world(*arguments)

        async def slow(*arguments: Any) -> Any:
            nonlocal times
            times += 1
            await release.wait()
            return await verdict(*arguments)

        monkeypatch.setattr(farm.front.verdicts, "verdict", slow)
        monkeypatch.setattr(WorldViews, "of_world", counted)
        asking = [asyncio.create_task(web.get(f"{shown}/checks")) for _ in range(40)]
        async with asyncio.timeout(30):
            while asked < len(asking):  # noqa: ASYNC110 - the farm counts
                await asyncio.sleep(0.01)
        release.set()
        assert {answer.status_code for answer in await asyncio.gather(*asking)} == {200}
        assert times <= 2


async def test_what_one_token_asks_of_a_world_stands_in_its_own_line_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with studio() as (farm, owner), httpx2.AsyncClient(base_url=farm.url, trust_env=False, timeout=60) as web:
        world = await owner.opened(scenario=TASK)
        web.headers["authorization"] = f"Bearer {farm.token('control')}"
        verdict, first = farm.front.verdicts.verdict, ""
        waiting, release = asyncio.Event(), asyncio.Event()

        async def slow_for_the_first(hosted: Any, scoring: Any, holder: str) -> Any:
            nonlocal first
            first = first or holder
            if holder == first:
                waiting.set()
                await release.wait()
            return await verdict(hosted, scoring, holder)

        monkeypatch.setattr(farm.front.verdicts, "verdict", slow_for_the_first)
        asking = asyncio.create_task(web.get(f"{world}/checks"))
        try:
            async with asyncio.timeout(20):
                await waiting.wait()
                assert not (await owner.get(f"{world}/checks"))["solved"]
        finally:
            release.set()
        assert (await asking).status_code == 200


async def test_a_reader_leaves_places_for_the_owner_to_watch() -> None:
    async with studio() as (farm, owner), httpx2.AsyncClient(base_url=farm.url, trust_env=False, timeout=60) as web:
        world = await owner.opened(scenario=TASK)
        shown = await reader_of(farm, owner, world, web)
        hosted = farm.front.worlds.named(world.rpartition("/")[2])
        streams: list[Any] = []
        try:
            for _ in range(MOST_WATCHERS):
                streams.append(web.stream("GET", f"{shown}/events"))
                await streams[-1].__aenter__()
            assert len(hosted.watchers) == MOST_GUESTS
            async with owner.web.stream("GET", f"{world}/events") as watching:
                assert watching.status_code == 200
        finally:
            for stream in streams:
                await stream.__aexit__(None, None, None)


@pytest.mark.slow
async def test_an_order_with_a_key_opens_once_wherever_the_studio_is_asked(tmp_path: Path) -> None:
    with farm_program(tmp_path, "--studio", processes=2) as farm:
        async with visitor(farm.url) as owner:
            owner.web.headers["idempotency-key"] = "once"
            owner.web.headers["connection"] = "close"
            answers = [await owner.ask("POST", "/v1/worlds", {"environment": ENVIRONMENT}, 201) for _ in range(12)]
    assert len({answer["worlds"][0]["name"] for answer in answers}) == 1


async def test_a_visitor_whose_name_holds_half_a_character_leaves_the_board_whole() -> None:
    async with studio() as (farm, teacher), httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        board = await teacher.ask("POST", "/v1/classes", {"environment": ENVIRONMENT, "scenario": TASK})
        code = board["address"].rpartition("/")[2]
        body = json.dumps({"code": code, "name": "A\ud800B"})
        assert (await web.post("/studio/join", content=body)).status_code == 201
        (seat,) = (await teacher.get(f"/v1/classes/{board['name']}"))["seats"]
        assert seat["name"] == "A?B"


async def test_a_recorded_world_holds_no_more_marks_than_calls_that_can_be_undone() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened()
        hosted = farm.front.worlds.named(path.rpartition("/")[2])
        calls: Any = (
            ("block_bed", {"bed_id": "BED-00005", "reason": f"broken rail {'x' * 400}"}),
            ("reopen_bed", {"bed_id": "BED-00005"}),
        )
        own, start = hosted.session.snapshot(), hosted.session.state_hash()
        for turn in range(1_600):
            outcome = hosted.call(calls[turn % 2][0], dict(calls[turn % 2][1]), None)
            assert isinstance(outcome, Outcome)
            assert outcome.kind == "done"
        world, timeline = hosted.session.world, hosted.timeline
        assert isinstance(world, LocalWorld)
        assert timeline is not None
        assert len(world._marks) <= len(timeline) + 1
        # Every call that is shown can be undone, and the owner's own mark is still there.
        shown = (await owner.get(f"{path}/timeline"))["steps"]
        await owner.ask("POST", f"{path}/undo", {"after": shown[0]["number"]})
        hosted.session.restore(own)
        assert hosted.session.state_hash() == start


async def test_what_lies_before_the_first_mark_of_a_recorded_world_is_not_held() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened()
        hosted = farm.front.worlds.named(path.rpartition("/")[2])
        for turn in range(4_000):
            tool = ("block_bed", "reopen_bed")[turn % 2]
            more = {"reason": "broken rail"} if turn % 2 == 0 else {}
            outcome = hosted.call(tool, {"bed_id": "BED-00005", **more}, None)
            assert isinstance(outcome, Outcome)
            assert outcome.kind == "done"
        world = hosted.session.world
        assert isinstance(world, JournaledWorld)
        assert len(world._history) < 5_000
