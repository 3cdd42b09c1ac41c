"""The process in front of the actors: the control plane of all worlds, and guest links, catalogue and metrics.

Agents do not connect here: the card of a world and a guest link name the address of the actor that holds it.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import anyio
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request as AppRequest
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp import __version__
from envscaler_mcp.farm.access import Guards, audit, holder_of, token_in
from envscaler_mcp.farm.agent_routes import scope_of
from envscaler_mcp.farm.application import application, json_response
from envscaler_mcp.farm.event_stream import EventStream
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.front_end import FarmConfig
from envscaler_mcp.farm.http_messages import Answer, Request, error
from envscaler_mcp.farm.idempotency import IdempotentRequests
from envscaler_mcp.farm.metrics import FIGURES, added, metrics_response
from envscaler_mcp.farm.on_ray.hosts import GoneError, Hosts, RayHost, shares
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.serving.control.bodies import read_order
from envscaler_mcp.serving.control.plane import MAX_BODY
from envscaler_mcp.serving.control.schemas import PREFIX, OpenOrder

_RANDOM_NAME = 22
"""Characters of a name that an actor chose, which its own number follows from; the name in a guest link is longer."""

_PLACING_SECONDS = 45.0
"""How long a request to open a world waits for an actor; the farm's client waits a little longer."""
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class _Head:
    """What both listeners have in common: the application answers everything."""

    max_body = MAX_BODY

    def __init__(self, hosts: Hosts, guards: Guards, routes: list[Route]) -> None:
        self._hosts = hosts
        self._guards = guards
        self.application = application([Route("/health", self._health), Route("/metrics", self._metrics), *routes])

    def party(self, request: Request) -> Party:
        """The token of a request if it is valid, else its address."""
        return Party(self._guards.holder(request) or request.network)

    def elsewhere(self, request: Request) -> None:
        """None: agents do not connect here."""

    def answer(self, request: Request) -> None:
        """None: there are no calls here."""

    def seconds_left(self, request: Request) -> float:
        """How long its token is good."""
        return self._guards.seconds_left(request)

    def hand_over(self, process: int, sock: socket.socket, received: bytes, holder: str) -> bool:  # noqa: ARG002 - never called
        raise AssertionError("This process is alone.")

    async def _health(self, _: AppRequest) -> Response:
        there = {"actors": len(self._hosts.all), "there": len(self._hosts.there)}
        return json_response({"status": "ok", "version": __version__, **there})

    async def _metrics(self, _: AppRequest) -> Response:
        return metrics_response(await self._all_figures())

    async def _all_figures(self) -> dict[str, float]:
        answers = await self._hosts.ask_each(_internal("GET", FIGURES))
        return added([json.loads(answer.body) for answer in answers if answer.status == 200])


