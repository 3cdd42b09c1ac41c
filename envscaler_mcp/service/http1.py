"""HTTP/1.1 as far as a farm needs it: whole requests in, whole answers or streams of events out.

A general server spends ten times as long on a request as a world on a call, so this one does no more than what is asked
of it: bounded requests, one at a time on each connection, and an account of answers that nobody got.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Protocol

from envscaler_mcp.serving.outcome import encode

MAX_HEAD = 16 * 1024
MAX_HEADERS = 64
MAX_BACKLOG = 1024 * 1024
"""Bytes that may wait for somebody who does not read the stream they asked for."""
SWEEP_SECONDS = 1.0

logger = logging.getLogger(__name__)


class BadRequestError(Exception):
    """What was sent is not a request that can be answered; the connection ends with the status."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status


@dataclass(slots=True)
class Request:
    """One request; the body is there when it is answered and not yet when it is admitted."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    repeated: frozenset[str]
    peer: str
    """The address of whoever asks; empty for somebody on a unix socket."""
    body: bytes = b""


@dataclass(slots=True)
class Answer:
    """A whole answer."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    lost: Callable[[], None] | None = None
    """Called where it is known that nobody got the answer."""


@dataclass(slots=True)
class Stream:
    """An answer without an end: what comes is sent until either side leaves."""

    pieces: AsyncIterator[bytes]
    content_type: str = "text/event-stream"


@dataclass(slots=True)
class Elsewhere:
    """The connection belongs to another process, which goes on with it from this request."""

    place: int


class Service(Protocol):
    """What connections are served with."""

    max_body: int

    def admit(self, request: Request) -> Answer | Elsewhere | None:
        """Decide from the head alone; None lets the body come."""

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer | Stream]:
        """The answer to a whole request, at once or when it is there."""

    def hand_over(self, place: int, sock: socket.socket, received: bytes) -> None:
        """Give the connection to another process, with what was read from it so far."""


@dataclass(slots=True)
class Patience:
    """How long people may take, in seconds."""

    request: float = 10.0
    idle: float = 75.0


