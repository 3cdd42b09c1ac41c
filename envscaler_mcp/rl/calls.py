"""Calls of tools at the addresses of worlds, over connections that are used again. Threads may share them."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httptools

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.rl.errors import FarmLostError, FarmRefusedError, WorldLostError
from envscaler_mcp.serving.control.client import PATIENCE, Token, message_in, text_of
from envscaler_mcp.serving.outcome import Kind, kind_of

MOST_IDLE = 64
"""Connections to one address that are kept for the next calls."""
_LONGEST = 64 << 20
"""Bytes of an answer that are read at all."""


class TooLargeCallError(LaunchError):
    """The farm takes no message of this size: of the call nothing was done."""


class WorldCalls:
    """Calls any number of worlds."""

    def __init__(self, token: Token = "", patience: float = PATIENCE) -> None:
        self._token = token
        self._patience = patience
        self._idle: dict[tuple[str, str], list[_Connection]] = {}
        self._lock = threading.Lock()

    def call(self, url: str, tool: str, arguments: dict[str, Any]) -> tuple[Kind, str]:
        """The kind and the text of the result. A call is sent once: MaskedError where it is not known what came of it,
        TooLargeCallError where it was too large.
        """
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status, content = self._post(urlsplit(url), json.dumps(message).encode())
        try:
            answer = json.loads(content)
            if status == 200 and "result" in answer:
                result = answer["result"]
                return kind_of(result.get("_meta"), bool(result["isError"])), result["content"][0]["text"]
            error = answer.get("error")
            why = error["message"] if isinstance(error, dict) else message_in(content)
        except (ValueError, LookupError, TypeError, AttributeError) as cause:
            raise FarmLostError(f"The farm answered a call of {tool!r} with something that is no result.") from cause
        refused = TooLargeCallError if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else FarmRefusedError
        if status == HTTPStatus.NOT_FOUND:
            raise WorldLostError(f"The farm has this world no more: {why}")
        raise refused(f"The farm did not take a call of {tool!r}: {why}")

    def _post(self, at: SplitResult, body: bytes) -> tuple[int, bytes]:
        head = f"POST {at.path} HTTP/1.1\r\nHost: {at.netloc}\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
        if token := text_of(self._token):
            head += f"Authorization: Bearer {token}\r\n"
        request = b"%s" % head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
        connection = self._taken(at)
        try:
            status, content, stays = connection.ask(request)
        except (OSError, httptools.HttpParserError) as cause:
            connection.close()
            raise FarmLostError(f"The farm at {at.netloc} does not answer: {cause!r}") from cause
        except BaseException:
            # Half of an answer may be on its way.
            connection.close()
            raise
        self._give_back(at, connection, stays=stays)
        return status, content

    def _taken(self, at: SplitResult) -> _Connection:
        while True:
            with self._lock:
                idle = self._idle.get((at.scheme, at.netloc))
                connection = idle.pop() if idle else None
            if connection is None:
                return _Connection(at, self._patience)
            if connection.usable:
                return connection
            connection.close()

    def _give_back(self, at: SplitResult, connection: _Connection, *, stays: bool) -> None:
        with self._lock:
            idle = self._idle.setdefault((at.scheme, at.netloc), [])
            if stays and len(idle) < MOST_IDLE:
                idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            for idle in self._idle.values():
                for connection in idle:
                    connection.close()
            self._idle.clear()


class _Connection:
    def __init__(self, at: SplitResult, patience: float) -> None:
        self._patience = patience
        secure = at.scheme == "https"
        try:
            self._socket = socket.create_connection((at.hostname or "", at.port or (443 if secure else 80)), patience)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if secure:
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=at.hostname)
        except OSError as cause:
            raise FarmLostError(f"No farm answers at {at.netloc}: {cause}; `envscaler farm` starts one.") from cause

    @property
    def usable(self) -> bool:
        """Whether the farm has neither closed it nor sent what was not asked for."""
        try:
            self._socket.setblocking(False)
            self._socket.recv(1) if isinstance(self._socket, ssl.SSLSocket) else self._socket.recv(1, socket.MSG_PEEK)
            return False
        except (BlockingIOError, ssl.SSLWantReadError):
            self._socket.settimeout(self._patience)
            return True
        except OSError:
            return False

    def ask(self, request: bytes) -> tuple[int, bytes, bool]:
        """Status, body, and whether the connection can carry another request."""
        with suppress(BrokenPipeError, ConnectionResetError):
            # What is too long is refused before all of it is read, and that answer can still be had.
            self._socket.sendall(request)
        reading = _Reading()
        parser = httptools.HttpResponseParser(reading)
        while not reading.complete:
            received = self._socket.recv(1 << 16)
            if not received:
                raise ConnectionResetError("the connection was closed before the answer had come")
            parser.feed_data(received)
            if reading.size > _LONGEST:
                raise ConnectionAbortedError(f"an answer of more than {_LONGEST >> 20} MiB")
        return parser.get_status_code(), b"".join(reading.pieces), parser.should_keep_alive()

    def close(self) -> None:
        self._socket.close()


class _Reading:
    """The callbacks of httptools."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0
        self.complete = False

    def on_body(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def on_message_complete(self) -> None:
        self.complete = True
