"""No request makes the farm do much work before anything about it is bounded, and no page elsewhere can make one."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

import httpx2
import pytest
from starlette.types import Message

from envscaler_mcp.artifacts import State
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm import audit_file
from envscaler_mcp.farm.agent_routes import AgentService
from envscaler_mcp.farm.catalogue import MAX_SEARCH, MAX_SEARCH_WORDS
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.http_messages import MAX_TARGET, BadRequestError, RequestParser
from envscaler_mcp.farm.worlds import Caps
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tools import argument_notes
from envscaler_mcp.serving.validation import MAX_CHOICES, MAX_NESTED, MAX_SCHEMAS, without_patterns
from tests.adversary.farm_of_neighbours import JSON, farm_of
from tests.adversary.hostile_home import HANG, write_hostile_home
from tests.homes import register, write_server, written

ENTRIES = 300
SLOW_START = HANG.replace(
    "self.things = {}", "for _ in range(8_000_000 if init_config.get('slow') else 0): pass\n        self.things = {}"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hostile_home(tmp_path_factory.mktemp("home"), extra=ENTRIES)


class Work:
    """How many functions are called, of Python's or of C's, which is the same on every machine."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _count(self, _frame: object, event: str, _argument: object) -> None:
        self.calls += event in ("call", "c_call")


