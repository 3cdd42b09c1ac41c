"""Who gets in, and what the others are told, at a whole farm."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import string
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from envscaler_mcp.farm import slow_queue
from envscaler_mcp.farm.access import audit_log
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.tokens import Scope, token_for
from tests.farm.farms import ROOT, SECRET, Here, farm_here

PLACE = "hospital_stays"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_wards", "arguments": {}}}
FOREIGN = b"a secret of another farm that is as long"


@dataclass(frozen=True)
class Told:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Asker:
    """Asks a farm, and sees to it that no answer tells what nobody may know."""

    farm: Here
    world: HostedWorld
    other: HostedWorld
    used: set[str] = field(default_factory=set)
    """Tokens that were shown."""

    @property
    def mcp(self) -> str:
        return f"/e/{PLACE}/{self.world.name}/mcp"

    async def agents(self, method: str, path: str, *lines: str, body: bytes = b"") -> Told:
        """What the agents' side answers."""
        (told,) = await self.all_of(self.farm.url, [_written(method, path, self._here(self.farm.url, lines), body)])
        return told

    async def owners(self, method: str, path: str, *lines: str, body: bytes = b"") -> Told:
        """What the control plane answers."""
        url = f"http://127.0.0.1:{self.farm.control}"
        (told,) = await self.all_of(url, [_written(method, path, self._here(url, lines), body)])
        return told

    async def call(self, *lines: str) -> Told:
        """What the world's agent is answered."""
        return await self.agents("POST", self.mcp, *lines, "content-type: application/json", body=_json(CALL))

    def bearer(self, scope: Scope, seconds: float = 60, secret: bytes = SECRET) -> str:
        token = token_for(secret, scope, seconds)
        self.used.add(token)
        return f"authorization: Bearer {token}"

    async def all_of(self, url: str, requests: list[bytes]) -> list[Told]:
        """The answers to requests on one connection."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            found = []
            for request in requests:
                writer.write(request)
                found.append(await _read(reader))
                self._is_discreet(request, found[-1])
            return found
        finally:
            writer.close()
            await writer.wait_closed()

    def _here(self, url: str, lines: tuple[str, ...]) -> list[str]:
        named = any(line.lower().startswith("host:") for line in lines)
        return [*lines, *([] if named else [f"host: {urlsplit(url).netloc}"])]

    def _is_discreet(self, request: bytes, told: Told) -> None:
        said = "\n".join([*told.headers.values(), told.body.decode("utf-8", "replace")])
        hidden = {str(ROOT), sys.prefix, sys.base_prefix, "site-packages", "Traceback", SECRET.decode(), *self.used}
        names = {world.name for world in self.farm.front.worlds if world.name.encode() not in request}
        assert not {secret for secret in hidden | names if secret in said}


async def _read(reader: asyncio.StreamReader) -> Told:
    async with asyncio.timeout(20):
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
    return Told(int(first.split(" ")[1]), headers, body)


def _written(method: str, path: str, lines: list[str], body: bytes = b"") -> bytes:
    head = [f"{method} {path} HTTP/1.1", *lines]
    if body or method == "POST":
        head.append(f"content-length: {len(body)}")
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body


def _json(said: object) -> bytes:
    return json.dumps(said).encode()


@asynccontextmanager
async def asker(**config: object) -> AsyncIterator[Asker]:
    async with farm_here(**config) as farm:
        worlds = farm.front.worlds
        yield Asker(farm, await worlds.open(PLACE), await worlds.open(PLACE))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many large requests are sent here that waiting for turns would take longer than the tests."""
    monkeypatch.setattr(slow_queue, "PAUSE", 0)
    monkeypatch.setattr(slow_queue, "MIN_PAUSE", 0)


