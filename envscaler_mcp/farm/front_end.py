"""One process of the farm: it accepts connections, holds its share of the worlds, and knows where the others are."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.farm.access import Guards
from envscaler_mcp.farm.agent_routes import AgentService
from envscaler_mcp.farm.build_plane import BuildPlane
from envscaler_mcp.farm.builds import BuilderHome, Builds
from envscaler_mcp.farm.catalogue import Catalogue
from envscaler_mcp.farm.class_plane import ClassPlane, SeatPlane
from envscaler_mcp.farm.classes import Classes
from envscaler_mcp.farm.connections import Connections, Timeouts
from envscaler_mcp.farm.control_plane import FarmControlPlane
from envscaler_mcp.farm.control_routes import ControlService
from envscaler_mcp.farm.demonstration import Demonstration, DemonstrationPlan
from envscaler_mcp.farm.demonstration_plane import DemonstrationPlane, WatchedDemonstrationPlane
from envscaler_mcp.farm.environments import BenchmarkOpener, Environments
from envscaler_mcp.farm.garbage import survivors_set_aside
from envscaler_mcp.farm.metrics import Figures
from envscaler_mcp.farm.open_connections import most_connections
from envscaler_mcp.farm.openenv_routes import OpenEnvRoutes
from envscaler_mcp.farm.peers import Mailboxes, Plane, Siblings
from envscaler_mcp.farm.studio_agents import StudioAgents, StudioModel, model_players
from envscaler_mcp.farm.studio_door import Studio, StudioDoor
from envscaler_mcp.farm.studio_plane import ReaderPlane
from envscaler_mcp.farm.studio_runs import RunReader, RunsPlane
from envscaler_mcp.farm.studio_users import StudioUser, StudioUsers
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.farm.train_plane import TrainPlane
from envscaler_mcp.farm.verdicts import Verdicts
from envscaler_mcp.farm.world_views import WorldViews
from envscaler_mcp.farm.worlds import Caps, Share, Worlds
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.serving.sockets import listen_privately

LAST_SECONDS = 1.0
"""How long a process that ends waits for its answers to notice."""


@dataclass(frozen=True, slots=True)
class FarmConfig:
    """What a farm is started with."""

    servers: ServerFolders
    registry: Registry
    registry_written: str
    secret: bytes
    url: str
    """Where people reach the agents' side, perhaps through a proxy."""
    isolation: Isolation = "local"
    open_to_others: bool = False
    hosts: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()
    """Origins of pages elsewhere that may ask and read the answers."""
    tokens: bool = False
    rate: float = 0.0
    caps: Caps = field(default_factory=Caps)
    timeouts: Timeouts = field(default_factory=Timeouts)
    connections: int = 20_000
    benchmarks: Mapping[str, BenchmarkOpener] = field(default_factory=dict)
    """What opens each benchmark, by its name."""
    studio: bool = False
    """Whether browsers are shown the studio at `/`."""
    studio_model: StudioModel | None = None
    """A model that may play there."""
    studio_user: StudioUser | None = None
    """Who plays the users of benchmarks there; nothing where the person in front of the page does."""
    builder: BuilderHome | None = None
    """What builds blueprints for its owners, and where they are published."""
    runs: Path | None = None
    """The folder of run folders that are shown there."""
    demonstration: DemonstrationPlan | None = None
    """What is played there for people who watch; only where one process serves."""


