"""The standard streams of a process as a private wire that nothing else in the process can write to."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import BinaryIO

MAX_LINE = 4 * 1024 * 1024
"""How long a message may be, in bytes; a longer one is refused and the wire goes on."""


class TooLongError(Exception):
    """A line was longer than `MAX_LINE`; the next one can be read."""


@contextmanager
def private_streams() -> Iterator[tuple[int, int]]:
    """Descriptors of what was standard input and output, which now are nothing and standard error.

    What environment code prints, or a program that it starts, goes where a person reads and never into a message.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    printed = sys.stdout
    if printed is not None:
        printed.flush()
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield wire_in, wire_out
    finally:
        sys.stdout = printed
        for wire, standard in ((wire_in, 0), (wire_out, 1)):
            # A terminal is shared with the shell, which does not expect it to return at once.
            os.set_blocking(wire, True)
            os.dup2(wire, standard)
            os.close(wire)


async def lines(descriptor: int) -> AsyncIterator[bytes | TooLongError]:
    """Every line that arrives, without its end, until the other side closes."""
    async with _opened(descriptor) as reader:
        buffer = bytearray()
        skipping = False
        while chunk := await reader.read(1 << 16):
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                buffer += line
                if not skipping:
                    yield TooLongError() if len(buffer) > MAX_LINE else bytes(buffer)
                skipping = False
                buffer.clear()
            buffer += rest
            if len(buffer) > MAX_LINE:
                if not skipping:
                    yield TooLongError()
                skipping = True
                buffer.clear()
        if buffer and not skipping:
            yield bytes(buffer)


@asynccontextmanager
async def _opened(descriptor: int) -> AsyncIterator[asyncio.StreamReader]:
    reader = asyncio.StreamReader(limit=1 << 16)
    pipe = _as_pipe(descriptor)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        yield reader
    finally:
        transport.close()


def _as_pipe(descriptor: int) -> BinaryIO:
    """The descriptor where an event loop can wait for it, else a pipe into which a thread copies it."""
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(descriptor):
        return os.fdopen(os.dup(descriptor), "rb", buffering=0)
    end_in, end_out = os.pipe()
    source, target = os.fdopen(os.dup(descriptor), "rb"), os.fdopen(end_out, "wb", buffering=0)

    def copy() -> None:
        with source, target:
            while data := source.read(1 << 16):
                try:
                    target.write(data)
                except BrokenPipeError:
                    return

    threading.Thread(target=copy, daemon=True).start()
    return os.fdopen(end_in, "rb", buffering=0)


class LineWriter:
    """Writes whole lines, waiting where the other side does not read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        kind = os.fstat(descriptor).st_mode
        self._waits = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
        if self._waits:
            os.set_blocking(descriptor, False)

    async def write(self, line: bytes) -> None:
        """Send one line. A side that has gone away is a `BrokenPipeError`."""
        rest = memoryview(line + b"\n")
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                await _writable(self._descriptor)


async def _writable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_writer(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_writer(descriptor)
