"""Clients that hold or open as many connections to a farm as they can, from a few addresses of this machine.

`python -m tests.adversary.connection_attacks PORT KIND CONNECTIONS ADDRESSES [WORLD_PATH...]` attacks until it is ended.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import selectors
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HALF = b"POST /e/hospital_stays/x/mcp HTTP/1.1\r\nhost: localhost\r\nx-rest:"
_WHOLE = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
_LISTED = b"GET /v0.1/servers?limit=100 HTTP/1.1\r\nhost: localhost\r\n\r\n"


def _half(_: Sequence[str]) -> bytes:
    return HALF


def _nothing(_: Sequence[str]) -> bytes:
    return b""


def _pipelined(_: Sequence[str]) -> bytes:
    return _WHOLE * 3 + HALF


def _answered(_: Sequence[str]) -> bytes:
    return _WHOLE


def _unread(_: Sequence[str]) -> bytes:
    return _LISTED * 20


_number = itertools.count()


def _half_body(paths: Sequence[str]) -> bytes:
    path = paths[next(_number) % len(paths)]
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 200000\r\n\r\n"
    )
    return head.encode() + b"{" * 1_000


def _elsewhere(_: Sequence[str]) -> bytes:
    """For worlds that are not there, half of which another process would hold."""
    path = f"/e/hospital_stays/{next(_number):022d}/mcp"
    return f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n".encode() + b"{"


KINDS: dict[str, Callable[[Sequence[str]], bytes]] = {
    "half": _half,
    "nothing": _nothing,
    "pipelined": _pipelined,
    "answered": _answered,
    "unread": _unread,
    "half_body": _half_body,
    "elsewhere": _elsewhere,
    "storm": _half,
    "storm_elsewhere": _elsewhere,
}


@dataclass
class Attack:
    """Connections from some addresses; each one that the farm closes is replaced at once."""

    target: tuple[str, int]
    kind: str
    connections: int
    addresses: Sequence[str]
    paths: Sequence[str] = ()
    at_once: int = 2_000
    """Connections that wait to be accepted."""
    opened: int = 0
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _unread: list[socket.socket] = field(default_factory=list)
    _connecting: int = 0
    _open: int = 0

    def step(self, seconds: float) -> None:
        """Open what is missing, and see what was closed."""
        while self._open < self.connections and self._connecting < self.at_once:
            if not self._connect():
                break
        for key, events in self._selector.select(seconds):
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            if events & selectors.EVENT_WRITE:
                self._begin(sock)
            else:
                self._look(sock)

    @property
    def held(self) -> int:
        """Connections that are open, as far as is known here."""
        return self._open - self._connecting

    def _connect(self) -> bool:
        source = self.addresses[self.opened % len(self.addresses)]
        sock = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET)
        sock.setblocking(False)
        if self.kind == "unread":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        # The port is chosen when the connection is made, or one address could not have more than there are ports.
        sock.setsockopt(socket.IPPROTO_IP, 24, 1)
        try:
            sock.bind((source, 0))
            with contextlib.suppress(BlockingIOError):
                sock.connect((self.target[0], self.target[1]))
        except OSError as cause:
            sock.close()
            if cause.errno in (errno.EADDRNOTAVAIL, errno.EAGAIN, errno.EADDRINUSE):
                return False
            raise
        self.opened += 1
        self._open += 1
        self._connecting += 1
        self._selector.register(sock, selectors.EVENT_WRITE)
        return True

    def _begin(self, sock: socket.socket) -> None:
        self._connecting -= 1
        try:
            sock.send(KINDS[self.kind](self.paths))
        except OSError:
            self._drop(sock)
            return
        if self.kind.startswith("storm"):
            self._drop(sock)
        else:
            self._selector.modify(sock, selectors.EVENT_READ)

    def _look(self, sock: socket.socket) -> None:
        if self.kind == "unread":
            # What has arrived stays where it is.
            self._selector.unregister(sock)
            self._unread.append(sock)
            return
        try:
            gone = not sock.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            self._drop(sock)

    def _drop(self, sock: socket.socket) -> None:
        self._selector.unregister(sock)
        sock.close()
        self._open -= 1

    def forget_ended(self) -> None:
        """Replace connections whose answers are not read and that the farm has ended."""
        ended = [sock for sock in self._unread if not _is_established(sock)]
        self._unread = [sock for sock in self._unread if sock not in set(ended)]
        for sock in ended:
            sock.close()
        self._open -= len(ended)

    def close(self) -> None:
        """End all of it."""
        for unread in self._unread:
            unread.close()
        for key in list(self._selector.get_map().values()):
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            self._drop(sock)
        self._selector.close()


def _is_established(sock: socket.socket) -> bool:
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) == b"\x01"


def main(port: str, kind: str, connections: str, addresses: str, *paths: str) -> None:
    host = "::1" if ":" in addresses else "127.0.0.1"
    attack = Attack((host, int(port)), kind, int(connections), addresses.split(","), paths)
    said = 0.0
    while True:
        attack.step(0.05)
        if time.monotonic() > said + 1:
            said = time.monotonic()
            attack.forget_ended()
            print(attack.held, attack.opened, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
