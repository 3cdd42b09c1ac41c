"""What stands in front of the actors: the control plane of all worlds, and the way for whoever looks for one.

Agents do not pass here: a world's card and an invitation name the address of the actor that holds it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Coroutine
from typing import Any

import anyio
from pydantic import ValidationError

from envscaler_mcp import __version__
from envscaler_mcp.farm.access import Guards, audit
from envscaler_mcp.farm.agent_routes import scope_of
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.control_plane import world_in
from envscaler_mcp.farm.control_routes import MAX_CONTROL_BODY
from envscaler_mcp.farm.front_end import FarmConfig
from envscaler_mcp.farm.http1 import Answer, Request, Stream, error, json_answer
from envscaler_mcp.farm.idempotency import Once
from envscaler_mcp.farm.metrics import FIGURES, added, as_prometheus
from envscaler_mcp.farm.on_ray.hosts import GoneError, Host, Hosts, shares
from envscaler_mcp.farm.worlds import Share
from envscaler_mcp.serving.control.schemas import PREFIX, OpenOrder
from envscaler_mcp.serving.outcome import encode

_RANDOM_NAME = 22
"""Letters of a name that an actor chose, so that it falls on the actor; an invitation's is longer and falls anywhere."""

_PLACING_SECONDS = 45.0
"""How long whoever opens a world waits where no actor is there just now; the farm's client waits a little longer."""


class _Head:
    """What both sides have in common."""

    max_body = MAX_CONTROL_BODY

    def __init__(self, hosts: Hosts, guards: Guards) -> None:
        self._hosts = hosts
        self._guards = guards

    def hand_over(self, place: int, sock: socket.socket, received: bytes) -> None:  # noqa: ARG002 - never asked to
        raise AssertionError("This process is alone.")

    async def _figures(self) -> dict[str, float]:
        path, _, query = FIGURES.partition("?")
        told = await self._hosts.ask_each(_question("GET", path, query))
        return added([json.loads(answer.body) for answer in told if answer.status == 200])

    async def _metrics(self) -> Answer:
        return Answer(200, as_prometheus(await self._figures()).encode(), "text/plain; version=0.0.4")

    def party(self, request: Request) -> str | None:
        """The token that a request carries, if it is valid."""
        return self._guards.holder(request)

    def _health(self) -> Answer:
        return json_answer(status="ok", version=__version__, actors=len(self._hosts.all), there=len(self._hosts.there))


class Owners(_Head):
    """The side of those who own worlds: the same requests as a farm on one machine takes."""

    def __init__(self, hosts: Hosts, guards: Guards) -> None:
        super().__init__(hosts, guards)
        self._share = Share(0, len(hosts.all))
        self._opens = Once()

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide from the head alone."""
        return self._guards.refusal(request, None if request.path == "/health" else "control")

    async def answer(self, request: Request) -> Answer | Stream:
        """What all actors say together, or the one that is asked."""
        if request.method != "GET":
            audit("asked", request)
        if request.path == "/health":
            return self._health()
        if request.path == "/metrics":
            return await self._metrics()
        if request.path == "/figures":
            return json_answer(**await self._figures())
        if (request.method, request.path) == ("GET", PREFIX):
            return await self._list()
        if (request.method, request.path) == ("POST", PREFIX):
            return await self._opens.answer(request, lambda: self._open(request.body))
        name = world_in(request.path)
        return await self._of_any(request) if name is None else await self._of_world(name, request)

    async def _of_any(self, request: Request) -> Answer:
        for host in self._hosts.there:
            try:
                return await host.ask(request)
            except GoneError:
                continue
        return _nobody()

    async def _of_world(self, name: str, request: Request) -> Answer | Stream:
        owner = self._hosts.all[self._share.owner(name)]
        hosts = [owner] if len(name) <= _RANDOM_NAME else [owner, *(one for one in self._hosts.there if one != owner)]
        answer: Answer | Stream = error(410, "The actor that held this world has ended; open another one.")
        for host in hosts:
            try:
                answer = await (host.events(request) if request.path.endswith("/events") else host.ask(request))
            except GoneError:
                continue
            if isinstance(answer, Stream) or answer.status != 404:
                break
        return answer

    async def _list(self) -> Answer:
        told = await self._hosts.ask_each(_question("GET", PREFIX, "own"))
        cards = [card for answer in told for card in json.loads(answer.body)["worlds"]]
        return json_answer(worlds=sorted(cards, key=lambda card: (card["environment"], card["name"])))

    async def _open(self, body: bytes) -> Answer:
        """All or none; what an actor would have opened that is gone by then is opened by the others."""
        try:
            order = OpenOrder.model_validate_json(body or b"{}")
        except ValidationError:
            # The actors say what is wrong with it in the words of the farm.
            return await self._of_any(_question("POST", PREFIX, "own", body))
        cards: list[dict[str, Any]] = []
        refusals: list[Answer] = []
        while (missing := order.count - len(cards)) and not refusals:
            if not await self._hosts.somebody(_PLACING_SECONDS):
                refusals.append(_nobody())
            hosts = self._hosts.there
            async with anyio.create_task_group() as group:
                for host, share in zip(hosts, shares(missing, [one.worlds for one in hosts]), strict=True):
                    if share:
                        part = order.model_copy(update={"count": share})
                        group.start_soon(_open_at, host, part, cards, refusals)
        if refusals:
            for card in cards:
                await self._of_world(card["name"], _question("DELETE", f"{PREFIX}/{card['name']}"))
            return refusals[0]
        return Answer(201, encode({"worlds": cards}).encode())


async def _open_at(host: Host, order: OpenOrder, cards: list[dict[str, Any]], refusals: list[Answer]) -> None:
    host.worlds += order.count
    try:
        answer = await host.ask(_question("POST", PREFIX, "own", order.model_dump_json().encode()))
    except GoneError:
        return
    if answer.status == 201:
        cards += json.loads(answer.body)["worlds"]
    else:
        refusals.append(answer)


class Lookers(_Head):
    """The side of people and programs that look: the catalogue, the figures, and invitations to the emptiest actor."""

    def __init__(self, hosts: Hosts, config: FarmConfig) -> None:
        others = config.open_to_others
        tokens = config.tokens or others
        super().__init__(hosts, Guards(config.secret, others, config.hosts, tokens, config.rate))

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide from the head alone."""
        return self._guards.refusal(request, scope_of(request.path))

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer | Stream]:
        """What any of the actors says."""
        if request.path == "/health":
            return self._health()
        if request.path == "/metrics":
            return self._metrics()
        if request.path.startswith("/e/") and request.path.endswith("/mcp"):
            return error(404, "Worlds are reached at the address in their card, on the node that holds them.")
        return self._look(request)

    async def _look(self, request: Request) -> Answer:
        for host in self._hosts.there:
            try:
                return await host.ask(request, "look")
            except GoneError:
                continue
        return _nobody()


def _nobody() -> Answer:
    return error(
        503, "No actor of the farm is there now; it is placed again when a node has room.", ("retry-after", "5")
    )


def _question(method: str, path: str, query: str = "", body: bytes = b"") -> Request:
    return Request(method, path, query, {}, frozenset(), "", body)