@dataclass(slots=True)
class Connections:
    """Those that are open now, and the clock that ends the slow ones."""

    service: Service
    patience: Patience = field(default_factory=Patience)
    limit: int = 20_000
    open: set[Connection] = field(default_factory=set)

    def made(self) -> Connection:
        """For a server's `protocol_factory`."""
        return Connection(self)

    async def sweep(self) -> None:
        """End whoever takes too long, for as long as the service runs."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            for connection in [one for one in self.open if one.deadline < now]:
                connection.too_late()

    def close(self) -> None:
        """End all of them."""
        for connection in list(self.open):
            connection.end()


class Connection(asyncio.Protocol):
    """One connection, from its first byte to its last."""

    def __init__(self, connections: Connections) -> None:
        self._all = connections
        self._service = connections.service
        self._loop = asyncio.get_running_loop()
        self._received = b""
        self._request: Request | None = None
        self._body: _Body | None = None
        self._working: asyncio.Task[None] | None = None
        self._answered: Answer | None = None
        self._stays = True
        self._gone = False
        self.deadline = self._loop.time() + connections.patience.request
        """When patience with the other side ends."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=MAX_BACKLOG)
        peer = transport.get_extra_info("peername")
        self._peer = peer[0] if isinstance(peer, tuple) else ""
        self._all.open.add(self)
        if len(self._all.open) > self._all.limit:
            self._refuse(503, "Too many connections.")

    def data_received(self, data: bytes) -> None:
        if self._working is not None:
            self._received += data
            if len(self._received) > self._service.max_body:
                self._transport.abort()
            return
        if not self._received and self._request is None:
            self.deadline = self._loop.time() + self._all.patience.request
        self._received = self._received + data if self._received else data
        self._advance()

    def eof_received(self) -> None:
        if self._broken():
            self._lose(self._answered)

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone = True
        self._all.open.discard(self)
        if exc is not None:
            self._lose(self._answered)
        if self._working is not None and self._body is None and self._request is None:
            # Only a stream goes on without its request; a call that was begun ends in peace.
            self._working.cancel()

    def pause_writing(self) -> None:
        logger.info("somebody does not read what they asked for")
        self._transport.abort()

    def too_late(self) -> None:
        """Say that patience is at an end, where somebody still waits for an answer."""
        if self._request is not None or self._received:
            self._refuse(408, "The request did not arrive in time.")
        else:
            self.end()

    def end(self) -> None:
        """Hang up."""
        self._transport.close()

    def begin_with(self, received: bytes) -> None:
        """Go on where another process left off."""
        self.data_received(received)

    # Requests, one after the other

    def _advance(self) -> None:
        """Answer what has arrived whole."""
        try:
            while self._working is None and not self._gone and self._read():
                pass
        except BadRequestError as cause:
            self._refuse(cause.status, str(cause))

    def _read(self) -> bool:
        """One step further; whether there may be another."""
        request = self._request
        if request is None:
            end = self._received.find(b"\r\n\r\n")
            if end < 0 or end > MAX_HEAD:
                if len(self._received) > MAX_HEAD:
                    raise BadRequestError(431, "The head of the request is too long.")
                return False
            request = self._request = read_head(self._received[:end], self._peer)
            # The other side has read what it was told before, or it would not ask for more.
            self._answered = None
            admitted = self._service.admit(request)
            if isinstance(admitted, Elsewhere):
                self._leave(admitted.place)
                return False
            self._stays = request.headers.get("connection", "").lower() != "close"
            if admitted is not None:
                # What follows was not read, so nothing after it would be understood.
                self._stays = self._stays and request.method in ("GET", "HEAD") and not _has_body(request)
                self._received = self._received[end + 4 :]
                self._write(admitted)
                return self._stays
            self._body = body_of(request, self._service.max_body)
            self._received = self._received[end + 4 :]
            if request.headers.get("expect", "").lower() == "100-continue":
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert self._body is not None
        self._received = self._body.take(self._received)
        if not self._body.whole:
            return False
        request.body = self._body.content()
        self._body = None
        self._answer(request)
        return True

    def _answer(self, request: Request) -> None:
        try:
            answer = self._service.answer(request)
        except Exception:
            logger.exception("%s %s", request.method, request.path.split("/")[1:2])
            answer = error(500, "The farm could not do this; its log says why.")
        if type(answer) is Answer:
            self._write(answer)
            return
        assert not isinstance(answer, Answer)
        self.deadline = float("inf")
        self._working = self._loop.create_task(self._wait(answer, request))

    async def _wait(self, coming: Coroutine[Any, Any, Answer | Stream], request: Request) -> None:
        try:
            answer = await coming
        except Exception:
            logger.exception("%s %s", request.method, request.path.split("/")[1:2])
            answer = error(500, "The farm could not do this; its log says why.")
        if isinstance(answer, Stream):
            self._request = None
            await self._send_stream(answer)
            return
        self._working = None
        self._write(answer)
        self._advance()

    def _write(self, answer: Answer) -> None:
        request, self._request = self._request, None
        self.deadline = self._loop.time() + self._all.patience.idle
        if self._gone or self._transport.is_closing():
            self._lose(answer)
            return
        self._answered = answer if answer.lost is not None else None
        head = _head(answer, self._stays)
        bare = request is not None and request.method == "HEAD"
        self._transport.write(head if bare else head + answer.body)
        if not self._stays:
            self._transport.close()
        elif self._received:
            self.deadline = self._loop.time() + self._all.patience.request

    async def _send_stream(self, stream: Stream) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {stream.content_type}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
        try:
            self._transport.write(head.encode("latin-1"))
            async with contextlib.aclosing(stream.pieces) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    self._transport.write(piece)
        finally:
            self._transport.close()

    def _refuse(self, status: int, told: str) -> None:
        self._stays = False
        self._received = b""
        self._body = None
        self._write(error(status, told))

    def _leave(self, place: int) -> None:
        sock = self._transport.get_extra_info("socket")
        copy = socket.socket(sock.family, sock.type, sock.proto, fileno=socket.dup(sock.fileno()))
        received, self._received = self._received, b""
        self._request = None
        self._transport.abort()
        self._service.hand_over(place, copy, received)

    def _broken(self) -> bool:
        """Whether what was written met a closed door; to be asked when the other side has left."""
        sock = self._transport.get_extra_info("socket")
        try:
            return bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
        except OSError:
            return True

    def _lose(self, answer: Answer | None) -> None:
        self._answered = None
        if answer is not None and answer.lost is not None:
            answer.lost()


