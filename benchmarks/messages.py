"""Requests as they travel, in both eras of the protocol, and the two servers that they are sent to."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.places import places

Era = Literal["handshake", "modern"]
ERAS: tuple[Era, ...] = ("handshake", "modern")
REVISION: dict[Era, str] = {"handshake": "2025-11-25", "modern": "2026-07-28"}
_CLIENT = {"name": "benchmark", "version": "1"}
_ECHO = Path(__file__).parent / "peers" / "echo.py"
MARGIN = 50.0
"""Microseconds for which a call is validated, played and told."""


@dataclass(frozen=True, slots=True)
class Served:
    """One server and the call that is made there."""

    stdio: list[str]
    http: list[str]
    tool: str
    arguments: dict[str, Any]


def ours_and_echo() -> tuple[Served, Served]:
    """A server folder asked for one record, and the SDK's echo asked for a text of the same length."""
    place = places(1)[0]
    job = place.lookup
    assert job is not None
    text = place.open().call(job.tool, job.arguments).text
    server, echo = str(place.folder / "server.py"), str(_ECHO)
    ours = Served([sys.executable, server], [sys.executable, server, "--http"], job.tool, job.arguments)
    return ours, Served([sys.executable, echo, "stdio"], [sys.executable, echo, "http"], "echo", {"text": text})


def hello(era: Era) -> list[bytes]:
    """What a client says before its first call."""
    if era == "modern":
        return []
    opening = {"protocolVersion": REVISION[era], "capabilities": {}, "clientInfo": _CLIENT}
    return [_line({"id": 0, "method": "initialize", "params": opening}), _line({"method": "notifications/initialized"})]


def calling(served: Served, era: Era) -> bytes:
    """One call as a line."""
    params: dict[str, Any] = {"name": served.tool, "arguments": served.arguments}
    if era == "modern":
        prefix = "io.modelcontextprotocol/"
        told = {"protocolVersion": REVISION[era], "clientCapabilities": {}, "clientInfo": _CLIENT}
        params["_meta"] = {prefix + name: value for name, value in told.items()}
    return _line({"id": 1, "method": "tools/call", "params": params})


def posted(served: Served, era: Era, host: str, path: str) -> bytes:
    """One call as an HTTP request."""
    body = calling(served, era).strip()
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"MCP-Protocol-Version: {REVISION[era]}",
        f"Content-Length: {len(body)}",
    ]
    if era == "modern":
        head += ["Mcp-Method: tools/call", f"Mcp-Name: {served.tool}"]
    return "\r\n".join([*head, "", ""]).encode() + body


def must_be_done(answer: bytes) -> None:
    """An answer that is no error."""
    message = json.loads(answer)
    if "result" not in message or message["result"].get("isError"):
        raise AssertionError(f"the call was not done: {message}")


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
