"""The listener of the control plane: owners of worlds, and the other processes of the farm."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from starlette.requests import Request as AppRequest
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp import __version__
from envscaler_mcp.farm.access import Guards, holder_of
from envscaler_mcp.farm.application import application, json_response
from envscaler_mcp.farm.classes import PROCESS, is_for_first
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.control_plane import BATCHES, FarmControlPlane, world_in
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.http_messages import Answer, Request
from envscaler_mcp.farm.metrics import Figures
from envscaler_mcp.farm.openenv_routes import OpenEnvRoutes, session_in
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.serving.control.plane import MAX_BODY


class ControlService:
    """What owners of worlds are answered by, or the other processes; all of it is the application's."""

    max_body = MAX_BODY

    def __init__(
        self,
        share: Share,
        plane: FarmControlPlane,
        openenv: OpenEnvRoutes,
        figures: Figures,
        siblings: Siblings,
        guards: Guards,
        more: Sequence[Route] = (),
        *,
        for_peers: bool = False,
    ) -> None:
        """For its peers a process answers alone, whatever they ask. `more` is answered beside the plane's own operations."""
        self._for_peers = for_peers
        self._share = share
        self._siblings = siblings
        self._guards = guards
        routes = [
            Route("/health", _health),
            Route("/metrics", figures.metrics),
            Route("/figures", figures.own_as_json if for_peers else figures.as_json),
            Route("/openapi.json", _openapi),
            *([Route(f"{BATCHES}/{{batch}}", plane.close_batch, methods=["DELETE"])] if for_peers else []),
            *plane.routes(),
            *more,
            *openenv.routes(for_peers=for_peers),
        ]
        self.application = application(routes)

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide by the head alone; a request about one world goes to the process that holds it."""
        refusal = self._guards.refusal(request, None if request.path == "/health" else "control")
        if refusal is not None:
            return refusal
        key = world_in(request.path) or session_in(request.path, request.query)
        key = key or request.headers.get("idempotency-key")
        for_first = is_for_first(request.path)
        if self._for_peers or not self._siblings.others or (key is None and not for_first):
            return None
        owner = PROCESS if for_first or key is None else self._share.owner(key)
        return None if owner == self._share.number else HandOver(owner)

    def party(self, request: Request) -> Party:
        """The token of a request if it is valid, else its address."""
        token = self._guards.holder(request)
        return Party(request.network if token is None else holder_of(token))

    def seconds_left(self, request: Request) -> float:
        """How long its token is good."""
        return self._guards.seconds_left(request)

    def elsewhere(self, request: Request) -> None:
        """None: its token says enough."""

    def answer(self, request: Request) -> None:
        """None: there are no calls here."""

    def hand_over(self, process: int, sock: socket.socket, received: bytes, holder: str) -> bool:
        """False where too many wait for that process."""
        return self._siblings.hand_over("control", process, sock, received, holder)


async def _health(_: AppRequest) -> Response:
    return json_response({"status": "ok", "version": __version__})


async def _openapi(_: AppRequest) -> Response:
    from envscaler_mcp.farm.openapi import document

    return json_response(document())
