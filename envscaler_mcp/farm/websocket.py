"""WebSockets within the bounds of a farm: of the size of a message, of what waits, and of what is not read.

Only imported where the library `websockets` is installed.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from envscaler_mcp.farm.held_bytes import HeldBytes

MOST_FRAGMENTS = 64
"""Frames of one message; empty ones count for nothing in its size, and each is held."""
MOST_WAITING = 16
"""Messages that may wait for the answer to the one before them."""
MOST_UNREAD = 64 * 1024
"""Bytes of pongs and answers that a client may leave unread while it sends more."""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's own, which reads on only when a message was taken, with bounds for what it leaves open."""

    def __init__(self, held: HeldBytes, holder: str, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._held = held
        self._holder = holder
        """Who is charged for what is held."""
        self._waiting = 0
        """Bytes of messages that are not taken yet."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        unread = self.transport.get_write_buffer_size()
        if self.queue.qsize() > MOST_WAITING or len(self.frames) > MOST_FRAGMENTS or unread > MOST_UNREAD:
            self.give_up()
        else:
            self._weigh()

    def send_receive_event_to_app(self) -> None:
        self._waiting += sum(map(len, self.frames))
        super().send_receive_event_to_app()

    async def receive(self) -> Any:
        message = await super().receive()
        if self.queue.empty():
            self._waiting = 0
            self._weigh()
        return message

    async def send(self, message: Any) -> None:
        await super().send(message)
        self._weigh()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._weigh()

    def _weigh(self) -> None:
        if not self.disconnected:
            size = self._waiting + sum(map(len, self.frames)) + self.transport.get_write_buffer_size()
            self._held.hold(self, self._holder, size)

    def give_up(self) -> None:
        """End it at once: too much is held for it."""
        self.transport.abort()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        # Closing would wait until the client has read everything.
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._held.forget(self)
