"""A call that is sent again acts once where its answer did not arrive, and twice where it did."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync

from envscaler_mcp.farm import sent_again
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, farm_here, farm_program

ENVIRONMENT = "bank_accounts"
TASK, TRANSFER = next(
    (task, step)
    for task in load_scenarios(ROOT / "generated_servers" / ENVIRONMENT)
    for step in task.oracle
    if step.tool == "transfer_money"
)
"""A call that can be made again and again, and leaves a payment each time."""

Way = Callable[[socket.socket, bytes], Awaitable[None]]


class Visited:
    """A world, its agent's raw connections, and what its owner sees."""

    def __init__(self, world: RemoteWorld) -> None:
        self._world = world
        place = world.url.removeprefix("http://")
        host, _, self._path = place.partition("/")
        self._host, _, port = host.partition(":")
        self._port = int(port)

    def request(self, id_: Any = 7, key: str | None = None) -> bytes:
        params = {
            "name": TRANSFER.tool,
            "arguments": {**TRANSFER.arguments, "amount": 1},
            **({} if key is None else {"_meta": {IDEMPOTENCY_KEY: key}}),
        }
        body = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}).encode()
        head = (
            f"POST /{self._path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def connected(self) -> socket.socket:
        sock = socket.create_connection((self._host, self._port), timeout=20)
        sock.setblocking(False)
        return sock

    async def asked(self, request: bytes) -> str:
        """The payment that a call on a connection of its own was told of."""
        with self.connected() as sock:
            sock.sendall(request)
            return payment_in(await answer_from(sock))

    async def payments(self) -> int:
        return len((await run_sync(self._world.state))["payments"])


async def answer_from(sock: socket.socket) -> bytes:
    """One whole answer."""
    loop = asyncio.get_running_loop()
    received = b""
    with anyio.fail_after(20):
        while True:
            piece = await loop.sock_recv(sock, 65_536)
            assert piece, "the farm hung up"
            received += piece
            head, found, body = received.partition(b"\r\n\r\n")
            if found and len(body) == int(head.partition(b"content-length: ")[2].split(b"\r\n")[0]):
                return body


def payment_in(body: bytes) -> str:
    payment: str = json.loads(body)["result"]["structuredContent"]["data"]["payment_id"]
    return payment


@asynccontextmanager
async def visited(client: ControlClient) -> AsyncIterator[Visited]:
    yield Visited(await run_sync(partial(client.open, ENVIRONMENT, scenario=TASK.id)))


def reset(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


async def leaves_at_once(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    sock.close()


async def leaves_a_moment_later(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await asyncio.sleep(0)
    sock.close()


async def leaves_with_the_answer_unread(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await anyio.wait_readable(sock)
    sock.close()


async def leaves_with_the_answer_half_read(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await asyncio.get_running_loop().sock_recv(sock, 20)
    sock.close()


async def leaves_without_a_word(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await anyio.wait_readable(sock)
    reset(sock)


async def leaves_after_a_call_that_was_answered(sock: socket.socket, request: bytes) -> None:
    await reads_the_answer(sock, request.replace(b'"id": 7', b'"id": 6'))
    await leaves_with_the_answer_unread(sock, request)


async def reads_the_answer(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await answer_from(sock)


BROKEN: dict[Way, int] = {
    leaves_at_once: 1,
    leaves_a_moment_later: 1,
    leaves_with_the_answer_unread: 1,
    leaves_with_the_answer_half_read: 1,
    leaves_without_a_word: 1,
    leaves_after_a_call_that_was_answered: 2,
}
"""Ways to lose an answer, and how often a world acts when the same bytes come again on another connection."""


async def payments_made(client: ControlClient, way: Way) -> int:
    """How many, where a request is lost in this way and sent again; checks that the one answer tells of the last."""
    async with visited(client) as world:
        before = await world.payments()
        with world.connected() as sock:
            await way(sock, world.request())
        told = await world.asked(world.request())
        after = await world.payments()
        # Whoever got that answer and sends the same bytes once more means another payment.
        assert await world.asked(world.request()) > told
        assert await world.payments() == after + 1
        return after - before


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_call_whose_answer_was_lost_acts_once_however_the_connection_broke(isolation: str) -> None:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            assert {way: await payments_made(client, way) for way in BROKEN} == BROKEN


async def test_processes_that_hand_connections_over_know_whose_answer_was_lost(tmp_path: Path) -> None:
    with farm_program(tmp_path, processes=2) as farm, farm.client() as client:
        for _ in range(4):
            for way, made in BROKEN.items():
                assert await payments_made(client, way) == made, way


async def test_what_was_taken_back_is_run_again_when_it_is_asked_again() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            async with visited(client) as world:
                mark = await run_sync(world._world.snapshot)
                with world.connected() as sock:
                    await leaves_with_the_answer_unread(sock, world.request())
                before = await world.payments()
                await run_sync(world._world.restore, mark)
                assert await world.payments() == before - 1
                await world.asked(world.request())
                assert await world.payments() == before


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_call_is_made_once_however_often_its_answer_is_lost(isolation: str) -> None:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            async with visited(client) as world:
                before = await world.payments()
                for way in (leaves_at_once, leaves_at_once, leaves_with_the_answer_unread, leaves_without_a_word):
                    with world.connected() as sock:
                        await way(sock, world.request())
                await world.asked(world.request())
                assert await world.payments() == before + 1


@pytest.mark.parametrize(("seconds", "payments"), [(60, 1), (0, 2)])
async def test_an_answer_that_nobody_asks_for_again_is_forgotten(
    monkeypatch: pytest.MonkeyPatch, seconds: float, payments: int
) -> None:
    monkeypatch.setattr(sent_again, "KEPT_SECONDS", seconds)
    async with farm_here() as farm:
        with farm.client() as client:
            async with visited(client) as world:
                before = await world.payments()
                with world.connected() as sock:
                    await leaves_with_the_answer_unread(sock, world.request())
                await world.payments()  # by the time of this answer the farm knows
                await world.asked(world.request())
                assert await world.payments() == before + payments


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_call_that_was_answered_and_is_sent_again_acts_twice(isolation: str) -> None:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            async with visited(client) as world:
                before = await world.payments()
                with world.connected() as sock:
                    await reads_the_answer(sock, world.request())
                    await reads_the_answer(sock, world.request())
                await world.asked(world.request())
                assert await world.payments() == before + 3


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_two_agents_who_say_the_same_at_the_same_time_are_two(isolation: str) -> None:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            async with visited(client) as world:
                before = await world.payments()
                with world.connected() as one, world.connected() as other:
                    one.sendall(world.request())
                    other.sendall(world.request())
                    told = {payment_in(await answer_from(sock)) for sock in (one, other)}
                assert len(told) == 2
                assert await world.payments() == before + 2


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_call_with_a_key_acts_once_whatever_was_read(isolation: str) -> None:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            async with visited(client) as world:
                before = await world.payments()
                with world.connected() as sock:
                    await leaves_at_once(sock, world.request(1, "rent"))
                told = {await world.asked(world.request(id_, "rent")) for id_ in (1, 1, 2, "three")}
                assert len(told) == 1
                assert await world.payments() == before + 1
                assert await world.asked(world.request(4, "rent in April")) not in told
