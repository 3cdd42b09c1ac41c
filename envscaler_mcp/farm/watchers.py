"""Clients that are told what happens in a world: an event is encoded once for all of them, and what waits is bounded."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.studio.shortened import bounded

MOST_WATCHERS = 8
"""Watchers of one world."""
MAX_UNREAD = 256 * 1024
"""Bytes of events that may wait for a watcher before it is ended."""
MAX_EVENTS = 32 * 1024 * 1024
"""Bytes of events that may wait for the watchers of all worlds of a process."""
HEARTBEAT = 15.0
_WATCHING = b": watching\n\n"
_ALIVE = b": \n\n"


class TooManyWatchersError(EnvScalerError):
    """A world has as many watchers as it may have."""


class Watcher:
    """Server-sent events of one world, from now on, for one client."""

    def __init__(self, watchers: Watchers, holder: str) -> None:
        self._watchers = watchers
        self._holder = holder
        self._unread: deque[bytes] = deque((_WATCHING,))
        self._size = len(_WATCHING)
        self._news = asyncio.Event()
        self._over = False

    def tell(self, event: bytes) -> None:
        """Let it have an event; it is ended where too much waits for it."""
        if self._over:
            return
        if self._size + len(event) > MAX_UNREAD:
            self.give_up()
            return
        self._unread.append(event)
        self._size += len(event)
        self._news.set()
        self._watchers.held.hold(self, self._holder, self._size)

    def give_up(self) -> None:
        """End it with an event that says so: too much waits for it, or for its world."""
        self._unread.clear()
        self._size = 0
        self._unread.append(_DROPPED)
        self.end()
        self.close()

    def end(self) -> None:
        """Nothing comes after what waits for it."""
        self._over = True
        self._news.set()

    def close(self) -> None:
        """It watches no more."""
        self._watchers.leave(self)

    async def aclose(self) -> None:
        """The same for whatever reads it."""
        self.close()

    def __aiter__(self) -> Watcher:
        return self

    async def __anext__(self) -> bytes:
        if not self._unread and not self._over:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), HEARTBEAT)
            except TimeoutError:
                return _ALIVE
        else:
            # A client that reads fast would be served on and on, and nothing else.
            await asyncio.sleep(0)
        if not self._unread:
            self.close()
            raise StopAsyncIteration
        event = self._unread.popleft()
        if self._size:
            self._size = max(0, self._size - len(event))
            self._watchers.held.hold(self, self._holder, self._size)
        return event


class Watchers:
    """Those of one world."""

    def __init__(self, world: str, held: HeldBytes) -> None:
        self.held = held
        """Of all worlds of this process."""
        self._holder = f"world {world}"
        self._all: dict[Watcher, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def enter(self) -> Watcher:
        """One more; TooManyWatchersError where there is no place for it."""
        if len(self._all) >= MOST_WATCHERS:
            raise TooManyWatchersError(f"{MOST_WATCHERS} clients watch this world already; end one of them.")
        watcher = Watcher(self, self._holder)
        self._all[watcher] = None
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """One less."""
        self._all.pop(watcher, None)
        self.held.forget(watcher)

    def tell(self, what: str, number: int, details: Mapping[str, Any]) -> None:
        """Let all of them have the same event, told after so many calls of the world."""
        if self._all:
            event = _encoded(what, {"number": number}, details)
            for watcher in list(self._all):
                watcher.tell(event)

    def end(self) -> None:
        """Let each have what waits for it, and then the end."""
        for watcher in list(self._all):
            watcher.end()


def _encoded(what: str, first: Mapping[str, Any], details: Mapping[str, Any]) -> bytes:
    content = {"event": what, **first, **bounded(details)}
    return b"event: %s\ndata: %s\n\n" % (what.encode(), encode(content).encode(errors="replace"))


_SLOW = "Too many events waited for this client, which reads slower than they come; watch again."
_DROPPED = _encoded("dropped", {}, {"why": _SLOW})
