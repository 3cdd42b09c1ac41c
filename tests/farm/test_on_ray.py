"""The farm on a Ray cluster of two nodes: worlds are spread, found again from one place, and lost only with their node."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.requests import Request
from starlette.responses import Response
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.episode.agents import Scripted
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.farm.application import json_response
from envscaler_mcp.farm.idempotency import IdempotentRequests
from envscaler_mcp.farm.on_ray.engine import ray_engine
from envscaler_mcp.farm.on_ray.hosts import shares
from envscaler_mcp.launch.channels import Host, LocalChannel
from envscaler_mcp.launch.client_channel import ClientChannel
from envscaler_mcp.registry import read_registry
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.servers import Hosting
from envscaler_mcp.scoring.run_folder import read_run
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from tests.farm.farms import ROOT, Program, farm_program

ENVIRONMENT = "hospital_stays"
SCENARIO = "hospital_stays-easy-01"

ONE_ACTOR = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")


def on_a_cluster(test: Any) -> Any:
    """Marks of a test that starts nodes."""
    # Ray leaves processes and files of its own to the end of the interpreter.
    for warning in ("ResourceWarning", "FutureWarning", "pytest.PytestUnraisableExceptionWarning"):
        test = pytest.mark.filterwarnings(f"ignore::{warning}")(test)
    return needs_ray(pytest.mark.slow(pytest.mark.timeout(240)(test)))


@contextmanager
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A cluster on this machine with room for one actor on each node, and its second node."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args=ONE_ACTOR)
    try:
        yield cluster, cluster.add_node(**ONE_ACTOR)
    finally:
        cluster.shutdown()


@contextmanager
def farm_on(cluster: Any, folder: Path, *options: str) -> Iterator[tuple[Program, ControlClient]]:
    with farm_program(folder, "--ray", cluster.address, *options, processes=0) as program, program.client() as farm:
        yield program, farm


def node_of(world: RemoteWorld) -> str:
    """The address of the actor that holds it."""
    return urlsplit(world.url).netloc


def is_open(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as knock:
        return knock.connect_ex((host, int(port))) == 0


def actors_on(node: Any) -> list[int]:
    """The processes of the actors there."""
    (raylet,) = [process.pid for name, process in node.live_processes() if name == "raylet"]
    children = Path(f"/proc/{raylet}/task/{raylet}/children").read_text().split()
    found = [int(pid) for pid in children if b"EnvHost" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert found
    return found


def kill(node: Any, how: Callable[[list[int]], object]) -> None:
    """Do something that no actor of the node outlives, and wait for their ends."""
    actors = actors_on(node)
    ends = [os.pidfd_open(pid) for pid in actors]
    how(actors)
    for end in ends:
        assert select.select([end], [], [], 60)[0], "an actor outlives its end"
        os.close(end)


def killed(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def kill_node(cluster: Any, node: Any) -> None:
    """The whole node is gone at once."""
    kill(node, lambda _actors: cluster.remove_node(node, allow_graceful=False))


def test_new_worlds_go_where_the_fewest_are() -> None:
    assert shares(5, [0, 0]) == [3, 2]
    assert shares(4, [10, 0, 7]) == [0, 4, 0]
    assert shares(7, [3, 0, 1]) == [1, 4, 2]


async def test_a_request_with_a_key_is_done_once() -> None:
    done: list[int] = []

    async def do() -> Response:
        done.append(1)
        return json_response({"number": len(done)})

    request = Request(
        {"type": "http", "method": "POST", "path": "/v1/worlds", "headers": [(b"idempotency-key", b"key")]}
    )
    requests = IdempotentRequests()
    first = await requests.answer(request, "holder", b"an order", do)
    assert (await requests.answer(request, "holder", b"an order", do)).body == first.body
    assert (await requests.answer(request, "holder", b"another order", do)).status_code == 409
    assert len(done) == 1


def test_who_has_no_ray_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    told = CliRunner().invoke(app, ["--home", str(ROOT), "farm", "--ray", "auto", "--port", "0"])
    assert "pip install 'envscaler-mcp[ray]'" in str(told.exception) + told.output


def test_worlds_of_a_cluster_are_reached_over_http_only(tmp_path: Path) -> None:
    words = ["--home", str(ROOT), "run", "--engine", "ray", "--via", "stdio", "--out", str(tmp_path)]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 2
    assert "reached over http" in told.output


@on_a_cluster
async def test_worlds_are_spread_over_the_nodes_and_found_from_one_place(tmp_path: Path) -> None:
    with two_nodes() as (cluster, _), farm_on(cluster, tmp_path) as (program, farm):
        group = await anyio.to_thread.run_sync(opened, farm, 12)
        await an_agent_goes_straight_to_the_node(group[0])
        await anyio.to_thread.run_sync(one_front_for_all, program, farm, group)


@on_a_cluster
async def test_on_a_network_agents_need_a_token_and_code_runs_in_workers(tmp_path: Path) -> None:
    with two_nodes() as (cluster, _), farm_on(cluster, tmp_path, "--host", "0.0.0.0") as (program, farm):
        group = await anyio.to_thread.run_sync(opened, farm, 4)
        assert {world.card.place for world in group} == {"worker"}
        async with httpx2.AsyncClient() as web:
            assert (await web.post(group[0].url, json={})).status_code == 401
            web.headers["Authorization"] = f"Bearer {program.token('agent')}"
            await an_agent_goes_straight_to_the_node(group[0], web)


@on_a_cluster
def test_a_node_that_dies_loses_its_own_worlds_and_a_new_node_takes_its_place(tmp_path: Path) -> None:
    with two_nodes() as (cluster, second), farm_on(cluster, tmp_path) as (program, farm):
        group = opened(farm, 12)
        hashes = {world.name: world.state_hash() for world in group}
        kill_node(cluster, second)
        left = those_left(farm, group)
        assert {world.name: world.state_hash() for world in left} == {world.name: hashes[world.name] for world in left}
        # What is opened now is opened where somebody still is.
        (late,) = {node_of(world) for world in farm.open_many(ENVIRONMENT, 3)}
        assert late == node_of(left[0])
        cluster.add_node(**ONE_ACTOR)
        wait_for_actors(program, 2)
        farm.open_many(ENVIRONMENT, 11)
        assert list(Counter(map(node_of, farm.worlds())).values()) == [10, 10]


@on_a_cluster
def test_an_actor_that_is_killed_is_started_again_without_its_worlds(tmp_path: Path) -> None:
    with two_nodes() as (cluster, second), farm_on(cluster, tmp_path) as (program, farm):
        group = opened(farm, 12)
        one, other = (next(world for world in group if node_of(world) == node) for node in set(map(node_of, group)))
        with one.events() as told_of_one, other.events() as told_of_other:
            kill(second, killed)
            lost, left, told = (other, one, told_of_other) if is_open(node_of(one)) else (one, other, told_of_one)
            assert list(told) == []
        with pytest.raises(WorldError, match=r"ended|no such world"):
            lost.state()
        wait_for_actors(program, 2)
        with pytest.raises(WorldError, match="no such world"):
            lost.state()
        assert left.state()
        farm.open_many(ENVIRONMENT, 6)
        assert list(Counter(map(node_of, farm.worlds())).values()) == [6, 6]
        # Whoever opens a world while nobody is there waits for an actor.
        for node in (cluster.head_node, second):
            kill(node, killed)
        assert farm.open(ENVIRONMENT).state()


@on_a_cluster
async def test_episodes_whose_node_dies_are_played_again_and_the_others_go_on(tmp_path: Path) -> None:
    servers = ROOT / "generated_servers"
    with two_nodes() as (cluster, second), WorldHome.at(servers) as farm:
        plan = plan_run(farm, [ENVIRONMENT], RunConfig(via="http", repeat=5, limit=4, parallel=PLAYERS))
        assert len(plan.episodes) == 20
        async with ray_engine(cluster.address, servers, read_registry(ROOT / "registry.json"), 300) as engine:
            disaster = Disaster(engine, lambda: kill_node(cluster, second))
            tally = await run_episodes(
                farm, plan, disaster.agent, tmp_path / "run", PLAYERS, disaster.progress, disaster.hosting
            )
    assert 0 < disaster.lost < PLAYERS
    assert [one.reward for one in tally.done.values()] == [1.0] * 20
    assert not tally.failed
    assert Counter(tally.attempts.values()) == {1: 20 - disaster.lost, 2: disaster.lost}
    assert read_run(tmp_path / "run")[1].done.keys() == {episode.id for episode in plan.episodes}


@on_a_cluster
def test_the_command_line_plays_on_a_cluster_and_goes_on_without_it(tmp_path: Path) -> None:
    words = ["--env", ENVIRONMENT, "--limit", "2", "--out", str(tmp_path / "run"), "--json"]
    program = [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "run"]
    with two_nodes() as (cluster, _):
        ray = ["--engine", "ray", "--ray", cluster.address]
        played = subprocess.run([*program, *ray, *words], capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    again = subprocess.run([*program, "--via", "http", *words], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == json.loads(played.stdout)


@on_a_cluster
def test_a_cluster_that_is_not_there_is_told() -> None:
    told = CliRunner().invoke(app, ["--home", str(ROOT), "farm", "--ray", "127.0.0.1:1", "--port", "0"])
    assert "No Ray cluster can be joined at '127.0.0.1:1'" in str(told.exception) + told.output


def opened(farm: ControlClient, count: int) -> list[RemoteWorld]:
    group = farm.open_many(ENVIRONMENT, count, scenario=SCENARIO)
    assert sorted(Counter(map(node_of, group)).values()) == [count // 2, count // 2]
    assert {world.name for world in farm.worlds()} >= {world.name for world in group}
    return group


async def an_agent_goes_straight_to_the_node(world: RemoteWorld, web: httpx2.AsyncClient | None = None) -> None:
    """An agent goes straight to the node, and what it did is seen through the front."""
    before = await anyio.to_thread.run_sync(world.state_hash)
    task = next(one for one in WorldHome(ROOT / "generated_servers").scenarios(ENVIRONMENT) if one.id == SCENARIO)
    async with Client(streamable_http_client(world.url, http_client=web)) as client:
        for call in task.oracle:
            assert not (await client.call_tool(call.tool, dict(call.arguments))).is_error
    assert await anyio.to_thread.run_sync(world.state_hash) != before
    assert (await anyio.to_thread.run_sync(world.verify)).reward == 1.0


def one_front_for_all(program: Program, farm: ControlClient, group: list[RemoteWorld]) -> None:
    first, second = group[0], next(world for world in group if node_of(world) != node_of(group[0]))
    # A fork stays with its parent, events pass through, and refusals are the farm's own.
    fork = second.fork()
    assert node_of(fork) == node_of(second)
    with fork.events() as events:
        fork.restore(fork.snapshot())
        assert next(events)["event"] == "restored"
        fork.close()
        assert next(events)["event"] == "closed"
    with pytest.raises(WorldError, match="no such world"):
        fork.state()
    with pytest.raises(WorldError, match="no environment 'hospital_stay'"):
        farm.open("hospital_stay")
    with pytest.raises(LaunchError, match="token for control"):
        ControlClient(program.control, program.token("agent")).worlds()
    figures = urllib.request.urlopen(f"{program.url}/metrics").read().decode()
    assert f"envscaler_worlds {len(group)}\n" in figures
    assert "envscaler_processes 2\n" in figures
    invited = json.loads(urllib.request.urlopen(f"{program.url}/e/{ENVIRONMENT}/new").read())
    assert urlsplit(invited["url"]).netloc in {node_of(first), node_of(second)}


def those_left(farm: ControlClient, group: list[RemoteWorld]) -> list[RemoteWorld]:
    """Those whose node lives; the others are gone, whoever asks."""
    lost = [world for world in group if not is_open(node_of(world))]
    left = [world for world in group if world not in lost]
    assert len(lost) == len(left) == len(group) // 2
    for world in lost:
        with pytest.raises(WorldError, match="ended"):
            world.state()
    assert {world.name for world in farm.worlds()} == {world.name for world in left}
    return left


def wait_for_actors(program: Program, count: int) -> None:
    """Ray takes some time to notice that a node is dead."""
    deadline = time.monotonic() + 60
    while json.loads(urllib.request.urlopen(f"{program.url}/health").read())["there"] < count:
        assert time.monotonic() < deadline, "no actor came back"
        time.sleep(0.2)


PLAYERS = 4


class Disaster:
    """Lets all players come to the middle of an episode, kills a node, and lets them go on."""

    def __init__(self, engine: Hosting, kill: Callable[[], None]) -> None:
        self._engine = engine
        self._kill = kill
        self._hosts: list[Noted] = []
        self._done = 0
        self._waiting = 0
        self._over = anyio.Event()
        self.lost = 0
        """How many worlds were being played in on that node."""

    @asynccontextmanager
    async def hosting(self, folder: Path, code: EnvironmentCode) -> AsyncIterator[Host]:
        async with self._engine(folder, code) as host:
            self._hosts.append(Noted(host))
            yield self._hosts[-1]

    def progress(self, _name: str, done: int, _all: int) -> None:
        self._done = done

    def agent(self, _briefing: Briefing, scenario: Scenario) -> Player:
        return Player(self, scenario)

    async def come(self) -> None:
        """Somebody is in the middle of an episode; nothing happens until a few are done."""
        if self._over.is_set() or self._done < 6:
            return
        self._waiting += 1
        if self._waiting < PLAYERS:
            await self._over.wait()
            return
        await anyio.to_thread.run_sync(self._kill)
        self.lost = sum(not is_open(host.node) for host in self._hosts)
        self._over.set()


class Noted:
    """A host of which it is known where its world is."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.code = host.code
        self.node = ""

    async def open(self, scenario: Scenario) -> LocalChannel | ClientChannel:
        way = await self._host.open(scenario)
        assert isinstance(way.session, RemoteWorld)
        self.node = node_of(way.session)
        return way

    async def close(self) -> None:
        await self._host.close()


class Player:
    """Knows the solution, and takes part in the disaster after its second move."""

    def __init__(self, disaster: Disaster, scenario: Scenario) -> None:
        self._disaster = disaster
        self._scripted = Scripted(scenario.oracle)
        self._moves = 0

    async def act(self, observation: str) -> Action:
        self._moves += 1
        if self._moves == 3:
            await self._disaster.come()
        return self._scripted.act(observation)
