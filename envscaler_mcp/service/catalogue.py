"""Every registered environment, listed as the public registry of MCP servers lists servers (its read API, v0 and v0.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, unquote

from envscaler_mcp.artifacts import Registry, RegistryEntry
from envscaler_mcp.registry import search
from envscaler_mcp.service.http1 import Answer, Request, error, fine

PREFIXES = ("/v0/servers", "/v0.1/servers")
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAMESPACE = "local.envscaler"
_OFFICIAL = "io.modelcontextprotocol.registry/official"
_OWN = "local.envscaler/environment"
_PAGE, _LONGEST_PAGE = 30, 100
_LONGEST_ABOUT = 100


class Catalogue:
    """Answers what programs ask that look for servers."""

    def __init__(self, registry: Registry, url: str, since: str) -> None:
        self._registry = registry
        self._url = url
        self._since = since
        """When the registry was last written, as RFC 3339."""

    def answer(self, request: Request) -> Answer:
        """A page of servers, or one server."""
        if request.method != "GET":
            return Answer(405, b"", headers=(("allow", "GET"),))
        rest = request.path[len(next(one for one in PREFIXES if request.path.startswith(one))) :]
        if rest in ("", "/"):
            return self._page(parse_qs(request.query))
        name, _, which = rest.removeprefix("/").partition("/")
        entry = next((one for one in self._registry.entries if f"{NAMESPACE}/{one.id}" == unquote(name)), None)
        if entry is None:
            return error(404, "There is no such server.")
        if which == "versions":
            return fine(**self._listed([entry]))
        if which in ("", "versions/latest", f"versions/{unquote(entry.version)}"):
            return fine(**self._server(entry))
        return error(404, "The server has no such version.")

    def _page(self, query: dict[str, list[str]]) -> Answer:
        words = query.get("search", [""])[0]
        found: Iterable[RegistryEntry] = search(self._registry, words) if words else self._registry.entries
        if query.get("updated_since", [""])[0] > self._since:
            found = ()
        wanted = query.get("version", ["latest"])[0]
        ordered = sorted((one for one in found if wanted in ("latest", one.version)), key=lambda entry: entry.id)
        after = query.get("cursor", [""])[0]
        rest = [entry for entry in ordered if entry.id > after]
        limit = query.get("limit", [str(_PAGE)])[0]
        if not limit.isdigit() or not 1 <= int(limit) <= _LONGEST_PAGE:
            return error(400, f"A limit is a number from 1 to {_LONGEST_PAGE}.")
        page = rest[: int(limit)]
        return fine(**self._listed(page, page[-1].id if len(rest) > len(page) else None))

    def _listed(self, entries: list[RegistryEntry], following: str | None = None) -> dict[str, Any]:
        metadata: dict[str, Any] = {"count": len(entries)} | ({} if following is None else {"nextCursor": following})
        return {"servers": [self._server(entry) for entry in entries], "metadata": metadata}

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


def _shortened(about: str) -> str:
    if len(about) <= _LONGEST_ABOUT:
        return about
    return about[: _LONGEST_ABOUT - 1].rsplit(" ", 1)[0].rstrip(",;-–") + "…"
