"""Clients that watch a world and read nothing, beside worlds of others and the farm that tells them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.watchers import MAX_UNREAD, MOST_WATCHERS, Watchers
from envscaler_mcp.studio.shortened import MAX_PART, JsonText
from tests.adversary.farm_of_neighbours import Farm, farm_of
from tests.farm.farms import ROOT
from tests.farm.talking import events_so_far

HELD = 1_000_000


def watchers_of_a_world(held: HeldBytes | None = None, name: str = "one") -> Watchers:
    return Watchers(name, held or HeldBytes(HELD))


def tell(watchers: Watchers, times: int = 1, **details: Any) -> None:
    for number in range(times):
        watchers.tell("call", number, details)


async def event_of(**details: Any) -> dict[str, Any]:
    """An event with these details, as a watcher gets it."""
    watchers = watchers_of_a_world()
    watcher = watchers.enter()
    tell(watchers, **details)
    (event,) = await events_so_far(watcher)
    return event


async def watched(farm: Farm, card: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection of a watcher, after the first line of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(farm.here.control))
    head = f"GET /v1/worlds/{card['name']}/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
    writer.write(f"{head}{farm.here.token('control')}\r\n\r\n".encode())
    return reader, writer


async def test_a_world_has_a_bounded_number_of_watchers_and_takes_another_when_one_leaves() -> None:
    async with farm_of(ROOT) as farm:
        card = await farm.open("hospital_stays")
        streams = [await watched(farm, card) for _ in range(MOST_WATCHERS)]
        for reader, _ in streams:
            await reader.readuntil(b": watching")
        refused = await farm.owners.get(f"/v1/worlds/{card['name']}/events")
        assert refused.status_code == 503
        assert "watch this world already" in refused.json()["error"]
        streams.pop()[1].close()
        async with asyncio.timeout(20):
            while len(farm.here.front.worlds.named(card["name"]).watchers) == MOST_WATCHERS:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        reader, writer = await watched(farm, card)
        assert b"200 OK" in await reader.readuntil(b": watching")
        for _, each in (*streams, (reader, writer)):
            each.close()


async def test_what_waits_for_a_client_that_watches_and_does_not_read_is_bounded() -> None:
    async with farm_of(ROOT) as farm:
        card = await farm.open("hospital_stays")
        reader, writer = await watched(farm, card)
        await reader.readuntil(b": watching")
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        world = farm.here.front.worlds.named(card["name"])
        most = 0
        async with asyncio.timeout(60):
            while len(world.watchers):
                world.tell("call", {"arguments": "y" * 4_000})
                await asyncio.sleep(0)
                most = max(most, farm.here.front.worlds.events.total)
        assert 0 < most <= MAX_UNREAD
        assert farm.here.front.worlds.events.total == 0
        writer.transport.resume_reading()  # type: ignore[attr-defined]
        assert b'"event":"dropped"' in await reader.read()
        writer.close()


async def test_what_waits_for_all_watchers_together_is_bounded() -> None:
    held = HeldBytes(HELD)
    worlds = [watchers_of_a_world(held, name) for name in "abc"]
    there = [watchers.enter() for watchers in worlds for _ in range(MOST_WATCHERS)]
    for watchers in worlds:
        tell(watchers, 20, text="x" * 4_000)
        assert held.total <= HELD
    assert sum(map(len, worlds)) < len(there)


async def test_an_event_is_one_text_for_all_watchers() -> None:
    watchers = watchers_of_a_world()
    there = [watchers.enter() for _ in range(MOST_WATCHERS)]
    tell(watchers, x=1)
    for watcher in there:
        assert await anext(watcher) == b": watching\n\n"
    first, *others = [await anext(watcher) for watcher in there]
    assert all(other is first for other in others)


@pytest.mark.parametrize("result", ["x" * 50_000, [[]] * 20_000, {"a": "\n" * 9_000}])
async def test_long_parts_of_an_event_are_shortened_and_marked(result: Any) -> None:
    whole = json.dumps(result, separators=(",", ":"))
    event = await event_of(tool="t", result=result, arguments={"a": 1})
    assert event["result"] == whole[:MAX_PART]
    assert event["shortened"] == {"result": len(whole)}
    assert event["arguments"] == {"a": 1}
    assert await event_of(tool="t", result=JsonText(whole), arguments={"a": 1}) == event


@pytest.mark.parametrize(
    "value",
    [float("inf"), json.loads("[" * 900 + "]" * 900), JsonText("no JSON\n\nevent: closed\ndata: {}\n\n"), "\ud800"],
)
async def test_no_arguments_and_no_answer_of_a_worker_break_the_events(value: Any) -> None:
    event = await event_of(arguments=value)
    assert event["event"] == "call"


async def test_a_client_that_leaves_before_the_first_event_watches_no_more() -> None:
    async with farm_of(ROOT) as farm:
        card = await farm.open("hospital_stays")
        for _ in range(3 * MOST_WATCHERS):
            _, writer = await watched(farm, card)
            writer.transport.abort()
        world = farm.here.front.worlds.named(card["name"])
        async with asyncio.timeout(20):
            while len(world.watchers):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert (await farm.owners.get("/health")).status_code == httpx2.codes.OK
