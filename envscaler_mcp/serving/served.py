"""The world that a server's tools act on, one call at a time; another may be put in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.world import World

T = TypeVar("T")


class Served:
    """Whoever acts on the world, agent or control plane, takes turns here."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._lock = anyio.Lock()

    async def turn(self, act: Callable[[], T]) -> T:
        """Do something to a world: at once for one in this process, in a thread for one that is waited for."""
        if isinstance(self.world, LocalWorld):
            return act()
        async with self._lock:
            return await anyio.to_thread.run_sync(act)
