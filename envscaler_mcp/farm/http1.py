"""HTTP/1.1 as far as a farm needs it: bounded requests read, whole or piece by piece, and answers written down."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from http import HTTPStatus

from envscaler_mcp.serving.outcome import encode

MAX_HEADERS = 64
MAX_TARGET = 2_048
"""Letters of a path and its query together; what is done with them takes time before anything else is known."""
MAX_PIECES = 256
MAX_PIECE_LINE = 64
"""Letters in which a piece of a body tells its length, and whatever else it says of itself."""


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
    stays: bool = True
    """Whether more may be asked on the same connection."""


@dataclass(slots=True)
class Answer:
    """A whole answer."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    skips_body: bool = False
    """For a refusal by the head: whether the connection goes on where the body is there already."""
    lost: Callable[[], None] | None = None
    """Called where it is known that nobody got the answer."""


@dataclass(slots=True)
class Stream:
    """An answer without an end: what comes is sent until either side leaves."""

    pieces: AsyncIterator[bytes]
    content_type: str = "text/event-stream"


_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
# Possessive, so that nothing is tried twice however long a head is.
_ASKED = re.compile(
    rf"({_WORD}) (?:[Hh][Tt][Tt][Pp][Ss]?://([!-\"$-.0->@-~]++))?(/[!-\"$->@-~]*+)?(?:\?([!-\"$-~]*+))? HTTP/1\.([0-9])(?=\r\n|\Z)"
)
_HEADER = re.compile(rf"\r\n({_WORD}):[ \t]*+([\t -~\x80-\xff]*+)(?=\r\n|\Z)")
_OTHER_VERSION = re.compile(r"[^\r\n]* HTTP/[02-9](?:\.[0-9])?(?=\r\n|\Z)")
_ONCE = ("host", "content-length", "transfer-encoding", "authorization")


def read_head(head: bytes, peer: str = "") -> Request:
    """The head of a request, without the empty line that ends it."""
    text = head.decode("latin-1")
    asked = _ASKED.match(text)
    if asked is None:
        raise BadRequestError(505 if _OTHER_VERSION.match(text) else 400, "This is no HTTP/1.1 request.")
    method, authority, path, query, minor = asked.groups()
    if not path:
        if not authority:
            raise BadRequestError(400, "This is no HTTP/1.1 request.")
        path = "/"
    if len(path) + len(query or "") > MAX_TARGET:
        raise BadRequestError(414, f"The address of a request may have {MAX_TARGET} letters.")
    lines = text.count("\r\n")
    if lines > MAX_HEADERS:
        raise BadRequestError(431, "The request has too many headers.")
    found = _HEADER.findall(text, asked.end())
    if len(found) != lines:
        raise BadRequestError(400, "A header of the request cannot be read.")
    headers = {name.lower(): value.rstrip(" \t") for name, value in found}
    repeated = frozenset() if len(headers) == len(found) else _joined(headers, found)
    stays = minor != "0"
    if stays and "host" not in headers:
        raise BadRequestError(400, "The request does not say which host it is for.")
    if authority:
        headers["host"] = authority
    connection = headers.get("connection")
    if connection is not None and stays:
        stays = "close" not in {one.strip(" \t") for one in connection.lower().split(",")}
    if not stays and minor == "0" and "transfer-encoding" in headers:
        raise BadRequestError(400, "The length of the request is not clear.")
    return Request(method, path, query or "", headers, repeated, peer, stays=stays)


def _joined(headers: dict[str, str], found: list[tuple[str, str]]) -> frozenset[str]:
    """Put together what stands there more than once, and tell which."""
    values: dict[str, list[str]] = {}
    for name, value in found:
        values.setdefault(name.lower(), []).append(value.rstrip(" \t"))
    repeated = frozenset(name for name, several in values.items() if len(several) > 1)
    for name in repeated:
        if name in _ONCE:
            raise BadRequestError(400, f"The header {name} may stand there once.")
        headers[name] = ", ".join(values[name])
    return repeated


