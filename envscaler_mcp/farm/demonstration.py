"""A demonstration: tasks of unlike worlds, solved one after the other at a pace that people can follow, until one of them takes over."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts import RegistryEntry, Scenario
from envscaler_mcp.artifacts.scenario import LEVELS
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.studio.schemas import PlayAnswer

LEASE_SECONDS = 3_600.0
"""How long a world stays that a person took over, without use."""
_BEFORE, _AFTER = 2, 3
"""How many paces the request is shown before the first call, and the verdict after the last."""
_WORDS = 20
"""Of a request, for each pace longer that it is shown."""
_FEWEST, _MOST = 3, 9
"""Calls of a task that is worth watching."""
_LONGEST = 420
"""Characters of its request."""

logger = logging.getLogger(__name__)

Play = Callable[[HostedWorld], Awaitable[PlayAnswer]]
"""Lets the oracle make its next call."""


@dataclass(frozen=True, slots=True)
class DemonstrationPlan:
    """What is played, and how fast."""

    pace: float
    """Seconds between two calls."""
    environment: str = ""
    """The only one whose tasks are played; by default all take their turn."""


class Demonstration:
    """The one of a farm. Its calls stand in the timeline of its world like those of any oracle."""

    def __init__(self, plan: DemonstrationPlan | None, worlds: Worlds, play: Play) -> None:
        self.plan = plan
        self.world: HostedWorld | None = None
        """Where it is, or where it was taken over."""
        self._worlds, self._play = worlds, play
        self._ended = asyncio.Event()
        self._ended.set()
        self._task: asyncio.Task[None] | None = None
        self._tasks_shown = itertools.count()

    @property
    def playing(self) -> bool:
        return not self._ended.is_set()

    def start(self) -> None:
        """Go on with the next task; a world that was taken over stays its person's."""
        if self.plan is None or self.playing:
            return
        self.world, self._ended = None, asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._show(self.plan, self._ended))

    def take(self) -> HostedWorld | None:
        """End it; the world is the person's who took it."""
        self._ended.set()
        return self.world

    def close(self) -> None:
        """The farm ends."""
        if self._task is not None:
            self._task.cancel()

    async def _show(self, plan: DemonstrationPlan, ended: asyncio.Event) -> None:
        try:
            while not ended.is_set():
                await self._show_next(plan, ended)
                await _wait(ended, plan.pace)
        finally:
            ended.set()

    async def _show_next(self, plan: DemonstrationPlan, ended: asyncio.Event) -> None:
        number = next(self._tasks_shown)
        entry = _environment(self._worlds.environments.entries, plan.environment, number)
        if entry is None:
            return
        try:
            await self._show_task(entry, number, plan.pace, ended)
        except EnvScalerError as cause:
            logger.warning("the demonstration leaves out %s: %s", entry.id, cause)

    async def _show_task(self, entry: RegistryEntry, number: int, pace: float, ended: asyncio.Event) -> None:
        tasks = await (await self._worlds.environments.find(entry.id)).scenarios()
        task = _task(tasks, number)
        if task is None or ended.is_set():
            return
        before, world = self.world, await self._worlds.open(entry.id, task.id, lease_seconds=LEASE_SECONDS)
        if ended.is_set():
            # It was taken over while this world was being opened.
            await self._worlds.close(world)
            return
        self.world = world
        await _wait(ended, pace * (_BEFORE + len(task.task.split()) / _WORDS))
        if before is not None:
            # Pages have gone on to the new world by now.
            await self._worlds.close(before)
        while not ended.is_set() and not (await self._play(world)).ended:
            await _wait(ended, pace)
        await _wait(ended, pace * _AFTER)


async def _wait(ended: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(ended.wait(), seconds)
    except TimeoutError:
        return


def _environment(entries: Mapping[str, RegistryEntry], only: str, number: int) -> RegistryEntry | None:
    """The next one: of another sector than the one before, as long as there are others."""
    by_sector: dict[str, list[RegistryEntry]] = {}
    for entry in sorted(entries.values(), key=lambda entry: (entry.sector, entry.id)):
        if entry.scenarios and only in ("", entry.id):
            by_sector.setdefault(entry.sector, []).append(entry)
    if not by_sector:
        return None
    turn, place = divmod(number, len(by_sector))
    of_sector = list(by_sector.values())[place]
    return of_sector[turn % len(of_sector)]


def _task(tasks: Sequence[Scenario], number: int) -> Scenario | None:
    """One that readers may see too, neither too short nor too long where there is such a task; levels take turns."""
    shown = [task for task in tasks if task.split == "train" and task.oracle]
    shown = [task for task in shown if _FEWEST <= len(task.oracle) <= _MOST] or shown
    shown = [task for task in shown if len(task.task) <= _LONGEST] or shown
    level = LEVELS[number % len(LEVELS)]
    shown = [task for task in shown if task.level == level] or shown
    return shown[number % len(shown)] if shown else None