@pytest.fixture
def audited() -> Iterator[list[str]]:
    """The lines of the audit log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    level = audit_log.level
    audit_log.addHandler(handler)
    audit_log.setLevel(logging.INFO)
    yield lines
    audit_log.removeHandler(handler)
    audit_log.setLevel(level)


# Tokens

FOR_AGENTS = [
    ("POST", "/e/hospital_stays/{world}/mcp"),
    ("GET", "/e/hospital_stays/{world}/mcp"),
    ("POST", "/e/hospital_stays/nobody/mcp"),
    ("GET", "/e/hospital_stays/new"),
    ("GET", "/e/"),
]
FOR_READERS = [
    ("GET", "/"),
    ("GET", "/v0.1/servers"),
    ("GET", "/v0/servers/local.envscaler%2Fhospital_stays/versions/latest"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
    ("POST", "//e/hospital_stays/{world}/mcp"),
    ("GET", "/health/"),
]
FOR_OWNERS = [
    ("POST", "/v1/worlds"),
    ("GET", "/v1/worlds"),
    ("GET", "/v1/worlds?own"),
    ("GET", "/v1/worlds/{world}"),
    ("DELETE", "/v1/worlds/{world}"),
    ("GET", "/v1/worlds/{world}/state"),
    ("GET", "/v1/worlds/{world}/events"),
    ("POST", "/v1/worlds/{world}/verify"),
    ("GET", "/metrics"),
    ("GET", "/figures?own"),
    ("GET", "/openapi.json"),
    ("GET", "/nowhere"),
]
SCOPES: tuple[Scope, ...] = ("agent", "control", "read")


def _useless(here: Asker, good: set[Scope]) -> list[list[str]]:
    """Every way of having no token for something."""
    right = here.bearer("control").removeprefix("authorization: Bearer ")
    return [
        [],
        ["authorization: Bearer"],
        ["authorization: Bearer "],
        [f"authorization: Basic {right}"],
        [f"authorization: {right}"],
        [f"authorization: Bearer {right}x"],
        [f"authorization: Bearer {right[:-1]}"],
        [f"authorization: Bearer {SECRET.decode()}"],
        [f"authorization: Bearer {right} {right}"],
        [f"x-authorization: Bearer {right}"],
        [here.bearer("control", seconds=-1)],
        [here.bearer("control", secret=FOREIGN)],
        *([here.bearer(scope)] for scope in SCOPES if scope not in good),
    ]


@pytest.mark.parametrize(
    ("addresses", "good"), [(FOR_AGENTS, {"agent", "control"}), (FOR_READERS, {"read", "control"})]
)
async def test_the_agents_side_answers_nobody_without_a_token_of_the_right_kind(
    addresses: list[tuple[str, str]], good: set[Scope], audited: list[str]
) -> None:
    async with asker(tokens=True) as here:
        for method, path in addresses:
            path = path.format(world=here.world.name)
            for lines in _useless(here, good):
                told = await here.agents(method, path, *lines)
                assert (told.status, told.headers["www-authenticate"]) == (401, "Bearer")
            for scope in good:
                assert (await here.agents(method, path, here.bearer(scope))).status not in (401, 403, 421)
        assert here.world.calls == 0
        assert len(here.farm.front.worlds) == 2
        refused = [line for line in audited if json.loads(line)["what"] == "refused"]
        assert len(refused) == len(addresses) * len(_useless(here, good))
        assert (await here.agents("GET", "/health")).status == 200


async def test_the_control_plane_answers_nobody_without_a_token_for_control(audited: list[str]) -> None:
    async with asker() as here:
        useless = _useless(here, {"control"})
        for method, path in FOR_OWNERS:
            path = path.format(world=here.world.name)
            for lines in useless:
                told = await here.owners(method, path, *lines)
                assert (told.status, told.headers["www-authenticate"]) == (401, "Bearer")
        assert len(audited) == len(FOR_OWNERS) * len(useless)
        assert len(here.farm.front.worlds) == 2
        assert (await here.owners("GET", "/health")).status == 200
        told = await here.owners("GET", f"/v1/worlds/{here.world.name}", here.bearer("control"))
        assert (told.status, json.loads(told.body)["name"]) == (200, here.world.name)


# Names of the host, and pages

OWN_HOSTS = [
    "localhost",
    "LocalHost:8765",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.8.8.8",
    "[::1]",
    "[::1]:8765",
    "farm.example",
    "FARM.example:443",
]
FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:8765",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "xfarm.example",
    "localhost@evil.example",
    "evil.example@localhost",
    "localhost:80:80",
    "localhost, localhost",
    "localhost/",
    "localhost evil.example",
    "10.0.0.1",
    "0.0.0.0",
    "2130706433",
    "[::ffff:10.0.0.1]",
    "[::1",
    "::1",
    "",
]
OWN_ORIGINS = [
    "http://localhost",
    "http://LocalHost",
    "http://127.0.0.1",
    "http://[::1]",
    "https://farm.example",
]
"""At the port of the farm."""
FOREIGN_ORIGINS = [
    "http://localhost:6274",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "https://farm.example:8443",
    "null",
    "",
    "https://evil.example",
    "http://evil.example:8765",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "http://evil.example@localhost",
    "http://localhost, http://evil.example",
    "http://10.0.0.1",
    "http://",
    "file://",
    "ftp://localhost",
    "chrome-extension://abcdefgh",
    "localhost",
]


async def test_a_farm_answers_to_its_own_names_and_to_its_own_pages() -> None:
    async with asker(hosts=frozenset({"farm.example"})) as here:
        owner = here.bearer("control")
        for host in OWN_HOSTS:
            assert (await here.call(f"host: {host}")).status == 200
            assert (await here.owners("GET", "/openapi.json", f"host: {host}", owner)).status == 200
            port = host.rpartition("]")[2]
            port = port[port.index(":") :] if ":" in port else ""
            for origin in OWN_ORIGINS:
                assert (await here.call(f"host: {host}", f"origin: {origin}{port}")).status == 200, (host, origin)
        assert here.world.calls == len(OWN_HOSTS) * (1 + len(OWN_ORIGINS))


@pytest.mark.parametrize("tokens", [False, True])
async def test_another_name_or_a_page_from_elsewhere_gets_nothing_even_with_a_token(
    tokens: bool, audited: list[str]
) -> None:
    async with asker(hosts=frozenset({"farm.example"}), tokens=tokens) as here:
        owner = here.bearer("control")
        for host in FOREIGN_HOSTS:
            for lines in ([owner], [owner, f"origin: http://{host}"], [owner, "origin: http://localhost"]):
                assert (await here.call(f"host: {host}", *lines)).status == 421
                assert (await here.owners("GET", "/v1/worlds", f"host: {host}", *lines)).status == 421
        for origin in FOREIGN_ORIGINS:
            for host in ("localhost", "farm.example"):
                lines = [owner, f"host: {host}", f"origin: {origin}"]
                assert (await here.call(*lines)).status == 403
                assert (await here.owners("GET", "/v1/worlds", *lines)).status == 403
        assert here.world.calls == 0
        assert len(audited) == 6 * len(FOREIGN_HOSTS) + 4 * len(FOREIGN_ORIGINS)


async def test_the_host_of_a_whole_url_is_looked_at_too() -> None:
    async with asker() as here:
        for target, status in ((f"http://evil.example{here.mcp}", 421), (f"http://localhost{here.mcp}", 200)):
            told = await here.agents(
                "POST", target, "host: localhost", "content-type: application/json", body=_json(CALL)
            )
            assert told.status == status


async def test_a_farm_open_to_others_takes_any_name_but_needs_tokens_and_no_foreign_page() -> None:
    async with asker(open_to_others=True) as here:
        agent = here.bearer("agent")
        for host in ("farm.example", "10.0.0.1:8765", "evil.example"):
            assert (await here.call(f"host: {host}")).status == 401
            assert (await here.call(f"host: {host}", agent)).status == 200
            assert (await here.call(f"host: {host}", agent, f"origin: https://{host}")).status == 200
            assert (await here.call(f"host: {host}", f"origin: https://{host}")).status == 401
            for origin in ("https://elsewhere.example", "null", ""):
                assert (await here.call(f"host: {host}", agent, f"origin: {origin}")).status == 403
        assert (await here.call("host: ", agent, "origin: null")).status == 403
        # Nobody but this machine owns worlds, whoever may use them.
        assert (await here.owners("GET", "/v1/worlds", "host: farm.example", here.bearer("control"))).status == 421


# Worlds that cannot be found


async def test_nobody_finds_a_world_by_guessing() -> None:
    async with asker() as here:
        names = [secrets.token_urlsafe(16) for _ in range(500)]
        names += [secrets.token_urlsafe(16) + secrets.token_hex(16) for _ in range(500)]
        lines = ["host: localhost", "content-type: application/json"]
        requests = [_written("POST", f"/e/{PLACE}/{name}/mcp", lines, _json(CALL)) for name in names]
        told = await here.all_of(here.farm.url, requests)
        assert {(one.status, one.body) for one in told} == {(404, told[0].body)}
        assert len(here.farm.front.worlds) == 2
        assert here.world.calls == here.other.calls == 0


async def test_a_world_is_not_found_under_another_name_or_environment() -> None:
    async with asker() as here:
        name = here.world.name
        for path in (
            f"/e/flight_desk/{name}/mcp",
            f"/e//{name}/mcp",
            f"/e/{PLACE}/{name[:-1]}/mcp",
            f"/e/{PLACE}/{name}x/mcp",
            f"/e/{PLACE}/{name.swapcase()}/mcp",
            f"/e/{PLACE}/{name}%00/mcp",
            f"/e/{PLACE}/../{PLACE}/{name}/mcp",
            f"/e/{PLACE}/./{name}/mcp",
            f"/e/{PLACE}/{name}/mcp/",
            f"/e/{PLACE}/%2e%2e/mcp",
        ):
            told = await here.agents("POST", path, "content-type: application/json", body=_json(CALL))
            assert told.status in (404, 405), path
        assert here.world.calls == 0


async def test_an_invitation_with_any_letter_altered_invites_nobody() -> None:
    async with asker() as here:
        invited = json.loads((await here.agents("GET", f"/e/{PLACE}/new")).body)["url"]
        path = urlsplit(invited).path
        name = path.split("/")[3]
        lines = ["host: localhost", "content-type: application/json"]
        letters = string.ascii_letters + string.digits + "-_"
        others = [
            name[:place] + other + name[place + 1 :]
            for place, letter in enumerate(name)
            for other in (letters.replace(letter, "")[place % 60], letter.swapcase())
            if other != letter
        ]
        requests = [_written("POST", path.replace(name, other), lines, _json(CALL)) for other in [*others, name[:-1]]]
        requests.append(_written("POST", path.replace(PLACE, "access_badges"), lines, _json(CALL)))
        assert {one.status for one in await here.all_of(here.farm.url, requests)} == {404}
        assert len(here.farm.front.worlds) == 2
        (told,) = await here.all_of(here.farm.url, [_written("POST", path, lines, _json(CALL))])
        assert told.status == 200
        assert len(here.farm.front.worlds) == 3


async def test_an_invitation_of_another_farm_invites_nobody() -> None:
    async with asker(secret=FOREIGN) as there:
        path = urlsplit(json.loads((await there.agents("GET", f"/e/{PLACE}/new")).body)["url"]).path
    async with asker() as here:
        told = await here.agents("POST", path, "content-type: application/json", body=_json(CALL))
        assert told.status == 404


# Too often, and what is said of it


async def test_whoever_asks_too_often_is_told_to_wait(audited: list[str]) -> None:
    async with asker(rate=20.0, tokens=True) as here:
        lines = ["host: localhost", here.bearer("read")]
        told = await here.all_of(here.farm.url, [_written("GET", "/health", lines)] * 60)
        statuses = [one.status for one in told]
        assert statuses[:20] == [200] * 20
        late = [one for one in told if one.status != 200]
        assert {(one.status, one.headers["retry-after"]) for one in late} == {(429, "1")}
        assert len(audited) == len(late)
        # Guessing tokens is asking, too.
        told = await here.all_of(here.farm.url, [_written("GET", "/metrics", ["host: localhost"])] * 3)
        assert 429 in {one.status for one in told}


async def test_the_audit_log_names_no_whole_world_and_no_token(audited: list[str]) -> None:
    async with asker(tokens=True) as here:
        invited = json.loads((await here.agents("GET", f"/e/{PLACE}/new", here.bearer("agent"))).body)["url"]
        invitation = urlsplit(invited).path
        for path in (
            here.mcp,
            invitation,
            f"{here.mcp}?{here.bearer('agent')[22:]}",
            f"/{here.bearer('read')[22:]}",
            f"/e%2F{PLACE}%2F{here.world.name}",
        ):
            told = await here.agents("POST", path, here.bearer("control", seconds=-5))
            assert told.status == (404 if "%" in path else 401)
        owner = here.bearer("control")
        assert (await here.owners("DELETE", f"/v1/worlds/{here.world.name}", owner)).status == 200
        whole = "\n".join(audited)
        assert [json.loads(line)["what"] for line in audited] == ["invited", *["refused"] * 5, "close"]
        assert json.loads(audited[1]) | {"at": 0} == {
            "at": 0,
            "what": "refused",
            "peer": "127.0.0.1",
            "method": "POST",
            "path": f"/e/{PLACE}/{here.world.name[:6]}…/mcp",
            "status": 401,
            "why": "A token for agent is needed.",
        }
        hidden = {here.world.name, invitation.split("/")[3], SECRET.decode(), *here.used}
        assert not {secret for secret in hidden if secret in whole}


async def test_no_hostile_call_learns_anything_or_changes_the_world() -> None:
    def asked(**more: object) -> bytes:
        return _json({**CALL, **more})

    deep = b"[" * 100_000 + b"]" * 100_000
    bodies = [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        deep,
        asked(params={"name": "list_wards", "arguments": {}})[:-1],
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_wards","arguments":' + deep + b"}}",
        b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        asked(id={"a": 1}),
        asked(method="../../etc/passwd"),
        asked(method="__class__"),
        asked(params={"name": "__init__", "arguments": {}}),
        asked(params={"name": "_bed_taken", "arguments": {}}),
        asked(params={"name": "list_wards", "arguments": {"self": 1, "__class__": "x"}}),
        asked(params={"name": "\ud800", "arguments": {}}),
        asked(params={"name": "list_wards", "arguments": {"\ud800": "\ud800"}}),
        asked(method="resources/read", params={"uri": "file:///etc/passwd"}),
        asked(method="prompts/get", params={"name": "../../../etc/passwd"}),
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_wards","arguments":{"a":NaN}}}',
    ]
    async with asker() as here:
        before = here.world.session.state_hash()
        for body in bodies:
            for lines in ([], ["mcp-protocol-version: 2026-07-28", "mcp-method: tools/call", "mcp-name: list_wards"]):
                told = await here.agents("POST", here.mcp, "content-type: application/json", *lines, body=body)
                assert told.status in (200, 400, 404, 414)
                assert b"error" in told.body or b'"isError":true' in told.body
        told = await here.agents("POST", here.mcp, "content-type: application/json", body=bytes(256 * 1024 + 1))
        assert told.status == 413
        assert here.world.session.state_hash() == before
        assert (await here.call()).status == 200


async def test_no_hostile_address_learns_anything() -> None:
    async with asker() as here:
        owner = here.bearer("control")
        for path in (
            "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/e/../new",
            "/e/%2e%2e/new",
            f"/e/{'a' * 5_000}/new",
            "/e/registry.json/new",
            "/v0.1/servers/..%2f..%2fregistry.json/versions/latest",
            "/v0.1/servers?limit=-1&cursor=../../x",
            "/v0.1/servers?search=%00%ff",
            "/v1/worlds",
            f"/v1/worlds/{here.world.name}/state",
            "/figures?own",
            "/openapi.json",
            "/static/../envscaler_mcp/settings.py",
        ):
            told = await here.agents("GET", path, owner)
            assert told.status in (200, 400, 404, 414), path
            assert b"root:" not in told.body
        for path in ("/v1/worlds/..%2f..", "/v1/worlds/%00", "/v1/worlds/x/state", "/v1/../figures"):
            assert (await here.owners("GET", path, owner)).status == 404
        for body in (
            b"{",
            b"[]",
            _json({"environment": "../../etc"}),
            _json({"environment": PLACE, "scenario": "/etc/passwd"}),
            _json({"environment": PLACE, "state": "../x"}),
            _json({"environment": PLACE, "count": 10**9}),
            _json({"environment": PLACE, "lease_seconds": 1e999}).replace(b"Infinity", b"1e999"),
            _json({"environment": PLACE, "code": "import os"}),
        ):
            told = await here.owners("POST", "/v1/worlds", owner, body=body)
            assert told.status in (400, 404), body
        assert len(here.farm.front.worlds) == 2
