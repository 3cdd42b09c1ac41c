"""Connections from the moment they are accepted: served at once or, in a crowd, only when the head of a request is there.

A crowd is read here without transports, which costs a part of what serving does. Requests that show a valid token or an
open world are served first then, those for worlds that another process may know by turns of their networks, and all others
after them by turns too.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from envscaler_mcp.farm.fair_line import FairLine, Party, Ticket
from envscaler_mcp.farm.http_messages import Answer, Request, error, head_of
from envscaler_mcp.serving.sockets import network_of

if TYPE_CHECKING:
    from envscaler_mcp.farm.connections import Connections

BACKLOG = 1_024
"""Connections that may wait to be accepted."""
_ACCEPTED_AT_ONCE = 128
_TURNS_TO_SPEAK = 8
"""Turns of the loop in which a new connection cannot lose its place to newer ones; its request comes in these."""
_SERVED_AT_ONCE = 4
"""Connections for which serving begins in one turn of the loop; with more of them there is a crowd."""
_SERVED_IN_RUSH = 1
"""The same while connections come faster than they are accepted: those that the kernel drops come again after a second."""
MAX_WAITING = 512
"""Requests of one network that may wait for serving to begin."""
MAX_WAITING_FOR_WORLD = 64
"""Of those, for one world that another process may know."""
_MAX_READ = 64 * 1024
_MAX_HEAD = 16 * 1024
_RETRY_SECONDS = 1.0
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_LATE = error(408, "The request did not arrive in time.")
_CROWDED = error(503, "Too many new connections; ask again in a moment.", ("retry-after", "1"))

logger = logging.getLogger(__name__)


class Newcomer:
    """A connection in a crowd, until the head of its first request is there and serving begins."""

    def __init__(self, newcomers: Newcomers, sock: socket.socket, address: str, deadline: float) -> None:
        self._newcomers = newcomers
        self.sock = sock
        self.address = address
        self.network = network_of(address)
        self.received = b""
        self.deadline = deadline
        """When the connection times out."""
        self.waits_for_client = True
        self.is_read = False
        """Whether the loop watches its socket."""
        self.ticket: Ticket | None = None
        """Where its request waits for its turn."""

    def cut_off(self) -> None:
        """End it at once."""
        self._newcomers.let_go(self)
        self.sock.close()

    end = cut_off

    def give_up(self) -> None:
        """Too much is held for its network."""
        self.refuse(_CROWDED)

    def time_out(self) -> None:
        """End it, with an answer where a request was begun."""
        if self.received:
            self.refuse(_LATE)
        else:
            self.cut_off()

    def refuse(self, answer: Answer) -> None:
        """End it with this answer, as far as it can be sent at once."""
        with contextlib.suppress(OSError):
            self.sock.send(head_of(answer, keep_alive=False) + answer.body)
            self.sock.shutdown(socket.SHUT_WR)
        self._newcomers.count(answer)
        self.cut_off()


class Newcomers:
    """Those of one listener."""

    def __init__(self, connections: Connections) -> None:
        self._all = connections
        self._known = FairLine(connections.costs)
        """Requests that show a valid token or an open world."""
        self._leaving = FairLine(connections.costs)
        """Open connections whose request is for another process."""
        self._elsewhere = FairLine(connections.costs)
        """Requests for worlds of other processes, of which any client can invent as many as it likes."""
        self._strangers = FairLine(connections.costs)
        self._accepted_at_once = max(1, min(_ACCEPTED_AT_ONCE, connections.open.strangers // _TURNS_TO_SPEAK))
        self._taken = 0
        """Connections of other processes that came in this turn of the loop."""
        self._next: asyncio.Handle | None = None
        self._rush = False
        """Whether more connections waited than were accepted in a turn of the loop."""

    @contextlib.contextmanager
    def accepting(self, listener: socket.socket) -> Iterator[None]:
        """Accept connections at this socket, for the block; it is closed then."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        listener.listen(BACKLOG)
        loop.add_reader(listener.fileno(), self._accept, listener)
        try:
            yield
        finally:
            loop.remove_reader(listener.fileno())
            listener.close()

    def take(self, sock: socket.socket, received: bytes) -> None:
        """Go on with a connection that another process accepted, and from which it read a head and perhaps more."""
        if not self._taken:
            asyncio.get_running_loop().call_soon(self._take_anew)
        self._taken += 1
        if self._taken <= _SERVED_AT_ONCE and not self._is_crowded:
            self._all.take(sock, received)
            return
        try:
            peer = sock.getpeername()
        except OSError:
            sock.close()
            return
        self._sort(self._enter(sock, peer, received))

    def _take_anew(self) -> None:
        self._taken = 0

    @property
    def waiting(self) -> int:
        """How many requests wait for serving to begin."""
        return sum(line.waiting for line in self._lines)

    @property
    def _lines(self) -> tuple[FairLine, ...]:
        return self._known, self._leaving, self._elsewhere, self._strangers

    @property
    def _is_crowded(self) -> bool:
        return self._all.open.is_crowded or self.waiting > 0

    def count(self, answer: Answer) -> None:
        """Count the answer to a request that was not served."""
        self._all.statuses[answer.status] += 1

    def let_go(self, newcomer: Newcomer) -> None:
        """It is counted and read here no more."""
        self._all.open.leave(newcomer)
        self._all.held.forget(newcomer)
        if newcomer.ticket is not None:
            newcomer.ticket.leave()
        self._unread(newcomer)

    def enter(self, turn: Callable[[], None], party: Party) -> Ticket:
        """Wait until the open connection of this party may go to another process."""
        return self._wait(self._leaving, turn, party)

    def _accept(self, listener: socket.socket) -> None:
        self._rush = False
        for number in range(self._accepted_at_once):
            try:
                sock, peer = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as cause:
                if cause.errno not in _EXHAUSTED:
                    raise
                logger.warning("no connection can be accepted for a moment: %s", cause)
                loop = asyncio.get_running_loop()
                loop.remove_reader(listener.fileno())
                loop.call_later(_RETRY_SECONDS, self._accept_again, listener)
                return
            sock.setblocking(False)
            if number < _SERVED_AT_ONCE and not self._is_crowded:
                self._all.take(sock)
            else:
                self._read(self._enter(sock, peer))
        self._rush = True

    def _accept_again(self, listener: socket.socket) -> None:
        # The listener may have been closed in the meantime.
        if listener.fileno() >= 0 and not self._all.closed:
            asyncio.get_running_loop().add_reader(listener.fileno(), self._accept, listener)

    def _enter(self, sock: socket.socket, peer: object, received: bytes = b"") -> Newcomer:
        deadline = asyncio.get_running_loop().time() + self._all.timeouts.request
        newcomer = Newcomer(self, sock, peer[0] if isinstance(peer, tuple) else "", deadline)
        newcomer.received = received
        self._all.open.enter(newcomer, newcomer.network)
        return newcomer

    def _read(self, newcomer: Newcomer) -> None:
        try:
            data = newcomer.sock.recv(_MAX_READ)
        except (BlockingIOError, InterruptedError):
            self._read_on(newcomer)
            return
        except OSError:
            data = b""
        if not data:
            newcomer.cut_off()
            return
        newcomer.received += data
        if b"\r\n\r\n" not in newcomer.received and len(newcomer.received) < _MAX_HEAD:
            self._read_on(newcomer)
            self._weigh(newcomer)
            return
        self._unread(newcomer)
        self._sort(newcomer)

    def _sort(self, newcomer: Newcomer) -> None:
        """Serve it, or let it wait, by the head of its request."""
        sender = self._all.sender_of(newcomer.received, newcomer.address)
        if sender.standing == "known":
            self._all.open.show(newcomer, sender.party)
            self._let_wait(self._known, newcomer, sender.party, partial(self._serve, newcomer, sender.party))
        elif sender.standing == "elsewhere" and sender.request is not None:
            self._wait_in(self._elsewhere, newcomer, sender.party, partial(self._pass_on, newcomer, sender.request))
        else:
            self._wait_in(self._strangers, newcomer, sender.party, partial(self._serve, newcomer))

    def _read_on(self, newcomer: Newcomer) -> None:
        if not newcomer.is_read:
            newcomer.is_read = True
            asyncio.get_running_loop().add_reader(newcomer.sock.fileno(), self._read, newcomer)

    def _unread(self, newcomer: Newcomer) -> None:
        if newcomer.is_read:
            newcomer.is_read = False
            asyncio.get_running_loop().remove_reader(newcomer.sock.fileno())

    def _weigh(self, newcomer: Newcomer) -> None:
        self._all.held.hold(newcomer, newcomer.network, len(newcomer.received))

    def _wait_in(self, line: FairLine, newcomer: Newcomer, party: Party, turn: Callable[[], None]) -> None:
        of_one_world = bool(party.world) and line.waiting_of_world(party) >= MAX_WAITING_FOR_WORLD
        if of_one_world or line.waiting_of(party.holder) >= MAX_WAITING:
            newcomer.refuse(_CROWDED)
        else:
            self._let_wait(line, newcomer, party, turn)

    def _let_wait(self, line: FairLine, newcomer: Newcomer, party: Party, turn: Callable[[], None]) -> None:
        newcomer.waits_for_client = False
        newcomer.ticket = self._wait(line, turn, party)
        self._weigh(newcomer)

    def _wait(self, line: FairLine, turn: Callable[[], None], party: Party) -> Ticket:
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._go_on)
        return line.enter(turn, party)

    def _serve(self, newcomer: Newcomer, known: Party | None = None) -> None:
        self.let_go(newcomer)
        self._all.take(newcomer.sock, newcomer.received, known)

    def _pass_on(self, newcomer: Newcomer, request: Request) -> None:
        if self._all.pass_on(newcomer.sock, newcomer.received, request):
            self.let_go(newcomer)
        else:
            newcomer.refuse(_CROWDED)

    def _go_on(self) -> None:
        self._next = None
        # Those who have or may have a world first; strangers get a part of each turn, however many worlds are invented.
        for line in self._lines:
            of_strangers = line in (self._elsewhere, self._strangers)
            for _ in range(_SERVED_IN_RUSH if self._rush and of_strangers else _SERVED_AT_ONCE):
                if line.due() is None:
                    break
                line.serve()
        if self.waiting:
            self._next = asyncio.get_running_loop().call_soon(self._go_on)
