"""Messages between the harness and a worker: one JSON object each, its length in front, and nothing else ever."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any, NoReturn

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.serving.outcome import encode as text_of
from envscaler_mcp.serving.plain_json import MAX_DEPTH, is_deeper

_HEAD = 4
_FIRST = 1 << 15
_CHUNK = 1 << 18


class FrameError(SandboxError):
    """What arrived is not one well-formed message."""


_SENSIBLE = 64


class FrameTooLargeError(FrameError):
    """A message that would be one, but for its size."""


class ClosedError(SandboxError):
    """The other end is gone."""


def encode(message: dict[str, Any]) -> bytes:
    """A message as it travels."""
    return framed(text_of(message).encode())


def framed(body: bytes) -> bytes:
    """A body that is JSON already."""
    return len(body).to_bytes(_HEAD) + body


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a message is read. What is parsed takes up to a hundred times its bytes, so its values are counted first."""

    size: int
    """Bytes."""
    values: int
    """Values, by the commas and brackets in front of them."""
    depth: int = MAX_DEPTH
    """How deep lists and objects may lie in one another, in the fields of the message."""


def is_whole(piece: bytes) -> bool:
    """Whether these bytes are one message, from its beginning to its end."""
    return len(piece) >= _HEAD and int.from_bytes(piece[:_HEAD]) == len(piece) - _HEAD


def decode(body: bytes, bounds: Bounds) -> dict[str, Any]:
    """The message in a body; NaN, infinities, half characters, too many values, too deep ones and anything but an object
    are refused.
    """
    opened = body.count(b"[") + body.count(b"{")
    if opened + body.count(b",") > bounds.values:
        raise FrameTooLargeError(f"a message of more than {bounds.values} values")
    try:
        message = _decoder.decode(str(body, "utf-8"))
    except (ValueError, RecursionError) as cause:
        raise FrameError(f"a message is not JSON: {cause}") from cause
    if type(message) is not dict:
        raise FrameError("a message is not a JSON object")
    # One level of it is the message's own.
    if opened > bounds.depth and is_deeper(message, bounds.depth + 1):
        raise FrameTooLargeError(f"a message is nested more than {bounds.depth} deep")
    return message


class Reader:
    """Takes whole messages from a stream; a message longer than the bounds is never read."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._held = bytearray()

    def next(self, bounds: Bounds) -> dict[str, Any]:
        """The next message. BlockingIOError when the stream's own patience ends; call again to go on waiting."""
        held = self._held
        receive = self._stream.recv
        if not held:
            # Nearly always one message, whole and alone.
            piece = receive(_FIRST)
            if not piece:
                raise ClosedError("the other end is closed")
            if is_whole(piece) and len(piece) - _HEAD <= bounds.size:
                return decode(piece[_HEAD:], bounds)
            held += piece
        while True:
            if len(held) >= _HEAD:
                size = int.from_bytes(held[:_HEAD])
                if size > bounds.size:
                    # Four letters of something that is no frame at all make a size of gigabytes.
                    kind = FrameTooLargeError if size < _SENSIBLE * bounds.size else FrameError
                    raise kind(f"a message of {size} bytes; at most {bounds.size} are read")
                if len(held) >= _HEAD + size:
                    body = bytes(held[_HEAD : _HEAD + size])
                    del held[: _HEAD + size]
                    return decode(body, bounds)
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
