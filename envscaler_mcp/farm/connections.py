"""The connections of a farm: requests in, answers out, within bounds of size and time.

A request is read whole here. A call of a tool is answered here; every other request goes, with its connection, through
uvicorn to the Starlette application, and the connection comes back for the next request.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol

from starlette.applications import Starlette

from envscaler_mcp.farm.application_protocol import ApplicationProtocol, ApplicationServer
from envscaler_mcp.farm.fair_line import Costs, Party, Ticket, clock
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.http_messages import (
    FAILED,
    Answer,
    BadRequestError,
    Request,
    RequestParser,
    body_size,
    error,
    head_of,
)
from envscaler_mcp.farm.loop_turns import LATER, MOST, WORTH_CHARGING, LoopTurns
from envscaler_mcp.farm.newcomers import Newcomer, Newcomers
from envscaler_mcp.farm.open_connections import OpenConnections
from envscaler_mcp.farm.slow_queue import SlowQueue
from envscaler_mcp.serving.sockets import network_of

MAX_HEAD = 16 * 1024
LINGER_SECONDS = 2.0
"""How long a refused client may go on sending before its connection is cut."""
DEAF_SECONDS = 0.02
"""Between two reads of what a client sends after its last answer."""
LARGE = 16 * 1024
"""Bytes of a body; the request of a longer one waits in the slow queue."""
_NO_MISTAKE = (405, 503)
"""Clients of the protocol ask for what a server may lack, and a full farm is not their fault."""
_PACKET_BYTES = 64
"""What each packet of a body costs besides its bytes."""
SWEEP_SECONDS = 1.0
WAIT_SECONDS = 30.0
"""How long a request may wait for its turn."""
_LATE_AT_ONCE = 32
"""Connections that are timed out in one turn of the loop."""
_NEVER = float("inf")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandOver:
    """The connection belongs to another process, which continues with this request."""

    process: int


class Sender(NamedTuple):
    """Who the first bytes of a connection are from, as far as they prove that."""

    party: Party
    standing: Literal["known", "elsewhere", "stranger"]
    """Known by a valid token or an open world; another process may know the world of one from elsewhere."""
    request: Request | None = None
    """What is asked, where that could be read."""


class Service(Protocol):
    """What requests are answered by."""

    max_body: int
    application: Starlette
    """Answers every admitted request that is not a call."""

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide by the head alone; None lets the body come."""

    def party(self, request: Request) -> Party:
        """Who a request is done for, as far as it proves that."""

    def elsewhere(self, request: Request) -> str | None:
        """The name of the world of this request, where another process knows if it is open."""

    def seconds_left(self, request: Request) -> float:
        """How long the token of this request is good for; without end where it carries none."""

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer] | None:
        """The answer to a call, at once or later; None for any other request."""

    def hand_over(self, process: int, sock: socket.socket, received: bytes, holder: str) -> bool:
        """Give a holder's connection to another process, with the bytes read from it; False where too many wait for that."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds."""

    request: float = 10.0
    """From the first byte of a request to its last."""
    idle: float = 75.0


