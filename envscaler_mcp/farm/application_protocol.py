"""A request through uvicorn to an application: the connection is lent for one request, and comes back."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

if TYPE_CHECKING:
    from envscaler_mcp.farm.connections import Connection

MAX_MESSAGE = 1024 * 1024
"""Bytes of a message to a WebSocket."""

# It warns of requests that any client can send, such as an upgrade to an unknown protocol.
logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


def web_sockets_installed() -> bool:
    """Whether there is a library for WebSockets; the extra `openenv` brings it."""
    return find_spec("websockets") is not None


class ApplicationServer:
    """uvicorn's side of all connections of a listener."""

    def __init__(self, application: Starlette) -> None:
        sockets = any(isinstance(route, WebSocketRoute) for route in application.routes)
        self._config = uvicorn.Config(
            application,
            ws="websockets-sansio" if sockets and web_sockets_installed() else "none",
            ws_max_size=MAX_MESSAGE,
            # A few bytes could unfold to any number of them.
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
        )
        self._config.load()
        self._state = ServerState()

    def answer(self, connection: Connection, transport: asyncio.Transport, request: bytes) -> ApplicationProtocol:
        """Answer a whole request on this transport; the connection takes it back afterwards."""
        protocol = ApplicationProtocol(connection, self._config, self._state)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        protocol.begin(request)
        return protocol

    def close(self) -> None:
        """End the WebSockets, which no connection takes back."""
        for protocol in list(self._state.connections):
            protocol.shutdown()


class ApplicationProtocol(HttpToolsProtocol):
    """uvicorn's protocol for one request."""

    def __init__(self, connection: Connection, config: uvicorn.Config, state: ServerState) -> None:
        super().__init__(config, state, {})
        self._connection = connection
        self._status = 500
        self.app = self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note_status(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
            await send(message)

        await self.config.loaded_app(scope, receive, note_status)

    def begin(self, request: bytes) -> None:
        super().data_received(request)

    def on_headers_complete(self) -> None:
        # The body is here already, so the client need not be asked for it.
        self.expect_100_continue = False
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self.connections.discard(self)
        if not self.transport.is_closing():
            self._connection.come_back(self._status)

    def handle_websocket_upgrade(self) -> None:
        from envscaler_mcp.farm.websocket import BoundedWebSocket

        self._connection.become_web_socket()
        # uvicorn calls it as it would call a class of its own.
        self.ws_protocol_class = partial(BoundedWebSocket, self._connection)  # type: ignore[assignment]
        super().handle_websocket_upgrade()

    # What the transport reports

    def data_received(self, data: bytes) -> None:
        self._connection.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connection.connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._connection.expect_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._connection.expect_none()
