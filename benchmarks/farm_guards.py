"""One client's calls to a farm, beside those who misuse it: what they sent, what came back, and what the client notices."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from benchmarks.farm import farm_program
from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.timing import quiet
from envscaler_mcp.farm.tokens import token_for

ROOT = Path(__file__).parents[1]
ENVIRONMENT, TOOL = "hospital_stays", "list_wards"
PAUSE = 0.001
"""Seconds between the calls of the client that does no harm."""
MOST = 2.0
"""How many times longer 95 of 100 calls may take beside abuse."""
NEIGHBOUR = "(a neighbour who computes)"
"""Nobody's fault, so it has no budget; what it costs tells how busy the processors are."""
CONNECTIONS = 4
"""On which floods come in."""


@dataclass(frozen=True, slots=True)
class Target:
    """A farm, as those who misuse it see it; they were given a world and a token of their own."""

    port: int
    path: str
    token: str

    def get(self, path: str, *lines: str) -> bytes:
        return self._head("GET", path, *lines)

    def post(self, path: str, body: bytes, *lines: str) -> bytes:
        return self._head("POST", path, *_JSON, f"content-length: {len(body)}", *lines) + body

    def call(self, body: bytes) -> bytes:
        """Something sent to the world with the right token."""
        return self.post(self.path, body, self.bearer)

    @property
    def bearer(self) -> str:
        return f"authorization: Bearer {self.token}"

    def _head(self, method: str, path: str, *lines: str) -> bytes:
        return "\r\n".join([f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{self.port}", *lines, "", ""]).encode()


_JSON = ("content-type: application/json", "accept: application/json, text/event-stream")


def measure(scale: Scale) -> list[Figure]:
    """The client's time for a call at which 95 of 100 are done, alone and beside each abuse, by turns."""
    turns = max(5, scale.calls // 8)
    with _farm() as (target, mine), socket.create_connection(("127.0.0.1", target.port)) as client, quiet():
        call = mine.call(_call())
        _times(client, call, turns)
        return [_beside(kind, target, client, call, turns, scale.rounds) for kind in ABUSES]


def _beside(kind: str, target: Target, client: socket.socket, call: bytes, turns: int, rounds: int) -> Figure:
    alone, beside, halves = [], [], []
    sent: Counter[str] = Counter()
    for _ in range(rounds):
        alone.append(_late(_times(client, call, turns)))
        with _abuser(kind, target) as account:
            times = _times(client, call, turns)
        beside.append(_late(times))
        halves.append(median(times))
        sent.update(account())
    came = ", ".join(f"{what}: {number:,}" for what, number in sorted(sent.items()))
    return Figure(
        kind,
        median(beside) * 1e6,
        "µs",
        Peer("alone", median(alone) * 1e6),
        None if kind == NEIGHBOUR else Budget("at most", MOST * median(alone) * 1e6),
        f"half of the calls in {median(halves) * 1e6:,.0f} µs; {came}",
    )


def _times(client: socket.socket, call: bytes, turns: int) -> list[float]:
    taken = []
    for _ in range(turns):
        start = time.perf_counter()
        client.sendall(call)
        _whole(client)
        taken.append(time.perf_counter() - start)
        time.sleep(PAUSE)
    return taken


def _whole(client: socket.socket) -> None:
    """Read one answer, which must be that of a call that was done."""
    said = b""
    while (end := said.find(b"\r\n\r\n")) < 0:
        said += client.recv(1 << 16)
    size = int(said[:end].partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(said) < end + 4 + size:
        said += client.recv(1 << 16)
    if not said.startswith(b"HTTP/1.1 200") or b'"isError":false' not in said:
        raise AssertionError(f"the call was not done: {said!r}")


def _late(times: list[float]) -> float:
    """What 95 of 100 stay below."""
    return sorted(times)[int(len(times) * 0.95)]


def _call() -> bytes:
    params = {"name": TOOL, "arguments": {}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


@contextmanager
def _farm() -> Iterator[tuple[Target, Target]]:
    """A farm as seen by those who misuse it, and by the client, who has another world."""
    with farm_program("--tokens") as farm:
        token = token_for(farm.secret, "agent", 86_400)
        theirs, mine = farm.client.open_many(ENVIRONMENT, 2)
        yield (
            Target(farm.port, urlsplit(theirs.url).path, token),
            Target(farm.port, urlsplit(mine.url).path, token),
        )


@contextmanager
def _abuser(kind: str, target: Target) -> Iterator[Callable[[], dict[str, int]]]:
    """Those who do one kind of harm, in a process of their own for the block; afterwards their account of it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.farm_guards", kind, str(target.port), target.path, target.token],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    told: list[dict[str, int]] = []
    try:
        yield lambda: told[0]
    finally:
        process.stdin.close()
        told.append(json.loads(process.stdout.readline()))
        process.stdout.close()
        process.wait()


# Those who misuse a farm; each goes on until it is ended


@dataclass(frozen=True, slots=True)
class Account:
    """What one kind of abuse sends, and how it counts."""

    target: Target
    counts: Counter[str]

    async def flood(self, *requests: Callable[[], bytes], hangs_up: bool = False) -> None:
        """Ask again as soon as there is an answer, on few connections."""

        async def one() -> None:
            while True:
                with suppress(ConnectionError, asyncio.IncompleteReadError):
                    await self._ask(requests, hangs_up=hangs_up)

        await asyncio.gather(*(one() for _ in range(CONNECTIONS)))

    async def _ask(self, requests: tuple[Callable[[], bytes], ...], *, hangs_up: bool) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target.port)
        try:
            while True:
                for request in requests:
                    self.counts["sent"] += 1
                    writer.write(request())
                    with suppress(ConnectionError):
                        await writer.drain()
                    await self._answer(reader)
                    if hangs_up:
                        return
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):
            self.counts["hung up"] += 1
            raise
        self.counts[head[9:12].decode()] += 1
        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(size)
        if b"connection: close" in head:
            raise asyncio.IncompleteReadError(b"", 1)

    async def dribble(self, whole: bytes, connections: int) -> None:
        """Send a letter now and then on many connections."""

        async def one() -> None:
            while True:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.target.port)
                self.counts["sent"] += 1
                with suppress(ConnectionError):
                    for letter in whole:
                        writer.write(bytes([letter]))
                        await asyncio.sleep(0.05)
                with suppress(ConnectionError, asyncio.IncompleteReadError):
                    await self._answer(reader)
                writer.close()

        await asyncio.gather(*(one() for _ in range(connections)))

    async def never_read(self, request: bytes, connections: int) -> None:
        """Ask for much on many connections, and take nothing."""

        async def one() -> None:
            loop = asyncio.get_running_loop()
            while True:
                with socket.socket() as sock:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    sock.setblocking(False)
                    await loop.sock_connect(sock, ("127.0.0.1", self.target.port))
                    with suppress(ConnectionError):
                        while True:
                            self.counts["sent"] += 1
                            await loop.sock_sendall(sock, request)
                    self.counts["hung up"] += 1

        await asyncio.gather(*(one() for _ in range(connections)))

    async def be_idle(self, connections: int) -> None:
        """Be there, and come back when sent away."""

        async def one() -> None:
            while True:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.target.port)
                self.counts["sent"] += 1
                await reader.read(1)
                self.counts["hung up"] += 1
                writer.close()

        await asyncio.gather(*(one() for _ in range(connections)))


def _deep() -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 43_000


def _large() -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[%s]}}' % b",".join([b"1"] * 130_000)


def _guess(account: Account) -> bytes:
    name = secrets.token_urlsafe(16)
    return account.target.post(f"/e/{ENVIRONMENT}/{name}/mcp", _call(), account.target.bearer)


def _in_small_pieces(target: Target) -> bytes:
    head = target.post(target.path, b"", target.bearer).replace(b"content-length: 0", b"transfer-encoding: chunked")
    return head + b"1\r\n \r\n" * 40_000


async def _compute(account: Account) -> None:
    """Nothing to the farm: what a neighbour's work on the same processors costs alone."""
    while True:
        account.counts["nothing sent"] = 0
        sum(range(10_000))
        await asyncio.sleep(0)


ABUSES: dict[str, Callable[[Account], Awaitable[None]]] = {
    NEIGHBOUR: _compute,
    "bodies of 1 MiB": lambda one: one.flood(lambda: one.target.call(bytes(1 << 20))),
    "bodies in tiny pieces": lambda one: one.flood(lambda: _in_small_pieces(one.target)),
    "deep JSON of 210 KiB": lambda one: one.flood(lambda: one.target.call(_deep())),
    "a JSON list of 254 KiB": lambda one: one.flood(lambda: one.target.call(_large())),
    "heads letter by letter": lambda one: one.dribble(one.target.call(_call()), 100),
    "bodies letter by letter": lambda one: one.dribble(one.target.call(bytes(200_000))[:400], 100),
    "500 idle connections": lambda one: one.be_idle(500),
    "what is no request": lambda one: one.flood(lambda: b"GET /\x00 HTTP/1.1\r\n\r\n"),
    "what is no message": lambda one: one.flood(lambda: one.target.call(b"{")),
    "a new connection each": lambda one: one.flood(lambda: one.target.get("/health"), hangs_up=True),
    "guessed worlds": lambda one: one.flood(lambda: _guess(one)),
    "guessed tokens": lambda one: one.flood(
        lambda: one.target.get("/metrics", f"authorization: Bearer {secrets.token_urlsafe(60)}")
    ),
    "1,000 requests at once": lambda one: one.never_read(one.target.get("/health") * 1_000, CONNECTIONS),
    "large answers, never read": lambda one: one.never_read(
        one.target.call(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), 50
    ),
}


async def _abuse(kind: str, target: Target) -> None:
    """Do harm until the standard input ends, then tell of it."""
    # They stand for others on other machines, and should not take the processor from those they bother.
    os.nice(19)
    account = Account(target, Counter())
    doing = asyncio.ensure_future(ABUSES[kind](account))
    while not account.counts:  # noqa: ASYNC110 - whatever they do first is counted
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    print("begun", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(account.counts), flush=True)
    doing.cancel()
    os._exit(0)


BENCHMARK = Benchmark("guards", "one client's calls beside those who misuse the farm", measure)

if __name__ == "__main__":
    # One of those who misuse it, in a process of its own.
    asyncio.run(_abuse(sys.argv[1], Target(int(sys.argv[2]), *sys.argv[3:])))
