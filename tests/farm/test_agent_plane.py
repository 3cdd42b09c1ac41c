"""What a world of the farm answers over MCP is what a server with the SDK answers, but for a few things on purpose."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from anyio.to_thread import run_sync
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from envscaler_mcp.launch.opening import open_session
from envscaler_mcp.serving.http import PATH, http_app, http_server
from envscaler_mcp.serving.records import TEMPLATE
from envscaler_mcp.serving.server import build_server
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY, KEPT_MS, RULES
from envscaler_mcp.serving.sockets import listen, url_of
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.trust import load_code
from tests.farm.farms import ROOT, farm_here

FOLDER = ROOT / "generated_servers" / "bank_accounts"
TASKS = load_scenarios(FOLDER)
TASK, TRANSFER = next((task, step) for task in TASKS for step in task.oracle if step.tool == "transfer_money")
"""A call that can be made again and again, and leaves its trace each time."""

BEGIN_THERE = [task for task in TASKS if task.state == TASK.state]

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
SERVER = "io.modelcontextprotocol/serverInfo"
ENVELOPE = {VERSION: "2026-07-28", CAPABILITIES: {}}
ME = {"name": "test", "version": "1"}

Headers = Sequence[tuple[str, str | None]]
"""None stands for a header that is not sent, although it usually is."""


@dataclass(frozen=True)
class Asked:
    """A request as it is sent."""

    body: bytes
    headers: Headers = ()
    method: str = "POST"

    def text(self, path: str) -> bytes:
        """The bytes of the request; a header that is given replaces the usual one, and may be given twice."""
        usual = {
            "host": "localhost",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "content-length": str(len(self.body)),
            "connection": "close",
        }
        given = {name.lower() for name, _ in self.headers}
        lines = [(name, value) for name, value in usual.items() if name not in given] + list(self.headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in lines if value is not None)
        return f"{self.method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + self.body


def said(method: Any, params: Any = None, id_: Any = 1, **more: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, **({} if params is None else {"params": params}), **more}
    return json.dumps(message).encode()


def old(method: Any, params: Any = None, id_: Any = 1, **headers: str | None) -> Asked:
    """A request of the era with a handshake."""
    return Asked(said(method, params, id_), headed(headers))


def new(
    method: str, params: Mapping[str, Any] | None = None, id_: Any = 1, meta: Any = None, **headers: str | None
) -> Asked:
    """A request of the era without one, which says in its headers what it says in its body."""
    params = {**(params or {}), "_meta": ENVELOPE if meta is None else meta}
    named = params.get("uri" if method == "resources/read" else "name")
    routing = {"mcp_protocol_version": "2026-07-28", "mcp_method": method}
    if isinstance(named, str):
        routing["mcp_name"] = named if named.isascii() and named.isprintable() else packed(named)
    return Asked(said(method, params, id_), headed({**routing, **headers}))


def headed(headers: Mapping[str, str | None]) -> Headers:
    return [(name.replace("_", "-"), value) for name, value in headers.items()]


def packed(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode(errors='surrogatepass')).decode()}?="


def call(tool: Any, arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": tool, **({} if arguments is None else {"arguments": arguments}), **more}


def keyed(key: Any, arguments: Any = None) -> dict[str, Any]:
    return call(TRANSFER.tool, arguments or SOME, _meta={IDEMPOTENCY_KEY: key})


def answering(responses: Any) -> dict[str, Any]:
    """A call with what a client was never asked for."""
    return {**QUERY, "inputResponses": responses}


GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": ME}
SOME = {**TRANSFER.arguments, "amount": 1}
GOOD = call(TRANSFER.tool, SOME)
QUERY = call("list_customers", {})
REFUSED = call(TRANSFER.tool, {**TRANSFER.arguments, "amount": 10**9})
PROMPT = {"name": TASK.id}
READ = {"uri": RULES}
DEEP = b'{"a":' * 5_000 + b"1" + b"}" * 5_000


def nested(depth: int) -> dict[str, Any]:
    """A call whose message is this deep, three levels of which are its own."""
    memo: Any = "x"
    for _ in range(depth - 3):
        memo = [memo]
    return call(TRANSFER.tool, {**SOME, "memo": memo}, _meta={IDEMPOTENCY_KEY: f"nested {depth}"})


LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


def completing(argument: Any, reference: Any = None, **more: Any) -> tuple[str, dict[str, Any]]:
    place = {"type": "ref/resource", "uri": TEMPLATE} if reference is None else reference
    return "completion/complete", {"ref": place, "argument": argument, **more}


IDS = {"name": "id", "value": "a"}
RECORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "a record": ("resources/read", {"uri": f"environment://records/accounts/{SOME['payer_id']}"}),
    "a record that is not there": ("resources/read", {"uri": "environment://records/accounts/ACCOUNT-99999"}),
    "a record of no kind": ("resources/read", {"uri": "environment://records/vaults/X"}),
    "a record without id": ("resources/read", {"uri": "environment://records/accounts/"}),
    "kinds completed": completing({"name": "kind", "value": ""}),
    "kinds begun": completing({"name": "kind", "value": "acc"}),
    "ids completed": completing(IDS, context={"arguments": {"kind": "accounts"}}),
    "ids of no kind": completing(IDS, context={"arguments": {"kind": "vaults"}}),
    "ids without a kind": completing(IDS),
    "ids of a prompt": completing(IDS, {"type": "ref/prompt", "name": "x"}),
    "completion of another template": completing(IDS, {"type": "ref/resource", "uri": "x"}),
    "completion, argument a text": completing("id"),
    "completion, value a number": completing({"name": "id", "value": 5}),
    "completion, reference of no type": completing(IDS, {"type": "x", "uri": "x"}),
    "completion, kind a number": completing(IDS, context={"arguments": {"kind": 5}}),
    "completion, context null": completing(IDS, context=None),
}
CASES: dict[str, Asked] = {
    # the older era
    "initialize": old("initialize", GREETING),
    "initialize, of 2024-11-05": old("initialize", {**GREETING, "protocolVersion": "2024-11-05"}),
    "initialize, of 2025-03-26": old("initialize", {**GREETING, "protocolVersion": "2025-03-26"}),
    "initialize, of 2025-06-18": old("initialize", {**GREETING, "protocolVersion": "2025-06-18"}),
    "initialize, of the newer era": old("initialize", {**GREETING, "protocolVersion": "2026-07-28"}),
    "initialize, of no version": old("initialize", {**GREETING, "protocolVersion": "1999"}),
    "initialize, of a number": old("initialize", {**GREETING, "protocolVersion": 3}),
    "initialize, with nothing": old("initialize", {}),
    "initialize, without params": old("initialize"),
    "initialize, without client": old("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}),
    "initialize, capabilities a list": old("initialize", {**GREETING, "capabilities": []}),
    "initialize, more capabilities": old("initialize", {**GREETING, "capabilities": {"roots": {"listChanged": True}}}),
    "initialize, bad capabilities": old("initialize", {**GREETING, "capabilities": {"roots": 5}}),
    "initialize, client without version": old("initialize", {**GREETING, "clientInfo": {"name": "x"}}),
    "initialized": Asked(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    "a cancellation": Asked(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'),
    "an unknown notification": Asked(b'{"jsonrpc":"2.0","method":"notifications/none"}'),
    "a notification of a request": Asked(b'{"jsonrpc":"2.0","method":"tools/list"}'),
    "ping": old("ping"),
    "ping, with params": old("ping", {"_meta": {"progressToken": 5}}),
    "ping, params a list": old("ping", []),
    "ping, params a text": old("ping", "x"),
    "ping, params null": Asked(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'),
    "ping, meta a list": old("ping", {"_meta": []}),
    **{method: old(method) for method in LISTS},
    **{f"{method}, with a cursor": old(method, {"cursor": "x"}) for method in LISTS},
    "tools/list, cursor a number": old("tools/list", {"cursor": 5}),
    "tools/list, cursor null": old("tools/list", {"cursor": None}),
    "tools/list, of 2025-06-18": old("tools/list", mcp_protocol_version="2025-06-18"),
    "tools/list, of 2024-11-05": old("tools/list", mcp_protocol_version="2024-11-05"),
    "tools/list, in a session": old("tools/list", mcp_session_id="abc"),
    "resources/read": old("resources/read", READ),
    "resources/read, unknown": old("resources/read", {"uri": "environment://none"}),
    "resources/read, no uri": old("resources/read", {"uri": "none"}),
    "resources/read, nothing": old("resources/read", {}),
    "resources/read, a number": old("resources/read", {"uri": 5}),
    "resources/subscribe": old("resources/subscribe", READ),
    "prompts/get": old("prompts/get", PROMPT),
    "prompts/get, with arguments": old("prompts/get", {**PROMPT, "arguments": {"a": "b"}}),
    "prompts/get, bad arguments": old("prompts/get", {**PROMPT, "arguments": {"a": 5}}),
    "prompts/get, unknown": old("prompts/get", {"name": "none"}),
    "prompts/get, nothing": old("prompts/get", {}),
    "an unknown method": old("tools/lists"),
    "completion": old(
        "completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": "b"}}
    ),
    "completion, badly": old("completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}}),
    "logging": old("logging/setLevel", {"level": "info"}),
    "discover in the older era": old("server/discover"),
    "a call": old("tools/call", GOOD),
    "a query": old("tools/call", QUERY),
    "a refused call": old("tools/call", REFUSED),
    "a call of no tool": old("tools/call", call("transfer_mony", {})),
    "a call with a wrong argument": old("tools/call", call(TRANSFER.tool, {**TRANSFER.arguments, "amount": "x"})),
    "a call with a missing argument": old("tools/call", call(TRANSFER.tool, {})),
    "a call with an argument too many": old("tools/call", call(TRANSFER.tool, {**TRANSFER.arguments, "colour": 1})),
    "a call without arguments": old("tools/call", call("list_accounts")),
    "a call, arguments null": old("tools/call", {"name": "list_accounts", "arguments": None}),
    "a call, arguments a list": old("tools/call", call(TRANSFER.tool, [])),
    "a call, arguments a text": old("tools/call", call(TRANSFER.tool, "{}")),
    "a call without a name": old("tools/call", {"arguments": {}}),
    "a call, name a number": old("tools/call", call(5, {})),
    "a call, nothing": old("tools/call", {}),
    "a call without params": old("tools/call"),
    "a call, meta a text": old("tools/call", {**GOOD, "_meta": "x"}),
    "a call, meta null": old("tools/call", {**GOOD, "_meta": None}),
    "a call, progress token a list": old("tools/call", {**GOOD, "_meta": {"progressToken": []}}),
    "a call, progress token a text": old("tools/call", {**GOOD, "_meta": {"progressToken": "a"}}),
    "a call, progress token null": old("tools/call", {**GOOD, "_meta": {"progressToken": None}}),
    "a call, progress token true": old("tools/call", {**GOOD, "_meta": {"progressToken": True}}),
    "a call, progress token a fraction": old("tools/call", {**GOOD, "_meta": {"progressToken": 1.5}}),
    "a call, as a task": old("tools/call", {**GOOD, "task": {"ttl": 5}}),
    "a call, as a task of no kind": old("tools/call", {**QUERY, "task": 5}),
    "a call with a key": old("tools/call", keyed("one")),
    "a call with a key, again": old("tools/call", keyed("one"), id_=2),
    "another call with that key": old("tools/call", keyed("one", {**SOME, "amount": 2})),
    "a call, key a number": old("tools/call", keyed(5)),
    "a call, key empty": old("tools/call", keyed("")),
    "a call, key too long": old("tools/call", keyed("x" * 201)),
    "a call, key null": old("tools/call", keyed(None)),
    "a call in the other era's envelope": old("tools/call", {**GOOD, "_meta": ENVELOPE}),
    "a batch": Asked(b"[" + said("ping") + b"]"),
    "an empty batch": Asked(b"[]"),
    "an answer": Asked(b'{"jsonrpc":"2.0","id":1,"result":{}}'),
    "an answer that is an error": Asked(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'),
    "an answer, id null": Asked(b'{"jsonrpc":"2.0","id":null,"result":{}}'),
    "an answer, id a list": Asked(b'{"jsonrpc":"2.0","id":[],"result":{}}'),
    "an answer that is an error, id null": Asked(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}'),
    "an answer that is an error, id a list": Asked(b'{"jsonrpc":"2.0","id":[],"error":{"code":1,"message":"x"}}'),
    "an answer, no id": Asked(b'{"jsonrpc":"2.0","result":{}}'),
    "an answer, result a text": Asked(b'{"jsonrpc":"2.0","id":1,"result":"x"}'),
    "half a text": Asked(b'{"jsonrpc"'),
    "no text": Asked(b""),
    "null": Asked(b"null"),
    "not UTF-8": Asked(b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}'),
    "in UTF-16": Asked(said("ping").decode().encode("utf-16")),
    "marked as UTF-8": Asked(b"\xef\xbb\xbf" + said("ping")),
    "deep": Asked(DEEP),
    "deep params": Asked(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + DEEP + b"}"),
    "200 deep": old("tools/call", nested(200)),
    "201 deep": old("tools/call", nested(201)),
    "900 deep": old("tools/call", nested(900)),
    "many beside each other": old("tools/call", call(TRANSFER.tool, {**SOME, "memo": [[{}, []]] * 300})),
    "not a number": Asked(said("tools/call", call(TRANSFER.tool, {**TRANSFER.arguments, "amount": float("nan")}))),
    "a number without end": Asked(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"9" * 5_000 + b"}}"),
    "a name twice": Asked(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'),
    "id a text": old("ping", id_="a"),
    "id empty": old("ping", id_=""),
    "id large": old("ping", id_=2**63),
    "id null": old("ping", id_=None),
    "id a fraction": old("ping", id_=1.5),
    "id a whole fraction": Asked(b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}'),
    "id true": old("ping", id_=True),
    "id a list": old("ping", id_=[]),
    "id an object": old("ping", id_={}),
    "no jsonrpc": Asked(b'{"id":1,"method":"ping"}'),
    "jsonrpc of another version": Asked(b'{"jsonrpc":"1.0","id":1,"method":"ping"}'),
    "jsonrpc a number": Asked(b'{"jsonrpc":2.0,"id":1,"method":"ping"}'),
    "no method": Asked(b'{"jsonrpc":"2.0","id":1}'),
    "method a number": old(5),
    "method empty": old(""),
    "a method and a result": Asked(said("ping", result={})),
    "more than the protocol knows": Asked(said("ping", other=5)),
    "accept JSON": old("ping", accept="application/json"),
    "accept anything": old("ping", accept="*/*"),
    "accept any application": old("ping", accept="application/*"),
    "accept JSON by weight": old("ping", accept="text/html;q=0.9, Application/JSON;q=0.5"),
    "accept events": old("tools/call", QUERY, accept="text/event-stream"),
    "accept pages": old("ping", accept="text/html"),
    "accept nothing": old("ping", accept=""),
    "accept unsaid": old("ping", accept=None),
    "content a text": old("ping", content_type="text/plain"),
    "content with a charset": old("ping", content_type="application/json; charset=utf-8"),
    "content in capitals": old("ping", content_type="Application/JSON"),
    "content unsaid": old("ping", content_type=""),
    "content and more": old("ping", content_type="application/json, text/plain"),
    "version of no era": old("ping", mcp_protocol_version="1999"),
    "version empty": old("ping", mcp_protocol_version=""),
    "version twice": Asked(said("ping"), [("mcp-protocol-version", "2025-06-18")] * 2),
    "GET": Asked(b"", [], "GET"),
    "GET of 2025-11-25": Asked(b"", [("mcp-protocol-version", "2025-11-25")], "GET"),
    "DELETE": Asked(b"", [], "DELETE"),
    "PUT": Asked(b"{}", [], "PUT"),
    # the newer era
    "new: discover": new("server/discover"),
    "new: discover, client named": new("server/discover", meta={**ENVELOPE, CLIENT: ME}),
    "new: discover, client without version": new("server/discover", meta={**ENVELOPE, CLIENT: {"name": "x"}}),
    "new: discover, client a text": new("server/discover", meta={**ENVELOPE, CLIENT: "x"}),
    "new: discover, client null": new("server/discover", meta={**ENVELOPE, CLIENT: None}),
    "new: discover, in a session": new("server/discover", mcp_session_id="abc"),
    **{f"new: {method}": new(method) for method in LISTS},
    **{f"new: {method}, with a cursor": new(method, {"cursor": "x"}) for method in LISTS},
    "new: tools/list, cursor a number": new("tools/list", {"cursor": 5}),
    "new: tools/list, no meta": Asked(said("tools/list"), new("tools/list").headers),
    "new: tools/list, meta a list": new("tools/list", meta=[]),
    "new: tools/list, meta empty": new("tools/list", meta={}),
    "new: tools/list, version only": new("tools/list", meta={VERSION: "2026-07-28"}),
    "new: tools/list, capabilities only": new("tools/list", meta={CAPABILITIES: {}}),
    "new: tools/list, capabilities a number": new("tools/list", meta={**ENVELOPE, CAPABILITIES: 3}),
    "new: tools/list, capabilities null": new("tools/list", meta={**ENVELOPE, CAPABILITIES: None}),
    "new: tools/list, bad capabilities": new("tools/list", meta={**ENVELOPE, CAPABILITIES: {"roots": 5}}),
    "new: tools/list, bad elicitation": new("tools/list", meta={**ENVELOPE, CAPABILITIES: {"elicitation": []}}),
    "new: tools/list, more capabilities": new("tools/list", meta={**ENVELOPE, CAPABILITIES: {"x": 5, "tasks": {}}}),
    "new: tools/list, of 2099": new(
        "tools/list", meta={**ENVELOPE, VERSION: "2099-01-01"}, mcp_protocol_version="2099-01-01"
    ),
    "new: tools/list, version a number": new("tools/list", meta={**ENVELOPE, VERSION: 3}),
    "new: tools/list, version null": new("tools/list", meta={**ENVELOPE, VERSION: None}),
    "new: tools/list, version of the older era": new("tools/list", meta={**ENVELOPE, VERSION: "2025-11-25"}),
    "new: tools/list, method another": new("tools/list", mcp_method="tools/call"),
    "new: tools/list, method unsaid": new("tools/list", mcp_method=None),
    "new: tools/list, method in capitals": new("tools/list", mcp_method="Tools/List"),
    "new: tools/list, named": new("tools/list", mcp_name="x"),
    "new: tools/list, method twice": Asked(
        new("tools/list").body, [*new("tools/list").headers, ("mcp-method", "tools/list")]
    ),
    "new: tools/list, version twice": Asked(
        new("tools/list").body, [*new("tools/list").headers, ("Mcp-Protocol-Version", "2026-07-28")]
    ),
    "new: tools/list, progress token a list": new("tools/list", meta={**ENVELOPE, "progressToken": []}),
    "new: tools/list, log level": new("tools/list", meta={**ENVELOPE, "io.modelcontextprotocol/logLevel": "nonsense"}),
    "new: resources/read": new("resources/read", READ),
    "new: resources/read, unknown": new("resources/read", {"uri": "environment://none"}),
    "new: resources/read, nothing": new("resources/read"),
    "new: resources/read, named otherwise": new("resources/read", READ, mcp_name="environment://none"),
    "new: resources/read, packed": new("resources/read", READ, mcp_name=packed(RULES)),
    "new: prompts/get": new("prompts/get", PROMPT),
    "new: prompts/get, unknown": new("prompts/get", {"name": "none"}),
    "new: prompts/get, nothing": new("prompts/get"),
    "new: prompts/get, bad arguments": new("prompts/get", {**PROMPT, "arguments": {"a": 5}}),
    **{f"new: {name}": new(method, params) for name, (method, params) in RECORDS.items()},
    **{name: old(method, params) for name, (method, params) in RECORDS.items()},
    "new: a call": new("tools/call", GOOD),
    "new: a query": new("tools/call", QUERY),
    "new: a refused call": new("tools/call", REFUSED),
    "new: a call of no tool": new("tools/call", call("transfer_mony", {})),
    "new: a call with a wrong argument": new("tools/call", call(TRANSFER.tool, {**TRANSFER.arguments, "amount": "x"})),
    "new: a call without arguments": new("tools/call", call("list_accounts")),
    "new: a call, arguments null": new("tools/call", {"name": "list_accounts", "arguments": None}),
    "new: a call, arguments a list": new("tools/call", call(TRANSFER.tool, [])),
    "new: a call, arguments a text": new("tools/call", call(TRANSFER.tool, "{}")),
    "new: a call without a name": new("tools/call", {"arguments": {}}),
    "new: a call, named in its header only": new("tools/call", {"arguments": {}}, mcp_name="list_accounts"),
    "new: a call, name a number": new("tools/call", call(5, {}), mcp_name="5"),
    "new: a call, name null": new("tools/call", {"name": None, "arguments": {}}, mcp_name="x"),
    "new: a call, named otherwise": new("tools/call", GOOD, mcp_name="list_accounts"),
    "new: a call, not named": new("tools/call", GOOD, mcp_name=None),
    "new: a call, named twice": Asked(
        new("tools/call", GOOD).body, [*new("tools/call", GOOD).headers, ("mcp-name", TRANSFER.tool)]
    ),
    "new: a call, packed name": new("tools/call", GOOD, mcp_name=packed(TRANSFER.tool)),
    "new: a call, name packed badly": new("tools/call", GOOD, mcp_name="=?base64?####?="),
    "new: a call, name packed loosely": new(
        "tools/call", GOOD, mcp_name=packed(TRANSFER.tool).replace("=?=", "?=").replace("y?=", "z?=")
    ),
    "new: a call, name packed in capitals": new(
        "tools/call", GOOD, mcp_name=packed(TRANSFER.tool).replace("b", "B", 1)
    ),
    "new: a call, name in capitals": new("tools/call", GOOD, mcp_name=TRANSFER.tool.upper()),
    "new: a call with a param header": new("tools/call", GOOD, mcp_param_amount="7"),
    "new: a call with a key": new("tools/call", GOOD, meta={**ENVELOPE, IDEMPOTENCY_KEY: "two"}),
    "new: a call with a key, again": new("tools/call", GOOD, meta={**ENVELOPE, IDEMPOTENCY_KEY: "two"}, id_="x"),
    "new: a call, key a list": new("tools/call", GOOD, meta={**ENVELOPE, IDEMPOTENCY_KEY: []}),
    "new: a call with answers nobody asked for": new("tools/call", answering({"a": {"action": "decline"}})),
    "new: a call with roots nobody asked for": new("tools/call", answering({"a": {"roots": []}})),
    "new: a call with answers that are none": new("tools/call", answering({"a": {}})),
    "new: a call with answers of no kind": new("tools/call", answering({"a": {"action": "perhaps"}})),
    "new: a call with a number for an answer": new("tools/call", answering({"a": 5})),
    "new: a call with a list of answers": new("tools/call", answering([])),
    "new: a call with no answers": new("tools/call", answering(None)),
    "new: resources/read, with answers that are none": new("resources/read", {**READ, "inputResponses": {"a": 5}}),
    "new: tools/list, with answers that are none": new("tools/list", {"inputResponses": {"a": 5}}),
    "new: a call with a state": new("tools/call", {**QUERY, "requestState": "x"}),
    "new: a call with a state nobody gave": new("tools/call", {**QUERY, "requestState": 5}),
    "new: an unknown method": new("tools/lists"),
    "new: initialize": new("initialize", GREETING),
    "new: ping": new("ping"),
    "new: logging": new("logging/setLevel", {"level": "info"}),
    "new: completion, badly": new("completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}}),
    "new: subscribe": new("resources/subscribe", READ),
    "new: listen": new("subscriptions/listen", {"notifications": {}}),
    "new: listen, events not accepted": new("subscriptions/listen", {"notifications": {}}, accept="application/json"),
    "new: listen, badly": new("subscriptions/listen"),
    "new: a notification": Asked(
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}', [("mcp-protocol-version", "2026-07-28")]
    ),
    "new: a notification of 2099": Asked(
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}', [("mcp-protocol-version", "2099-01-01")]
    ),
    "new: a bad notification": Asked(b'{"jsonrpc":"2.0","method":5}', [("mcp-protocol-version", "2026-07-28")]),
    "new: no message": Asked(b"{}", new("ping").headers),
    "new: an answer": Asked(b'{"jsonrpc":"2.0","id":1,"result":{}}', [("mcp-protocol-version", "2026-07-28")]),
    "new: a batch": Asked(b"[" + new("tools/list").body + b"]", new("tools/list").headers),
    "new: half a text": Asked(b"{", new("tools/list").headers),
    "new: in UTF-16": Asked(new("tools/list").body.decode().encode("utf-16"), new("tools/list").headers),
    "new: marked as UTF-8": Asked(b"\xef\xbb\xbf" + new("tools/list").body, new("tools/list").headers),
    "new: 200 deep": new("tools/call", nested(200)),
    "new: 201 deep": new("tools/call", nested(201)),
    "new: 900 deep": new("tools/call", nested(900)),
    "new: deep": Asked(DEEP, new("tools/list").headers),
    "new: not a number": new("tools/call", call(TRANSFER.tool, {**TRANSFER.arguments, "amount": float("nan")})),
    "new: id null": new("tools/list", id_=None),
    "new: id a fraction": new("tools/list", id_=1.5),
    "new: id true": new("tools/list", id_=True),
    "new: id a list": new("tools/list", id_=[]),
    "new: id a text": new("tools/list", id_="a"),
    "new: params a list": Asked(said("tools/list", []), new("tools/list").headers),
    "new: no jsonrpc": Asked(new("tools/list").body.replace(b'"jsonrpc"', b'"json"'), new("tools/list").headers),
    "new: accept JSON": new("tools/list", accept="application/json"),
    "new: accept events": new("tools/call", QUERY, accept="text/event-stream"),
    "new: accept pages": new("tools/list", accept="text/html"),
    "new: accept nothing": new("tools/list", accept=""),
    "new: accept unsaid": new("tools/list", accept=None),
    "new: content a text": new("tools/list", content_type="text/plain"),
    "new: GET": Asked(b"", [("mcp-protocol-version", "2026-07-28")], "GET"),
    "new: DELETE": Asked(b"", [("mcp-protocol-version", "2026-07-28")], "DELETE"),
}
for _kind, _text in (("foreign letters", "Žofie 東京 🏦"), ("half a letter", "a\ud800b"), ("a null", "a\0b")):
    for _era, _make in (("", old), ("new: ", new)):
        _meta: dict[str, Any] = {**({} if _make is old else ENVELOPE), IDEMPOTENCY_KEY: _text}
        CASES |= {
            f"{_era}{_kind} in an argument": _make("tools/call", call(TRANSFER.tool, {**SOME, "memo": _text})),
            f"{_era}{_kind} in the name of an argument": _make("tools/call", call(TRANSFER.tool, {**SOME, _text: 1})),
            f"{_era}{_kind} in the name of a tool": _make("tools/call", call(_text, {})),
            f"{_era}{_kind} in a uri": _make("resources/read", {"uri": f"environment://{_text}"}),
            f"{_era}{_kind} in the name of a prompt": _make("prompts/get", {"name": _text}),
            f"{_era}{_kind} in an id": _make("tools/list", id_=_text),
            f"{_era}{_kind} in a cursor": _make("tools/list", {"cursor": _text}),
            f"{_era}{_kind} in a key": Asked(
                said("tools/call", {**QUERY, "_meta": _meta}), _make("tools/call", QUERY).headers
            ),
        }
    CASES[f"{_kind} in a method"] = old(_text)


@dataclass(frozen=True)
class Answered:
    """What came back, as far as it must be the same."""

    status: int
    content: dict[str, Any] | int | None = None
    """A result, or the code of an error, or nothing."""
    id: Any = None
    data: Any = None
    """What an error tells to programs; its sentence is each server's own."""

    @classmethod
    def of(cls, received: bytes) -> Answered:
        head, _, body = received.partition(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        if b"text/event-stream" in head:
            body = body.partition(b"data: ")[2].partition(b"\n")[0]
        try:
            message = json.loads(body)
        except ValueError:
            return cls(status)
        error = message.get("error")
        if error is None:
            return cls(status, without_icon(message["result"]), message["id"])
        data = error.get("data")
        return cls(status, error["code"], message["id"], data if type(data) is dict else None)


def without_icon(result: Any) -> Any:
    """A result as it is compared: the farm sends the icon of a server where it is asked for it, the SDK with each result."""
    meta = result.get("_meta") if isinstance(result, dict) and "supportedVersions" not in result else None
    if isinstance(meta, dict) and SERVER in meta:
        meta[SERVER].pop("icons", None)
    return result


@dataclass(frozen=True)
class Different:
    """How the farm answers on purpose."""

    status: int
    code: int | None = None
    """Of an error."""
    like: str = ""
    """The request whose result it has."""
    tells: str = ""
    """The sentence of a call that was not made."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What stands in the result instead of what the SDK says."""

    def of(self, name: str, answers: Mapping[str, Answers]) -> tuple[int, Any]:
        """Status and content, of which results of the older era say less."""
        if self.code is not None:
            return self.status, self.code
        if self.tells:
            payload = {"success": False, "error": self.tells}
            content = {"type": "text", "text": json.dumps(payload, separators=(",", ":"))}
            return self.status, {"content": [content], "isError": True, "structuredContent": payload}
        result = {**_result(answers[self.like or name].single), **self.more}
        return self.status, result if name.startswith("new: ") else {
            key: value for key, value in result.items() if key not in ("resultType", "ttlMs", "cacheScope", "_meta")
        }


def _result(answered: Answered) -> dict[str, Any]:
    assert isinstance(answered.content, dict)
    return answered.content


# What the farm answers otherwise, and why. Sentences of errors are its own everywhere.
DIFFERENT: dict[str, Different] = {
    # JSON-RPC calls what is no message an invalid request; so does the SDK, in the newer era only.
    **dict.fromkeys(
        (
            *("ping, params a list", "ping, params a text", "a batch", "an empty batch", "null", "no method"),
            *("an answer, result a text", "no jsonrpc", "jsonrpc of another version", "jsonrpc a number"),
            *("method a number", "an answer, id null", "an answer, id a list", "an answer, no id"),
            "an answer that is an error, id a list",
        ),
        Different(400, -32600),
    ),
    # Whoever sent an id waits for an answer, and the SDK sends none in the older era, where it takes such a request for a
    # notification.
    **dict.fromkeys(
        (*("id null", "id a fraction", "id a whole fraction", "id true", "id a list", "id an object"),),
        Different(400, -32600),
    ),
    # Nothing is ever pushed from here, so there is no stream to open. A person who opens the address reads why.
    **dict.fromkeys(("GET", "GET of 2025-11-25", "new: GET", "new: DELETE"), Different(405, -32600)),
    # Who speaks JSON-RPC is told in JSON-RPC.
    **dict.fromkeys(("content a text", "content unsaid", "new: content a text"), Different(400, -32600)),
    "new: accept pages": Different(406, -32600),
    # A body is of one kind.
    "content and more": Different(400, -32600),
    # Kinds of content are the same in capitals: RFC 9110.
    "content in capitals": Different(200, like="ping"),
    # Who does not say what may come takes anything: RFC 9110.
    **dict.fromkeys(("accept nothing", "accept unsaid"), Different(200, like="ping")),
    **dict.fromkeys(("new: accept nothing", "new: accept unsaid"), Different(200, like="new: tools/list")),
    # Who takes nothing but events gets one.
    "accept events": Different(200, like="a query"),
    "new: accept events": Different(200, like="new: a query"),
    # What a server is does not change while it lives, so it may be kept as long as its lists.
    **dict.fromkeys(
        ("new: discover", "new: discover, client named", "new: discover, client null", "new: discover, in a session"),
        Different(200, more={"ttlMs": KEPT_MS, "cacheScope": "public"}),
    ),
    # Nothing is asked of a client here or told to it unasked, so what it can do and how much it wants to hear is not read.
    "initialize, bad capabilities": Different(200, like="initialize"),
    **dict.fromkeys(
        ("new: tools/list, bad capabilities", "new: tools/list, bad elicitation", "new: tools/list, log level"),
        Different(200, like="new: tools/list"),
    ),
    # The SDK holds to a depth in the older era only; here no message of either is deeper.
    **dict.fromkeys(("new: 201 deep", "new: 900 deep"), Different(400, -32700)),
    # JSON is sent in UTF-8, without a mark: RFC 8259. The SDK guesses in the newer era.
    **dict.fromkeys(("new: in UTF-16", "new: marked as UTF-8"), Different(400, -32700)),
    # Nor is anything done with a wish to be called back later.
    "a call, as a task of no kind": Different(200, like="a query"),
    # A method that is not here is not here, whatever it comes with.
    **dict.fromkeys(("new: listen, badly", "new: listen, events not accepted"), Different(404, -32601)),
    # To the SDK half a character is no JSON in the older era and a character like any other in the newer one; here it is
    # that in both. No key may hold one.
    **{
        f"half a letter in {where}": Different(200, like=f"new: half a letter in {where}")
        for where in ("an argument", "the name of an argument", "an id", "a cursor")
    },
    "half a letter in the name of a tool": Different(200, tells=r"There is no tool 'a\ud800b'."),
    **dict.fromkeys(("half a letter in a uri", "half a letter in the name of a prompt"), Different(200, -32602)),
    "half a letter in a method": Different(200, -32601),
    "half a letter in a key": Different(200, like="a call, key a number"),
}


async def ask(url: str, asked: Asked) -> Answered:
    place = urlsplit(url)
    async with await anyio.connect_tcp(place.hostname or "", place.port or 0) as stream:
        await stream.send(asked.text(place.path))
        received = b""
        with anyio.fail_after(10), suppress(anyio.EndOfStream):
            # A stream of events may stay open; its status is what it is asked for.
            while b"\r\n\r\n" not in received or b"text/event-stream" not in received or asked.method == "POST":
                received += await stream.receive()
        return Answered.of(received)


@dataclass(frozen=True)
class Place:
    """A world that agents come to over HTTP."""

    url: str
    state_hash: Callable[[], Awaitable[str]]


@asynccontextmanager
async def single_server() -> AsyncIterator[Place]:
    """A server with the SDK, as `envscaler serve --http` runs it."""
    session = open_session(FOLDER, load_code(FOLDER), TASK.id)

    async def state_hash() -> str:
        return session.state_hash()

    with listen("127.0.0.1", 0, None) as sock:
        runner = http_server(http_app(build_server(session.world, BEGIN_THERE)))
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: runner.serve(sockets=[sock]))
            try:
                yield Place(url_of(sock) + PATH, state_hash)
            finally:
                runner.stop()


