"""Clients that hold as many connections as they can, beside owners and agents who want to be answered."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, serving
from envscaler_mcp.farm.newcomers import MAX_WAITING
from envscaler_mcp.farm.peers import Mailboxes, Siblings
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox import limits
from envscaler_mcp.serving.sockets import listen, network_of, url_of
from tests.adversary.connection_attacks import Attack
from tests.adversary.farm_of_neighbours import farm_of
from tests.farm.farms import ROOT, SECRET, Program, farm_program
from tests.farm.talking import Talk
from tests.farm.turns import turns_of_the_loop

ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
PLACES, MANY = 400, 900
HELD = 1_600
"""More than the strangers that a process takes at its control port, where it has 20,000 descriptors."""
CALL = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_wards", "arguments": {}}}
).encode()


@pytest.fixture(autouse=True)
def many_descriptors() -> None:
    limits.hold_many_worlds()


@contextmanager
def attacked(port: int, kind: str, connections: int, paths: Sequence[str]) -> Iterator[Attack]:
    """Attacked by a thread of this process, for the block."""
    attack, over = Attack(("127.0.0.1", port), kind, connections, ADDRESSES, paths, at_once=50), threading.Event()

    def go_on() -> None:
        while not over.is_set():
            attack.step(0)
            over.wait(0.01)
        attack.close()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield attack
    finally:
        over.set()
        thread.join()


async def until_opened(count: int, *attacks: Attack) -> None:
    """Wait until each has opened so many connections."""
    async with asyncio.timeout(20):
        while min(attack.opened for attack in attacks) < count:  # noqa: ASYNC110 - a thread opens them
            await asyncio.sleep(0.01)


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with farm_program(tmp_path_factory.mktemp("farm"), processes=1) as started:
        yield started


@pytest.fixture(scope="module")
def link(farm: Program) -> str:
    """A guest link."""
    url: str = httpx2.get(f"{farm.url}/e/hospital_stays/new", trust_env=False).json()["url"]
    return url


@pytest.mark.parametrize(
    "kind",
    [
        "half",
        "half_body",
        "storm",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("nothing", "pipelined", "unread")),
    ],
)
async def test_owners_and_agents_are_answered_beside_all_connections_that_others_can_hold(
    farm: Program, link: str, kind: str
) -> None:
    paths = [urlsplit(link).path]
    with (
        attacked(farm.port, kind, HELD, paths) as on_agents,
        attacked(int(farm.control), kind, HELD, paths) as on_owners,
    ):
        await until_opened(HELD, on_agents, on_owners)
        await asyncio.to_thread(answered_alike, farm)


async def test_a_connection_to_an_owners_world_outlives_all_that_others_open() -> None:
    async with farm_of(ROOT, connections=PLACES) as farm:
        world = await farm.open("hospital_stays")
        parts = urlsplit(world["url"])
        head = f"POST {parts.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        request = f"{head}content-length: {len(CALL)}\r\n\r\n".encode() + CALL
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        link = (await farm.agents.get("/e/hospital_stays/new")).json()["url"]
        await farm.ask({"url": link}, "tools/call", name="list_wards", arguments={})
        writer.write(request + request[:-1])
        assert (await reader.readuntil(b"\r\n")).endswith(b"200 OK\r\n")
        with attacked(parts.port or 0, "half_body", MANY, [urlsplit(link).path]) as attack:
            await until_opened(2 * MANY, attack)
        writer.write(request[-1:])
        assert (await reader.readuntil(b"HTTP/1.1 200 OK\r\n")).endswith(b"200 OK\r\n")
        writer.close()


async def test_new_connections_to_an_open_world_are_answered_where_strangers_hold_every_place() -> None:
    async with farm_of(ROOT, connections=40) as farm:
        world = await farm.open("hospital_stays")
        parts = urlsplit(world["url"])
        head = (
            f"POST {parts.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
        )
        request = f"{head}content-length: {len(CALL)}\r\n\r\n".encode() + CALL
        with attacked(parts.port or 0, "half", 200, [parts.path]) as attack:
            await until_opened(400, attack)
            for _ in range(40):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                writer.write(request)
                assert (await reader.readline()).endswith(b"200 OK\r\n")
                writer.close()


async def test_requests_for_invented_worlds_of_another_process_wait_in_a_bounded_line() -> None:
    registry = read_registry(ROOT / "registry.json")
    with Mailboxes.opened(2) as boxes, listen("127.0.0.1", 0, None) as agents, listen("127.0.0.1", 0, None) as owners:
        config = FarmConfig(ROOT / "generated_servers", registry, "2026-01-01T00:00:00Z", SECRET, url_of(agents))
        front = FrontEnd(config, 0, boxes)
        async with serving(front, [agents], [owners], boxes):
            names = (f"{number:022d}" for number in count())
            invented = [name for name in islice(names, 2_000) if Share(0, 2).owner(name) == 1]
            # All of these are there in one turn of the loop.
            clients = [asked_for(agents, name) for name in invented[:700]]
            await until_answered(front, 700 - MAX_WAITING - 100)
            close_all(clients)
            while front.agents.newcomers.waiting:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            before = front.agents.statuses[503]
            clients = [asked_for(agents, invented[0]) for _ in range(300)]
            await until_answered(front, before + 100)
            close_all(clients)


async def test_open_connections_go_to_another_process_a_few_in_each_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = read_registry(ROOT / "registry.json")
    with Mailboxes.opened(2) as boxes, listen("127.0.0.1", 0, None) as agents, listen("127.0.0.1", 0, None) as owners:
        config = FarmConfig(ROOT / "generated_servers", registry, "2026-01-01T00:00:00Z", SECRET, url_of(agents))
        front, given = FrontEnd(config, 0, boxes), list[int]()
        name = next(name for name in map("{:022d}".format, count()) if Share(0, 2).owner(name) == 1)
        request = f"POST /e/hospital_stays/{name}/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".encode()
        hand_over = front.siblings.hand_over

        def noted(*connection: Any) -> bool:
            given.append(now())
            return hand_over(*connection)

        monkeypatch.setattr(front.siblings, "hand_over", noted)
        async with serving(front, [agents], [owners], boxes), turns_of_the_loop() as now:
            clients = []
            for _ in range(100):
                reader, writer = await asyncio.open_connection(*agents.getsockname())
                writer.write(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
                assert (await reader.readline()).endswith(b"200 OK\r\n")
                clients.append(writer)
            for writer in clients:
                writer.write(request)
            async with asyncio.timeout(20):
                while len(given) < 100:  # noqa: ASYNC110
                    await asyncio.sleep(0)
            # Two turns may be counted as one.
            assert max(Counter(given).values()) <= 8
            for writer in clients:
                writer.close()


async def test_of_the_connections_that_wait_for_another_process_no_holder_has_all_places() -> None:
    with Mailboxes.opened(2) as boxes:
        siblings = Siblings(0, boxes, str)

        def handed_over(holder: str) -> int:
            """How many of a holder's may wait while the other process reads nothing."""
            for number in range(1_000):
                client, server = socket.socketpair()
                client.close()
                if not siblings.hand_over("agent", 1, server, b"GET", holder):
                    server.close()
                    return number
            raise AssertionError("there is no bound")

        with siblings.taking(lambda *_: None):
            assert handed_over("loud") > handed_over("quiet") > 0
            assert handed_over("loud") == handed_over("another") == 0