@dataclass(slots=True)
class Connections:
    """The open connections, and the clock that ends the slow ones."""

    service: Service
    timeouts: Timeouts = field(default_factory=Timeouts)
    limit: int = 20_000
    open: OpenConnections[Connection | Newcomer] = field(init=False)
    newcomers: Newcomers = field(init=False)
    costs: Costs = field(default_factory=Costs)
    slow_queue: SlowQueue = field(init=False)
    turns: LoopTurns = field(init=False)
    statuses: Counter[int] = field(default_factory=Counter)
    """Answers by their status."""
    held: HeldBytes = field(default_factory=HeldBytes)
    server: ApplicationServer = field(init=False)
    closed: bool = False
    _beginning: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.server = ApplicationServer(self.service.application)
        self.open = OpenConnections(self.limit)
        self.slow_queue = SlowQueue(self.costs)
        self.turns = LoopTurns(self.costs)
        self.newcomers = Newcomers(self)

    def connection(self, received: bytes = b"", known: Party | None = None) -> Connection:
        """A protocol for a transport, with the bytes that were read from it before and who they have proved to be from."""
        return Connection(self, received, known)

    def take(self, sock: socket.socket, received: bytes = b"", known: Party | None = None) -> None:
        """Serve an accepted connection from which these bytes were read."""
        task = asyncio.get_running_loop().create_task(self._begin(sock, received, known))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _begin(self, sock: socket.socket, received: bytes, known: Party | None) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(partial(self.connection, received, known), sock)
        except OSError:
            sock.close()

    def sender_of(self, received: bytes, address: str) -> Sender:
        """Who these first bytes of a connection are from."""
        stranger = Sender(Party(network_of(address)), "stranger")
        end = received.find(b"\r\n\r\n") + 4
        if end < 4:
            return stranger
        try:
            request = RequestParser().read_head(received[:end], address)
        except BadRequestError:
            return stranger
        party = self.service.party(request)
        if party != stranger.party:
            return Sender(party, "known", request)
        elsewhere = self.service.elsewhere(request)
        if elsewhere is not None:
            # Requests for one world, real or invented, do not keep those for another waiting.
            return Sender(Party(party.holder, elsewhere), "elsewhere", request)
        return stranger

    def pass_on(self, sock: socket.socket, received: bytes, request: Request) -> bool:
        """Give a connection to the process that may know its world, without a transport in between; False where it is full."""
        admitted = self.service.admit(request)
        if isinstance(admitted, HandOver):
            return self.service.hand_over(admitted.process, sock, received, self.service.party(request).holder)
        self.take(sock, received)
        return True

    async def sweep(self) -> None:
        """End connections that take too long, for as long as the service runs."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            self.costs.sweep()
            late = [each for each in self.open if each.deadline < now]
            for first in range(0, len(late), _LATE_AT_ONCE):
                for connection in late[first : first + _LATE_AT_ONCE]:
                    if connection.deadline < now:
                        connection.time_out()
                await asyncio.sleep(0)

    @contextlib.asynccontextmanager
    async def accepting(self, *socks: socket.socket) -> AsyncIterator[None]:
        """Accept connections at these sockets, for the block; the open ones end with it."""
        with contextlib.ExitStack() as stack:
            stack.callback(asyncio.get_running_loop().create_task(self.sweep()).cancel)
            stack.callback(self.close)
            for sock in socks:
                stack.enter_context(self.newcomers.accepting(sock))
            yield

    def close(self) -> None:
        """End all of them."""
        self.closed = True
        self.server.close()
        for connection in self.open:
            connection.end()


class Connection(asyncio.Protocol):
    """One connection, from its first byte to its last; one request at a time."""

    def __init__(self, connections: Connections, received: bytes = b"", known: Party | None = None) -> None:
        self._all = connections
        self._known = known
        """Who it has proved to be from before it was served."""
        self._service = connections.service
        self._turns = connections.turns
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._address = ""
        self._network = ""
        """The addresses that count as one with it."""
        self._shown: tuple[object, object] | None = None
        """The world and the token of the last request, where they earned the connection a place."""
        self._party = Party("")
        """Who the current request is done for, where it had to be known."""
        self._received = received
        """Bytes that belong to no complete request yet."""
        self._head = b""
        """Of the current request, as it was sent."""
        self._request: Request | None = None
        """The request whose head was admitted and which has no answer yet."""
        self._parser: RequestParser | None = None
        """Of the request whose body comes in chunks."""
        self._missing = 0
        """Bytes to come of a body of known length."""
        self._pieces: list[bytes] = []
        """What has come of it."""
        self._pieces_size = 0
        self._weighs = False
        """Whether bytes are accounted to it."""
        self._keep_alive = True
        self._ticket: Ticket | None = None
        self._message: asyncio.Future[bool] | None = None
        """The turn of a message of its WebSocket."""
        self._ends = _NEVER
        """When the token that let the last request in is over."""
        self._working: asyncio.Task[None] | ApplicationProtocol | None = None
        self._held = False
        """Whether nothing is read: an answer is not sent, or a turn in the slow queue is awaited."""
        self._over = False
        self.deadline = self._loop.time() + connections.timeouts.request
        """When the connection times out."""

    # What the transport reports

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        if self._all.closed:
            self.end()
            return
        # With a limit of 0 the protocol is paused as soon as an answer cannot be sent at once.
        transport.set_write_buffer_limits(high=0)
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if isinstance(peer, tuple) else ""
        self._network = network_of(self._address)
        self._party = Party(self._network)
        self._all.open.enter(self, self._network, self._known)
        if self._received:
            # Bytes that arrive before this turn belong behind those that another process has read.
            self._held = True
            self._loop.call_soon(self._resume)

    def data_received(self, data: bytes) -> None:
        if self._over:
            self._transport.pause_reading()
            self._loop.call_later(DEAF_SECONDS, self._transport.resume_reading)
            return
        if self._working is not None or self._held:
            self._received += data
            # Reading goes on for a while, so that it is noticed when the client leaves.
            if len(self._received) > MAX_HEAD:
                self._transport.pause_reading()
            self._weigh()
            return
        if not self._received and self._request is None:
            self.deadline = self._loop.time() + self._all.timeouts.request
        self._received = self._received + data if self._received else data
        self._advance()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the name is asyncio's
        self._all.open.leave(self)
        self._all.held.forget(self)
        if self._ticket is not None:
            self._ticket.leave()
            self._ticket = None
        if self._message is not None and not self._message.done():
            self._message.set_result(False)
        # A call that has begun ends in its own time; its answer goes nowhere.
        self._over = True

    def pause_writing(self) -> None:
        self._held = True
        self._weigh()

    def resume_writing(self) -> None:
        self._weigh()
        self._resume()

    def _weigh(self) -> None:
        """Account for what is held for the client, whenever that stays for more than this turn of the loop."""
        size = len(self._received) + self._pieces_size + self._transport.get_write_buffer_size()
        if self._request is not None:
            size += len(self._head) + len(self._request.body)
        self._weighs = bool(size)
        self._all.held.hold(self, self._party.holder, size)

    def give_up(self) -> None:
        """Hold nothing for it any more: too much is held for its holder."""
        self.time_out()
        if self._transport.get_write_buffer_size():
            self._transport.abort()

    def time_out(self) -> None:
        """End it, with an answer where a request was begun."""
        if self._ticket is not None and not self._over:
            self._ticket.leave()
            self._ticket = None
            self._send_away()
        elif self._over or self._working is not None or self._transport.get_write_buffer_size():
            # Closing would wait until the client has read everything.
            self._transport.abort()
        elif self._request is not None or self._received:
            self._keep_alive = False
            self._write(error(408, "The request did not arrive in time."), unread=True)
        else:
            self.end()

    def cut_off(self) -> None:
        """End it at once, whatever is on the way; a call that has begun ends in its own time."""
        self._over = True
        self._transport.abort()

    def end(self) -> None:
        """Hang up."""
        self._over = True
        self._transport.close()

    # Requests, one after the other

    def _advance(self) -> None:
        """Answer one request, if it has arrived; the next one, if it came along, waits for its turn."""
        try:
            begun = self._read()
        except BadRequestError as cause:
            self._refuse(cause.status, str(cause))
            return
        except Exception as cause:
            self._refuse(500, self._failed(cause))
            return
        if begun and self._received and self._is_free():
            self._wait_for_turn(self._resume)
        elif self._received:
            self._weigh()

    def _wait_for_turn(self, act: Callable[[], None]) -> None:
        if self._all.slow_queue.is_full(self._party):
            self._send_away()
        else:
            self._wait_in(self._all.slow_queue, act)

    def _wait_in(self, queue: SlowQueue | LoopTurns | Newcomers, act: Callable[[], None]) -> None:
        # It is still read from, so that it is noticed when the client leaves.
        self._held = True
        self.deadline = self._loop.time() + WAIT_SECONDS
        ticket = queue.enter(partial(self._take_turn, act), self._party)
        if not ticket.taken:
            self._ticket = ticket
            self._weigh()

    def _send_away(self) -> None:
        """Too many requests wait, or this one has waited for too long."""
        self._keep_alive = False
        crowded = error(503, "Too many requests wait for their turn; ask again in a moment.", ("retry-after", "1"))
        self._write(crowded, unread=True)

    def _take_turn(self, act: Callable[[], None]) -> None:
        self._ticket = None
        self._held = bool(self._transport.get_write_buffer_size())
        self.deadline = self._loop.time() + self._all.timeouts.request
        act()
        if act != self._resume and self._is_free():
            # What came along is another request, with a turn of its own.
            if self._received:
                self._wait_for_turn(self._resume)
            else:
                self._transport.resume_reading()

    def _resume(self) -> None:
        """Continue after an answer was sent or a turn has come."""
        if self._transport.get_write_buffer_size():
            # An answer is not sent yet; `resume_writing` follows.
            return
        self._held = False
        if self._received and self._is_free():
            self._advance()
        if self._is_free():
            self._transport.resume_reading()

    @property
    def waits_for_client(self) -> bool:
        """Whether it is the client's turn: to send a request, or the rest of it, or to read an answer."""
        if self._over or self._transport.get_write_buffer_size():
            return True
        return self._working is None and self._ticket is None

    def _show(self, request: Request) -> None:
        """Earn a place among those who have shown a valid token or an open world."""
        shown = request.world, request.headers.get("authorization")
        if shown == self._shown:
            return
        party = self._service.party(request)
        if party != Party(self._network):
            self._all.open.show(self, party)
            self._shown = shown if self._all.open.is_known(self) else None

    def _is_free(self) -> bool:
        return self._working is None and not self._held and not self._over

    def _read(self) -> bool:
        """Whether a request was answered, or its answer begun."""
        if self._request is None:
            received = self._received
            end = received.find(b"\r\n\r\n", 0, MAX_HEAD) + 4
            if end < 4:
                if len(received) >= MAX_HEAD:
                    raise BadRequestError(431, "The head of the request is too long.")
                return False
            parser = RequestParser()
            head = received[:end]
            request = parser.read_head(head, self._address)
            self._request = request
            admitted = self._service.admit(request)
            if isinstance(admitted, HandOver):
                self._party = self._service.party(request)
                self._wait_in(self._all.newcomers, partial(self._leave, admitted.process))
                return False
            self._head, self._received = head, received[end:]
            size = body_size(request, self._service.max_body)
            self._keep_alive = request.keep_alive and size is not None
            if admitted is not None:
                # Without its body nothing after the request would be understood.
                unread = size is None or size > len(self._received)
                self._received = self._received[size:]
                self._keep_alive = self._keep_alive and not unread
                self._give(admitted, unread=unread)
                return True
            self._show(request)
            self._parser, self._missing = (parser, 0) if size is None else (None, size)
            if size != 0 and not self._received and request.headers.get("expect", "").lower() == "100-continue":
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self._read_body()
        if body is None:
            return False
        self._request.body = body
        if self._weighs:
            self._weigh()
            if self._over:
                # It was too much, and given up.
                return True
        if len(body) > LARGE:
            self._party = self._service.party(self._request)
            self._wait_for_turn(self._answer)
        elif self._turns.crowded:
            self._party = self._service.party(self._request)
            self._wait_in(self._turns, self._answer)
        else:
            self._answer_at_once()
        return True

    def _read_body(self) -> bytes | None:
        """The body, if it is here."""
        if self._parser is not None:
            piece, self._received = self._received, b""
            body = self._parser.take_chunks(piece, self._service.max_body) if piece else None
            self._pieces_size += len(piece) + _PACKET_BYTES
        else:
            piece = self._received[: self._missing]
            self._received = self._received[len(piece) :]
            self._missing -= len(piece)
            if not self._missing and not self._pieces:
                # As nearly always: the whole request in one packet.
                return piece
            self._pieces.append(piece)
            self._pieces_size += len(piece) + _PACKET_BYTES
            body = None if self._missing else b"".join(self._pieces)
        if body is None:
            self._weigh()
        else:
            self._forget_body()
        return body

    def _forget_body(self) -> None:
        self._pieces.clear()
        self._pieces_size = 0

    # Answers

    def _give(self, answer: Answer, *, unread: bool = False) -> None:
        """Send an answer; a refusal waits in the slow queue, or clients that send wrong requests would be felt."""
        request, queue = self._request, self._all.slow_queue
        if answer.status < 400 or answer.status in _NO_MISTAKE:
            self._write(answer)
            return
        self._party = Party(self._network) if request is None else self._service.party(request)
        if queue.is_full(self._party):
            self._write(answer, unread=unread)
        else:
            self._wait_for_turn(partial(self._write, answer, unread=unread))

    def _answer_at_once(self) -> None:
        request = self._request
        assert request is not None
        turns, began = self._turns, clock()
        self._answer()
        seconds = clock() - began
        turns.done += seconds
        if turns.done > MOST:
            turns.crowd(seconds)
        if seconds > WORTH_CHARGING:
            self._all.costs.charge(self._service.party(request), seconds)

    def _answer(self) -> None:
        request = self._request
        assert request is not None
        try:
            answer = self._service.answer(request)
        except Exception as cause:
            answer = error(500, self._failed(cause))
        if type(answer) is Answer:
            self._give(answer)
            return
        assert not isinstance(answer, Answer)
        if answer is None:
            body = (
                request.body if self._parser is None else b"%x\r\n%b\r\n0\r\n\r\n" % (len(request.body), request.body)
            )
            self.deadline = self._ends = self._loop.time() + self._service.seconds_left(request)
            begin = partial(self._all.server.answer, self, self._transport, self._head + body)
            self._working = self._turns.follow(begin, partial(self._service.party, request))
        else:
            self.deadline = _NEVER
            self._turns.done += LATER
            self._working = self._loop.create_task(self._wait(answer))
        if not self._over:
            self._weigh()

    async def _wait(self, coming: Coroutine[Any, Any, Answer]) -> None:
        try:
            answer = await coming
        except Exception as cause:
            answer = error(500, self._failed(cause))
        self._working = None
        self._give(answer)
        if not self._held:
            self._resume()

    def come_back(self, status: int) -> None:
        """The application has answered with this status."""
        self._working = None
        self._transport.set_protocol(self)
        self._held = bool(self._transport.get_write_buffer_size())
        self._finish(status, unread=False)
        if not self._held:
            self._resume()

    def expect_reader(self) -> None:
        """The client must take what the application has sent in the time that a connection may be idle."""
        self.deadline = self._loop.time() + self._all.timeouts.idle
        self._weigh()

    def expect_none(self) -> None:
        """The client has taken all of it."""
        self.deadline = self._ends
        self._weigh()

    # As a WebSocket, which the application has and which keeps its place here

    def become_web_socket(self) -> None:
        """There are no more requests; it ends with the token that let it in."""
        if self._request is not None:
            self._party = self._service.party(self._request)
        self._all.held.forget(self)
        self._over = True

    def hold(self, size: int) -> None:
        """So many bytes are held for the WebSocket."""
        self._all.held.hold(self, self._party.holder, size)

    async def message_turn(self, size: int) -> bool:
        """Wait for the turn of a message of this size, as a request does; False where too many wait, or the client left."""
        queue, turns = self._all.slow_queue, self._turns
        turn: asyncio.Future[bool] = self._loop.create_future()
        self._message = turn
        begin = partial(self._begin_message, turn)
        if size <= LARGE:
            turns.crowd(0.0)
            self._ticket = turns.enter(begin, self._party)
        elif queue.is_full(self._party):
            return False
        else:
            ticket = queue.enter(begin, self._party)
            self._ticket = None if ticket.taken else ticket
        return await turn

    def _begin_message(self, turn: asyncio.Future[bool]) -> None:
        self._ticket = None
        self._all.open.touch(self)
        self._turns.begin_alone(turn, self._party)

    def _write(self, answer: Answer, *, unread: bool = False) -> None:
        if self._transport.is_closing():
            return
        request = self._request
        head = head_of(answer, keep_alive=self._keep_alive)
        bare = request is not None and request.method == "HEAD"
        self._transport.write(head if bare else head + answer.body)
        self._finish(answer.status, unread=unread)

    def _finish(self, status: int, *, unread: bool) -> None:
        """The request is answered; the next may come, or the connection ends."""
        request, self._request = self._request, None
        self._head = b""
        if self._weighs:
            self._weigh()
        if request is not None:
            self._all.open.touch(self)
            if request.world is not None and status < 400:
                # This call may have opened the world.
                self._show(request)
            if self._received:
                self._party = self._service.party(request)
        self._all.statuses[status] += 1
        timeouts = self._all.timeouts
        self.deadline = self._loop.time() + (timeouts.request if self._received else timeouts.idle)
        if not self._keep_alive:
            self._hang_up(unread=unread)

    def _hang_up(self, *, unread: bool) -> None:
        """End after the last answer; a client that may still be sending is read from until it has read the answer."""
        self._over = True
        self._received = b""
        self._forget_body()
        self._parser = None
        self._weigh()
        if not unread:
            self._transport.close()
            return
        # Closing a socket with something unread takes back what was sent.
        self.deadline = self._loop.time() + LINGER_SECONDS
        self._transport.resume_reading()
        if self._transport.can_write_eof():
            # The client may have left while it waited for its turn.
            with contextlib.suppress(OSError):
                self._transport.write_eof()

    def _refuse(self, status: int, message: str) -> None:
        self._keep_alive = False
        self._give(error(status, message), unread=True)

    def _failed(self, cause: Exception) -> str:
        """What is said of an error of ours; the log has it without the name of a world."""
        request = self._request
        what = "a request" if request is None else f"{request.method} {request.path.split('/')[1:2]}"
        logger.error("%s could not be answered", what, exc_info=cause)
        return FAILED

    def _leave(self, process: int) -> None:
        sock = self._transport.get_extra_info("socket")
        copy = socket.socket(sock.family, sock.type, sock.proto, fileno=socket.dup(sock.fileno()))
        if not self._service.hand_over(process, copy, self._received, self._party.holder):
            copy.close()
            self._send_away()
            return
        self._received = b""
        self._request = None
        self._over = True
        self._transport.abort()
