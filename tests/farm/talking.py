"""Plain HTTP to the agents' side of a farm, on connections that a test holds itself."""

from __future__ import annotations

import http.client
import json
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from envscaler_mcp.farm.watchers import Watcher

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class Talk:
    """One connection to a farm."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.connection.close()

    def ask(self, url: str, method: str, params: dict[str, Any] | None = None) -> tuple[int, Any]:
        """The status and what was said."""
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params or {}}
        self.connection.request("POST", urlsplit(url).path, json.dumps(message), HEADERS)
        answer = self.connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None

    def call(self, url: str, tool: str, arguments: dict[str, Any]) -> str:
        """The text of a call's result."""
        status, said = self.ask(url, "tools/call", {"name": tool, "arguments": arguments})
        assert status == 200, said
        text: str = said["result"]["content"][0]["text"]
        return text


async def events_so_far(watcher: Watcher) -> list[dict[str, Any]]:
    """What waits for a watcher, and its end where that has come."""
    watcher.end()
    return [json.loads(piece.partition(b"data: ")[2]) async for piece in watcher if b"data: " in piece]
