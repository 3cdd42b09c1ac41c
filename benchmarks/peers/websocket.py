"""As much of a websocket client as a benchmark needs: texts of any length, one at a time."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from typing import Self


class WebSocket:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def opened(cls, host: str, path: str) -> Self:
        """A connection to a server at `host:port`."""
        name, _, port = host.partition(":")
        reader, writer = await asyncio.open_connection(name, int(port))
        key = base64.b64encode(os.urandom(16)).decode()
        head = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        writer.write(head.encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101"), answer
        return cls(reader, writer)

    @staticmethod
    def frame(text: bytes) -> bytes:
        """A text as it travels to a server; the mask of zeros leaves it as it is."""
        size = len(text)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
        return b"\x81" + length + b"\0\0\0\0" + text

    async def ask(self, frame: bytes) -> bytes:
        """The text that comes back."""
        self._writer.write(frame)
        _, size = await self._reader.readexactly(2)
        if size == 126:
            (size,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
        return await self._reader.readexactly(size)

    async def close(self) -> None:
        """Take leave, and wait until the server has."""
        self._writer.write(b"\x88\x80\0\0\0\0")
        await self._reader.read(-1)
        self._writer.close()
        await self._writer.wait_closed()
