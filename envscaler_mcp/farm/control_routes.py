"""The listener of the control plane: owners of worlds, and the other processes of the farm."""

from __future__ import annotations

import socket

from starlette.requests import Request as AppRequest
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp import __version__
from envscaler_mcp.farm.access import Guards
from envscaler_mcp.farm.application import application, json_response
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.control_plane import ControlPlane, world_in
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.http_messages import Answer, Request
from envscaler_mcp.farm.metrics import OWN, Figures
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import Share

MAX_CONTROL_BODY = 1024 * 1024


class ControlService:
    """What owners of worlds are answered by; all of it is the application's."""

    max_body = MAX_CONTROL_BODY

    def __init__(self, share: Share, plane: ControlPlane, figures: Figures, siblings: Siblings, guards: Guards) -> None:
        self._share = share
        self._siblings = siblings
        self._guards = guards
        routes = [
            Route("/health", _health),
            Route("/metrics", figures.metrics),
            Route("/figures", figures.as_json),
            Route("/openapi.json", _openapi),
            *plane.routes(),
        ]
        self.application = application(routes)

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide by the head alone; a request about one world goes to the process that holds it."""
        refusal = self._guards.refusal(request, None if request.path == "/health" else "control")
        if refusal is not None:
            return refusal
        key = world_in(request.path) or request.headers.get("idempotency-key")
        if not self._siblings.others or key is None or OWN in request.query:
            return None
        owner = self._share.owner(key)
        return None if owner == self._share.number else HandOver(owner)

    def party(self, request: Request) -> Party:
        """The token of a request if it is valid, else its address."""
        return Party(self._guards.holder(request) or request.peer)

    def answer(self, request: Request) -> None:
        """None: there are no calls here."""

    def hand_over(self, process: int, sock: socket.socket, received: bytes) -> None:
        self._siblings.hand_over("control", process, sock, received)


async def _health(_: AppRequest) -> Response:
    return json_response({"status": "ok", "version": __version__})


async def _openapi(_: AppRequest) -> Response:
    from envscaler_mcp.farm.openapi import document

    return json_response(document())
