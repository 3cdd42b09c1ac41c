"""Whose failure it is that the worker of a world has ended, which every way to the world tells alike."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.episode.live import owner_of_loss
from envscaler_mcp.errors import Reason, WorkerEndedError
from envscaler_mcp.launch.opening import open_session
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.rl.here import HomeWorld
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.scoring.run_folder import read_trajectories
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.control.server import ServerControlPlane, serve_control
from envscaler_mcp.serving.session import Controls, Session
from envscaler_mcp.serving.sockets import listen_privately
from envscaler_mcp.serving.world_slot import WorldSlot
from envscaler_mcp.trust import load_code
from tests.adversary import desk
from tests.farm.farms import farm_here

ROOT = Path(__file__).parents[2]
ENVIRONMENT = "hospital_stays"

FILLING = """
    def keep(self, megabytes: int):
        self.papers = "x" * (megabytes << 20)

    def fill(self):
        for size in (1 << 20, 1 << 12, 64):
            try:
                while True:
                    PILE.append(bytes(size))
            except MemoryError:
                pass
        return "full"

PILE = []
"""


class Fills:
    """Makes the state a little larger, and then uses up the memory, so that the state can no longer be written."""

    def __init__(self) -> None:
        self._moves = iter([Action(tool="keep", arguments={"megabytes": 2}), Action(tool="fill", arguments={})])

    def act(self, observation: str) -> Action:
        return next(self._moves, Action(text="Task Completed"))


@pytest.mark.parametrize("faithful", [True, False])
def test_calls_that_use_up_the_memory_of_a_worker_are_the_agents_failure(faithful: bool, tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text(json.dumps([{**desk.ENVIRONMENT, "env_class_code": desk.DESK + FILLING}]))
    (tmp_path / "s.json").write_text(json.dumps(desk.TWELVE[:1]))
    servers = tmp_path / "generated_servers"
    import_upstream(tmp_path / "e.json", [tmp_path / "s.json"], servers, tmp_path / "registry.json", faithful=faithful)

    def agent(_briefing: Briefing, _scenario: Scenario) -> Fills:
        return Fills()

    with WorldHome.at(servers) as home:
        plan = plan_run(home, ["desk"], RunConfig())
        anyio.run(run_episodes, home, plan, agent, tmp_path / "run", 1, lambda *_: None)
    (played,) = read_trajectories(tmp_path / "run")
    assert (played.verdict.owner, played.verdict.masked) == ("agent", False), played.verdict.reason
    assert "too much memory" in played.steps[-1].observation


def doomed(session: Session, reason: Reason) -> None:
    """End the worker of a session as the watch of another thread does."""
    assert isinstance(session.world, WorkerWorld)
    session.world.line.doom(reason, f"it was {reason}")


@asynccontextmanager
async def in_this_process(reason: Reason, _folder: Path) -> AsyncIterator[Controls]:
    folder = ROOT / "generated_servers" / ENVIRONMENT
    with closing(open_session(folder, load_code(folder), isolation="auto")) as session:
        doomed(session, reason)
        yield session


@asynccontextmanager
async def behind_a_server(reason: Reason, folder: Path) -> AsyncIterator[Controls]:
    home = ROOT / "generated_servers" / ENVIRONMENT
    open_here = partial(open_session, home, load_code(home), isolation="auto")
    session = open_here()
    plane = ServerControlPlane(ENVIRONMENT, WorldSlot(session.world), session, lambda *_: open_here())
    address = str(folder / "control")
    async with anyio.create_task_group() as group:
        with listen_privately(address) as sock, ControlClient(address, "token") as client:
            group.start_soon(serve_control, plane, sock, "token")
            world = await anyio.to_thread.run_sync(client.world)
            doomed(session, reason)
            yield world
            group.cancel_scope.cancel()
    plane.close()


@asynccontextmanager
async def in_a_farm(reason: Reason, _folder: Path) -> AsyncIterator[Controls]:
    async with farm_here(isolation="auto") as farm:
        with farm.client() as client:
            world = await anyio.to_thread.run_sync(client.open, ENVIRONMENT)
            doomed(farm.front.worlds.named(world.name).session, reason)
            yield world


@pytest.mark.parametrize("way", [in_this_process, behind_a_server, in_a_farm])
@pytest.mark.parametrize(
    ("reason", "owner"), [("hostile", "environment"), ("crash", "environment"), ("memory", "agent"), ("time", "agent")]
)
async def test_a_worker_that_ends_while_its_state_is_read_has_the_same_owner_on_every_way(
    way: Callable[..., Any], reason: Reason, owner: str, tmp_path: Path
) -> None:
    async with way(reason, tmp_path) as controls:
        for read in (controls.state, controls.diff_since_start, controls.state):
            with pytest.raises(WorkerEndedError) as caught:
                await anyio.to_thread.run_sync(read)
            assert caught.value.reason == reason
            assert owner_of_loss(caught.value) == owner


@pytest.mark.parametrize("mode", ["task", "conversation"])
@pytest.mark.parametrize(("reason", "owner"), [("crash", "environment"), ("memory", "agent")])
def test_a_trainer_hears_the_same_owner_in_a_task_and_when_a_user_looks_at_the_world(
    mode: Mode, reason: Reason, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorldHome, "open_task", partialmethod(WorldHome.open_task, isolation="auto"))
    with rl.local(ROOT) as gym, gym.open("library_loans-easy-01", mode=mode) as episode:
        for call in episode.scenario.oracle:
            episode.call(call.tool, call.arguments)
        assert episode.verify().reward == 1.0
        assert isinstance(episode._world, HomeWorld)
        doomed(episode._world._session, reason)
        episode.say("That is done.")
        verdict = episode.verify()
        assert (verdict.owner, verdict.masked, verdict.reward) == (owner, owner == "environment", 0.0)
