"""Every registered environment, listed as the public registry of MCP servers lists servers (its read API, v0 and v0.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp.artifacts import Registry, RegistryEntry
from envscaler_mcp.emit.server_json import SCHEMA
from envscaler_mcp.farm.application import raw_json
from envscaler_mcp.registry import SearchIndex
from envscaler_mcp.serving.outcome import encode

PREFIXES = ("/v0/servers", "/v0.1/servers")

NAMESPACE = "local.envscaler"
_OFFICIAL = "io.modelcontextprotocol.registry/official"
_OWN = "local.envscaler/environment"
_PAGE, _LONGEST_PAGE = 30, 100
_LONGEST_ABOUT = 100
MAX_SEARCH, MAX_SEARCH_WORDS = 200, 8
"""How long a search may be, in letters and in words."""


class Catalogue:
    """Answers programs that look for servers.

    Any client may ask, so an answer is put together from pieces that are made once, and a search is bounded.
    """

    def __init__(self, registry: Registry, url: str, since: str) -> None:
        self._entries = registry.entries
        self._by_name = {f"{NAMESPACE}/{entry.id}": entry for entry in registry.entries}
        self._url = url
        self._since = since
        """When the registry was last written, as RFC 3339."""
        self._written: dict[str, str] = {}
        """The JSON of each server, by its id."""

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self._entries)

    def routes(self) -> list[Route]:
        """Pages of servers, and single ones."""
        routes = []
        for prefix in PREFIXES:
            route = f"{prefix}/{{name:path}}"
            routes += [
                Route(prefix, self._answer_page),
                Route(f"{prefix}/", self._answer_page),
                Route(f"{route}/versions", self._answer_versions),
                Route(f"{route}/versions/{{version}}", self._answer_server),
                Route(route, self._answer_server),
            ]
        return routes

    async def _answer_page(self, request: Request) -> Response:
        # Starlette's query parameters take three times as long, and any client may ask.
        query = parse_qs(request.scope["query_string"].decode("ascii"))
        return self._page({name: values[0] for name, values in query.items()})

    async def _answer_versions(self, request: Request) -> Response:
        return self._listed([self._entry(request)])

    async def _answer_server(self, request: Request) -> Response:
        entry = self._entry(request)
        if request.path_params.get("version", "latest") not in ("latest", entry.version):
            raise HTTPException(404, "The server has no such version.")
        return raw_json(self._json(entry))

    def _entry(self, request: Request) -> RegistryEntry:
        entry = self._by_name.get(request.path_params["name"])
        if entry is None:
            raise HTTPException(404, "There is no such server.")
        return entry

    def _page(self, query: dict[str, str]) -> Response:
        words, limit = query.get("search", ""), _limit(query.get("limit") or str(_PAGE))
        if limit is None:
            raise HTTPException(400, f"A limit is a number from 1 to {_LONGEST_PAGE}.")
        if len(words) > MAX_SEARCH or len(words.split()) > MAX_SEARCH_WORDS:
            raise HTTPException(400, f"A search has at most {MAX_SEARCH_WORDS} words and {MAX_SEARCH} characters.")
        entries: Sequence[RegistryEntry] = self._entries
        if words:
            entries = sorted(self._index.search(words), key=lambda entry: entry.id)
        if query.get("updated_since", "") > self._since:
            entries = ()
        wanted = query.get("version") or "latest"
        if wanted != "latest":
            entries = [entry for entry in entries if entry.version == wanted]
        first = bisect_right(entries, query.get("cursor", ""), key=lambda entry: entry.id)
        page = entries[first : first + limit]
        return self._listed(page, page[-1].id if len(entries) > first + limit else None)

    def _listed(self, entries: Sequence[RegistryEntry], following: str | None = None) -> Response:
        metadata: dict[str, Any] = {"count": len(entries)} | ({} if following is None else {"nextCursor": following})
        servers = ",".join(map(self._json, entries))
        return raw_json(f'{{"servers":[{servers}],"metadata":{encode(metadata)}}}')

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
    """The number of servers on a page; None for anything but a number in range, in ASCII digits."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_LONGEST_PAGE))):
        return None
    limit = int(text)
    return limit if 1 <= limit <= _LONGEST_PAGE else None


def _shortened(about: str) -> str:
    if len(about) <= _LONGEST_ABOUT:
        return about
    return about[: _LONGEST_ABOUT - 1].rsplit(" ", 1)[0].rstrip(",;-–") + "…"
