"""HTTP/1.1 requests, read by httptools within bounds, and the bytes of answers."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

import httptools

from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.sockets import network_of

MAX_HEADERS = 64
MAX_TARGET = 2_048
"""Characters of a path and its query together."""
MAX_CHUNKS = 256
_MAX_CHUNK_LINE = 64
"""Bytes that each chunk of a body may add to its content: its length, an extension, line ends."""
_FEED = 1_024


FAILED = "The farm could not do this; its log says why."


class BadRequestError(Exception):
    """The bytes are not a request that can be answered; the connection ends with this status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Request:
    """One request; it is admitted by its head, before its body is read."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    repeated: frozenset[str]
    """Names of the headers that came more than once; their values are joined by commas."""
    peer: str
    """The address of the client; empty on a unix socket."""
    body: bytes = b""
    keep_alive: bool = True
    """Whether the connection may carry another request."""
    upgrade: bool = False
    world: tuple[str, str] | None = None
    """The environment and the name in the address of a world, once the request is admitted."""

    @property
    def network(self) -> str:
        """The addresses that count as one with the client's."""
        return network_of(self.peer)


@dataclass(slots=True)
class Answer:
    """A whole answer."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


# A second one of these could mean another request to a proxy in front of the farm.
_SINGLE = frozenset(("host", "content-length", "transfer-encoding", "authorization"))
_VERSIONS = ("1.1", "1.0")
_NONE: frozenset[str] = frozenset()


class RequestParser:
    """Reads one request: the head at once, and after it the chunks of a body whose length is not announced."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: dict[str, str] = {}
        self._repeated: frozenset[str] = _NONE
        self._count = 0
        self._chunks = 0
        self._content: list[bytes] = []
        self._size = self._raw_size = 0
        self._complete = False

    # Callbacks of httptools. An exception raised in one of them would lose its type, so none is.

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._complete:
            # Of a second request in the same packet as the last chunk of this one.
            return
        self._count += 1
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").rstrip(" \t")
        if key in self._headers:
            self._repeated |= {key}
            text = f"{self._headers[key]}, {text}"
        self._headers[key] = text

    def on_chunk_header(self) -> None:
        self._chunks += not self._complete

    def on_body(self, content: bytes) -> None:
        if not self._complete:
            self._content.append(content)
            self._size += len(content)

    def on_message_complete(self) -> None:
        self._complete = True

    # Heads

    def read_head(self, head: bytes, peer: str = "") -> Request:
        """The request of a head, which ends with its empty line."""
        upgrade = False
        try:
            self._parser.feed_data(head)
        except httptools.HttpParserUpgrade:
            upgrade = True
        except httptools.HttpParserError:
            raise BadRequestError(400, "This is not an HTTP/1.1 request.") from None
        version = self._parser.get_http_version()
        if version not in _VERSIONS:
            raise BadRequestError(505, "This farm speaks HTTP/1.1.")
        if not self._url:
            raise BadRequestError(400, "This is not an HTTP/1.1 request.")
        path, query, authority = _target(self._url)
        headers = self._headers
        self._check(version)
        if authority:
            headers["host"] = authority
        keep_alive = version == "1.1"
        connection = headers.get("connection")
        if connection is not None and keep_alive:
            keep_alive = "close" not in {token.strip(" \t") for token in connection.lower().split(",")}
        method = self._parser.get_method().decode("latin-1")
        return Request(method, path, query, headers, self._repeated, peer, b"", keep_alive, upgrade)

    def _check(self, version: str) -> None:
        if self._count > MAX_HEADERS:
            raise BadRequestError(431, "The request has too many headers.")
        if self._repeated:
            for name in self._repeated & _SINGLE:
                raise BadRequestError(400, f"The header {name} may be sent once.")
        headers = self._headers
        if "host" not in headers and version == "1.1":
            raise BadRequestError(400, "The request does not say which host it is for.")
        coding = headers.get("transfer-encoding")
        if coding is not None and (coding.lower() != "chunked" or version == "1.0" or "content-length" in headers):
            raise BadRequestError(400, "The length of the request is not clear.")

    # Bodies in chunks

    def take_chunks(self, received: bytes, most: int) -> bytes | None:
        """Read more of the body; the whole of it where this was the end. Nothing may follow on the connection."""
        # A little at a time: many tiny chunks cost much more than their bytes.
        for at in range(0, len(received), _FEED):
            self._take(received[at : at + _FEED], most)
        return b"".join(self._content) if self._complete else None

    def _take(self, piece: bytes, most: int) -> None:
        headers = self._count
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserError:
            raise BadRequestError(400, "The chunks of the request cannot be read.") from None
        if self._count > headers:
            raise BadRequestError(400, "A request may not end with headers.")
        self._raw_size += len(piece)
        if self._chunks > MAX_CHUNKS or self._size > most or self._raw_size > most + MAX_CHUNKS * _MAX_CHUNK_LINE:
            raise BadRequestError(413, "The request is too long, or comes in too many chunks.")


def _target(url: bytes) -> tuple[str, str, str]:
    """The path, the query and the authority, if it is there, of what a request asks for."""
    text = url.decode("latin-1")
    authority = ""
    if not text.startswith("/"):
        scheme, separator, rest = text.partition("://")
        if scheme.lower() not in ("http", "https") or not separator:
            raise BadRequestError(400, "The request must ask for a path.")
        cut = min((rest.find(sign) for sign in "/?" if sign in rest), default=len(rest))
        authority, text = rest[:cut], rest[cut:] if rest[cut : cut + 1] == "/" else "/" + rest[cut:]
        if not authority:
            raise BadRequestError(400, "The request must ask for a path.")
    if len(text) > MAX_TARGET:
        raise BadRequestError(414, f"The address of a request may have {MAX_TARGET} characters.")
    if "#" in text:
        raise BadRequestError(400, "The address of a request has no fragment.")
    path, _, query = text.partition("?")
    return path, query, authority


def body_size(request: Request, most: int) -> int | None:
    """The announced length of the body; None where it comes in chunks."""
    if "transfer-encoding" in request.headers:
        return None
    # httptools has checked that it is a number, and one that fits into 64 bits.
    size = int(request.headers.get("content-length", "0"))
    if size > most:
        raise BadRequestError(413, f"A request may have {most} bytes.")
    return size


def error(status: int, message: str, *headers: tuple[str, str]) -> Answer:
    """A refusal, or why something failed."""
    return Answer(status, encode({"error": message}).encode(errors="replace"), headers=headers)


_PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
_REASONS = {status.value: status.phrase for status in HTTPStatus}


def head_of(answer: Answer, *, keep_alive: bool) -> bytes:
    """The head that goes before the body of an answer."""
    if keep_alive and answer.status == 200 and not answer.headers and answer.content_type == "application/json":
        return _PLAIN % len(answer.body)
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}", f"content-length: {len(answer.body)}"]
    if answer.body:
        lines.append(f"content-type: {answer.content_type}")
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if not keep_alive:
        lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
