"""A call that is sent again acts once with an idempotency key, and twice without one."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync

from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, farm_here

ENVIRONMENT = "bank_accounts"
TASK, TRANSFER = next(
    (task, step)
    for task in load_scenarios(ROOT / "generated_servers" / ENVIRONMENT)
    for step in task.oracle
    if step.tool == "transfer_money"
)
"""A call that can be made again and again, and leaves a payment each time."""


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


async def leaves_at_once(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    sock.close()


async def reads_the_answer(sock: socket.socket, request: bytes) -> None:
    sock.sendall(request)
    await answer_from(sock)


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
