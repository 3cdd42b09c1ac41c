"""Connections at a real socket, with a service that answers with what it was sent."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import socket
import statistics
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request as AppRequest
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from envscaler_mcp.farm import connections, http_messages, slow_queue
from envscaler_mcp.farm.application import application
from envscaler_mcp.farm.connections import Connections, HandOver, Timeouts
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.http_messages import Answer, Request, error

HEAD = b"host: farm\r\n"
FAREWELL = b"GET /farewell HTTP/1.1\r\nhost: farm\r\nconnection: close\r\n\r\n"
MAX_BODY = 50_000


@dataclass
class Mirror:
    """Answers with what was sent, in the way that the path says; paths below /app are the application's."""

    max_body: int = MAX_BODY
    seen: list[str] = field(default_factory=list)
    given_away: list[tuple[int, socket.socket, bytes]] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    streams_ended: asyncio.Event = field(default_factory=asyncio.Event)
    stream_piece: bytes = b"data: 1\n\n"
    application: Starlette = field(init=False)

    def __post_init__(self) -> None:
        routes = [
            Route("/app/error", self._error),
            Route("/app/stream", self._stream),
            Route("/app/large", self._large),
            Route("/app{path:path}", self._mirrored, methods=["GET", "POST"]),
        ]
        self.application = application(routes)

    def admit(self, request: Request) -> Answer | HandOver | None:
        if request.path.startswith("/refused"):
            return error(401, "No.")
        if request.path == "/unknown-error":
            raise RuntimeError("not for other eyes")
        return HandOver(7) if request.path == "/elsewhere" else None

    def party(self, request: Request) -> Party:
        return Party("the party" if request.path.startswith("/known") else request.network)

    def elsewhere(self, request: Request) -> None:
        return None

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer] | None:
        if request.path.startswith("/app"):
            return None
        self.seen.append(request.path)
        host = request.headers.get("host")
        names = sorted(name for name in request.headers if name.startswith("x-"))
        answer = Answer(200, written_down(request.method, request.path, request.query, request.body, host, names))
        if request.path.startswith("/large"):
            answer.body = b"x" * int(request.query)
        if request.path.startswith("/later"):
            return self._later(answer)
        if request.path.startswith("/heavy"):
            until_then = time.perf_counter() + (0.02 if request.path == "/heavy" else 0.003)
            while time.perf_counter() < until_then:
                pass
        if request.path == "/held":
            return self._held(answer)
        if request.path == "/error":
            raise RuntimeError("not for other eyes")
        return answer

    def seconds_left(self, request: Request) -> float:
        return float("inf")

    def hand_over(self, process: int, sock: socket.socket, received: bytes, holder: str) -> bool:
        self.given_away.append((process, sock, received))
        return True

    async def _later(self, answer: Answer) -> Answer:
        await asyncio.sleep(0)
        return answer

    async def _held(self, answer: Answer) -> Answer:
        await self.release.wait()
        return answer

    async def _mirrored(self, request: AppRequest) -> Response:
        self.seen.append(request.url.path)
        names = sorted({name for name in request.headers if name.startswith("x-")})
        path, query = request.scope["raw_path"].decode(), request.url.query
        host = request.headers.get("host")
        content = written_down(request.method, path, query, await request.body(), host, names)
        return Response(content, media_type="application/json")

    async def _large(self, request: AppRequest) -> Response:
        self.seen.append(request.url.path)
        return Response(b"x" * int(request.url.query))

    async def _error(self, _: AppRequest) -> Response:
        raise RuntimeError("not for other eyes")

    async def _stream(self, request: AppRequest) -> Response:
        self.seen.append(request.url.path)
        if request.url.query == "late":
            await self.release.wait()
        return StreamingResponse(self._pieces(), media_type="text/event-stream", headers={"connection": "close"})

    async def _pieces(self) -> AsyncIterator[bytes]:
        try:
            while True:
                yield self.stream_piece
                await asyncio.sleep(0)
        finally:
            self.streams_ended.set()


def written_down(method: str, path: str, query: str, body: bytes, host: str | None, headers: list[str]) -> bytes:
    content = {"method": method, "path": path, "query": query, "body": body.decode("latin-1"), "host": host}
    return json.dumps({**content, "headers": headers}).encode()


