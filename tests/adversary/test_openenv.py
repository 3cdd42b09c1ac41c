"""Sessions over WebSockets take turns with everything else, hold places as connections do, and end with their token."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from envscaler_mcp.farm import slow_queue
from envscaler_mcp.farm.openenv_session import OpenEnvSession
from tests.farm.farms import Here, farm_here
from tests.farm.turns import turns_of_the_loop

MANY = 40
RESET = json.dumps({"type": "reset", "data": {"seed": 1}})
LARGE = json.dumps({"type": "state", "data": {"padding": "x" * 20_000}})


@asynccontextmanager
async def sockets(farm: Here, count: int) -> AsyncIterator[list[ClientConnection]]:
    """So many sessions of one token."""
    at = f"ws://127.0.0.1:{farm.control}/openenv/hospital_stays/ws"
    headers = {"Authorization": f"Bearer {farm.token('control')}"}
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(connect(at, proxy=None, additional_headers=headers)) for _ in range(count)
        ]


async def test_of_messages_that_arrive_at_once_one_is_begun_in_each_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reset, begun = OpenEnvSession.reset, list[int]()

    async def noted(session: OpenEnvSession, given: Mapping[str, Any]) -> dict[str, Any]:
        begun.append(now())
        return await reset(session, given)

    monkeypatch.setattr(OpenEnvSession, "reset", noted)
    async with farm_here() as farm, sockets(farm, MANY) as clients, turns_of_the_loop() as now:
        for client in clients:
            client.protocol.send_text(RESET.encode())
        for client in clients:
            client.send_data()
        for client in clients:
            assert json.loads(await client.recv())["type"] == "observation"
    assert len(begun) == len(set(begun)) == MANY


async def test_large_messages_wait_in_the_slow_queue_and_too_many_of_one_token_end_their_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_queue, "MAX_OF_HOLDER", 10)
    async with farm_here() as farm, sockets(farm, MANY) as clients:
        for client in clients:
            client.protocol.send_text(LARGE.encode())
        for client in clients:
            client.send_data()
        answered = [await answer_of(client) for client in clients]
        assert set(answered) == {"state", 1013}
        assert answered.count("state") >= 10
        assert not farm.front.owners.slow_queue.waiting


async def answer_of(client: ClientConnection) -> object:
    """The type of an answer, or the code with which the session ended."""
    try:
        return json.loads(await client.recv())["type"]
    except ConnectionClosed as cause:
        return None if cause.rcvd is None else cause.rcvd.code


async def test_sessions_take_no_more_places_than_connections_and_leave_owners_theirs() -> None:
    async with farm_here(connections=8) as farm, sockets(farm, MANY) as clients:
        async with asyncio.timeout(20):
            while sum(client.close_code is None for client in clients) > 8:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        with farm.client() as client:
            assert await asyncio.to_thread(client.open_many, "hospital_stays", 1)


async def test_a_session_and_a_stream_of_events_end_with_their_token() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            (world,) = await asyncio.to_thread(client.open_many, "hospital_stays", 1)
        head = f"host: localhost\r\nauthorization: Bearer {farm.token('control', 2)}\r\n"
        upgrade = "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: "
        for path, more, first in (
            ("/openenv/hospital_stays/ws", f"{upgrade}dGhlIHNhbXBsZSBub25jZQ==\r\n", b"HTTP/1.1 101"),
            (f"/v1/worlds/{world.name}/events", "", b"HTTP/1.1 200"),
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", farm.control)
            writer.write(f"GET {path} HTTP/1.1\r\n{head}{more}\r\n".encode())
            assert (await reader.readline()).startswith(first)
            # It does not end in 75 seconds, as an idle connection does, nor in an hour.
            async with asyncio.timeout(10):
                await reader.read()
            writer.close()
            head = f"host: localhost\r\nauthorization: Bearer {farm.token('control', 2)}\r\n"
        assert not len(farm.front.owners.open)
