"""Every registered environment, listed as the public registry of MCP servers lists servers (its read API, v0 and v0.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote

from envscaler_mcp.artifacts import Registry, RegistryEntry
from envscaler_mcp.farm.http1 import Answer, Request, error
from envscaler_mcp.registry import SearchIndex
from envscaler_mcp.serving.outcome import encode

PREFIXES = ("/v0/servers", "/v0.1/servers")
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAMESPACE = "local.envscaler"
_OFFICIAL = "io.modelcontextprotocol.registry/official"
_OWN = "local.envscaler/environment"
_PAGE, _LONGEST_PAGE = 30, 100
_LONGEST_ABOUT = 100
MAX_SEARCH, MAX_SEARCH_WORDS = 200, 8
"""How long a search may be, in letters and in words."""


class Catalogue:
    """Answers what programs ask that look for servers.

    Anyone may ask, so each answer is put together from pieces that were made once, and a search is bounded.
    """

    def __init__(self, registry: Registry, url: str, since: str) -> None:
        self._entries = registry.entries
        self._by_name = {f"{NAMESPACE}/{entry.id}": entry for entry in registry.entries}
        self._url = url
        self._since = since
        """When the registry was last written, as RFC 3339."""
        self._written: dict[str, str] = {}
        """What is told of each server, as JSON, by its id."""

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self._entries)

    def answer(self, request: Request) -> Answer:
        """A page of servers, or one server."""
        if request.method != "GET":
            return Answer(405, b"", headers=(("allow", "GET"),))
        rest = request.path[len(next(prefix for prefix in PREFIXES if request.path.startswith(prefix))) :]
        if rest in ("", "/"):
            return self._page(parse_qs(request.query))
        name, _, which = rest.removeprefix("/").partition("/")
        entry = self._by_name.get(unquote(name))
        if entry is None:
            return error(404, "There is no such server.")
        if which == "versions":
            return self._listed([entry])
        if which in ("", "versions/latest", f"versions/{unquote(entry.version)}"):
            return Answer(200, self._json(entry).encode())
        return error(404, "The server has no such version.")

    def _page(self, query: dict[str, list[str]]) -> Answer:
        words, limit = query.get("search", [""])[0], _limit(query.get("limit", [str(_PAGE)])[0])
        if limit is None:
            return error(400, f"A limit is a number from 1 to {_LONGEST_PAGE}.")
        if len(words) > MAX_SEARCH or len(words.split()) > MAX_SEARCH_WORDS:
            return error(400, f"A search has at most {MAX_SEARCH_WORDS} words and {MAX_SEARCH} letters.")
        entries: Sequence[RegistryEntry] = self._entries
        if words:
            entries = sorted(self._index.search(words), key=lambda entry: entry.id)
        if query.get("updated_since", [""])[0] > self._since:
            entries = ()
        wanted = query.get("version", ["latest"])[0]
        if wanted != "latest":
            entries = [entry for entry in entries if entry.version == wanted]
        first = bisect_right(entries, query.get("cursor", [""])[0], key=lambda entry: entry.id)
        page = entries[first : first + limit]
        return self._listed(page, page[-1].id if len(entries) > first + limit else None)

    def _listed(self, entries: Sequence[RegistryEntry], following: str | None = None) -> Answer:
        metadata: dict[str, Any] = {"count": len(entries)} | ({} if following is None else {"nextCursor": following})
        servers = ",".join(map(self._json, entries))
        return Answer(200, f'{{"servers":[{servers}],"metadata":{encode(metadata)}}}'.encode())

    def _json(self, entry: RegistryEntry) -> str:
        written = self._written.get(entry.id)
        if written is None:
            written = self._written[entry.id] = encode(self._server(entry))
        return written

    def _server(self, entry: RegistryEntry) -> dict[str, Any]:
        """A server as the registry's `server.json` describes one whose address has a part to be filled in."""
        world = {"description": "A world: GET …/new beside it names a fresh one.", "isRequired": True}
        url = f"{self._url}/e/{entry.id}/{{world}}/mcp"
        server = {
            "$schema": SCHEMA,
            "name": f"{NAMESPACE}/{entry.id}",
            "title": entry.title,
            "description": _shortened(entry.about),
            "version": entry.version,
            "remotes": [{"type": "streamable-http", "url": url, "variables": {"world": world}}],
            "_meta": {
                "io.modelcontextprotocol.registry/publisher-provided": {
                    _OWN: {
                        "id": entry.id,
                        "sector": entry.sector,
                        "tools": list(entry.tools),
                        "scenarios": entry.scenarios,
                        "new": f"{self._url}/e/{entry.id}/new",
                    }
                }
            },
        }
        times = {"publishedAt": self._since, "updatedAt": self._since}
        return {"server": server, "_meta": {_OFFICIAL: {"status": "active", "isLatest": True, **times}}}


def _limit(text: str) -> int | None:
    """How many servers a page shall have; None for what is no such number, in whatever script its digits are."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_LONGEST_PAGE))):
        return None
    limit = int(text)
    return limit if 1 <= limit <= _LONGEST_PAGE else None


def _shortened(about: str) -> str:
    if len(about) <= _LONGEST_ABOUT:
        return about
    return about[: _LONGEST_ABOUT - 1].rsplit(" ", 1)[0].rstrip(",;-–") + "…"
