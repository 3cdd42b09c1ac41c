"""The other processes of a farm: connections are handed to the one that holds their world, and all can be asked.

A world lives in one process, and a client connects to any. So a process that reads a request for a world of another gives
the whole connection away, with what was read from it; later requests on it go straight there.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from envscaler_mcp.errors import LaunchError

Plane = Literal["agent", "control"]
_PLANES: tuple[Plane, ...] = ("agent", "control")

ANSWER_SECONDS = 60.0
_TAKEN_AT_ONCE = 16
"""Connections that are taken from others in one turn of the loop."""
_MOST_UNSENT = 64
"""Connections that may wait for the mailbox of one process."""
_MOST_UNSENT_OF_HOLDER = 48
"""Of those, of one holder."""
_IN_MESSAGE = 1_536
"""Bytes read from a connection that go with it in one message; more of them go in a file."""
_WAIT = 0.002
_LONGEST_WAIT = 2.0

logger = logging.getLogger(__name__)


class SilentError(LaunchError):
    """Another process of the farm does not answer; it is replaced, and may be asked again."""


Taken = Callable[[Plane, socket.socket, bytes], None]


@dataclass(frozen=True, slots=True)
class Mailboxes:
    """What connects the processes, made before there is more than one; the files are for questions between them."""

    sending: tuple[socket.socket, ...]
    receiving: tuple[socket.socket, ...]
    folder: Path

    @classmethod
    @contextlib.contextmanager
    def opened(cls, processes: int) -> Iterator[Mailboxes]:
        """One mailbox for each process, for the block; every process can put something into every one."""
        kind = getattr(socket, "SOCK_SEQPACKET", socket.SOCK_DGRAM)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-farm-"))
            pairs = [socket.socketpair(socket.AF_UNIX, kind) for _ in range(processes)]
            for end_ in (end for pair in pairs for end in pair):
                stack.enter_context(end_).setblocking(False)
            yield cls(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs), Path(folder))

    def questions(self, number: int) -> Path:
        """Where a process listens to what the others ask."""
        return self.folder / f"{number}.sock"


@dataclass(frozen=True, slots=True)
class _HandedOver:
    """A connection on its way to another process, with what was read from it."""

    plane: Plane
    sock: socket.socket
    received: bytes
    holder: str
    since: float = field(default_factory=time.monotonic)

    def send(self, box: socket.socket) -> None:
        """Put it into a mailbox; OSError where there is no room."""
        said, descriptors = bytes([_PLANES.index(self.plane)]), [self.sock.fileno()]
        if len(self.received) <= _IN_MESSAGE:
            socket.send_fds(box, [said + self.received], descriptors)
            return
        with tempfile.TemporaryFile(buffering=0) as file:
            file.write(self.received)
            socket.send_fds(box, [said], [*descriptors, file.fileno()])


class Siblings:
    """The others, as one process sees them."""

    def __init__(self, number: int, boxes: Mailboxes, token: Callable[[], str]) -> None:
        self.number = number
        self._boxes = boxes
        self._token = token
        self._unsent: defaultdict[int, deque[_HandedOver]] = defaultdict(deque)
        """By process, what its mailbox had no room for."""

    @property
    def others(self) -> list[int]:
        return [number for number in range(len(self._boxes.sending)) if number != self.number]

    @contextlib.contextmanager
    def taking(self, take: Taken) -> Iterator[None]:
        """Take connections that others hand over, for the block; those that could not be handed over end with it."""
        box = self._boxes.receiving[self.number]
        loop = asyncio.get_running_loop()
        loop.add_reader(box.fileno(), self._empty, box, take)
        try:
            yield
        finally:
            loop.remove_reader(box.fileno())
            for unsent in self._unsent.values():
                while unsent:
                    unsent.popleft().sock.close()

    def _empty(self, box: socket.socket, take: Taken) -> None:
        # The rest follows in the next turn of the loop.
        for _ in range(_TAKEN_AT_ONCE):
            try:
                said, handed, _, _ = socket.recv_fds(box, 1 + _IN_MESSAGE, 2)
            except BlockingIOError:
                return
            if not handed or not said:
                continue
            connection, *files = handed
            received = said[1:]
            for descriptor in files:
                with os.fdopen(descriptor, "rb") as file:
                    file.seek(0)
                    received = file.read()
            try:
                take(_PLANES[said[0]], socket.socket(fileno=connection), received)
            except OSError:
                # The client has left on the way.
                continue

    def hand_over(self, plane: Plane, place: int, sock: socket.socket, received: bytes, holder: str) -> bool:
        """Give a connection to the process that it belongs to; False, and nothing is done, where too many wait for that."""
        unsent = self._unsent[place]
        of_holder = sum(handed.holder == holder for handed in unsent)
        if len(unsent) >= _MOST_UNSENT or of_holder >= _MOST_UNSENT_OF_HOLDER:
            return False
        unsent.append(_HandedOver(plane, sock, received, holder))
        if len(unsent) == 1:
            self._send(place)
        return True

    def _send(self, place: int) -> None:
        unsent = self._unsent[place]
        while unsent:
            first = unsent[0]
            try:
                first.send(self._boxes.sending[place])
            except OSError as cause:
                if time.monotonic() - first.since < _LONGEST_WAIT:
                    asyncio.get_running_loop().call_later(_WAIT, self._send, place)
                    return
                logger.warning("a connection could not be handed to process %d: %s", place, cause)
            unsent.popleft().sock.close()

    async def ask(self, number: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and body of another's answer."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS), _connected(self._boxes.questions(number)) as (reader, writer):
                head = (
                    f"{method} {path} HTTP/1.1\r\nhost: farm\r\nauthorization: Bearer {self._token()}\r\n"
                    f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
                )
                writer.write(head.encode("latin-1") + body)
                whole = await reader.read(-1)
        except (OSError, TimeoutError) as cause:
            raise SilentError(f"A process of the farm does not answer: {type(cause).__name__}.") from cause
        first, _, content = whole.partition(b"\r\n\r\n")
        try:
            return int(first.split(b" ", 2)[1]), content
        except (IndexError, ValueError):
            raise SilentError("A process of the farm ended while it answered.") from None

    async def ask_all(self, path: str) -> list[Any]:
        """What the others answer to the same question; those that do not answer are left out."""
        answers = []
        for number in self.others:
            try:
                status, content = await self.ask(number, "GET", path)
            except SilentError as cause:
                logger.warning("%s", cause)
                continue
            if status == 200:
                answers.append(json.loads(content))
        return answers


@contextlib.asynccontextmanager
async def _connected(path: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_unix_connection(str(path), limit=1 << 26)
    try:
        yield reader, writer
    finally:
        writer.close()
