"""Where the owners of worlds come to, and the farm's own processes with what they ask each other."""

from __future__ import annotations

import json
import socket
from collections.abc import Coroutine
from typing import Any

from envscaler_mcp import __version__
from envscaler_mcp.farm.access import Guards
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.control_plane import OWN, ControlPlane, world_in
from envscaler_mcp.farm.http1 import Answer, Request, Stream, json_answer
from envscaler_mcp.farm.metrics import Figures
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import Share

MAX_CONTROL_BODY = 1024 * 1024


class ControlService:
    """The side that owners of worlds come to."""

    max_body = MAX_CONTROL_BODY

    def __init__(self, share: Share, plane: ControlPlane, figures: Figures, siblings: Siblings, guards: Guards) -> None:
        self._share = share
        self._plane = plane
        self._figures = figures
        self._siblings = siblings
        self._guards = guards

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide from the head alone; what is about one world goes to the process that holds it."""
        refusal = self._guards.refusal(request, None if request.path == "/health" else "control")
        if refusal is not None:
            return refusal
        key = world_in(request.path) or request.headers.get("idempotency-key")
        if not self._siblings.others or key is None or OWN in request.query:
            return None
        owner = self._share.owner(key)
        return None if owner == self._share.number else HandOver(owner)

    def party(self, request: Request) -> str | None:
        """The token that a request carries, if it is valid."""
        return self._guards.holder(request)

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer | Stream]:
        if request.path == "/health":
            return json_answer(status="ok", version=__version__)
        if request.path == "/metrics":
            return self._figures.as_metrics()
        if request.path == "/figures":
            return self._figures.as_json(alone=OWN in request.query)
        if request.path == "/openapi.json":
            from envscaler_mcp.farm.openapi import document

            return Answer(200, json.dumps(document()).encode())
        return self._plane.answer(request)

    def hand_over(self, place: int, sock: socket.socket, received: bytes) -> None:
        self._siblings.hand_over("control", place, sock, received)
