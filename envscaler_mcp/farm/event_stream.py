"""Server-sent events over HTTP: to owners of what happens in a world, to agents of other tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

_HEADERS = {"cache-control": "no-store", "connection": "close"}


class Events(Protocol):
    """What is read event by event, and closed."""

    def __aiter__(self) -> Events: ...
    async def __anext__(self) -> bytes: ...
    async def aclose(self) -> None: ...


class EventStream(StreamingResponse):
    """Server-sent events, until the client or the world is gone."""

    def __init__(self, events: Events | AsyncGenerator[bytes]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=_HEADERS)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them; what they come from ends with it, also where the client has left before the first."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._events.aclose()