@asynccontextmanager
async def world_of_a_farm(isolation: str = "local") -> AsyncIterator[Place]:
    async with farm_here(isolation=isolation) as farm:
        with farm.client() as client:
            # The client waits for answers of a farm in the same loop, so it waits in a thread.
            world = await run_sync(partial(client.open, FOLDER.name, scenario=TASK.id, prompts="all"))
            yield Place(world.url, partial(run_sync, world.state_hash))


@dataclass(frozen=True)
class Answers:
    """What one request is answered."""

    single: Answered
    """By a server with the SDK."""
    farm: Answered
    worker: Answered
    """By the farm, where the world lives in a process of its own."""


async def _answers() -> dict[str, Answers]:
    found = {}
    async with single_server() as single, world_of_a_farm() as farm, world_of_a_farm("auto") as worker:
        for name, asked in CASES.items():
            found[name] = Answers(*[await ask(place.url, asked) for place in (single, farm, worker)])
        ends = {await place.state_hash() for place in (single, farm, worker)}
    assert len(ends) == 1, "the same calls must end in the same state"
    return found


@pytest.fixture(scope="module")
def answers() -> dict[str, Answers]:
    """To every request, in the order in which they stand above: each is sent to worlds in the same state."""
    return anyio.run(_answers)


@pytest.mark.parametrize("name", CASES)
def test_the_farm_answers_as_a_server_with_the_sdk_does(answers: dict[str, Answers], name: str) -> None:
    assert answers[name].worker == answers[name].farm
    assert answers[name].farm.status < 500
    expected = DIFFERENT.get(name)
    if expected is None:
        assert answers[name].farm == answers[name].single
    else:
        told = answers[name].farm.status, answers[name].farm.content
        assert told == expected.of(name, answers)
        assert told != (answers[name].single.status, answers[name].single.content), "no difference any more"