async def work_of(service: AgentService, head: bytes) -> int:
    """What it takes to read a request and to answer it."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        pass

    with Work() as work:
        try:
            request = RequestParser().read_head(head + b"\r\n\r\n", "127.0.0.1")
        except BadRequestError:
            return work.calls
        if service.admit(request) is None and service.answer(request) is None:
            headers = [(name.encode(), value.encode()) for name, value in request.headers.items()]
            scope = {"type": "http", "method": request.method, "path": unquote(request.path), "headers": headers}
            query = request.query.encode()
            await service.application({**scope, "query_string": query, "client": ("127.0.0.1", 1)}, receive, send)
    return work.calls


def longest(path: str, piece: str, most: int = 15_000) -> bytes:
    """A head of nearly the longest length, full of a piece that costs work."""
    return f"GET {path}{piece * (most // len(piece))} HTTP/1.1\r\nhost: 127.0.0.1".encode()


def heads() -> Iterator[bytes]:
    words = "+".join(f"a{number}" for number in range(MAX_SEARCH_WORDS))
    for most in (MAX_TARGET - 60, 15_000):
        yield longest("/v0.1/servers?limit=1&search=", "a+", most)
        yield longest("/v0.1/servers?limit=100&search=", "%61+", most)
        yield longest("/v0.1/servers?", "a=&", most)
        yield longest("/v0.1/servers/local.envscaler%2F", "%41", most)
        yield longest("/v0.1/servers/", "local.envscaler/", most)
        yield longest("/e/", "a", most)
        yield longest("/", "/", most)
    yield f"GET /v0.1/servers?limit=100&search={words} HTTP/1.1\r\nhost: 127.0.0.1".encode()
    yield b"GET /v0.1/servers?limit=100&search=e HTTP/1.1\r\nhost: 127.0.0.1"
    yield b"GET /v0.1/servers?limit=100&cursor=b&version=1.0.0 HTTP/1.1\r\nhost: 127.0.0.1"
    yield b"GET /e/hospital_stays/new HTTP/1.1\r\nhost: 127.0.0.1"
    yield b"GET /e/hospital_stay/new HTTP/1.1\r\nhost: 127.0.0.1"
    yield b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: " + b"a," * 7_000
    yield b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://" + b"a:" * 7_000


async def test_no_request_takes_more_than_a_bounded_amount_of_work(home: Path) -> None:
    async with farm_of(home) as farm:
        service = farm.here.front.agents.service
        assert isinstance(service, AgentService)
        await farm.here.front.worlds.environments.find("hospital_stays")
        for head in heads():
            await work_of(service, head)  # What is made once is made now.
            assert await work_of(service, head) < 20 * ENTRIES, head[:80]


@pytest.mark.parametrize("path", ["/%65/hospital_stays/new", "/e%2Fhospital_stays/new", "/%65%2fhospital_stays%2Fnew"])
async def test_a_path_with_percent_signs_leads_to_no_guest_link_with_the_token_of_another_scope(
    home: Path, path: str
) -> None:
    async with farm_of(home, tokens=True) as farm:
        for scope in ("read", "agent"):
            headers = {"authorization": f"Bearer {farm.here.token(scope)}"}
            assert (await farm.agents.get(path, headers=headers)).status_code == 404
        server = "/v0.1/servers/local.envscaler%2Fhospital_stays/versions/latest"
        reader = {"authorization": f"Bearer {farm.here.token('read')}"}
        assert (await farm.agents.get(server, headers=reader)).status_code == 200
        assert (await farm.agents.get("/e/hospital_stays/new", headers=reader)).status_code == 401


async def test_no_world_of_an_owner_is_reached_by_a_path_with_percent_signs(home: Path) -> None:
    async with farm_of(home) as farm:
        card = await farm.open("hospital_stays")
        name = card["name"]
        escaped = f"%{ord(name[0]):02x}{name[1:]}"
        for path in (f"/v1/worlds/{escaped}", f"/v1/%77orlds/{name}", f"/%761/worlds/{name}/state", "/v1/worlds%2f"):
            assert (await farm.owners.get(path)).status_code == 404
        assert (await farm.owners.delete(f"/v1/worlds/{escaped}")).status_code == 404
        assert (await farm.card(card))["name"] == name


async def test_a_search_has_few_words_and_finds_what_it_found(home: Path) -> None:
    async with farm_of(home) as farm:
        for words in ("a " * 7_500, "a " * (MAX_SEARCH_WORDS + 1), "a" * (MAX_SEARCH + 1)):
            answer = await farm.agents.get("/v0.1/servers", params={"search": words})
            assert answer.status_code in (400, 414), len(words)
        found = (await farm.agents.get("/v0.1/servers", params={"search": "hospital bed"})).json()
        assert [server["server"]["name"] for server in found["servers"]] == ["local.envscaler/hospital_stays"]


@pytest.mark.parametrize("limit", ["²", "٣", "9" * 5_000, "9" * 1_500, "+5", "1e1", "0x1", "５", " 5", "-0"])
async def test_a_limit_that_is_no_number_is_told_so(home: Path, limit: str) -> None:
    async with farm_of(home) as farm:
        for path in ("/v0.1/servers", "/v0/servers"):
            answer = await farm.agents.get(path, params={"limit": limit})
            assert answer.status_code == (414 if len(limit) > MAX_TARGET else 400)
            assert set(answer.json()) == {"error"}


ELSEWHERE = [
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    {"sec-fetch-site": "cross-site", "origin": "https://elsewhere.example"},
    {"sec-fetch-site": "Cross-Site"},
    {"sec-fetch-site": "none, cross-site"},
    {"sec-fetch-site": "elsewhere"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:3000"},
    {"origin": "http://localhost"},
]
OWN = [
    {},
    {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
    {"sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "cross-site", "origin": "https://studio.example"},
]


async def test_a_page_elsewhere_cannot_make_the_farm_work_unless_its_owner_lets_it(home: Path) -> None:
    async with farm_of(home, pages=frozenset({"https://studio.example"})) as farm:
        for path in ("/v0.1/servers", "/metrics", "/e/hospital_stays/new", "/health", "/"):
            for headers in ELSEWHERE:
                assert (await farm.agents.get(path, headers=headers)).status_code == 403, (path, headers)
            for headers in OWN:
                assert (await farm.agents.get(path, headers=headers)).status_code == 200, (path, headers)


async def test_a_page_that_the_owner_lets_in_may_call_tools_and_read_the_answers(home: Path) -> None:
    ours, theirs = "https://studio.example", "https://elsewhere.example"
    async with farm_of(home, pages=frozenset({ours}), tokens=True) as farm:
        world = await farm.open("hospital_stays")
        asks = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        first = await farm.agents.options(world["url"], headers={"origin": ours, **asks})
        assert (first.status_code, first.headers["access-control-allow-origin"]) == (200, ours)
        assert (await farm.agents.options(world["url"], headers={"origin": theirs, **asks})).status_code == 403
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_wards", "arguments": {}}}
        token = f"Bearer {farm.here.token('agent')}"
        told = await farm.agents.post(world["url"], json=body, headers={"origin": ours, "authorization": token})
        assert (told.status_code, told.headers["access-control-allow-origin"]) == (200, ours)
        for origin in (ours, theirs):
            refused = await farm.agents.post(world["url"], json=body, headers={"origin": origin})
            assert refused.status_code in (401, 403)
        plain = await farm.agents.post(world["url"], json=body, headers={"authorization": token})
        assert "access-control-allow-origin" not in plain.headers


async def test_an_unknown_world_is_refused_before_its_body_is_read(home: Path) -> None:
    async with farm_of(home) as farm:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(farm.here.url.rpartition(":")[2]))
        head = "POST /e/hospital_stays/unknown/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        writer.write((head + "content-length: 262144\r\n\r\n[[[[").encode())
        async with asyncio.timeout(5):
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 404")
        writer.close()
        for _ in range(2):
            refused = await farm.agents.post("/e/hospital_stays/unknown/mcp", json={})
            assert refused.status_code == 404


async def test_one_client_shuts_no_newcomer_out_by_asking_wrongly(home: Path) -> None:
    async with farm_of(home) as farm:
        target, world = await farm.open_many("hospital_stays", 2)
        port = int(farm.here.url.rpartition(":")[2])
        body = (
            b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":['
            + b"[1,2]," * 20_000
            + b"[" * 201
            + b"]" * 201
            + b"]}}"
        )
        path = target["url"].partition("/e/")[2].encode()
        head = b"POST /e/%s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        elsewhere = b"GET / HTTP/1.1\r\nhost: localhost\r\norigin: http://elsewhere.example\r\n\r\n"
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(60)]
        for number, (_, writer) in enumerate(opened):
            writer.write((head % (path, len(body)) + body) if number % 2 else elsewhere * 50)
        await asyncio.sleep(0.2)
        async with asyncio.timeout(5):
            for _ in range(5):
                async with httpx2.AsyncClient(trust_env=False) as newcomer:
                    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_wards"}}
                    assert (await newcomer.post(world["url"], json=ask)).status_code == 200
                    assert (await newcomer.get(f"{farm.here.url}/e/hospital_stays/new")).status_code == 200
        for _, writer in opened:
            writer.transport.abort()


async def test_visitors_of_one_address_wait_as_one_however_many_worlds_they_have(home: Path) -> None:
    async with farm_of(home) as farm:
        worlds = farm.here.front.worlds
        own = await farm.open("hospital_stays")
        names = [worlds.invitation("hospital_stays") for _ in range(60)]
        for name in names:
            await worlds.open_guest("hospital_stays", name, "127.0.0.1")
        port = int(farm.here.url.rpartition(":")[2])
        body = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[' + b"[1,2]," * 30_000 + b"1]}}"
        head = b"POST /e/hospital_stays/%s/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        length = b"content-length: %d\r\n\r\n" % len(body)
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in names]
        for name, (_, writer) in zip(names, opened, strict=True):
            writer.write(head % name.encode() + length + body)
        queue = farm.here.front.agents.slow_queue
        while queue.waiting < 50:  # noqa: ASYNC110 - what waits sets no event
            await asyncio.sleep(0.01)
        for _ in range(3):
            before = queue.waiting
            said = await farm.call(own, "list_wards", unknown="x" * 20_000)
            assert '"success":false' in said
            # If each of their worlds had a turn before it, all of them would.
            assert before - queue.waiting <= 4
        for _, writer in opened:
            writer.transport.abort()


async def test_names_of_worlds_that_are_not_here_are_no_party_of_their_own(home: Path) -> None:
    async with farm_of(home) as farm:
        service = farm.here.front.agents.service
        world = await farm.here.front.worlds.open("hospital_stays")
        parties = set()
        for name in ("a" * 22, "b" * 22, farm.here.front.worlds.invitation("hospital_stays")):
            head = f"POST /e/hospital_stays/{name}/mcp HTTP/1.1\r\nhost: elsewhere\r\n\r\n".encode()
            request = RequestParser().read_head(head, "10.0.0.1")
            assert service.admit(request) is not None
            parties.add(service.party(request))
        assert parties == {Party("10.0.0.1")}
        request = RequestParser().read_head(f"POST /e/hospital_stays/{world.name}/mcp HTTP/1.0\r\n\r\n".encode(), "")
        service.admit(request)
        assert service.party(request) == Party(f"world {world.name}", world.name)


async def test_visits_of_one_address_end_its_own_that_were_never_used_first(home: Path) -> None:
    caps = Caps(visitors=6, visitors_of_address=3)
    async with farm_of(home, caps=caps) as farm:
        worlds = farm.here.front.worlds

        async def visited(address: str) -> HostedWorld:
            return await worlds.open_guest("hospital_stays", worlds.invitation("hospital_stays"), address)

        used = await visited("10.0.0.1")
        used.call("list_wards", {}, None)
        other = await visited("10.0.0.2")
        first, second, third = [await visited("10.0.0.1") for _ in range(3)]
        assert {world.name for world in worlds} == {one.name for one in (used, other, second, third)}
        assert first.leaves - first.used == pytest.approx(caps.first_visit_seconds)
        assert used.leaves - used.used == pytest.approx(caps.visit_seconds)
        await visited("10.0.0.3")
        await visited("10.0.0.3")
        await visited("10.0.0.4")
        assert worlds.visitors == 6
        assert not worlds.get(other.name), "idle longest of those never used"
        assert worlds.get(used.name)


async def test_first_calls_at_many_guest_links_at_once_open_no_more_worlds_than_an_address_may_have(home: Path) -> None:
    caps = Caps(visitors=6, visitors_of_address=3)
    async with farm_of(home, caps=caps) as farm:
        links = [(await farm.agents.get("/e/hang_env/new")).json()["url"] for _ in range(12)]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ping", "arguments": {}}}
        worlds, most = farm.here.front.worlds, 0
        calls = [asyncio.create_task(farm.agents.post(url, json=body, headers=JSON)) for url in links]
        while not all(call.done() for call in calls):
            await asyncio.sleep(0.001)
            most = max(most, worlds.visitors)
        statuses = [call.result().status_code for call in calls]
        assert most == 3
        assert statuses.count(200) >= 3
        assert set(statuses) <= {200, 503}
        url = (await farm.agents.get("/e/hang_env/new")).json()["url"]
        assert (await farm.agents.post(url, json=body, headers=JSON)).status_code in (200, 503)
        assert worlds.visitors == 3


async def test_owners_open_worlds_while_visitors_use_up_their_openings(tmp_path: Path) -> None:
    home = write_hostile_home(tmp_path, {}, ())
    folder, states = home / "generated_servers" / "slow_env", ("start", "quick")
    slow, quick = (
        State(environment="slow_env", name=name, seed=1, content={"slow": name == "start"}) for name in states
    )
    entry = write_server(folder, written(SLOW_START, "slow_env", states=states), slow)
    quick.write(folder / "states" / "quick.json")
    register(home, entry)
    async with farm_of(home) as farm:
        worlds = farm.here.front.worlds
        for name in (None, "quick"):
            await worlds.open("slow_env", state=name)
        visits = [
            asyncio.create_task(worlds.open_guest("slow_env", worlds.invitation("slow_env"), f"10.0.0.{number}"))
            for number in range(12)
        ]
        await asyncio.sleep(0)
        assert len(worlds._visits) == 12
        await worlds.open("slow_env", state="quick")
        assert sum(visit.done() for visit in visits) < 6
        assert all(visit.address for visit in await asyncio.gather(*visits))


async def test_a_fork_of_a_world_that_hangs_is_answered_within_a_second(home: Path) -> None:
    async with farm_of(home) as farm:
        world = await farm.open("hang_env")
        hanging = asyncio.create_task(farm.call(world, "hang", n=1))
        while not farm.here.front.worlds.named(world["name"]).calls:  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(0.01)
        async with asyncio.timeout(2):
            forked = await farm.owners.post(f"/v1/worlds/{world['name']}/fork", json={"count": 1})
        assert (forked.status_code, "does not end" in forked.text) == (503, True)
        await farm.close(world)
        await hanging


def test_the_audit_log_is_of_this_user_and_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_file, "MAX_BYTES", 2_000)
    file = tmp_path / "audit.jsonl"
    file.touch(0o644)
    processes = [audit_file.AuditFile(file) for _ in range(2)]
    for number in range(400):
        record = logging.LogRecord("audit", logging.INFO, "", 0, f"line {number:05} " + "x" * 50, None, None)
        processes[number % 2].emit(record)
    for handler in processes:
        handler.close()
    files = sorted(tmp_path.iterdir())
    assert [one.name for one in files] == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2", "audit.jsonl.3"]
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    assert all(one.stat().st_size < 2_200 for one in files)
    assert "line 00399" in "".join(one.read_text() for one in files[:2])


async def test_the_figures_are_not_collected_anew_for_each_who_asks(home: Path) -> None:
    async with farm_of(home) as farm:
        told = {(await farm.agents.get("/metrics")).text for _ in range(20)}
        assert len(told) <= 3


async def test_a_key_of_one_token_is_another_key_of_another_token(home: Path) -> None:
    async with farm_of(home) as farm:
        order = {"environment": "hospital_stays"}

        async def opened(token: str, order: dict[str, Any]) -> Any:
            headers = {"authorization": f"Bearer {token}", "idempotency-key": "the-key"}
            return await farm.owners.post("/v1/worlds", json=order, headers=headers)

        mine, theirs = farm.here.token("control"), farm.here.token("control")
        first = await opened(mine, order)
        assert (await opened(mine, order)).json() == first.json()
        other = await opened(theirs, {"environment": "expense_approvals"})
        assert other.status_code == 201
        assert other.json()["worlds"][0]["environment"] == "expense_approvals"
        assert (await opened(mine, {**order, "count": 2})).status_code == 409


ODD = [
    b"",
    b"null",
    b"[]",
    b'{"count":%s}' % (b"9" * 5_000),
    b'{"environment":"hospital_stays","seed":%s}' % (b"9" * 4_000),
    b'{"environment":"hospital_stays","seed":9223372036854775808}',
    b'{"environment":"hospital_stays","lease_seconds":1e400}',
    b'{"environment":"hospital_stays","lease_seconds":NaN}',
    '{"environment":"hospital_stays","state":"²"}'.encode(),
    b'{"environment":"\\ud800"}',
    b'{"environment":"hospital_stays","scenario":"\\ud800"}',
    b'{"environment":"hospital_stays","prompts":"held_out"}',
    b'{"snapshot":%s}' % (b"9" * 4_000),
    b'{"snapshot":-1}',
    b'{"seconds":1e309}',
    b'{"scoring":"none"}',
    b'{"count":%s}' % (b"[" * 5_000),
    b"\xff",
]


async def test_owners_are_told_what_is_wrong_with_an_odd_request(home: Path) -> None:
    async with farm_of(home) as farm:
        name = (await farm.open("hospital_stays"))["name"]
        for path in ("", *(f"/{name}/{what}" for what in ("restore", "fork", "lease", "verify"))):
            for body in ODD:
                answer = await farm.owners.post(f"/v1/worlds{path}", content=body)
                assert answer.status_code in (200, 201, 400), (path, body[:60], answer.text)
        for path in ("/v1/worlds/²", "/v1/worlds/%C2%B2/state", "/v1/worlds/%FF/hash", "/figures?²", "/v1/worlds?%ff"):
            assert (await farm.owners.get(path)).status_code in (200, 404), path
        answer = await farm.owners.post("/v1/worlds", json={}, headers={"idempotency-key": "k" * 300})
        assert answer.status_code == 400


NOTHINGS = b'"task":{"scenario":{"checks":[%s]},"state":{}}' % b",".join([b"{}"] * 340_000)
FEWER = b'"task":{"scenario":{"checks":[%s]},"state":{}}' % b",".join([b"{}"] * 50_000)
UNKNOWN = b",".join(b'"%x":1' % number for number in range(105_000))


@pytest.mark.parametrize("content", [NOTHINGS, FEWER, UNKNOWN], ids=["too many", "many", "unknown"])
async def test_a_request_with_many_mistakes_takes_no_more_memory_than_a_few_times_its_size(
    home: Path, content: bytes
) -> None:
    async with farm_of(home) as farm:
        assert (await farm.owners.post("/openenv/hospital_stays/reset", json={})).status_code == 200
        for path, first in (("/v1/worlds", b'"environment":"hospital_stays",'), ("/openenv/hospital_stays/reset", b"")):
            tracemalloc.start()
            try:
                answer = await farm.owners.post(path, content=b"{%s%s}" % (first, content))
                assert tracemalloc.get_traced_memory()[1] < 40 << 20
            finally:
                tracemalloc.stop()
            assert answer.status_code in (400, 422)
            assert len(answer.text) < 200


def schema_of(value: object) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": value}, "required": [], "additionalProperties": False}


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner = {"anyOf": [inner, {"type": "null"}]}
    return inner


TOO_MUCH = {
    "too many schemas": {"anyOf": [{"type": "integer", "minimum": number} for number in range(MAX_SCHEMAS)]},
    "schemas too deep in one another": nested(MAX_NESTED),
    "too many choices": {"enum": [str(number) for number in range(MAX_CHOICES + 1)]},
    "a choice that is a list": {"enum": [[1, 2]]},
    "a schema that refers to itself": {"$ref": "#/properties/value"},
    "items that all differ": {"type": "array", "items": {}, "uniqueItems": True},
    "a multiple": {"type": "number", "multipleOf": 1e-300},
    "several types": {"type": ["string", "null"]},
    "alternatives that are no list": {"anyOf": 5},
    "no schema": 5,
    "a name that is long": {"type": "object", "properties": {"n" * 1_000: {}}},
    "a pattern that is long": {"type": "string", "pattern": "a" * 100_000},
    "a pattern that is no text": {"type": "string", "pattern": 5},
}


async def test_a_card_whose_check_could_take_long_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    places = {f"place_{number}": value for number, value in enumerate(TOO_MUCH.values())}
    home = write_hostile_home(tmp_path, dict.fromkeys(places, HANG), ("hospital_stays",))
    for place, value in places.items():
        card = written(HANG, place).environment
        ping = card.tools[0].model_copy(update={"input_schema": schema_of(value)})
        card = card.model_copy(update={"tools": (ping, *card.tools[1:])})
        with pytest.raises(WorldError):
            EnvironmentCode.of(card, HANG)
        card.write(home / "generated_servers" / place / "environment.json")
    async with farm_of(home) as farm:
        for place in places:
            refused = await farm.owners.post("/v1/worlds", json={"environment": place})
            # 503 where a busy machine was too slow to read it.
            assert refused.status_code in (400, 503), refused.text
            assert '"success":true' in await farm.call(await farm.open("hospital_stays"), "list_wards")


async def test_a_card_that_is_too_long_is_not_read_and_its_environment_is_named(tmp_path: Path) -> None:
    home = write_hostile_home(tmp_path, {"place": HANG}, ("hospital_stays",))
    card = written(HANG, "place").environment.model_copy(update={"about": "a" * (5 << 20)})
    card.write(home / "generated_servers" / "place" / "environment.json")
    async with farm_of(home) as farm:
        for _ in range(3):
            assert (await farm.agents.get("/e/place/new")).status_code == 503
        assert (await farm.agents.get("/e/hospital_stays/new")).status_code == 200


def test_what_a_docstring_says_of_arguments_is_read_in_one_go() -> None:
    with Work() as work:
        argument_notes("Does it.\n\nArgs:\n    x (" + "(()" * 5_000 + "; y\n")
    assert work.calls < 100
    notes = argument_notes("Does it.\n\nArgs:\n    x (dict(str, int)): The one.\n    y: The other.\n")
    assert notes == {"x": "The one.", "y": "The other."}


def test_a_schema_without_its_patterns_says_the_same_of_everything_else() -> None:
    text = {"type": "string", "pattern": "^a$", "maxLength": 5}
    schema = schema_of({"anyOf": [text, {"type": "array", "items": text}, {"type": "null"}]})
    schema["properties"]["pattern"] = {"type": "object", "additionalProperties": text, "properties": {"pattern": text}}
    assert '"pattern": "^a$"' not in json.dumps(without_patterns(schema))
    assert set(without_patterns(schema)["properties"]) == {"value", "pattern"}
    assert json.dumps(without_patterns(schema)) == json.dumps(schema).replace('"pattern": "^a$", ', "")
