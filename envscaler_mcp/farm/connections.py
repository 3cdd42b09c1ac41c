"""The connections of a farm: one request at a time on each, turns between them, and an account of answers nobody got.

A general server spends ten times as long on a request as a world on a call, so this one does no more than what is asked
of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from envscaler_mcp.farm.http1 import (
    Answer,
    BadRequestError,
    Body,
    ChunkedBody,
    Request,
    Stream,
    error,
    has_body,
    head_of,
    read_head,
    size_of,
)
from envscaler_mcp.farm.slow_queue import Lane, Line, Ticket

MAX_HEAD = 16 * 1024
MAX_BACKLOG = 1024 * 1024
"""Bytes that may wait for somebody who does not read the stream they asked for."""
LINGER_SECONDS = 2.0
"""How long somebody who was refused may go on talking before the line is cut."""
DEAF_SECONDS = 0.02
"""How long nobody listens to somebody who goes on talking after the last answer."""
LARGE = 16 * 1024
"""Bytes of a body that waits for its turn in the lane when it is longer."""
_NO_MISTAKE = (405,)
"""Clients of the protocol ask for what a server may lack, and take this for an answer."""
MAX_UNFINISHED = 32 * 1024 * 1024
"""Bytes of bodies that have begun to come to one process; past that, the one that began first is given up."""
_PIECE_BYTES = 64
"""What each piece of a body costs besides its bytes."""
SWEEP_SECONDS = 1.0
_BACKLOG = 256
"""Connections that may wait to be accepted."""
_AT_ONCE = 1
"""Connections that are accepted in one go while everybody else waits, which asyncio takes for the backlog too."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class HandOver:
    """The connection belongs to another process, which goes on with it from this request."""

    place: int


class Service(Protocol):
    """What connections are served with."""

    max_body: int

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide from the head alone; None lets the body come."""

    def party(self, request: Request) -> str | None:
        """On whose behalf a request comes, as far as it proves that: an open world's address, or a valid token."""

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer | Stream]:
        """The answer to a whole request, at once or when it is there."""

    def hand_over(self, place: int, sock: socket.socket, received: bytes) -> None:
        """Give the connection to another process, with what was read from it so far."""


@dataclass(slots=True)
class Timeouts:
    """How long people may take, in seconds."""

    request: float = 10.0
    idle: float = 75.0