@pytest.mark.parametrize("name", ["accept events", "new: accept events"])
async def test_a_client_that_takes_only_events_gets_one_and_the_end(name: str) -> None:
    async with world_of_a_farm() as farm, httpx2.AsyncClient(trust_env=False) as web:
        asked = CASES[name]
        headers = {"content-type": "application/json", **{name: value or "" for name, value in asked.headers}}
        answer = await web.post(farm.url, content=asked.body, headers=headers)
        assert answer.headers["content-type"] == "text/event-stream"
        assert re.fullmatch(r"event: message\ndata: \{[^\n]*\}\n\n", answer.text)
        plain = await web.post(farm.url, content=asked.body, headers={**headers, "accept": "application/json"})
        assert plain.text in answer.text


async def seen(place: Place, mode: str) -> list[Any]:
    """Everything that the SDK's client is told by a world."""
    async with (
        httpx2.AsyncClient(trust_env=False) as web,
        Client(streamable_http_client(place.url, http_client=web), mode=mode) as client,
    ):
        told: list[Any] = [
            client.protocol_version,
            client.server_info,
            client.server_capabilities,
            client.instructions,
            await client.list_tools(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.list_prompts(),
            await client.read_resource(RULES),
            await client.get_prompt(TASK.id),
            *[await client.call_tool(step.tool, dict(step.arguments)) for step in TASK.oracle if step.tool],
            await client.call_tool(TRANSFER.tool, {**SOME, "amount": 10**9}),
            await client.call_tool(TRANSFER.tool, {**SOME, "memo": "Žofie 東京 🏦"}),
            await client.call_tool("transfer_mony", {}),
            await client.call_tool("Žofie 🏦", {}),
        ]
        for unknown in (client.read_resource("environment://none"), client.get_prompt("none")):
            with pytest.raises(MCPError) as refused:
                await unknown
            told.append(refused.value.error)
        plain = [without_icon(one.model_dump(by_alias=True)) if isinstance(one, BaseModel) else one for one in told]
        return [*plain, await place.state_hash()]


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_the_client_of_the_sdk_sees_the_same_as_at_a_server_with_the_sdk(mode: str) -> None:
    async with single_server() as single, world_of_a_farm() as farm:
        assert await seen(farm, mode) == await seen(single, mode)