def has_body(request: Request) -> bool:
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


def size_of(request: Request, most: int) -> int | None:
    """How long the body of a request is, of which only the head is known; None if it tells so piece by piece."""
    length, coding = request.headers.get("content-length"), request.headers.get("transfer-encoding")
    if coding is not None:
        if coding.lower() != "chunked" or length is not None:
            raise BadRequestError(400, "The length of the request is not clear.")
        return None
    if length is None:
        return 0
    if not length.isascii() or not length.isdigit() or len(length) > 12:
        raise BadRequestError(400, "The length of the request is not a number.")
    size = int(length)
    if size > most:
        raise BadRequestError(413, f"A request may have {most} bytes.")
    return size


class Body:
    """A body of known length."""

    __slots__ = ("_missing", "_pieces", "whole")

    def __init__(self, length: int) -> None:
        self._missing = length
        self._pieces: list[bytes] = []
        self.whole = False

    def take(self, received: bytes) -> bytes:
        """Keep what belongs to the body; what is left belongs to the next request."""
        piece = received[: self._missing]
        self._pieces.append(piece)
        self._missing -= len(piece)
        self.whole = not self._missing
        return received[len(piece) :]

    def content(self) -> bytes:
        return b"".join(self._pieces)


_PIECE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*+;[\t -~\x80-\xff]*+)?\r\n")


class ChunkedBody:
    """A body whose length is told piece by piece."""

    __slots__ = ("_closes", "_last", "_missing", "_most", "_pieces", "whole")

    def __init__(self, most: int) -> None:
        self._most = most
        self._missing = 0
        self._pieces: list[bytes] = []
        self._closes = False
        self._last = False
        self.whole = False

    def take(self, received: bytes) -> bytes:
        """Keep what belongs to the body; what is left is not understood yet, or belongs to the next request."""
        at = 0
        while not self.whole:
            if self._missing:
                piece = received[at : at + self._missing]
                self._pieces.append(piece)
                self._missing -= len(piece)
                at += len(piece)
                if self._missing:
                    return b""
            if self._closes:
                end = received[at : at + 2]
                if end != b"\r\n":
                    if not b"\r\n".startswith(end):
                        raise BadRequestError(400, "A piece of the request has another length than it says.")
                    return received[at:]
                at += 2
                self._closes = False
                self.whole = self._last
                continue
            line = _PIECE.match(received, at, at + MAX_PIECE_LINE)
            if line is None:
                if len(received) - at >= MAX_PIECE_LINE or received.find(b"\n", at) >= 0:
                    raise BadRequestError(400, "A piece of the request has no length.")
                return received[at:]
            at = line.end()
            self._begin(int(line[1], 16))
        return received[at:]

    def _begin(self, size: int) -> None:
        self._missing = size
        self._most -= size
        if self._most < 0 or len(self._pieces) >= MAX_PIECES:
            raise BadRequestError(413, "The request is too long, or comes in too many pieces.")
        self._closes = True
        # After the last piece there may only be an empty line; nobody here sends trailers.
        self._last = size == 0

    def content(self) -> bytes:
        return b"".join(self._pieces)


def json_answer(**told: object) -> Answer:
    """An answer of a few facts."""
    return Answer(200, encode(told).encode())


def error(status: int, told: str, *headers: tuple[str, str]) -> Answer:
    """Why something was not done."""
    return Answer(status, encode({"error": told}).encode(errors="replace"), headers=headers)


_REASONS = {status.value: status.phrase for status in HTTPStatus}
_PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


def head_of(answer: Answer, stays: bool) -> bytes:
    if stays and answer.status == 200 and not answer.headers and answer.content_type == "application/json":
        return _PLAIN % len(answer.body)
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}", f"content-length: {len(answer.body)}"]
    if answer.body:
        lines.append(f"content-type: {answer.content_type}")
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if not stays:
        lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
