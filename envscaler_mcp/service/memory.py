"""How much memory the worlds of one process hold, and which of them ends when that is more than they may."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Iterable

from envscaler_mcp.sandbox.limits import MIB, resident
from envscaler_mcp.sandbox.loaded import loaded_workers
from envscaler_mcp.service.hosted_world import HostedWorld

logger = logging.getLogger(__name__)

SECONDS = 0.25
"""Between two looks; how much a world can take in that time is bounded by its worker's own limits."""
MOST_WEIGHED = 256
"""Workers that are weighed at one look, those first that were weighed longest ago."""
_SAMPLE = 8
"""Workers that are weighed although nothing was asked of them."""
LEAST_FOR_WORKERS = 4
"""Of what a process may fill, the part that belongs to workers however much the process itself holds."""


class MemoryWatch:
    """Weighs the workers that have worked since they were weighed last, and ends the largest when all hold too much.

    The figures are the kernel's, which any user may read; a worker has no say in them.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_worlds = 0
        self._in_loaded = 0

    @property
    def used(self) -> int:
        """Bytes that this process and its workers hold together."""
        return resident(os.getpid()) + self._in_worlds + self._in_loaded

    @property
    def is_full(self) -> bool:
        return self.used > self._limit

    def weigh(self, worlds: Iterable[HostedWorld]) -> None:
        """Know again what the worlds hold."""
        in_workers = [world for world in worlds if world.worker is not None]
        worked = [world for world in in_workers if world.may_have_grown]
        worked.sort(key=lambda world: world.weighed)
        now = time.monotonic()
        for world in (*worked[:MOST_WEIGHED], *random.sample(in_workers, min(_SAMPLE, len(in_workers)))):
            world.weigh(now)
        self._in_worlds = sum(world.memory for world in in_workers)
        self._in_loaded = loaded_workers().memory()

    async def make_room(self, worlds: Iterable[HostedWorld]) -> int:
        """End the largest until the rest may stay; how many were ended."""
        ended = 0
        for world in sorted(worlds, key=lambda world: -world.memory):
            held = world.memory
            if not (held and self.is_full and self._in_worlds > self._limit // LEAST_FOR_WORKERS):
                break
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