async def test_requests_for_open_worlds_that_another_process_hands_over_at_once_are_served_by_turns() -> None:
    async with farm_of(ROOT) as farm:
        front, parts = farm.here.front, urlsplit((await farm.open("hospital_stays"))["url"])
        head = f"POST {parts.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        clients = []
        for _ in range(700):
            client, server = socket.socketpair()
            clients.append(client)
            front.take("agent", server, f"{head}content-length: {len(CALL)}\r\n\r\n".encode() + CALL)
        assert front.agents.newcomers.waiting > 690
        reader, writer = await asyncio.open_connection(sock=clients[-1])
        assert (await reader.readline()).endswith(b"200 OK\r\n")
        assert not front.agents.statuses[503]
        writer.close()
        close_all(clients[:-1])


def asked_for(agents: socket.socket, name: str) -> socket.socket:
    """A new connection with a request for a world of this name."""
    client = socket.create_connection(agents.getsockname())
    client.send(f"POST /e/hospital_stays/{name}/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".encode())
    return client


def close_all(clients: list[socket.socket]) -> None:
    for client in clients:
        client.close()


async def until_answered(front: FrontEnd, times: int) -> None:
    """Wait until so many requests were answered 503."""
    async with asyncio.timeout(20):
        while front.agents.statuses[503] < times:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_requests_that_another_process_hands_over_at_once_wait_behind_those_for_open_worlds() -> None:
    async with farm_of(ROOT) as farm:
        front, parts = farm.here.front, urlsplit((await farm.open("hospital_stays"))["url"])
        path, clients = "/e/hospital_stays/invented/mcp", []
        for place in [path] * 100 + [parts.path]:
            client, server = socket.socketpair()
            clients.append(client)
            head = f"POST {place} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            front.take("agent", server, f"{head}content-length: {len(CALL)}\r\n\r\n".encode() + CALL)
        assert 90 < front.agents.newcomers.waiting < 100
        reader, writer = await asyncio.open_connection(sock=clients[-1])
        assert (await reader.readline()).endswith(b"200 OK\r\n")
        assert front.agents.newcomers.waiting > 50
        writer.close()
        close_all(clients[:-1])


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("127.200.3.4", "127.0.0.0/8"),
        ("::1", "127.0.0.0/8"),
        ("::ffff:127.0.0.9", "127.0.0.0/8"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_the_addresses_that_one_client_can_choose_among_count_as_one(address: str, network: str) -> None:
    assert network_of(address) == network


@contextmanager
def attacking(port: int, kind: str, connections: int, paths: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Attacked by a process of its own."""
    words = [str(port), kind, str(connections), ",".join(ADDRESSES), *paths]
    attack = subprocess.Popen(
        [sys.executable, "-m", "tests.adversary.connection_attacks", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield attack
    finally:
        attack.kill()
        attack.communicate()


def answered_alike(farm: Program) -> None:
    """An owner opens and lists worlds, and an agent calls a tool, on new connections."""
    with farm.client() as client:
        worlds = client.open_many("hospital_stays", 4)
        for world in worlds:
            with Talk(world.url) as talk:
                assert "WARD" in talk.call(world.url, "list_wards", {})
        assert {world.name for world in worlds} <= {world.name for world in client.worlds()}
        for world in worlds:
            world.close()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("kind", ["half", "half_body"])
def test_a_farm_answers_beside_thousands_of_half_requests(tmp_path: Path, kind: str, processes: int) -> None:
    with farm_program(tmp_path, processes=processes) as farm:
        with farm.client() as client:
            own = client.open_many("hospital_stays", 4)
        paths = [urlsplit(world.url).path for world in own]
        control = int(farm.control)
        with (
            attacking(farm.port, kind, 13_200, paths) as on_agents,
            attacking(control, kind, 3_200, paths) as on_owners,
        ):
            for attack in (on_agents, on_owners):
                assert attack.stdout is not None
                while int(attack.stdout.readline().split()[1]) < 3_200:
                    pass
            for _ in range(5):
                answered_alike(farm)
