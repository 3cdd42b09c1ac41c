"""How much memory the worlds of one process hold, and which of them ends when that is more than they may."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Collection, Iterable

import anyio.to_thread

from envscaler_mcp.farm.hosted_world import HostedWorld, VerdictRun
from envscaler_mcp.farm.verdicts import Verdicts
from envscaler_mcp.sandbox.limits import MIB, resident
from envscaler_mcp.sandbox.warm_code import loaded_workers

logger = logging.getLogger(__name__)

SECONDS = 0.25
"""Between two looks; how much a world can take in that time is bounded by its worker's own limits."""
MOST_WEIGHED = 256
"""Workers that are weighed at one look, those first that were weighed longest ago."""
_SAMPLE = 8
"""Workers that are weighed although nothing was asked of them."""
PART_OF_LOCAL = 8
"""The part of what worlds may fill that belongs to those in the process itself; workers share the rest."""
MOST_OF_LOCAL = 2
"""The part that those in the process may fill while the workers leave it."""
WORTH_ENDING = 64 * 1024
"""Bytes that a visitor's world must have come to hold before it is ended for what the process holds."""


class MemoryWatch:
    """Weighs the workers that have worked since they were weighed last, and ends the largest when all hold too much.

    The figures are the kernel's, which any user may read; a worker has no say in them. What the process holds besides
    is charged to the worlds in it: visitors among them end, or none is opened, and no worker ends for them.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.held_for_clients: Callable[[], int] = int
        """Bytes that the process holds for its clients, which no world can help."""
        self.held_beside_worlds: Callable[[], int] = int
        """Bytes of processes that worlds are forked from."""
        self._for_worlds = max(limit - resident(os.getpid()), limit // PART_OF_LOCAL)
        """Bytes that are left for worlds where the process has none yet."""
        self.verdicts: Verdicts | None = None
        """Verdicts on these worlds, whose checks run in workers too."""
        self._in_worlds = 0
        self._in_loaded = 0
        self._in_checks = 0

    @property
    def used(self) -> int:
        """Bytes that this process and its workers hold together."""
        return resident(os.getpid()) + self._in_workers

    @property
    def _in_workers(self) -> int:
        return self._in_worlds + self._in_loaded + self._in_checks

    @property
    def in_process(self) -> int:
        """Bytes that this process holds beside those it began with."""
        began_with = max(0, self._limit - self._for_worlds)
        return max(0, resident(os.getpid()) - began_with - self.held_for_clients())

    @property
    def workers_are_full(self) -> bool:
        """Whether the workers hold more than their part."""
        return self._in_workers > self._for_worlds - self._for_worlds // PART_OF_LOCAL

    @property
    def too_much_in_process(self) -> int:
        """Bytes that the process holds beyond the part of its worlds."""
        left = self._for_worlds - self._in_workers
        part = max(self._for_worlds // PART_OF_LOCAL, min(self._for_worlds // MOST_OF_LOCAL, left))
        return max(0, self.in_process - part)

    def weigh(self, worlds: Iterable[HostedWorld]) -> None:
        """Know again what the worlds hold."""
        in_workers = [world for world in worlds if world.worker is not None]
        worked = [world for world in in_workers if world.may_have_grown]
        worked.sort(key=lambda world: world.weighed)
        now = time.monotonic()
        for world in (*worked[:MOST_WEIGHED], *random.sample(in_workers, min(_SAMPLE, len(in_workers)))):
            world.weigh(now)
        self._in_worlds = sum(world.memory for world in in_workers)
        self._in_loaded = loaded_workers().memory() + self.held_beside_worlds()
        self._in_checks = 0 if self.verdicts is None else self.verdicts.idle_memory
        for run in self._runs:
            run.weigh()
            self._in_checks += run.memory

    @property
    def _runs(self) -> Collection[VerdictRun]:
        return () if self.verdicts is None else self.verdicts.runs

    async def make_room(self, worlds: Iterable[HostedWorld]) -> int:
        """End the largest until the rest may stay; how many were ended."""
        worlds = list(worlds)
        return await self._make_room_here(worlds) + await self._make_room_in_workers(worlds)

    async def _make_room_here(self, worlds: Iterable[HostedWorld]) -> int:
        if not self.too_much_in_process:
            return 0
        # What was freed may be all that is too much.
        give_back_memory()
        excess, ended = self.too_much_in_process, 0
        held = [
            (world.held_here, world) for world in worlds if (world.visitor or world.of_class) and world.ended is None
        ]
        for size, world in sorted(held, key=lambda item: -item[0]):
            if excess <= 0 or size < WORTH_ENDING:
                break
            logger.warning("a visitor's world of %s held %d KiB and was ended", world.environment.card.id, size >> 10)
            await world.end(
                "memory",
                f"This world held about {size >> 10} KiB, more than other visitors' when the farm's process was full; "
                "it was ended.",
            )
            excess -= size
            ended += 1
        if ended:
            give_back_memory()
        return ended

    async def _make_room_in_workers(self, worlds: Iterable[HostedWorld]) -> int:
        ended = 0
        holders: list[HostedWorld | VerdictRun] = [*worlds, *self._runs]
        for world in sorted(holders, key=lambda holder: -holder.memory):
            held = world.memory
            if not (held and self.workers_are_full):
                break
            if not isinstance(world, HostedWorld):
                logger.warning("the checks of a verdict held %d MiB and were ended", held // MIB)
                await anyio.to_thread.run_sync(world.end, "memory", "the farm was short of memory")
                self._in_checks -= held
                world.memory = 0
                continue
            logger.warning("a world of %s held %d MiB and was ended", world.environment.card.id, held // MIB)
            await world.end(
                "memory",
                f"This world held {held // MIB} MiB, the most of all when they filled the {self._limit // MIB} MiB "
                "they may have together; it was ended.",
            )
            self._in_worlds -= held
            world.memory = 0
            ended += 1
        return ended


def give_back_memory() -> None:
    """Let the system have what was freed; the C library keeps it otherwise, and it would count on."""
    # Needed where memory is short and nowhere else.
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
