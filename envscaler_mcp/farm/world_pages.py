"""Pages for people at the addresses of environments, and what wrong addresses are answered with."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from starlette.responses import HTMLResponse

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.html.parts import STYLE, table
from envscaler_mcp.html.visible import visible
from envscaler_mcp.serving.listing import title_of

_STYLE = (
    f"{STYLE}pre {{ border: 1px solid var(--line); padding: 10px; overflow-x: auto; }} p, li {{ max-width: 50em; }}\n"
)
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "x-content-type-options": "nosniff",
}


def environment_page(card: Environment, url: str) -> HTMLResponse:
    """What an environment is, its tools and its rules, and how a world of it is opened."""
    new = f"{url}/e/{card.id}/new"
    tools = [
        [visible(cell) for cell in (tool.name, title_of(tool), tool.description, tool.effect)] for tool in card.tools
    ]
    rules = "".join(f"<li>{_text(rule)}</li>" for rule in card.rules)
    return _page(
        card.title,
        f"<p>{_text(card.introduction)}</p>",
        f'<p><a href="{escape(new)}" rel="nofollow">A fresh world of it</a>: an address for any MCP client.</p>',
        "<p>In a host program on this machine:</p>",
        f"<pre>envscaler connect {_text(new)} --client vscode --install</pre>",
        f"<h2>Tools</h2>{table(('Name', 'Title', 'What it does', 'Effect'), tools)}",
        f"<h2>Rules</h2><ul>{rules}</ul>" if rules else "",
    )


def guest_page(card: Environment, url: str, task: str = "") -> HTMLResponse:
    """The address of a fresh world, and the task that it begins at."""
    return _page(
        f"A fresh world of {card.title}",
        "<p>Nothing is open yet. The world begins with the first call of an MCP client at this address, and belongs to every "
        "client that knows it:</p>",
        f"<pre>{_text(url)}</pre>",
        f"<p>It begins where this task begins:</p><pre>{_text(task)}</pre>" if task else "",
        "<p>To write it into the file of a host program:</p>",
        f"<pre>envscaler connect {_text(url)} --client vscode --install</pre>",
    )


def advice(path: str, method: str) -> str:
    """What to do instead of such a request to such a path."""
    parts = [part for part in path.split("/") if part]
    if parts[:1] == ["e"] and len(parts) >= 2:
        place = f"/e/{parts[1]}"
        if method == "POST" and (len(parts) == 2 or parts[2:] == ["new"]):
            return f"An MCP client needs the address of a world: GET {place}/new answers with one, under url."
        return f"A world's address is {place}/WORLD/mcp; GET {place}/new answers with a fresh one, GET {place} says what it is."
    if parts[:1] == ["mcp"] or parts[:1] == ["sse"]:
        return "Each world has an address of its own: GET /e/ENV_ID/new answers with one; /v0.1/servers lists the environments."
    if parts[:1] in (["v1"], ["openapi.json"], ["openenv"]):
        return OWNERS
    return f"There is nothing here; /v0.1/servers lists the environments. {OWNERS}"


OWNERS = "Owners of worlds ask the control plane, which `envscaler farm` names when it starts; its /openapi.json describes it."
"""What a client of the agents' address is told of what belongs to another one."""
NOTHING_FOR_OWNERS = "There is nothing here; /openapi.json describes what there is."


def _page(title: str, *parts: str) -> HTMLResponse:
    head = f"<meta charset=utf-8><meta name=viewport content='width=device-width'><title>{_text(title)}</title>"
    body = f"<h1>{_text(title)}</h1>{''.join(parts)}"
    page = f"<!doctype html>\n<html lang=en><head>{head}<style>{_STYLE}</style></head><body>{body}</body></html>\n"
    return HTMLResponse(page, headers=HEADERS)


def _text(text: str) -> str:
    return escape(visible(text))