@dataclass
class Door:
    """A service that listens."""

    service: Mirror
    connections: Connections
    port: int

    def socket(self) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.port))
        sock.setblocking(False)
        return sock

    async def ask(self, sent: bytes) -> bytes:
        """Everything that is answered until the other side hangs up."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(sent)
            async with asyncio.timeout(10):
                return await reader.read(-1)
        finally:
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def door(*, request: float = 10.0, idle: float = 75.0, limit: int = 1_000) -> AsyncIterator[Door]:
    service = Mirror()
    connections = Connections(service, Timeouts(request, idle), limit)
    sock = socket.create_server(("127.0.0.1", 0))
    async with connections.accepting(sock):
        yield Door(service, connections, sock.getsockname()[1])
    await until(lambda: not connections.open)


async def until(true: Any) -> None:
    """Give others their turns until something is so."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - what goes on inside a connection sets no event
            await asyncio.sleep(0.001)


def _has_come(sock: socket.socket) -> bool:
    try:
        return bool(sock.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


async def all_from(sock: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    pieces = []
    async with asyncio.timeout(20):
        while piece := await loop.sock_recv(sock, 1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


def answers_in(said: bytes, methods: list[str] | None = None) -> list[tuple[int, bytes]]:
    """Status and body of each answer."""
    found: list[tuple[int, bytes]] = []
    while said:
        head, _, said = said.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        status = int(lines[0].split(" ")[1])
        size = next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)
        if status == 100 or (methods is not None and methods[len(found)] == "HEAD"):
            size = 0
        found.append((status, said[:size]))
        said = said[size:]
    return found


def get(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "host: farm", *lines, "", ""]).encode("latin-1")


def post(path: str, body: bytes, *lines: str) -> bytes:
    head = [f"POST {path} HTTP/1.1", "host: farm", f"content-length: {len(body)}", *lines, "", ""]
    return "\r\n".join(head).encode("latin-1") + body


# What is well said


@st.composite
def asked(draw: st.DrawFn) -> tuple[str, str, bytes, list[int] | None]:
    method = draw(st.sampled_from(["GET", "POST", "HEAD"]))
    path = draw(st.sampled_from(["/", "/later", "/a/b", "/later/%20;x", "//c", "/app/a", "/app/b%20;x"]))
    body = draw(st.binary(max_size=200)) if method == "POST" else b""
    pieces = draw(st.none() | st.lists(st.integers(1, 60), max_size=6)) if method == "POST" else None
    return method, path, body, pieces


def written(method: str, path: str, body: bytes, pieces: list[int] | None, *, last: bool) -> bytes:
    lines = [f"{method} {path}?q=1 HTTP/1.1", "Host:farm", "X-Some: a ", "x-some:b"]
    if last:
        lines.append("Connection: Keep-Alive, CLOSE")
    if pieces is None:
        content = body
        if method == "POST":
            lines.append(f"Content-Length: {len(body)}")
    else:
        lines.append("Transfer-Encoding: Chunked")
        content = in_pieces(body, pieces)
    return "\r\n".join([*lines, "", ""]).encode() + content


def in_pieces(body: bytes, sizes: list[int]) -> bytes:
    content = b""
    for number, size in enumerate([*sizes, len(body)]):
        piece, body = body[:size], body[size:]
        if piece:
            content += b"%X%s\r\n%s\r\n" % (len(piece), b';a="b"' if number % 2 else b"", piece)
    return content + b"0\r\n\r\n"


@settings(max_examples=80, deadline=None)
@given(requests=st.lists(asked(), min_size=1, max_size=5), cuts=st.lists(st.integers(0, 1_500), max_size=12))
async def test_however_requests_are_cut_into_packets_they_get_the_same_answers(
    requests: list[tuple[str, str, bytes, list[int] | None]], cuts: list[int]
) -> None:
    # A connection ends after a body in chunks.
    *others, (method, path, body, pieces) = requests
    requests = [*((method, path, body, None) for method, path, body, _ in others), (method, path, body, pieces)]
    sent = b"".join(written(*one, last=number == len(requests)) for number, one in enumerate(requests, start=1))
    bounds = [0, *sorted(cut % len(sent) for cut in cuts), len(sent)]
    loop = asyncio.get_running_loop()
    async with door() as here:
        with here.socket() as sock:
            for start, end in itertools.pairwise(bounds):
                await loop.sock_sendall(sock, sent[start:end])
                await asyncio.sleep(0)
            said = await all_from(sock)
    found = answers_in(said, [method for method, _, _, _ in requests])
    assert [status for status, _ in found] == [200] * len(requests)
    for (method, path, body, _), (_, content) in zip(requests, found, strict=True):
        if method == "HEAD":
            assert content == b""
            continue
        told = {"method": method, "path": path, "query": "q=1", "body": body.decode("latin-1"), "host": "farm"}
        assert json.loads(content) == told | {"headers": ["x-some"]}


async def test_a_body_in_pieces_is_the_body_in_one() -> None:
    body = bytes(range(256)) * 40
    chunked = b"POST /a HTTP/1.1\r\nhost: farm\r\ntransfer-encoding: chunked\r\n\r\n" + in_pieces(body, [1, 7, 4_000])
    for path in (b"/a", b"/app/a"):
        async with door() as here:
            asked_for = post(path.decode(), body) + chunked.replace(b"/a", path, 1) + FAREWELL
            plain, pieces = answers_in(await here.ask(asked_for))
            assert FAREWELL.split()[1].decode() not in here.service.seen
        assert plain == pieces
    assert json.loads(plain[1])["body"] == body.decode("latin-1")


async def test_an_answer_to_head_is_the_head_of_the_answer_to_get() -> None:
    async with door() as here:
        whole = await here.ask(get("/a", "connection: close"))
        head = await here.ask(get("/a", "connection: close").replace(b"GET", b"HEAD"))
        assert answers_in(await here.ask(get("/app/a", "connection: close").replace(b"GET", b"HEAD")), ["HEAD"])
    ((_, content),) = answers_in(whole)
    told = json.loads(content) | {"method": "HEAD"}
    assert head.endswith(b"content-type: application/json\r\nconnection: close\r\n\r\n")
    assert b"content-length: %d\r\n" % len(json.dumps(told)) in head


@pytest.mark.parametrize("path", ["/a", "/app/a"])
async def test_a_client_that_asks_whether_to_send_a_body_is_told_once(path: str) -> None:
    async with door() as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        head, _, body = post(path, b"12345", "Expect: 100-Continue", "connection: close").partition(b"\r\n\r\n")
        writer.write(head + b"\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body)
        ((status, content),) = answers_in(await reader.read(-1))
        assert (status, json.loads(content)["body"]) == (200, "12345")
        writer.close()
        await writer.wait_closed()
        too_long = f"POST /a HTTP/1.1\r\nhost: farm\r\nexpect: 100-continue\r\ncontent-length: {MAX_BODY + 1}\r\n\r\n"
        assert [status for status, _ in answers_in(await here.ask(too_long.encode()))] == [413]


async def test_the_host_of_a_whole_url_counts_more_than_the_header() -> None:
    async with door() as here:
        (said,) = answers_in(
            await here.ask(b"GET http://other:80?a=1 HTTP/1.1\r\nhost: farm\r\nconnection: close\r\n\r\n")
        )
    told = json.loads(said[1])
    assert (told["host"], told["path"], told["query"]) == ("other:80", "/", "a=1")


async def test_the_older_version_is_answered_once() -> None:
    async with door() as here:
        said = await here.ask(b"GET /a HTTP/1.0\r\nconnection: keep-alive\r\n\r\n" + get("/b"))
    assert [status for status, _ in answers_in(said)] == [200]
    assert here.service.seen == ["/a"]


async def test_an_empty_line_between_requests_belongs_to_none() -> None:
    async with door() as here:
        said = await here.ask(b"\r\n" + post("/a", b"1") + b"\r\n" + FAREWELL)
    assert [status for status, _ in answers_in(said)] == [200, 200]


@pytest.mark.parametrize("token", ["close", "Close", "keep-alive, CLOSE", "close, TE"])
async def test_nothing_is_done_that_was_asked_after_the_last_request(token: str) -> None:
    async with door() as here:
        said = await here.ask(post("/a", b"1", f"Connection: {token}") + post("/b", b"2"))
    assert len(answers_in(said)) == 1
    assert here.service.seen == ["/a"]


# What is not well said

MALFORMED: dict[str, tuple[int, bytes]] = {
    "a bare line feed ends the first line": (400, b"GET / HTTP/1.1\nhost: farm\r\n\r\n"),
    "a bare line feed ends a header": (400, b"GET / HTTP/1.1\r\nhost: farm\nx-a: 1\r\n\r\n"),
    "a bare carriage return in a header": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx-a: 1\rx-b: 2\r\n\r\n"),
    "a line feed in the target": (400, b"GET /\n/a HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a NUL in a header": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx-a: 1\x002\r\n\r\n"),
    "a NUL in the target": (400, b"GET /\x00 HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a sign that is no letter in the target": (400, b"GET /\xe9 HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a fragment in the target": (400, b"GET /#a HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a method that is no word": (400, b"G(T / HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "no method": (400, b" / HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a tab for a space": (400, b"GET\t/ HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a relative target": (400, b"GET a HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a target that is a server": (400, b"CONNECT farm:80 HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a target that is a star": (400, b"OPTIONS * HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "a url of another kind": (400, b"GET ftp://farm/ HTTP/1.1\r\nhost: farm\r\n\r\n"),
    "the first version": (505, b"GET /\r\nhost: farm\r\n\r\n"),
    "a folded header": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx-a: 1\r\n 2\r\n\r\n"),
    "a folded first header": (400, b"GET / HTTP/1.1\r\n host: farm\r\n\r\n"),
    "a space before the colon": (400, b"GET / HTTP/1.1\r\nhost : farm\r\n\r\n"),
    "a tab before the colon": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx-a\t: 1\r\n\r\n"),
    "a header without a colon": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx-a\r\n\r\n"),
    "a header without a name": (400, b"GET / HTTP/1.1\r\nhost: farm\r\n: 1\r\n\r\n"),
    "a header with a strange name": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nx\xe9: 1\r\n\r\n"),
    "no host": (400, b"GET / HTTP/1.1\r\nx-a: 1\r\n\r\n"),
    "two hosts": (400, b"GET / HTTP/1.1\r\nhost: farm\r\nHost: farm\r\n\r\n"),
    "two authorizations": (400, get("/", "authorization: Bearer a", "Authorization: Bearer b")),
    "a length and pieces": (400, post("/", b"0\r\n\r\n", "transfer-encoding: chunked")),
    "two lengths": (400, post("/", b"a", "content-length: 1")),
    "two lengths in one": (400, get("/", "content-length: 1, 1") + b"a"),
    "a negative length": (400, get("/", "content-length: -1")),
    "a length with a sign": (400, get("/", "content-length: +1") + b"a"),
    "a length in hexadecimals": (400, get("/", "content-length: 0x1") + b"a"),
    "a length in other digits": (400, get("/", "content-length: \xb2")),
    "an empty length": (400, get("/", "content-length:")),
    "an endless length": (400, get("/", "content-length: " + "1" * 5_000)),
    "another coding": (400, get("/", "transfer-encoding: gzip, chunked")),
    "a coding that looks like pieces": (400, get("/", "transfer-encoding: \x0bchunked")),
    "two codings": (400, get("/", "transfer-encoding: chunked", "transfer-encoding: chunked")),
    "pieces in the older version": (400, b"POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    "a piece without a length": (400, get("/", "transfer-encoding: chunked") + b"\r\n0\r\n\r\n"),
    "a piece with a strange length": (400, get("/", "transfer-encoding: chunked") + b"1_0\r\n"),
    "a piece with a length that has a sign": (400, get("/", "transfer-encoding: chunked") + b"+1\r\na\r\n0\r\n\r\n"),
    "a piece after a bare line feed": (400, get("/", "transfer-encoding: chunked") + b"1\na\r\n0\r\n\r\n"),
    "a line feed in what a piece says": (400, get("/", "transfer-encoding: chunked") + b"1;a\nb\r\na\r\n0\r\n\r\n"),
    "chunks that say too much": (413, get("/", "transfer-encoding: chunked") + b"1;" + b"a" * 100_000),
    "a piece that is longer": (400, get("/", "transfer-encoding: chunked") + b"1\r\nab\r\n0\r\n\r\n"),
    "a piece that a line feed ends": (400, get("/", "transfer-encoding: chunked") + b"1\r\na\n0\r\n\r\n"),
    "a trailer": (400, get("/", "transfer-encoding: chunked") + b"0\r\nhost: other\r\n\r\n"),
    "a body that is too long": (413, get("/", f"content-length: {MAX_BODY + 1}")),
    "a piece that is too long": (413, get("/", "transfer-encoding: chunked") + b"FFFFFF\r\n" + bytes(MAX_BODY + 1)),
    "pieces that are too long together": (
        413,
        get("/", "transfer-encoding: chunked") + b"%X\r\n%s\r\nFFF\r\n%s" % (MAX_BODY, bytes(MAX_BODY), bytes(2_000)),
    ),
    "too many pieces": (
        413,
        get("/", "transfer-encoding: chunked") + b"1\r\na\r\n" * (http_messages.MAX_CHUNKS + 1_000),
    ),
    "a head without an end": (431, b"GET /" + b"a" * connections.MAX_HEAD),
    "a head that is too long": (431, get("/", "x-a: " + "a" * connections.MAX_HEAD)),
    "too many headers": (431, get("/", *["x-a: 1"] * http_messages.MAX_HEADERS)),
    "the next version": (505, b"GET / HTTP/2.0\r\nhost: farm\r\n\r\n"),
    "the greeting of the next version": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "a version of long ago": (505, b"GET / HTTP/0.9\r\nhost: farm\r\n\r\n"),
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_what_is_no_request_ends_the_connection(name: str) -> None:
    status, sent = MALFORMED[name]
    async with door() as here:
        said = await here.ask(sent + get("/smuggled"))
    ((found, content),) = answers_in(said)
    assert (found, list(json.loads(content))) == (status, ["error"])
    assert b"connection: close" in said
    assert here.service.seen == []


@settings(max_examples=150, deadline=None)
@given(noise=st.binary(max_size=120), place=st.integers(0, 100), tail=st.sampled_from([b"", b"\r\n\r\n", b"0\r\n\r\n"]))
async def test_no_bytes_get_an_error_of_the_farm_itself(noise: bytes, place: int, tail: bytes) -> None:
    whole = post("/a", b"1\r\na\r\n")[:place]
    async with door() as here:
        with here.socket() as sock:
            await asyncio.get_running_loop().sock_sendall(sock, whole + noise + tail)
            sock.shutdown(socket.SHUT_WR)
            said = await all_from(sock)
    assert all(status in (200, 400, 413, 431, 505) for status, _ in answers_in(said))


async def test_a_head_is_read_in_a_time_that_grows_with_its_length_only() -> None:
    spaces = " " * 15_000
    async with door() as here:
        began = asyncio.get_running_loop().time()
        for sent in (f"x-a:{spaces}\x00", f"x-a{spaces}: 1", f"{spaces}", "x" * 15_000):
            said = await here.ask(get("/", sent))
            assert answers_in(said)[0][0] == 400
        assert asyncio.get_running_loop().time() - began < 1


# Those who are slow, many, or gone


async def test_whoever_does_not_finish_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.01)
    async with door(request=0.05) as here:
        for begun in (b"G", get("/")[:-1], post("/", b"12345")[:-1]):
            assert [status for status, _ in answers_in(await here.ask(begun))] == [408]
        assert await here.ask(b"") == b""
    assert here.service.seen == []


async def test_patience_does_not_grow_with_each_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    async with door(request=0.1) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        telling = asyncio.ensure_future(reader.read(-1))
        for letter in get("/", "x-a: " + "a" * 10_000):
            if telling.done():
                break
            writer.write(bytes([letter]))
            await asyncio.sleep(0.005)
        assert answers_in(await telling)[0][0] == 408
        writer.close()


async def test_a_call_under_way_has_the_time_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    async with door(request=0.05, idle=0.05) as here:
        asking = asyncio.ensure_future(here.ask(get("/held") + get("/next")))
        other = asyncio.ensure_future(here.ask(get("/stays")))
        # The other one was idle for longer than anybody may be, and its end tells that the time is over.
        await other
        here.service.release.set()
        assert [status for status, _ in answers_in(await asking)] == [200, 200]


async def test_nobody_waits_behind_all_that_another_asked_at_once() -> None:
    async with door() as here:
        with here.socket() as greedy, here.socket() as modest:
            await until(lambda: len(here.connections.open) == 2)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(greedy, get("/greedy") * 20 + FAREWELL)
            await loop.sock_sendall(modest, get("/modest"))
            said = await all_from(greedy)
    assert len(answers_in(said)) == 21
    assert here.service.seen.index("/modest") < 10


LARGE = post("/heavy", bytes(connections.LARGE + 1))


async def test_large_requests_leave_nearly_all_of_the_time_to_the_others() -> None:
    async with door() as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        await until(lambda: here.connections.open)
        asking = [asyncio.ensure_future(here.ask(LARGE + FAREWELL)) for _ in range(6)]
        while not all(one.done() for one in asking):
            writer.write(get("/modest"))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.partition(b"content-length: ")[2]))
        writer.close()
        await writer.wait_closed()
    assert [answers_in(await one)[-1][0] for one in asking] == [200] * 6
    seen = [path for path in here.service.seen if path != "/farewell"]
    places = [place for place, path in enumerate(seen) if path == "/heavy"]
    # The median: a machine that stands still for as long as a pause lets two large requests follow each other.
    assert statistics.median(later - sooner for sooner, later in itertools.pairwise(places)) > 5


async def test_a_pause_is_bounded_and_clients_that_left_keep_no_place() -> None:
    async with door() as here:
        loop = asyncio.get_running_loop()
        gone = [here.socket() for _ in range(30)]
        for sock in gone:
            await loop.sock_sendall(sock, LARGE)
        await until(lambda: here.connections.slow_queue.waiting >= 25)
        for sock in gone:
            sock.close()
        began = loop.time()
        await until(lambda: here.connections.slow_queue.waiting == 0)
        assert loop.time() - began < 1
        assert here.service.seen.count("/heavy") < 10


async def test_parties_take_turns_in_the_slow_queue() -> None:
    async with door() as here:
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                sock = stack.enter_context(here.socket())
                await loop.sock_sendall(sock, LARGE)
            await until(lambda: here.connections.slow_queue.waiting >= 15)
            answer = await here.ask(post("/known", bytes(connections.LARGE + 1), "connection: close"))
            assert here.connections.slow_queue.waiting >= 10
    assert answers_in(answer)[0][0] == 200


async def test_one_request_more_than_may_wait_is_refused_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_queue, "MAX_OF_HOLDER", 1)
    monkeypatch.setattr(slow_queue, "MAX_PAUSE", 0.3)
    async with door() as here:
        sent = get("/heavier") + get("/heavy") + get("/later", "connection: close")
        answers = [await one for one in [asyncio.ensure_future(here.ask(sent)) for _ in range(4)]]
    assert max(answers_in(one)[-1][0] for one in answers) == 503
    assert all(b"retry-after: 1" in one for one in answers if b" 503 " in one)


async def test_bodies_that_are_never_finished_take_a_bounded_number_of_bytes() -> None:
    async with door() as here:
        held = here.connections.held = HeldBytes(100_000)
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            socks = [stack.enter_context(here.socket()) for _ in range(8)]
            for sock in socks[:-1]:
                await loop.sock_sendall(sock, post("/a", bytes(30_000))[:-1])
            await until(lambda: here.connections.statuses[408] >= 4)
            assert 0 < held.total <= 100_000
            await loop.sock_sendall(socks[-1], post("/a", bytes(10_000))[:-1])
            await loop.sock_sendall(socks[-1], b"1" + FAREWELL)
            assert [status for status, _ in answers_in(await all_from(socks[-1]))] == [200, 200]
        await until(lambda: held.total == 0)


async def test_bodies_that_wait_for_their_turn_take_a_bounded_number_of_bytes() -> None:
    async with door() as here:
        held = here.connections.held = HeldBytes(200_000)
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            socks = [stack.enter_context(here.socket()) for _ in range(20)]
            for sock in socks:
                # The next request came along, and is held as well.
                await loop.sock_sendall(sock, LARGE + LARGE[:-1])
                assert held.total <= 200_000
            # Those that were given up had sent a part of it, or waited for their turn.
            await until(lambda: here.connections.statuses[408] + here.connections.statuses[503] > 5)
            assert held.total <= 200_000
            modest = await here.ask(post("/known", bytes(connections.LARGE + 1), "connection: close"))
            assert answers_in(modest)[0][0] == 200
        await until(lambda: held.total == 0)


@pytest.mark.parametrize("path", ["/large", "/app/large"])
async def test_answers_that_are_not_read_take_a_bounded_number_of_bytes(path: str) -> None:
    async with door() as here:
        held = here.connections.held = HeldBytes(50_000_000)
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            for number in range(8):
                sock = stack.enter_context(here.socket())
                await loop.sock_sendall(sock, get(f"{path}?20000000"))
                await until(lambda number=number: len(here.service.seen) == number + 1)
            await until(lambda: len(here.connections.open) <= 4)
            assert 0 < held.total <= 50_000_000
            answer = await here.ask(get("/modest", "connection: close"))
            assert answers_in(answer)[0][0] == 200
        await until(lambda: held.total == 0)


async def test_a_request_that_waits_too_long_for_its_turn_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(connections, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(slow_queue, "MAX_PAUSE", 0.5)
    async with door() as here:
        large = post("/heavy", bytes(connections.LARGE + 1), "connection: close")
        said = [await one for one in [asyncio.ensure_future(here.ask(large)) for _ in range(3)]]
        assert sorted(answers_in(one)[0][0] for one in said) == [200, 503, 503]
        assert here.connections.slow_queue.waiting == here.connections.held.total == 0


async def test_too_many_large_requests_at_once_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_queue, "MAX_OF_HOLDER", 1)
    async with door() as here:
        large = post("/heavy", bytes(connections.LARGE + 1), "connection: close")
        said = [await one for one in [asyncio.ensure_future(here.ask(large)) for _ in range(3)]]
    assert sorted(answers_in(one)[0][0] for one in said) == [200, 200, 503]
    assert sum(b"retry-after: 1" in one for one in said) == 1


async def test_whoever_leaves_while_waiting_with_a_large_request_has_asked_nothing() -> None:
    async with door() as here:
        large = post("/heavy", bytes(connections.LARGE + 1), "connection: close")
        first = asyncio.ensure_future(here.ask(large))
        await until(lambda: here.service.seen)
        with here.socket() as sock:
            await until(lambda: len(here.connections.open) >= 1)
            await asyncio.get_running_loop().sock_sendall(sock, large)
            await until(lambda: here.connections.slow_queue.waiting)
        await until(lambda: not here.connections.open)
        last = await here.ask(large)
        assert answers_in(await first)[0][0] == answers_in(last)[0][0] == 200
    assert here.service.seen == ["/heavy"] * 2


async def test_a_large_answer_arrives_whole_however_late_it_is_read() -> None:
    async with door() as here:
        with here.socket() as sock:
            await asyncio.get_running_loop().sock_sendall(sock, get("/large?20000000") + get("/after") + FAREWELL)
            await until(lambda: here.service.seen)
            for _ in range(20):
                await asyncio.sleep(0)
            # Nothing more is done for somebody who has not taken what was done before.
            assert here.service.seen == ["/large"]
            said = await all_from(sock)
    found = answers_in(said)
    assert [len(content) for _, content in found[:1]] == [20_000_000]
    assert here.service.seen == ["/large", "/after", "/farewell"]


async def test_whoever_never_reads_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    async with door(idle=0.05) as here:
        with here.socket() as stays, here.socket() as closes:
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(stays, get("/large?20000000"))
            await loop.sock_sendall(closes, get("/large?20000000", "connection: close"))
            await until(lambda: len(here.service.seen) == 2)
            await until(lambda: not here.connections.open)


async def test_a_refusal_is_read_by_whoever_was_still_sending() -> None:
    async with door() as here:
        for asked_for in (post("/refused", bytes(40_000)), post("/a", bytes(MAX_BODY + 1))):
            with here.socket() as sock:
                loop = asyncio.get_running_loop()
                head = asked_for.index(b"\r\n\r\n") + 4
                await loop.sock_sendall(sock, asked_for[:head])
                await until(lambda: _has_come(sock))
                await loop.sock_sendall(sock, asked_for[head:])
                ((status, _),) = answers_in(await all_from(sock))
                assert status in (401, 413)
            await until(lambda: not here.connections.open)
    assert here.service.seen == []


async def test_a_refused_request_without_a_body_leaves_the_connection_open() -> None:
    async with door() as here:
        said = await here.ask(get("/refused") + FAREWELL)
    assert [status for status, _ in answers_in(said)] == [401, 200]


async def test_the_oldest_connection_makes_room_for_another_and_one_that_is_answered_stays() -> None:
    async with door(limit=8) as here:
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            busy, idle, half, *_ = socks = [stack.enter_context(here.socket()) for _ in range(4)]
            await until(lambda: len(here.connections.open) == 4)
            for sock in socks:
                await loop.sock_sendall(sock, get("/a"))
                assert await loop.sock_recv(sock, 1 << 16)
            await loop.sock_sendall(busy, get("/held"))
            await until(lambda: "/held" in here.service.seen)
            await loop.sock_sendall(half, get("/half")[:-1])
            for _ in range(3):
                assert answers_in(await here.ask(FAREWELL))[0][0] == 200
                assert len(here.connections.open) <= 4
            assert await loop.sock_recv(idle, 1 << 16) == b""
            here.service.release.set()
            assert await loop.sock_recv(busy, 1 << 16)


async def test_a_connection_that_has_shown_who_it_is_for_makes_room_for_no_stranger() -> None:
    async with door(limit=8) as here:
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            known = stack.enter_context(here.socket())
            await loop.sock_sendall(known, get("/known"))
            assert await loop.sock_recv(known, 1 << 16)
            await loop.sock_sendall(known, get("/known/half")[:-1])
            strangers = [stack.enter_context(here.socket()) for _ in range(40)]
            for sock in strangers:
                with contextlib.suppress(OSError):
                    await loop.sock_sendall(sock, get("/stranger")[:-1])
            await until(lambda: len(here.connections.open) == 5)
            assert answers_in(await here.ask(FAREWELL))[0][0] == 200
            await loop.sock_sendall(known, b"\n")
            assert answers_in(await loop.sock_recv(known, 1 << 16))[0][0] == 200


async def test_an_error_of_the_service_is_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    async with door() as here:
        for path in ("/error", "/unknown-error", "/app/error"):
            with caplog.at_level(logging.ERROR):
                said = await here.ask(get(path, "connection: close"))
            assert answers_in(said)[0][0] == 500
            assert b"not for other eyes" not in said
    assert "not for other eyes" in caplog.text


# Streams


async def test_a_stream_ends_when_its_reader_leaves() -> None:
    async with door() as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(get("/app/stream") + b"what is said to a stream is not heard")
        assert b"text/event-stream" in await reader.readuntil(b"\r\n\r\n")
        assert await reader.readuntil(b"\n\n") == b"9\r\ndata: 1\n\n"
        writer.close()
        async with asyncio.timeout(10):
            await here.service.streams_ended.wait()
        await until(lambda: not here.connections.open)


async def test_a_stream_that_is_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    async with door(idle=0.05) as here:
        here.service.stream_piece = bytes(500_000)
        with here.socket() as sock:
            await asyncio.get_running_loop().sock_sendall(sock, get("/app/stream"))
            async with asyncio.timeout(10):
                await here.service.streams_ended.wait()
        await until(lambda: not here.connections.open)


async def test_a_stream_whose_reader_left_before_it_began_ends_at_once() -> None:
    async with door() as here:
        with here.socket() as sock:
            await asyncio.get_running_loop().sock_sendall(sock, get("/app/stream?late"))
            await until(lambda: here.service.seen)
        await until(lambda: not here.connections.open)
        here.service.release.set()
        async with asyncio.timeout(10):
            await here.service.streams_ended.wait()


@pytest.mark.parametrize("path", ["/app/large", "/large"])
async def test_a_client_that_does_not_read_holds_no_answer_for_long(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.01)
    async with door(idle=0.05) as here:
        with here.socket() as sock:
            await asyncio.get_running_loop().sock_sendall(sock, get(f"{path}?20000000"))
            await until(lambda: here.service.seen)
            await until(lambda: not here.connections.open)


# The application


async def test_calls_and_other_requests_take_turns_on_one_connection() -> None:
    async with door() as here:
        paths = ["/a", "/app/b", "/app/c", "/d", "/later", "/app/e"]
        answers = answers_in(await here.ask(b"".join(post(path, path.encode()) for path in paths) + FAREWELL))
    assert [json.loads(content)["path"] for _, content in answers] == [*paths, "/farewell"]
    assert [json.loads(content)["body"] for _, content in answers] == [*paths, ""]
    assert here.connections.statuses == {200: 7}


async def test_a_websocket_belongs_to_the_application_from_its_first_byte() -> None:
    websockets = pytest.importorskip("websockets.asyncio.client")

    async def echo(client: WebSocket) -> None:
        await client.accept()
        await client.send_text(f"echo {await client.receive_text()}")

    service = Mirror()
    service.application.router.routes.insert(0, WebSocketRoute("/app/echo", echo))
    with socket.create_server(("127.0.0.1", 0)) as sock:
        here = Connections(service)
        async with here.accepting(sock):
            url = f"ws://127.0.0.1:{sock.getsockname()[1]}/app/echo"
            async with websockets.connect(url, proxy=None) as client:
                await client.send("a")
                assert await client.recv() == "echo a"
                assert not here.open


# Connections that go elsewhere


async def test_a_connection_goes_on_elsewhere_from_the_first_letter_of_the_request() -> None:
    sent = get("/before") + post("/elsewhere", b"123456")
    async with door() as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(sent[:-3])
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        await until(lambda: here.service.given_away)
        await until(lambda: not here.connections.open)
        ((place, sock, received),) = here.service.given_away
        assert (place, received) == (7, sent[len(get("/before")) : -3])
        sock.setblocking(False)
        service = Mirror()
        there = Connections(service)
        writer.write(sent[-3:] + FAREWELL)
        received = received.replace(b"/elsewhere", b"/here")
        await asyncio.get_running_loop().connect_accepted_socket(lambda: there.connection(received), sock)
        said = await reader.read(-1)
        assert said.count(b"HTTP/1.1 200") == 2
        assert service.seen == ["/here", "/farewell"]
        writer.close()
        await writer.wait_closed()