def read_head(head: bytes, peer: str = "") -> Request:
    """The head of a request, without the empty line that ends it."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] != "HTTP/1.1" or not words[1].startswith("/") or not words[0].isalpha():
        raise BadRequestError(505 if first.endswith(("HTTP/1.0", "HTTP/2.0")) else 400, "This is no HTTP/1.1 request.")
    if len(lines) > MAX_HEADERS or "\n" in first:
        raise BadRequestError(431, "The request has too many headers.")
    headers: dict[str, str] = {}
    repeated = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or "\n" in line or "\r" in line or "\0" in line:
            raise BadRequestError(400, "A header of the request cannot be read.")
        name = name.lower()
        value = value.strip(" \t")
        if name in headers:
            if name in ("host", "content-length", "transfer-encoding", "authorization"):
                raise BadRequestError(400, f"The header {name} may stand there once.")
            repeated.append(name)
            value = f"{headers[name]}, {value}"
        headers[name] = value
    path, _, query = words[1].partition("?")
    return Request(words[0], path, query, headers, frozenset(repeated), peer)


def _has_body(request: Request) -> bool:
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


def body_of(request: Request, most: int) -> _Body:
    """What will take in the body of a request, of which only the head is known."""
    length, coding = request.headers.get("content-length"), request.headers.get("transfer-encoding")
    if coding is not None:
        if coding.lower() != "chunked" or length is not None:
            raise BadRequestError(400, "The length of the request is not clear.")
        return _Chunked(most)
    if length is None:
        return _Body(0)
    if not length.isascii() or not length.isdigit() or len(length) > 12:
        raise BadRequestError(400, "The length of the request is not a number.")
    if int(length) > most:
        raise BadRequestError(413, f"A request may have {most} bytes.")
    return _Body(int(length))


class _Body:
    """A body of known length."""

    def __init__(self, length: int) -> None:
        self._missing = length
        self._pieces: list[bytes] = []

    @property
    def whole(self) -> bool:
        return self._missing == 0

    def take(self, received: bytes) -> bytes:
        """Keep what belongs to the body; what is left belongs to the next request."""
        if self._missing:
            piece = received[: self._missing]
            self._pieces.append(piece)
            self._missing -= len(piece)
            return received[len(piece) :]
        return received

    def content(self) -> bytes:
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


class _Chunked(_Body):
    """A body whose length is told piece by piece."""

    def __init__(self, most: int) -> None:
        super().__init__(0)
        self._most = most
        self._ended = False

    @property
    def whole(self) -> bool:
        return self._ended

    def take(self, received: bytes) -> bytes:
        while not self._ended:
            if self._missing:
                before = len(received)
                received = super().take(received)
                self._most -= before - len(received)
                if self._missing:
                    return received
                self._closes = True
            line, found, rest = received.partition(b"\r\n")
            if not found:
                if len(received) > 32:
                    raise BadRequestError(400, "A piece of the request has no length.")
                return received
            received = rest
            if self._closes:
                if line:
                    raise BadRequestError(400, "A piece of the request is longer than it says.")
                self._closes = False
                self._ended = self._last
                continue
            size = line.partition(b";")[0].strip()
            if not 0 < len(size) <= 8 or not all(one in b"0123456789abcdefABCDEF" for one in size):
                raise BadRequestError(400, "A piece of the request has no length.")
            self._missing = int(size, 16)
            if self._missing > self._most:
                raise BadRequestError(413, "The request is too long.")
            # After the last piece there may only be an empty line; nobody here sends trailers.
            self._last = self._missing == 0
            self._closes = self._last
        return received

    _closes = False
    _last = False


def fine(**told: object) -> Answer:
    """An answer of a few facts."""
    return Answer(200, encode(told).encode())


def error(status: int, told: str, *headers: tuple[str, str]) -> Answer:
    """Why something was not done."""
    return Answer(status, encode({"error": told}).encode(errors="replace"), headers=headers)


_REASONS = {status.value: status.phrase for status in HTTPStatus}
_PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


def _head(answer: Answer, stays: bool) -> bytes:
    if stays and answer.status == 200 and not answer.headers and answer.content_type == "application/json":
        return _PLAIN % len(answer.body)
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}", f"content-length: {len(answer.body)}"]
    if answer.body:
        lines.append(f"content-type: {answer.content_type}")
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if not stays:
        lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
