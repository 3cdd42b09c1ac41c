"""WebSockets within the bounds of a farm: of the size of a message, of what waits, and of what is not read.

Only imported where the library `websockets` is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from envscaler_mcp.farm.connections import Connection

MOST_FRAGMENTS = 64
"""Frames of one message; empty ones count for nothing in its size, and each is held."""
MOST_WAITING = 16
"""Messages that may wait for the answer to the one before them."""
MOST_UNREAD = 64 * 1024
"""Bytes of pongs and answers that a client may leave unread while it sends more."""
CLOSE_SECONDS = 1.0
"""How long a client may take to agree that it is over."""
_TRY_LATER = 1013


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's own, which reads on only when a message was taken, with bounds for what it leaves open."""

    def __init__(self, connection: Connection, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self.close_timeout = CLOSE_SECONDS
        self._connection = connection
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
        taken = message["type"] != "websocket.receive" or await self._connection.message_turn(_size_of(message))
        if self.queue.empty():
            self._waiting = 0
            self._weigh()
        if taken:
            return message
        if not (self.disconnected or self.close_sent):
            await self.send({"type": "websocket.close", "code": _TRY_LATER, "reason": "Too many messages wait."})
        return {"type": "websocket.disconnect", "code": _TRY_LATER}

    async def send(self, message: Any) -> None:
        await super().send(message)
        self._weigh()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._weigh()

    def _weigh(self) -> None:
        if not self.disconnected:
            size = self._waiting + sum(map(len, self.frames)) + self.transport.get_write_buffer_size()
            self._connection.hold(size)

    def give_up(self) -> None:
        """End it at once: too much is held for it."""
        self.transport.abort()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        # Closing would wait until the client has read everything.
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connection.connection_lost(exc)


def _size_of(message: Any) -> int:
    return len(message.get("text") or message.get("bytes") or b"")
