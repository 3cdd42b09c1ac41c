"""One call, written for other programs; and one world, as hosts are told of it."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from envscaler_mcp.emit.hosts import CLIENTS, HostConnection
from envscaler_mcp.studio.schemas import ConnectAnswer, HostLine, SnippetsAnswer


def snippets(url: str, tool: str, arguments: Mapping[str, Any]) -> SnippetsAnswer:
    """The call at the address of its world."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": dict(arguments)},
    }
    body = json.dumps(message, ensure_ascii=False)
    curl = " \\\n  ".join(
        (
            f"curl -s {shlex.quote(url)}",
            "-H 'Content-Type: application/json'",
            "-H 'Accept: application/json, text/event-stream'",
            f"-d {shlex.quote(body)}",
        )
    )
    python = (
        "import asyncio\n\nfrom mcp import Client\n\n\nasync def main() -> None:\n"
        f"    async with Client({url!r}) as client:\n"
        f"        print(await client.call_tool({tool!r}, {dict(arguments)!r}))\n\n\nasyncio.run(main())\n"
    )
    return SnippetsAnswer(mcp=json.dumps(message, ensure_ascii=False, indent=2), curl=curl, python=python)


def connections(environment: str, url: str) -> ConnectAnswer:
    """What each host that is known is told of a world at this address."""
    lines = []
    for client in CLIENTS:
        connection = HostConnection(client, environment, url=url)
        command = f"envscaler connect {url} --client {client} --install"
        document = json.dumps(connection.document, indent=2)
        lines.append(HostLine(client=client, command=command, document=document, link=_link(connection)))
    return ConnectAnswer(url=url, hosts=tuple(lines))


def _link(connection: HostConnection) -> str:
    """VS Code and Cursor install a server from an address."""
    if connection.client == "vscode":
        return "vscode:mcp/install?" + quote(json.dumps({"name": connection.name, **connection.server}))
    if connection.client == "cursor":
        config = base64.b64encode(json.dumps(connection.server).encode()).decode()
        return f"cursor://anysphere.cursor-deeplink/mcp/install?name={quote(connection.name)}&config={quote(config)}"
    return ""
