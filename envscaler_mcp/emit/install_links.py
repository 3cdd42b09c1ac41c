"""Links by which a browser hands a server to a host program, as the hosts document them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from envscaler_mcp.emit.hosts import Client, HostConnection

PUBLISHED = ("uvx", "envscaler-mcp", "serve")
"""What starts a server on any machine with uv; the name of an environment follows."""


def install_link(connection: HostConnection) -> str:
    """The link for the host program of a connection; nothing for one that has none."""
    if connection.token:
        # Links lie in histories and logs.
        return ""
    server, name = connection.server, quote(connection.name, safe="")
    match connection.client:
        case "vscode":
            return f"vscode:mcp/install?{_in_query({'name': connection.name, **server})}"
        case "cursor":
            return f"cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={_packed(server)}"
        case "lm-studio":
            return f"lmstudio://add_mcp?name={name}&config={_packed(server)}"
        case "goose" if not connection.url:
            words = "".join(f"&arg={quote(word, safe='')}" for word in server["args"])
            return f"goose://extension?cmd={quote(server['cmd'], safe='')}{words}&id={name}&name={name}"
    return ""


def button(client: Client, env_id: str) -> str:
    """The page that leads to the link, for places that show links of the web only; as Markdown with a button."""
    connection = HostConnection(client, env_id, (*PUBLISHED, env_id))
    name = quote(env_id, safe="")
    match client:
        case "vscode":
            page = f"https://insiders.vscode.dev/redirect/mcp/install?name={name}&config={_in_query(connection.server)}"
            return _badge("VS_Code", "0098FF", page)
        case "cursor":
            page = f"https://cursor.com/en/install-mcp?name={name}&config={_packed(connection.server)}"
            return _badge("Cursor", "000000", page)
        case "lm-studio":
            page = f"https://lmstudio.ai/install-mcp?name={name}&config={_packed(connection.server)}"
            return _badge("LM_Studio", "4F46E5", page)
    raise ValueError(f"{client} has no page for installing")


def _badge(host: str, colour: str, page: str) -> str:
    return f"[![Install in {host.replace('_', ' ')}](https://img.shields.io/badge/{host}-install-{colour})]({page})"


def _in_query(server: Mapping[str, Any]) -> str:
    return quote(json.dumps(server, separators=(",", ":")), safe="")


def _packed(server: Mapping[str, Any]) -> str:
    return quote(base64.b64encode(json.dumps(server, separators=(",", ":")).encode()).decode(), safe="")
