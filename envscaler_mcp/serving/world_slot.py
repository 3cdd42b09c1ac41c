"""The world that a server's tools act on, one call at a time; another may be put in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.serving.spoken_world import is_local
from envscaler_mcp.serving.world import World

T = TypeVar("T")


class WorldSlot:
    """Agents and the control plane take turns with the world here."""

    def __init__(self, world: World, threads: anyio.CapacityLimiter | None = None) -> None:
        """`threads` bounds how many worlds are waited for in threads together with this one; 40 by default."""
        self.world = world
        self.lock = anyio.Lock()
        """Held during a turn with a world that is waited for."""
        self._threads = threads

    async def turn(self, act: Callable[[], T], patience: float | None = None) -> T:
        """Do something to a world: at once for one in this process, in a thread for one that is waited for.

        TimeoutError where the turn does not come within the patience, in seconds.
        """
        if is_local(self.world):
            return act()
        with anyio.fail_after(patience):
            await self.lock.acquire()
        try:
            return await anyio.to_thread.run_sync(act, limiter=self._threads)
        finally:
            self.lock.release()
