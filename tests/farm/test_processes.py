"""A farm of several processes is one farm to whoever comes, and loses no more than one of them when one dies."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from tests.farm.farms import ROOT, Program, farm_program
from tests.farm.talking import Talk

ENVIRONMENT, OTHER = "hospital_stays", "expense_approvals"
BOTH = [Share(0, 2), Share(1, 2)]


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with farm_program(tmp_path_factory.mktemp("state"), processes=2) as program:
        yield program


@pytest.fixture
def client(farm: Program) -> Iterator[ControlClient]:
    with farm.client() as client:
        yield client
        for world in client.worlds():
            world.close()


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(one) for one in text.split()]


def owner(world: RemoteWorld) -> int:
    return BOTH[0].owner(world.name)


def test_a_group_is_spread_over_all_processes_and_found_on_any_connection(farm: Program, client: ControlClient) -> None:
    group = client.open_many(ENVIRONMENT, 40)
    assert Counter(owner(world) for world in group) == {0: 20, 1: 20}
    for world in group:
        with Talk(world.url) as fresh:
            assert json.loads(fresh.call(world.url, "list_wards", {}))["success"]
    with Talk(farm.url) as kept:
        for world in group:
            assert json.loads(kept.call(world.url, "list_wards", {}))["success"]
    assert {card.card.calls for card in client.worlds()} == {2}


def test_requests_that_came_in_one_packet_are_answered_in_their_order_wherever_their_worlds_are(
    farm: Program, client: ControlClient
) -> None:
    group = client.open_many(ENVIRONMENT, 12)
    body = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}'
    with farm.connected() as sock:
        packet = b""
        for number, world in enumerate(group):
            said = body % number
            path = world.url.removeprefix(farm.url).encode()
            packet += (
                b"POST %s HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n"
                b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (path, len(said), said)
            )
        sock.sendall(packet)
        answers = sock.makefile("rb")
        for number in range(len(group)):
            assert answers.readline().startswith(b"HTTP/1.1 200")
            headers = dict(line.split(b": ", 1) for line in iter(answers.readline, b"\r\n"))
            assert json.loads(answers.read(int(headers[b"content-length"])))["id"] == number


def test_figures_are_of_the_whole_farm(farm: Program, client: ControlClient) -> None:
    client.open_many(ENVIRONMENT, 7)
    with Talk(farm.url) as talk:
        talk.connection.request("GET", "/metrics")
        lines = talk.connection.getresponse().read().decode().splitlines()
    figures = dict(line.split() for line in lines if not line.startswith("#"))
    assert figures["envscaler_worlds"] == "7"
    assert figures["envscaler_processes"] == "2"


def test_no_owner_can_ask_as_one_process_asks_another(farm: Program, client: ControlClient) -> None:
    control = http.client.HTTPConnection("127.0.0.1", int(farm.control), timeout=20)
    headers = {"authorization": f"Bearer {farm.token('control')}", "host": "localhost"}
    for query in ("own", "%6fwn", "own=1"):
        control.request("POST", f"/v1/worlds?{query}", json.dumps({"environment": ENVIRONMENT, "count": 8}), headers)
        opened = json.loads(control.getresponse().read())["worlds"]
        assert Counter(BOTH[0].owner(card["name"]) for card in opened) == {0: 4, 1: 4}
        for path in (f"/v1/worlds?{query}", f"/figures?{query}"):
            control.request("GET", path, headers=headers)
            told = json.loads(control.getresponse().read())
            if path.startswith("/v1"):
                assert {card["name"] for card in opened} <= {card["name"] for card in told["worlds"]}
            else:
                assert told["processes"] == 2
    control.close()


@pytest.mark.parametrize("every", [70, pytest.param(15, marks=pytest.mark.slow)])
def test_every_registered_environment_is_listed_and_answers(farm: Program, every: int) -> None:
    listed, cursor = [], ""
    with Talk(farm.url) as talk:
        while True:
            talk.connection.request("GET", f"/v0.1/servers?limit=100&cursor={cursor}")
            page = json.loads(talk.connection.getresponse().read())
            listed += [one["server"]["name"].partition("/")[2] for one in page["servers"]]
            cursor = page["metadata"].get("nextCursor")
            if cursor is None:
                break
        registered = [entry["id"] for entry in json.loads((ROOT / "registry.json").read_text())["entries"]]
        assert sorted(listed) == sorted(registered)
        for environment in listed[::every]:
            talk.connection.request("GET", f"/e/{environment}/new")
            url = json.loads(talk.connection.getresponse().read())["url"]
            _, said = talk.ask(url, "tools/list")
            assert said["result"]["tools"]


def test_a_process_that_is_killed_takes_its_own_worlds_along_and_is_replaced(tmp_path: Path) -> None:
    with farm_program(tmp_path, processes=2) as farm, farm.client() as client:
        group = client.open_many(ENVIRONMENT, 10)
        before = {world.name: world.state_hash() for world in group}
        os.kill(children(farm.process.pid)[0], signal.SIGKILL)
        kept, lost = [], []
        for world in group:
            try:
                assert RemoteWorld(client, world.card).state_hash() == before[world.name]
                kept.append(owner(world))
            except (WorldError, LaunchError):
                lost.append(owner(world))
        assert len(set(kept)) == len(set(lost)) == 1
        assert (len(kept), len(lost)) == (5, 5)
        deadline = time.monotonic() + 20
        while len(fresh := _opened(client)) < 4:
            assert time.monotonic() < deadline
        assert {owner(world) for world in fresh} == {0, 1}


def _opened(client: ControlClient) -> list[RemoteWorld]:
    try:
        return client.open_many(ENVIRONMENT, 4)
    except LaunchError:
        return []


def test_the_farm_ends_whole_when_it_is_asked_to_and_when_it_is_killed(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        words = ["farm", "--port", "0", "--json", "--processes", "2"]
        process = subprocess.Popen(
            [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        )
        with process:
            assert process.stdout is not None
            place = Path(json.loads(process.stdout.readline())["control"])
            assert place.stat().st_mode & 0o777 == 0o600
            others = children(process.pid)
            assert len(others) == 2
            process.send_signal(number)
            assert process.wait(20) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{one}").exists() for one in others):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        # What a killed farm has left does not keep the next one from starting.
        assert place.exists() == (number == signal.SIGKILL)


def test_a_second_farm_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    with farm_program(tmp_path, "--control", str(tmp_path / "farm.sock"), processes=1):
        words = ["farm", "--port", "0", "--control", str(tmp_path / "farm.sock")]
        second = subprocess.run(
            [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        )
        assert second.returncode == 1
        assert "Another process listens at" in second.stderr
        with socket.socket(socket.AF_UNIX) as knock:
            knock.connect(str(tmp_path / "farm.sock"))
