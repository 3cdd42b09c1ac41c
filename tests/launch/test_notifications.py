"""What a server sends before its answer goes to clients that asked for it, over a connection that carries it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.serving.tasks import load_scenarios
from tests.launch.test_wire import ENVELOPE, HELLO, Wire, served

SERVERS = Path(__file__).resolve().parents[2] / "generated_servers"
TICKETS = SERVERS / "box_office"
"""A world with more tickets than a page of `list_tickets` holds."""
LAST = list(json.loads((TICKETS / "states" / "start.json").read_text())["content"]["tickets"])[-1]
ADDRESS = f"environment://records/tickets/{LAST}"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"


def greet(wire: Wire) -> dict[str, Any]:
    capabilities: dict[str, Any] = wire.ask("initialize", HELLO)["result"]["capabilities"]
    wire.tell("notifications/initialized")
    return capabilities


def asked(wire: Wire, method: str, **params: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What came before the answer to a request, and the answer."""
    wire.send(json.dumps({"jsonrpc": "2.0", "id": "x", "method": method, "params": params}).encode())
    before = []
    while "id" not in (message := wire.read()):
        before.append(message)
    assert message["id"] == "x"
    return before, message


@pytest.mark.parametrize("meta", [{}, ENVELOPE], ids=["older", "newer"])
def test_a_client_that_asked_for_progress_hears_of_each_page_that_is_not_the_last(meta: dict[str, Any]) -> None:
    with served(TICKETS) as wire:
        if not meta:
            greet(wire)
        token = {"_meta": {**meta, "progressToken": "t"}}
        before, answer = asked(wire, "resources/read", uri=ADDRESS, **token)
        assert json.loads(answer["result"]["contents"][0]["text"])["id"] == LAST
        assert {message["method"] for message in before} == {"notifications/progress"}
        steps = [message["params"] for message in before]
        assert {step["progressToken"] for step in steps} == {"t"}
        assert [step["progress"] for step in steps] == [50, 100]
        assert all(step["progress"] < step["total"] for step in steps)
        reference = {"type": "ref/resource", "uri": "environment://records/{kind}/{id}"}
        argument, given = {"name": "id", "value": LAST}, {"arguments": {"kind": "tickets"}}
        before, answer = asked(wire, "completion/complete", ref=reference, argument=argument, context=given, **token)
        assert answer["result"]["completion"]["values"] == [LAST]
        assert len(before) == 2
        # Calls have no steps that could be counted, and a client without a token hears nothing.
        assert asked(wire, "tools/call", name="list_tickets", arguments={}, **token)[0] == []
        assert asked(wire, "resources/read", uri=ADDRESS, **({"_meta": meta} if meta else {}))[0] == []


def test_a_log_is_sent_at_the_level_that_was_set_and_not_before() -> None:
    tasks = [task for task in load_scenarios(TICKETS) if task.split == "train"]
    with served(TICKETS) as wire:
        assert greet(wire)["logging"] == {}
        assert asked(wire, "tools/call", name="list_tickets", arguments={})[0] == []
        assert asked(wire, "logging/setLevel", level="debug")[1]["result"] == {}
        ((message,), _) = asked(wire, "tools/call", name="list_tickets", arguments={"offset": "x"})
        assert message["method"] == "notifications/message"
        data = {"event": "call", "tool": "list_tickets", "outcome": "invalid"}
        assert message["params"] == {"level": "debug", "logger": "envscaler", "data": data}
        asked(wire, "logging/setLevel", level="notice")
        assert asked(wire, "tools/call", name="list_tickets", arguments={})[0] == []
        for step in tasks[0].oracle:
            asked(wire, "prompts/get", name=tasks[0].id)
            asked(wire, "tools/call", name=step.tool, arguments=dict(step.arguments))
        ((message,), _) = asked(wire, "prompts/get", name=tasks[0].id)
        assert message["params"]["data"] == {"event": "new world", "task": tasks[0].id}
        asked(wire, "logging/setLevel", level="error")
        asked(wire, "tools/call", name=tasks[0].oracle[0].tool, arguments=dict(tasks[0].oracle[0].arguments))
        assert asked(wire, "prompts/get", name=tasks[0].id)[0] == []
        assert asked(wire, "logging/setLevel", level="loud")[1]["error"]["code"] == -32602


def test_in_the_newer_era_each_request_says_whether_it_wants_a_log() -> None:
    with served(TICKETS) as wire:
        for level, many in (("debug", 1), ("info", 0), (None, 0)):
            meta = {**ENVELOPE, **({LOG_LEVEL: level} if level else {})}
            before, answer = asked(wire, "tools/call", name="list_tickets", arguments={}, _meta=meta)
            assert answer["result"]["isError"] is False
            assert len(before) == many, level
