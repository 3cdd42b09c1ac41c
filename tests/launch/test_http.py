"""A server over real HTTP: who may enter, and what strangers can do to it, which is nothing."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.launch.http import http_process, over_http
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.serving import LocalWorld
from envscaler_mcp.serving.http import MAX_BODY, http_app, http_server
from envscaler_mcp.serving.server import build_server
from envscaler_mcp.serving.sockets import is_loopback, listen
from envscaler_mcp.trust import load_code

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
Headers = dict[str, str]


class Raw:
    """One kept connection, spoken to in bytes."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._stream: SocketStream | None = None

    async def send(self, head: bytes, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body; connects again where the server has hung up."""
        if self._stream is None:
            self._stream = await anyio.connect_tcp("127.0.0.1", self.port)
            self._reader = BufferedByteReceiveStream(self._stream)
        await self._stream.send(head + body)
        answer = (await self._reader.receive_until(b"\r\n\r\n", 65_536)).decode("latin-1").lower()
        status = int(answer.split(" ", 2)[1])
        length = answer.partition("content-length: ")[2].split("\r\n")[0]
        got = await self._reader.receive_exactly(int(length)) if length and int(length) else b""
        if "connection: close" in answer:
            await self.close()
        return status, got

    async def post(self, body: bytes, headers: Headers | None = None, path: str = "/mcp") -> tuple[int, Any]:
        lines = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(body)),
            **(headers or {}),
        }
        head = f"POST {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
        return await self.send(head.encode("latin-1"), body)

    async def close(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()
            self._stream = None


def call(tool: Any, arguments: Any, modern: bool = True) -> tuple[bytes, Headers]:
    params = {"name": tool, "arguments": arguments, **({"_meta": ENVELOPE} if modern else {})}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    if not modern:
        return body, {"MCP-Protocol-Version": "2025-11-25"}
    name = tool if isinstance(tool, str) and tool.isascii() and tool.isprintable() else "x"
    return body, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}


@asynccontextmanager
async def served(
    world: LocalWorld, host: str = "127.0.0.1", token: str | None = None, origins: tuple[str, ...] = ()
) -> AsyncIterator[Raw]:
    """The world behind a real socket, in this process, so that the test can look at it."""
    with listen(host, 0, token) as sock:
        runner = http_server(http_app(build_server(world), host=host, token=token, origins=origins))
        raw = Raw(sock.getsockname()[1])
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: runner.serve(sockets=[sock]))
            try:
                yield raw
            finally:
                await raw.close()
                runner.stop()


@pytest.fixture
def world(library_folder: Path) -> LocalWorld:
    opened = open_folder(library_folder, load_code(library_folder))
    assert isinstance(opened, LocalWorld)
    return opened


@pytest.mark.parametrize("modern", [True, False])
async def test_a_call_needs_no_session_in_either_era(world: LocalWorld, modern: bool) -> None:
    async with served(world) as raw:
        for _ in range(3):
            status, body = await raw.post(*call("get_book", {"book_id": "BOOK-00001"}, modern))
            assert status == 200
            assert json.loads(body)["result"]["structuredContent"]["data"]["title"] == "Volume 1"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "localhost.evil.example:80"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "[::1"}, 421),
        ({"Host": "localhost"}, 200),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[bad"}, 403),
        ({"Host": "localhost:1#.evil.example"}, 421),
        ({"Host": "localhost@evil.example"}, 421),
        ({"Host": "localhost/.evil.example"}, 421),
        ({"Host": "localhost", "Origin": "http://localhost"}, 200),
        ({"Host": "localhost:1", "Origin": "http://127.0.0.1:1"}, 200),
        ({"Origin": "http://localhost:6274"}, 403),
        ({"Host": "localhost:1", "Origin": "x://localhost:1"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
    ],
)
async def test_a_page_in_a_browser_cannot_enter(world: LocalWorld, headers: Headers, status: int) -> None:
    body, ordinary = call("list_books", {})
    async with served(world) as raw:
        assert (await raw.post(body, {**ordinary, **headers}))[0] == status


async def test_with_a_token_only_those_who_know_it_enter(world: LocalWorld) -> None:
    body, headers = call("list_books", {})
    async with served(world, "0.0.0.0", "s3cret") as raw:
        for wrong in (
            {},
            {"Authorization": "Bearer s3cre"},
            {"Authorization": "s3cret"},
            {"Authorization": "Basic s3cret"},
        ):
            assert (await raw.post(body, {**headers, **wrong}))[0] == 401
        assert (await raw.post(body, {**headers, "Authorization": "Bearer s3cret"}))[0] == 200
        known = {**headers, "Authorization": "Bearer s3cret"}
        assert (await raw.post(body, {**known, "Host": "box.example:80"}))[0] == 200
        assert (await raw.post(body, {**known, "Host": "box.example", "Origin": "https://box.example"}))[0] == 200
        assert (await raw.post(body, {**known, "Host": "box.example", "Origin": "https://evil.example"}))[0] == 403


async def test_a_client_with_the_token_is_served_from_its_variable(library_folder: Path) -> None:
    secret = {"WORLD_TOKEN": "s3cret"}
    options = "--token-env", "WORLD_TOKEN"
    async with over_http(
        library_folder, *options, headers={"Authorization": "Bearer s3cret"}, variables=secret
    ) as client:
        assert not (await client.call_tool("list_books", {})).is_error
    with pytest.raises(LaunchError, match="could not be reached"):
        async with over_http(library_folder, *options, variables=secret):
            pass


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_nothing_listens_to_other_machines_without_a_token(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(LaunchError, match="name a token"):
        listen(host, 0, None)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"])
def test_an_address_of_this_machine_alone_is_known(host: str) -> None:
    assert is_loopback(host)


async def test_packets_are_not_held_back(world: LocalWorld) -> None:
    with listen("127.0.0.1", 0, None) as sock:
        assert sock.proto != 0


async def test_a_body_beyond_the_limit_is_refused(world: LocalWorld) -> None:
    body, headers = call("note", {"member_id": "MEMB-00001", "text": "x" * MAX_BODY})
    async with served(world) as raw:
        assert (await raw.post(body, headers))[0] == 413


async def test_there_is_nothing_but_the_world(world: LocalWorld) -> None:
    body, headers = call("list_books", {})
    async with served(world) as raw:
        for path in ("/", "/state", "/mcp/state", "/control", "/docs", "/openapi.json"):
            assert (await raw.post(body, headers, path))[0] == 404


def arguments_that_are_wrong(rng: random.Random) -> tuple[Any, Any]:
    good: dict[str, dict[str, Any]] = {
        "lend_book": {"book_id": "BOOK-00001", "member_id": "MEMB-00001", "until": "2026-04-01"},
        "return_book": {"book_id": "BOOK-00001"},
        "remove_member": {"member_id": "MEMB-00001"},
        "join": {"name": "Amina", "email": "a@b.org"},
        "note": {"member_id": "MEMB-00001", "text": "x"},
        "lend_books": {"member_id": "MEMB-00001", "lines": [{"book_id": "BOOK-00001", "days": 3}]},
    }
    tool = rng.choice(list(good))
    arguments: dict[str, Any] = dict(good[tool])
    name = rng.choice(list(arguments))
    wrong: list[Any] = [
        None, True, 3, 3.5, -1, 10**30, 1e308, [], {}, [[]], {"a": 1}, "x" * 10_001, "\ud800", "\x00" * 20_000,
        [arguments], [None] * 30, {"$ref": "#"}, float("nan"), float("inf"), 10**400,
    ]  # fmt: skip
    return rng.choice(
        [
            (tool, {**arguments, name: rng.choice(wrong)}),
            (tool, {key: value for key, value in arguments.items() if key != name}),
            (tool, {**arguments, rng.choice(["self", "init_config", "nights", "", "__class__", "\ud800"]): 1}),
            (tool, rng.choice([None, [], "x", 5, [arguments], json.dumps(arguments)])),
            (rng.choice(["__init__", "_undo", "_lend", "state", "reset", "lend_bok", "", "x" * 300]), arguments),
            (rng.choice([None, 5, [], {}, True]), arguments),
            ("stumble", {"member_id": "MEMB-00001"}),
        ]
    )


def envelopes_that_are_wrong(rng: random.Random, body: bytes) -> bytes:
    message = json.loads(body)
    cut = rng.randrange(len(body))
    changes: list[dict[str, Any]] = [
        {"jsonrpc": rng.choice(["1.0", 2, None])},
        {"id": rng.choice([None, 1.5, [], {}, True, 10**30])},
        {"method": rng.choice(["tools/cal", "", None, 5, "initialize", "server/discover", "x" * 10_000])},
        {"params": rng.choice([None, [], "x", 5])},
        {"params": {**message["params"], "_meta": rng.choice([None, 5, {}, {**ENVELOPE, "progressToken": []}])}},
        {
            "params": {
                **message["params"],
                "_meta": {**ENVELOPE, "envscaler/idempotency-key": rng.choice([5, "", []])},
            }
        },
    ]
    changed = json.dumps({**message, **rng.choice(changes)}).encode()
    return rng.choice(
        [
            changed,
            body[:cut],
            body[:cut] + bytes([rng.randrange(256)]) + body[cut + 1 :] if b"stumble" in body else b"\x00",
            b"[" * rng.choice([1, 50, 5_000, 100_000]),
            b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
            b"[" + body + b"," + body + b"]",
            b"",
            b"null",
            rng.randbytes(rng.randrange(1, 200)),
            b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"tools/list","params":{}}',
            body.replace(b'"arguments"', b'"arguments":{},"argument"') if b'"join"' in body else b"{}",
        ]
    )


def malformed(number: int) -> Iterator[tuple[bytes, Headers]]:
    rng = random.Random(number)
    for _ in range(number):
        body, headers = call(*arguments_that_are_wrong(rng), modern=rng.random() < 0.6)
        kind = rng.random()
        if kind < 0.35:
            body = envelopes_that_are_wrong(rng, body)
        elif kind < 0.5:
            odd = rng.choice(list(headers))
            headers = {**headers, odd: rng.choice(["", "x", "2099-01-01", "=?base64?!!?=", "tools/list", "\xff"])}
        elif kind < 0.55:
            headers = {**headers, "Mcp-Session-Id": rng.choice(["x", "", "0" * 32]), "Last-Event-Id": "5"}
        yield body, headers


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_malformed_calls_neither_end_nor_change_a_world(world: LocalWorld, number: int) -> None:
    before = world.state_hash()
    seen: dict[int, int] = {}
    async with served(world) as raw:
        for body, headers in malformed(number):
            status, _ = await raw.post(body, headers)
            seen[status] = seen.get(status, 0) + 1
            assert status < 500, (status, body[:300], headers)
        assert world.state_hash() == before
        status, answer = await raw.post(*call("join", {"name": "Amina", "email": "a@b.org"}))
        assert (status, json.loads(answer)["result"]["isError"]) == (200, False)
    assert world.state_hash() != before
    assert {200, 202, 400} <= set(seen)


async def test_bytes_that_are_no_http_are_refused_and_survived(world: LocalWorld) -> None:
    async with served(world) as raw:
        for head in (
            b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
            b"GET\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: nonsense\r\n\r\n",
            b"POST /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n",
        ):
            assert (await raw.send(head))[0] in (400, 501, 505)
            await raw.close()
        assert (await raw.post(*call("list_books", {})))[0] == 200


async def test_other_methods_are_answered_and_open_nothing(world: LocalWorld) -> None:
    version = b"MCP-Protocol-Version: 2026-07-28\r\n"
    async with served(world) as raw:
        for method in (b"GET", b"PUT", b"DELETE", b"OPTIONS", b"PATCH"):
            status, _ = await raw.send(method + b" /mcp HTTP/1.1\r\nHost: localhost\r\n" + version + b"\r\n")
            assert status in (405, 406)


async def test_two_servers_at_once_have_two_ports(library_folder: Path) -> None:
    async with http_process(library_folder) as one, http_process(library_folder) as two:
        assert one != two


STUDIO = "https://studio.example"


async def test_pages_of_an_origin_that_the_owner_names_are_let_in_and_no_others(world: LocalWorld) -> None:
    body, headers = call("get_book", {"book_id": "BOOK-00001"})
    async with served(world, token="secret", origins=(STUDIO,)) as raw:
        known = {**headers, "Authorization": "Bearer secret"}
        assert (await raw.post(body, {**known, "Origin": STUDIO}))[0] == 200
        assert (await raw.post(body, {**headers, "Origin": STUDIO}))[0] == 401
        assert (await raw.post(body, {**known, "Origin": "https://other.example"}))[0] == 403
        assert (await raw.post(body, {**known, "Origin": f"{STUDIO}.other.example"}))[0] == 403
    async with served(world) as raw:
        assert (await raw.post(body, {**headers, "Origin": STUDIO}))[0] == 403


async def test_a_browser_is_told_which_pages_may_read_the_answers(world: LocalWorld) -> None:
    async with served(world, origins=(STUDIO,)) as raw, httpx2.AsyncClient(trust_env=False) as web:
        url = f"http://127.0.0.1:{raw.port}/mcp"
        asks = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,mcp-method"}
        told = await web.options(url, headers={"origin": STUDIO, **asks})
        assert (told.status_code, told.headers["access-control-allow-origin"]) == (200, STUDIO)
        other = await web.options(url, headers={"origin": "https://other.example", **asks})
        assert "access-control-allow-origin" not in other.headers


async def test_a_wrong_address_says_where_the_server_is(world: LocalWorld) -> None:
    async with served(world) as raw, httpx2.AsyncClient(trust_env=False) as web:
        for path in ("/", "/sse", "/mcp/x", "/x"):
            for method in ("GET", "POST"):
                told = await web.request(method, f"http://127.0.0.1:{raw.port}{path}")
                assert told.status_code == 404
                assert "/mcp" in told.text
        page = await web.get(f"http://127.0.0.1:{raw.port}/mcp", headers={"accept": "text/html"})
        assert (page.status_code, "MCP server" in page.text) == (405, True)
