"""Messages between the harness and a worker: one JSON object each, its length in front, and nothing else ever."""

from __future__ import annotations

import json
import socket
from typing import Any, NoReturn

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.serving.outcome import encode as text_of

_HEAD = 4
_FIRST = 1 << 15
_CHUNK = 1 << 18


class FrameError(SandboxError):
    """What arrived is not one well-formed message."""


class ClosedError(SandboxError):
    """The other end is gone."""


def encode(message: dict[str, Any]) -> bytes:
    """A message as it travels."""
    return framed(text_of(message).encode())


def framed(body: bytes) -> bytes:
    """A body that is JSON already."""
    return len(body).to_bytes(_HEAD) + body


def is_whole(piece: bytes) -> bool:
    """Whether these bytes are one message, from its beginning to its end."""
    return len(piece) >= _HEAD and int.from_bytes(piece[:_HEAD]) == len(piece) - _HEAD


def decode(body: bytes | bytearray | memoryview) -> dict[str, Any]:
    """The message in a body; NaN, infinities, half characters and anything but an object are refused."""
    try:
        message = _decoder.decode(str(body, "utf-8"))
    except (ValueError, RecursionError) as cause:
        raise FrameError(f"a message is not JSON: {cause}") from cause
    if type(message) is not dict:
        raise FrameError("a message is not a JSON object")
    return message


class Reader:
    """Takes whole messages from a stream; a message longer than the limit is never read."""

    def __init__(self, stream: socket.socket, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._held = bytearray()

    def next(self) -> dict[str, Any]:
        """The next message. BlockingIOError when the stream's own patience ends; call again to go on waiting."""
        held = self._held
        receive = self._stream.recv
        if not held:
            # Nearly always one message, whole and alone.
            piece = receive(_FIRST)
            if not piece:
                raise ClosedError("the other end is closed")
            if len(piece) >= _HEAD and int.from_bytes(piece[:_HEAD]) == len(piece) - _HEAD <= self._limit:
                return decode(memoryview(piece)[_HEAD:])
            held += piece
        while True:
            if len(held) >= _HEAD:
                size = int.from_bytes(held[:_HEAD])
                if size > self._limit:
                    raise FrameError(f"a message of {size} bytes; at most {self._limit} are read")
                if len(held) >= _HEAD + size:
                    body = bytes(held[_HEAD : _HEAD + size])
                    del held[: _HEAD + size]
                    return decode(body)
            piece = receive(_CHUNK)
            if not piece:
                raise ClosedError("the other end is closed")
            held += piece

    @property
    def empty(self) -> bool:
        """Whether nothing lies here that belongs to no request."""
        return not self._held


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)
