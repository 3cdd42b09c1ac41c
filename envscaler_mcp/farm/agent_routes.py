"""Where agents, people and programs that look come to: worlds by their addresses, invitations, the catalogue."""

from __future__ import annotations

import json
import socket
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from envscaler_mcp import __version__
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm.access import Guards, audit
from envscaler_mcp.farm.catalogue import PREFIXES, Catalogue
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.http1 import Answer, Request, Stream, error, json_answer
from envscaler_mcp.farm.jsonrpc import unanswered
from envscaler_mcp.farm.mcp_endpoint import answer_agent
from envscaler_mcp.farm.metrics import Figures
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.tokens import Scope
from envscaler_mcp.farm.worlds import FullError, NoWorldError, Worlds
from envscaler_mcp.serving.outcome import encode

MAX_AGENT_BODY = 256 * 1024


class AgentService:
    """The side that agents, people and programs that look come to."""

    max_body = MAX_AGENT_BODY

    def __init__(
        self, worlds: Worlds, catalogue: Catalogue, figures: Figures, siblings: Siblings, guards: Guards, url: str
    ) -> None:
        self._worlds = worlds
        self._catalogue = catalogue
        self._figures = figures
        self._siblings = siblings
        self._guards = guards
        self._url = url
        self._share = worlds.share

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide from the head alone."""
        parts = request.path.split("/")
        to_world = len(parts) == 5 and parts[1] == "e" and parts[4] == "mcp"
        # A browser asks without a token whether it may ask with one.
        asks_first = request.method == "OPTIONS" and self._guards.lets_in(request.headers.get("origin"))
        refusal = self._guards.refusal(request, None if asks_first else scope_of(request.path))
        if refusal is not None:
            self._figures.statuses[refusal.status] += 1
            return _to_client(refusal) if to_world else refusal
        if asks_first:
            return _with(Answer(204), _PREFLIGHT, request.headers["origin"])
        if to_world and self._siblings.others:
            owner = self._share.owner(parts[3])
            if owner != self._share.number:
                return HandOver(owner)
        return self._unknown(parts[2], parts[3]) if to_world else None

    def _unknown(self, environment: str, name: str) -> Answer | None:
        """The refusal of what is sent to an address without a world, before its body is read."""
        try:
            self._worlds.find(environment, name)
        except NoWorldError as cause:
            if not self._worlds.is_guest_link(environment, name):
                self._figures.statuses[404] += 1
                refusal = unanswered(404, str(cause))
                refusal.skips_body = True
                return refusal
        return None

    def party(self, request: Request) -> str | None:
        """The address of an open world, or the token that a request carries if it is valid."""
        parts = request.path.split("/")
        to_world = len(parts) == 5 and parts[1] == "e" and parts[4] == "mcp"
        # Whether a world of another process is open is known there, where the connection is handed to.
        if to_world and (self._share.owner(parts[3]) != self._share.number or self._worlds.is_open(parts[3])):
            return f"world {parts[3]}"
        return self._guards.holder(request)

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer | Stream]:
        """The answer to a whole request."""
        parts = request.path.split("/")
        if len(parts) == 5 and parts[1] == "e" and parts[4] == "mcp":
            answer = self._to_world(parts[2], parts[3], request)
        else:
            answer = self._to_looker(parts, request)
        if isinstance(answer, Answer):
            self._figures.statuses[answer.status] += 1
        origin = request.headers.get("origin")
        if origin is None or not self._guards.lets_in(origin):
            return answer
        return _with(answer, (), origin) if isinstance(answer, Answer) else _later_with(answer, origin)

    def _to_world(self, environment: str, name: str, request: Request) -> Answer | Coroutine[Any, Any, Answer]:
        try:
            world = self._worlds.find(environment, name)
        except NoWorldError as cause:
            if self._worlds.is_guest_link(environment, name):
                return self._to_visitor(environment, name, request)
            return unanswered(404, str(cause))
        return answer_agent(world.environment, world, request)

    def _to_visitor(self, environment: str, name: str, request: Request) -> Answer | Coroutine[Any, Any, Answer]:
        try:
            hosted = self._worlds.environments.find(environment)
        except WorldError as cause:
            return unanswered(404, str(cause))
        answer = answer_agent(hosted, partial(self._worlds.open_guest, environment, name, request.peer), request)
        return answer if isinstance(answer, Answer) else self._welcomed(answer)

    async def _welcomed(self, coming: Coroutine[Any, Any, Answer]) -> Answer:
        try:
            return await coming
        except FullError as cause:
            return unanswered(503, str(cause), ("retry-after", "5"))

    def _to_looker(self, parts: list[str], request: Request) -> Answer | Coroutine[Any, Any, Answer]:
        if request.path.startswith(PREFIXES):
            return self._catalogue.answer(request)
        if request.method not in ("GET", "HEAD"):
            return Answer(405, b"", headers=(("allow", "GET"),))
        if len(parts) == 4 and parts[1] == "e" and parts[3] == "new":
            return self._invited(parts[2], request)
        if request.path == "/health":
            return json_answer(status="ok", version=__version__, environments=len(self._worlds.environments.entries))
        if request.path == "/metrics":
            return self._figures.as_metrics()
        if request.path == "/":
            return json_answer(name="EnvScaler farm", version=__version__, catalogue=f"{self._url}/v0.1/servers")
        return error(404, "There is nothing here; /v0.1/servers lists the environments.")

    def _invited(self, environment: str, request: Request) -> Answer:
        try:
            name = self._worlds.invitation(environment)
        except EnvScalerError as cause:
            return error(404, str(cause))
        url = f"{self._url}/e/{environment}/{name}/mcp"
        audit("invited", request, environment=environment)
        if "text/html" in request.headers.get("accept", ""):
            page = _PAGE.format(environment=escape(environment), url=escape(url))
            return Answer(200, page.encode(), "text/html; charset=utf-8", _NOT_KEPT)
        return Answer(200, encode({"environment": environment, "url": url}).encode(), headers=_NOT_KEPT)

    def hand_over(self, place: int, sock: socket.socket, received: bytes) -> None:
        self._siblings.hand_over("agent", place, sock, received)


def _with(answer: Answer, headers: tuple[tuple[str, str], ...], origin: str) -> Answer:
    """An answer that a browser shows to a page of this origin."""
    shown = ("access-control-allow-origin", origin), ("vary", "origin")
    # The answer itself may be kept for a client that sends the same again.
    return replace(answer, headers=(*answer.headers, *shown, *headers))


async def _later_with(coming: Coroutine[Any, Any, Answer | Stream], origin: str) -> Answer | Stream:
    answer = await coming
    return _with(answer, (), origin) if isinstance(answer, Answer) else answer


def _to_client(refusal: Answer) -> Answer:
    """A refusal as a client of the protocol reads it."""
    return unanswered(refusal.status, json.loads(refusal.body)["error"], *refusal.headers)


def scope_of(path: str) -> Scope | None:
    """What whoever asks for a path must be allowed; nothing for the farm's health."""
    if path == "/health":
        return None
    return "agent" if path.startswith("/e/") else "read"


_PREFLIGHT = (
    ("access-control-allow-methods", "GET, POST"),
    (
        "access-control-allow-headers",
        "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
    ),
    ("access-control-max-age", "3600"),
)
_NOT_KEPT = (("cache-control", "no-store"),)
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{environment}: a fresh world</title>
<body style="font: 16px/1.5 system-ui; margin: 3rem; max-width: 46rem">
<h1>A fresh world of {environment}</h1>
<p>It begins when an MCP client first comes to this address, and belongs to whoever knows it:</p>
<pre style="background: #f4f4f4; padding: 1rem; overflow-x: auto">{url}</pre>
<p>To put it into a host program: <code>envscaler connect {url} --client vscode --install</code></p>
</body></html>
"""