class Owners(_Head):
    """The control plane: the same requests as a farm on one machine takes."""

    def __init__(self, hosts: Hosts, guards: Guards) -> None:
        world = f"{PREFIX}/{{name}}"
        routes = [
            Route("/figures", self._figures),
            Route(PREFIX, self._list),
            Route(PREFIX, self._open, methods=["POST"]),
            Route(f"{world}/events", self._events),
            Route(world, self._of_world, methods=_METHODS),
            Route(f"{world}/{{operation:path}}", self._of_world, methods=_METHODS),
            Route("/{path:path}", self._of_any, methods=_METHODS),
        ]
        super().__init__(hosts, guards, routes)
        self._share = Share(0, len(hosts.all))
        self._opens = IdempotentRequests()

    def admit(self, request: Request) -> Answer | None:
        """Decide by the head alone."""
        refusal = self._guards.refusal(request, None if request.path == "/health" else "control")
        if refusal is None and request.method != "GET":
            audit("asked", request.peer, request.method, request.path)
        return refusal

    async def _figures(self, _: AppRequest) -> Response:
        return json_response(await self._all_figures())

    async def _of_any(self, request: AppRequest) -> Response:
        return _response(await _first(self._hosts, await _forwarded(request)))

    async def _of_world(self, request: AppRequest) -> Response:
        return _response(await self._ask_world(request.path_params["name"], await _forwarded(request)))

    def _holders(self, name: str) -> list[RayHost]:
        """The actors that may hold a world of this name."""
        owner = self._hosts.all[self._share.owner(name)]
        if len(name) <= _RANDOM_NAME:
            return [owner]
        return [owner, *(host for host in self._hosts.there if host != owner)]

    async def _ask_world(self, name: str, request: Request) -> Answer:
        answer = _LOST
        for host in self._holders(name):
            try:
                answer = await host.ask(request)
            except GoneError:
                continue
            if answer.status != 404:
                break
        return answer

    async def _events(self, request: AppRequest) -> Response:
        answer = _LOST
        for host in self._holders(request.path_params["name"]):
            try:
                events = await host.events(await _forwarded(request))
            except GoneError:
                continue
            if not isinstance(events, Answer):
                return EventStream(events)
            answer = events
        return _response(answer)

    async def _list(self, _: AppRequest) -> Response:
        answers = await self._hosts.ask_each(_internal("GET", PREFIX))
        cards = [card for answer in answers for card in json.loads(answer.body)["worlds"]]
        return json_response({"worlds": sorted(cards, key=lambda card: (card["environment"], card["name"]))})

    async def _open(self, request: AppRequest) -> Response:
        body = await request.body()
        return await self._opens.answer(
            request, holder_of(token_in(request.headers.get("authorization", ""))), body, lambda: self._open_all(body)
        )

    async def _open_all(self, body: bytes) -> Response:
        """All or none; the worlds that an actor should have opened that is gone by then are opened by the others."""
        try:
            order = read_order(OpenOrder, body)
        except ValidationError:
            # An actor says what is wrong with it.
            return _response(await _first(self._hosts, _internal("POST", PREFIX, body)))
        cards: list[dict[str, Any]] = []
        refusals: list[Answer] = []
        while (missing := order.count - len(cards)) and not refusals:
            if not await self._hosts.any_there(_PLACING_SECONDS):
                refusals.append(_NONE_THERE)
            hosts = self._hosts.there
            async with anyio.create_task_group() as group:
                for host, share in zip(hosts, shares(missing, [each.worlds for each in hosts]), strict=True):
                    if share:
                        part = order.model_copy(update={"count": share})
                        group.start_soon(_open_at, host, part, cards, refusals)
        if refusals:
            for card in cards:
                await self._ask_world(card["name"], _internal("DELETE", f"{PREFIX}/{card['name']}"))
            return _response(refusals[0])
        return json_response({"worlds": cards}, 201)


async def _open_at(host: RayHost, order: OpenOrder, cards: list[dict[str, Any]], refusals: list[Answer]) -> None:
    host.worlds += order.count
    try:
        answer = await host.ask(_internal("POST", PREFIX, order.model_dump_json().encode()))
    except GoneError:
        return
    if answer.status == 201:
        cards += json.loads(answer.body)["worlds"]
    else:
        refusals.append(answer)


class Lookers(_Head):
    """The catalogue, metrics, and guest links to the emptiest actor."""

    def __init__(self, hosts: Hosts, config: FarmConfig) -> None:
        others = config.open_to_others
        guards = Guards(config.secret, others, config.hosts, config.tokens or others, config.rate)
        routes = [
            Route("/e/{environment}/{name}/mcp", _elsewhere, methods=_METHODS),
            Route("/{path:path}", self._look, methods=_METHODS),
        ]
        super().__init__(hosts, guards, routes)

    def admit(self, request: Request) -> Answer | None:
        """Decide by the head alone."""
        return self._guards.refusal(request, scope_of(request.path))

    async def _look(self, request: AppRequest) -> Response:
        return _response(await _first(self._hosts, await _forwarded(request), look=True))


async def _elsewhere(_: AppRequest) -> Response:
    raise HTTPException(404, "Worlds are reached at the address in their card, on the node that holds them.")


async def _first(hosts: Hosts, request: Request, *, look: bool = False) -> Answer:
    """The answer of the emptiest actor that answers."""
    for host in hosts.there:
        try:
            return await host.ask(request, "look" if look else "ask")
        except GoneError:
            continue
    return _NONE_THERE


_LOST = error(410, "The actor that held this world has ended; open another one.")
_NONE_THERE = error(
    503, "No actor of the farm is there now; it is placed again when a node has room.", ("retry-after", "5")
)


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, dict(answer.headers), answer.content_type or None)


async def _forwarded(request: AppRequest) -> Request:
    """As it goes to an actor; its token was checked here and goes no further."""
    accept = request.headers.get("accept")
    headers = {} if accept is None else {"accept": accept}
    path = request.scope["raw_path"].decode("ascii")
    peer = request.client.host if request.client else ""
    return Request(request.method, path, request.url.query, headers, frozenset(), peer, await request.body())


def _internal(method: str, path: str, body: bytes = b"") -> Request:
    return Request(method, path, "", {}, frozenset(), "", body)