class FrontEnd:
    """Everything that one process answers with."""

    def __init__(self, config: FarmConfig, number: int, boxes: Mailboxes, share: Share | None = None) -> None:
        """The share is that among these processes, unless worlds are shared out among others than those."""
        share = share or Share(number, len(boxes.sending))
        self.verdicts = Verdicts()
        environments = Environments(config.servers, config.registry, judge, config.benchmarks)
        self.worlds = Worlds(environments, config.caps, config.secret, config.isolation, share)
        self.siblings = Siblings(number, boxes, partial(token_for, config.secret, "control", 60.0))
        figures = Figures(
            self.worlds,
            self.siblings,
            lambda: len(self.agents.open) + len(self.owners.open),
            lambda: self.agents.statuses,
        )
        catalogue = Catalogue(config.registry, config.url, config.registry_written)
        strangers = Guards(
            config.secret,
            open_to_others=config.open_to_others,
            hosts=config.hosts,
            tokens=config.tokens or config.open_to_others,
            rate=config.rate,
            pages=config.pages,
        )
        self.agents_of_studio = StudioAgents(config.studio_model)
        self.users_of_studio = users = StudioUsers(config.studio_user)
        door = StudioDoor(config.secret, share, strangers, config.url, admits=config.studio)
        players = self.agents_of_studio, users
        parts = self.worlds, self.siblings, config.url, self.verdicts, *players, door, WorldViews()
        self.runs = RunReader(config.runs, config.servers)
        self.plane = plane = RunsPlane(*parts, runs=self.runs)
        classes = Classes(self.worlds)
        self.class_plane = ClassPlane(classes, *parts)
        visitors = SeatPlane(classes, *parts)
        self.builds = Builds(config.builder)
        self.demonstration = Demonstration(config.demonstration, self.worlds, lambda world: plane.play(world, "oracle"))
        more = [
            *DemonstrationPlane(self.demonstration, *parts).routes(),
            *self.class_plane.routes(),
            *BuildPlane(self.builds, *parts).routes(),
            *TrainPlane(*parts, runs=self.runs).routes(),
        ]
        of_owners = [*plane.routes(), *more]
        readers = ReaderPlane(*parts)
        of_readers = [*readers.routes(), *WatchedDemonstrationPlane(self.demonstration, *parts).routes()]
        studio = Studio(door, of_owners, of_readers, visitors.routes(), visitors.join) if config.studio else None
        agents = AgentService(self.worlds, catalogue, figures, self.siblings, strangers, config.url, studio)
        self.agents = Connections(agents, config.timeouts, most_connections(config.connections))
        self.openenv = openenv = OpenEnvRoutes(self.worlds, self.siblings, plane.judged)
        # Requests to the control plane come from this machine, or through something that this machine trusts.
        own = Guards(config.secret, hosts=config.hosts)
        owners = ControlService(share, plane, openenv, figures, self.siblings, own, more)
        self.owners = Connections(owners, config.timeouts, most_connections(config.connections, of="owners"))
        # What the other processes ask has places of its own, which no owner takes, and answers that no owner can ask for.
        own_plane = FarmControlPlane(self.worlds, self.siblings, config.url, self.verdicts, for_peers=True)
        peers = ControlService(share, own_plane, openenv, figures, self.siblings, own, for_peers=True)
        self.peers = Connections(peers, config.timeouts, most_connections(config.connections, of="peers"))
        own_plane.turns = self.peers.turns
        for each in (plane, self.class_plane, visitors, readers):
            each.turns = self.owners.turns
        self.worlds.memory.verdicts = self.verdicts
        self.worlds.memory.held_beside_worlds = lambda: environments.memory
        self.worlds.memory.held_for_clients = lambda: (
            self.agents.held.total + self.owners.held.total + self.worlds.events.total + self.worlds.recordings.total
        )

    def take(self, plane: Plane, sock: socket.socket, received: bytes) -> None:
        """Go on with a connection that another process accepted."""
        connections = self.agents if plane == "agent" else self.owners
        if _has_left(sock):
            # The client may have sent its request again elsewhere; it must not be done twice.
            sock.close()
            return
        sock.setblocking(False)
        connections.newcomers.take(sock, received)

    async def close(self) -> None:
        """End every world."""
        self.builds.close()
        await self.worlds.close_all()
        self.verdicts.close()
        self.runs.close()
        await anyio.to_thread.run_sync(self.worlds.environments.close)


def _has_left(sock: socket.socket) -> bool:
    try:
        return sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@contextlib.asynccontextmanager
async def serving(
    front: FrontEnd, agents: list[socket.socket], owners: list[socket.socket], boxes: Mailboxes
) -> AsyncIterator[None]:
    """Accept on these sockets, for the block; what is open ends with it."""
    loop = asyncio.get_running_loop()
    path = boxes.questions(front.siblings.number)
    async with contextlib.AsyncExitStack() as stack:
        questions = stack.enter_context(listen_privately(str(path)))
        stack.enter_context(survivors_set_aside())
        stack.callback(loop.create_task(front.worlds.reap()).cancel)
        stack.callback(loop.create_task(front.worlds.watch_memory()).cancel)
        stack.callback(loop.create_task(front.openenv.reap()).cancel)
        stack.push_async_callback(front.close)
        agents_there, users = front.agents_of_studio, front.users_of_studio
        players = await stack.enter_async_context(model_players(agents_there.model, users.model))
        agents_there.player, users.player = players
        stack.callback(front.demonstration.close)
        front.demonstration.start()
        stack.enter_context(front.siblings.taking(front.take))
        await stack.enter_async_context(front.agents.accepting(*agents))
        await stack.enter_async_context(front.owners.accepting(*owners))
        await stack.enter_async_context(front.peers.accepting(questions))
        yield


def asking_to_end() -> list[signal.Signals]:
    """The signals that ask a farm to end; its terminal may go where the farm was started to outlive it (`nohup`)."""
    asking = [signal.SIGINT, signal.SIGTERM]
    return asking if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [*asking, signal.SIGHUP]


def run_on_loop(serve: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where it is installed, else on asyncio's own loop."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(serve)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve)


async def run_front_end(
    front: FrontEnd, agents: list[socket.socket], owners: list[socket.socket], boxes: Mailboxes, lifeline: int
) -> None:
    """Serve until a signal asks for the end, or the process that started this one is gone."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in asking_to_end():
        loop.add_signal_handler(number, ended.set)
    loop.add_reader(lifeline, ended.set)
    async with serving(front, agents, owners, boxes):
        await ended.wait()
    # Answers that went on and on, such as events, have lost their clients; a task that is cancelled instead is logged.
    last = asyncio.all_tasks() - {asyncio.current_task()}
    if last:
        await asyncio.wait(last, timeout=LAST_SECONDS)