@dataclass(slots=True)
class Connections:
    """Those that are open now, and the clock that ends the slow ones."""

    service: Service
    patience: Timeouts = field(default_factory=Timeouts)
    limit: int = 20_000
    open: set[Connection] = field(default_factory=set)
    lane: Lane = field(default_factory=Lane)
    unfinished: int = 0
    """Bytes of bodies that have begun to come."""
    _bodies: dict[Connection, int] = field(default_factory=dict)

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

    @contextlib.asynccontextmanager
    async def accepting(self, *socks: socket.socket) -> AsyncIterator[None]:
        """Take whoever comes to these sockets, for the block; what is open then ends with it."""
        loop = asyncio.get_running_loop()
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(loop.create_task(self.sweep()).cancel)
            stack.callback(self.close)
            for sock in socks:
                make = loop.create_unix_server if sock.family == socket.AF_UNIX else loop.create_server
                stack.callback((await make(self.made, sock=sock, backlog=_AT_ONCE)).close)
                sock.listen(_BACKLOG)
            yield

    def took(self, connection: Connection, size: int) -> None:
        """Count what came of a body; where that is too much of all together, those that began first are given up."""
        size += _PIECE_BYTES
        self._bodies[connection] = self._bodies.get(connection, 0) + size
        self.unfinished += size
        while self.unfinished > MAX_UNFINISHED:
            first = next(iter(self._bodies))
            first.too_late()
            self.has_finished(first)

    def has_finished(self, connection: Connection) -> None:
        """The body is whole, or will not be."""
        self.unfinished -= self._bodies.pop(connection, 0)

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
        self._body: Body | ChunkedBody | None = None
        self._working: asyncio.Task[None] | None = None
        self._answered: Answer | None = None
        self._stays = True
        self._held = False
        """Whether the next request waits: for an answer to be taken, or for its turn in the lane."""
        self._newcomer = True
        """Whether nothing was asked yet."""
        self._offender = False
        """Whether the last request was a mistake."""
        self._in_lane = False
        """Whether the next request has to wait for its turn in the lane."""
        self._party = ""
        """On whose behalf it asks, in the lane."""
        self._ticket: Ticket | None = None
        self._over = False
        """Whether nothing more is answered; what still comes is thrown away."""
        self._streams = False
        self.deadline = self._loop.time() + connections.patience.request
        """When patience with the other side ends."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        # As soon as anything cannot be written at once, nothing more is answered until it is.
        transport.set_write_buffer_limits(high=0)
        peer = transport.get_extra_info("peername")
        self._peer = self._party = peer[0] if isinstance(peer, tuple) else ""
        self._all.open.add(self)
        if len(self._all.open) > self._all.limit:
            self._stays = False
            self._write(error(503, "Too many connections."))

    def data_received(self, data: bytes) -> None:
        if self._over:
            self._transport.pause_reading()
            self._loop.call_later(DEAF_SECONDS, self._transport.resume_reading)
            return
        if self._working is not None or self._held:
            self._received += data
            self._transport.pause_reading()
            return
        if not self._received and self._request is None:
            self.deadline = self._loop.time() + self._all.patience.request
        self._received = self._received + data if self._received else data
        if self._in_lane:
            self._in_lane = False
            self._wait_for_turn("offenders")
        else:
            self._advance()

    def eof_received(self) -> None:
        # Whoever leaves while a call is under way may not be there for its answer, so it counts as lost.
        if self._broken():
            self._lose(self._answered)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.open.discard(self)
        self._all.has_finished(self)
        if self._ticket is not None:
            self._all.lane.leave(self._ticket)
        if exc is not None:
            self._lose(self._answered)
        if self._working is not None and self._streams:
            # Only a stream ends with those who read it; a call that was begun ends in peace.
            self._working.cancel()
        self._over = True

    def pause_writing(self) -> None:
        self._held = True

    def resume_writing(self) -> None:
        self._go_on()

    def too_late(self) -> None:
        """Say that patience is at an end, where somebody still waits for an answer."""
        if self._over or self._transport.get_write_buffer_size():
            # Closing would wait until the other side has read everything.
            self._transport.abort()
        elif self._request is not None or self._received:
            self._refuse(408, "The request did not arrive in time.")
        else:
            self.end()

    def end(self) -> None:
        """Hang up."""
        self._over = True
        self._transport.close()

    def begin_with(self, received: bytes) -> None:
        """Go on where another process left off."""
        self.data_received(received)

    # Requests, one after the other

    def _advance(self) -> None:
        """Answer one request, if it has arrived; what came with it waits for its turn."""
        try:
            begun = self._read()
        except BadRequestError as cause:
            self._refuse(cause.status, str(cause))
            return
        except Exception as cause:
            self._refuse(500, self._failed(cause))
            return
        if begun and self._received and self._is_free():
            self._in_lane = False
            self._wait_for_turn("offenders" if self._offender else "newcomers")

    def _wait_for_turn(self, line: Line) -> None:
        """Go on when the lane says so, with others between."""
        if self._all.lane.is_full(line, self._party):
            self._stays = False
            self._write(_crowded(), unread=True, mistake=False)
            return
        # It goes on being read, so that it is known when the other side leaves.
        self._held = True
        self.deadline = float("inf")
        self._ticket = self._all.lane.enter(self._have_turn, line, self._party)

    def _have_turn(self) -> None:
        self._ticket = None
        self.deadline = self._loop.time() + self._all.patience.request
        self._go_on()

    def _go_on(self) -> None:
        """What was held back has its turn."""
        if self._transport.get_write_buffer_size():
            # An answer is not taken yet; when it is, this is done again.
            return
        self._held = False
        if self._received and self._is_free():
            self._advance()
        if self._is_free():
            self._transport.resume_reading()

    def _is_free(self) -> bool:
        return self._working is None and not self._held and not self._over

    def _read(self) -> bool:
        """Whether a request was answered, or an answer begun."""
        request = self._request
        if request is None:
            if self._received.startswith(b"\r\n"):
                # Some send an empty line after a body, which belongs to nothing.
                self._received = self._received[2:]
            received = self._received
            end = received.find(b"\r\n\r\n", 0, MAX_HEAD)
            if end < 0:
                if len(received) >= MAX_HEAD:
                    raise BadRequestError(431, "The head of the request is too long.")
                return False
            request = read_head(received[:end], self._peer)
            if self._newcomer and self._must_wait(request):
                self._wait_for_turn("newcomers")
                return False
            self._request = request
            # The other side has read what it was told before, or it would not ask for more.
            self._answered = None
            admitted = self._service.admit(request)
            if isinstance(admitted, HandOver):
                self._leave(admitted.place)
                return False
            end += 4
            self._received = received[end:]
            self._stays = request.stays
            if admitted is not None:
                # A body was not read, so nothing after it would be understood.
                unread = request.method not in ("GET", "HEAD") or has_body(request)
                if unread and admitted.skips_body and (skipped := self._whole_body(request)) is not None:
                    self._received = self._received[skipped:]
                    unread = False
                self._stays = self._stays and not unread
                self._write(admitted, unread=unread)
                return True
            size = size_of(request, self._service.max_body)
            if size is not None and size <= len(self._received):
                # As nearly always: the whole request in one packet.
                self._received = received[end + size :]
                self._begin(request, received[end : end + size])
                return True
            self._body = ChunkedBody(self._service.max_body) if size is None else Body(size)
            if not self._received and request.headers.get("expect", "").lower() == "100-continue":
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self._body
        assert body is not None
        coming = len(self._received)
        self._received = body.take(self._received)
        if not body.whole:
            self._all.took(self, coming - len(self._received))
            return False
        self._all.has_finished(self)
        self._body = None
        self._begin(request, body.content())
        return True

    def _must_wait(self, request: Request) -> bool:
        """Whether the first request of a connection comes from where one asked wrongly a moment ago."""
        self._newcomer = False
        lane = self._all.lane
        if not lane.distrusts_any():
            return False
        self._party = self._service.party(request) or self._peer
        return lane.distrusts(self._party)

    def _whole_body(self, request: Request) -> int | None:
        """How long the body is of a request that is refused by its head, if it is here already."""
        size = size_of(request, self._service.max_body)
        return size if size is not None and size <= len(self._received) else None

    def _begin(self, request: Request, body: bytes) -> None:
        request.body = body
        if len(body) <= LARGE:
            self._answer(request)
            return
        line: Line = "offenders" if self._offender else "large"
        self._party = self._service.party(request) or self._peer
        if self._all.lane.is_full(line, self._party):
            self._write(_crowded(), mistake=False)
        else:
            self._held = True
            self.deadline = float("inf")
            self._ticket = self._all.lane.enter(self._answer_large, line, self._party)

    def _answer_large(self) -> None:
        self._ticket = None
        self._held = False
        if not self._over and self._request is not None:
            self._answer(self._request)
        if not self._held:
            self._go_on()

    def _answer(self, request: Request) -> None:
        try:
            answer = self._service.answer(request)
        except Exception as cause:
            answer = error(500, self._failed(cause))
        if type(answer) is Answer:
            self._write(answer)
            return
        assert not isinstance(answer, Answer)
        self.deadline = float("inf")
        self._working = self._loop.create_task(self._wait(answer))

    async def _wait(self, coming: Coroutine[Any, Any, Answer | Stream]) -> None:
        try:
            answer = await coming
        except Exception as cause:
            answer = error(500, self._failed(cause))
        if isinstance(answer, Stream):
            await self._send_stream(answer)
            return
        self._working = None
        self._write(answer)
        if not self._held:
            self._go_on()

    def _write(self, answer: Answer, *, unread: bool = False, mistake: bool = True) -> None:
        request, self._request = self._request, None
        self.deadline = self._loop.time() + self._all.patience.idle
        if self._transport.is_closing():
            self._lose(answer)
            return
        self._answered = answer if answer.lost is not None else None
        self._offender = mistake and answer.status >= 400 and answer.status not in _NO_MISTAKE
        if self._offender:
            # Whoever keeps asking wrongly is in no hurry, and would be felt by the others.
            self._in_lane = True
            self._party = (self._service.party(request) if request is not None else None) or self._peer
            self._all.lane.distrust(self._party)
        head = head_of(answer, self._stays)
        bare = request is not None and request.method == "HEAD"
        self._transport.write(head if bare else head + answer.body)
        if not self._stays:
            self._hang_up(unread=unread)
        elif self._received:
            self.deadline = self._loop.time() + self._all.patience.request

    def _hang_up(self, *, unread: bool) -> None:
        """End after the last answer; where the other side may still be talking, listen until it has read that."""
        self._over = True
        self._received = b""
        self._body = None
        self._all.has_finished(self)
        if not unread:
            self._transport.close()
            return
        # Closing a socket with something unread takes back what was sent.
        self.deadline = self._loop.time() + LINGER_SECONDS
        self._transport.resume_reading()
        if self._transport.can_write_eof():
            # They may have left while they waited for their turn.
            with contextlib.suppress(OSError):
                self._transport.write_eof()

    async def _send_stream(self, stream: Stream) -> None:
        self._over = self._streams = True
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {stream.content_type}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
        try:
            self._transport.write(head.encode("latin-1"))
            async with contextlib.aclosing(stream.pieces) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    self._transport.write(piece)
                    if self._transport.get_write_buffer_size() > MAX_BACKLOG:
                        logger.info("somebody does not read the stream they asked for")
                        self._transport.abort()
                    if self._transport.is_closing():
                        break
        except Exception as cause:
            self._failed(cause)
        finally:
            self.deadline = self._loop.time() + LINGER_SECONDS
            self._transport.close()

    def _refuse(self, status: int, told: str) -> None:
        self._stays = False
        self._write(error(status, told), unread=True)

    def _failed(self, cause: Exception) -> str:
        """What is said of an error of ours, which the log tells without the name of a world."""
        asked = self._request
        what = "a request" if asked is None else f"{asked.method} {asked.path.split('/')[1:2]}"
        logger.error("%s could not be answered", what, exc_info=cause)
        return "The farm could not do this; its log says why."

    def _leave(self, place: int) -> None:
        sock = self._transport.get_extra_info("socket")
        copy = socket.socket(sock.family, sock.type, sock.proto, fileno=socket.dup(sock.fileno()))
        received, self._received = self._received, b""
        self._request = None
        self._over = True
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


def _crowded() -> Answer:
    return error(503, "Too many requests wait for their turn; ask again in a moment.", ("retry-after", "1"))
