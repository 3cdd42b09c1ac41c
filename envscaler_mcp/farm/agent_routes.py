"""The agents' listener: calls at the addresses of worlds, and for other programs and people guest links and the catalogue."""

from __future__ import annotations

import json
import socket
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request as AppRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm.access import Guards, audit, holder_of
from envscaler_mcp.farm.application import application, json_response
from envscaler_mcp.farm.catalogue import Catalogue
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.environments import HostedEnvironment
from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.folder_reading import FolderError
from envscaler_mcp.farm.http_messages import Answer, Request
from envscaler_mcp.farm.jsonrpc import unanswered
from envscaler_mcp.farm.listening import Listeners, wants_to_listen
from envscaler_mcp.farm.mcp_endpoint import Arrival, answer_agent
from envscaler_mcp.farm.metrics import Figures
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.studio_door import Studio, Visitor
from envscaler_mcp.farm.tokens import Scope
from envscaler_mcp.farm.world_pages import HEADERS, environment_page, guest_page
from envscaler_mcp.farm.worlds import FullError, Worlds, start_of_guest
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.pages import PAGE_HEADERS
from envscaler_mcp.serving.tasks import TaskWords

MAX_AGENT_BODY = 256 * 1024


class AgentService:
    """What agents, and programs and people that look for worlds, are answered by."""

    max_body = MAX_AGENT_BODY

    def __init__(
        self,
        worlds: Worlds,
        catalogue: Catalogue,
        figures: Figures,
        siblings: Siblings,
        guards: Guards,
        url: str,
        studio: Studio | None = None,
    ) -> None:
        """`studio` shows worlds to browsers, where this farm has one."""
        self._worlds = worlds
        self._siblings = siblings
        self._guards = guards
        self._url = url
        self._share = worlds.share
        self._door = None if studio is None else studio.door
        routes: list[BaseRoute] = [
            Route("/health", self._health),
            Route("/metrics", figures.metrics),
            Route("/e/{environment}", self._environment),
            Route("/e/{environment}/new", self._guest_link),
            *Listeners(worlds).routes(),
            *catalogue.routes(),
            *([Route("/", self._about)] if studio is None else studio.routes(self._about)),
        ]
        pages = Middleware(
            CORSMiddleware,
            allow_origins=sorted(guards.pages),
            allow_methods=["GET", "POST"],
            allow_headers=PAGE_HEADERS,
            max_age=_PREFLIGHT_SECONDS,
        )
        self.application = application(routes, [pages] if guards.pages else [])

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide by the head alone."""
        request.world = world = world_at(request.path)
        if self._door is not None and world is None and self._door.owns(request):
            return self._door.admit(request)
        # A browser asks without a token whether it may send a request with one.
        preflight = request.method == "OPTIONS" and self._guards.lets_in(request.headers.get("origin"))
        refusal = self._guards.refusal(request, None if preflight else scope_of(request.path))
        if refusal is not None:
            return refusal if world is None else _to_client(refusal)
        if world is None or preflight:
            return None
        environment, name = world
        if self._siblings.others:
            owner = self._share.owner(name)
            if owner != self._share.number:
                return HandOver(owner)
        return self._unknown(environment, name)

    def _unknown(self, environment: str, name: str) -> Answer | None:
        """The refusal of a request to an address without a world, before its body is read."""
        try:
            self._worlds.find(environment, name)
        except NoWorldError as cause:
            if not self._worlds.is_guest_link(environment, name):
                return unanswered(404, str(cause))
        return None

    def party(self, request: Request) -> Party:
        """An owner's world, the valid token of a request, or its address; visitors may have any number of worlds."""
        address = request.world or world_at(request.path)
        world = None if address is None else self._worlds.get(address[1])
        if world is not None and not world.visitor:
            return Party(f"world {world.name}", world.name)
        visitor, token = self._visitor(request), self._guards.holder(request)
        holder = visitor.holder if visitor is not None else request.network if token is None else holder_of(token)
        return Party(holder, "" if world is None else world.name)

    def elsewhere(self, request: Request) -> str | None:
        """The name of the world of this request, where another process knows if it is open."""
        world = world_at(request.path)
        return None if world is None or self._share.owner(world[1]) == self._share.number else world[1]

    def answer(self, request: Request) -> Answer | Coroutine[Any, Any, Answer] | None:
        """The answer to a request to a world; None for any other, and where a stream is asked for."""
        if request.world is None or request.method == "OPTIONS":
            return None
        answer = self._at_world(*request.world, request)
        origin = request.headers.get("origin")
        if answer is None or origin is None or not self._guards.lets_in(origin):
            return answer
        return _readable(answer, origin) if isinstance(answer, Answer) else _readable_later(answer, origin)

    def _at_world(self, environment: str, name: str, request: Request) -> Answer | Coroutine[Any, Any, Answer] | None:
        try:
            world = self._worlds.find(environment, name)
        except NoWorldError as cause:
            if self._worlds.is_guest_link(environment, name):
                return self._at_guest_link(environment, name, request)
            return unanswered(404, str(cause))
        if world.listeners is not None and wants_to_listen(request):
            return None
        return answer_agent(world.environment, world, request)

    def _at_guest_link(self, environment: str, name: str, request: Request) -> Answer | Coroutine[Any, Any, Answer]:
        try:
            hosted = self._worlds.environments.ready(environment)
        except FolderError as cause:
            return unanswered(503, str(cause))
        if hosted is None:
            return _or_refusal(self._at_first_visit(environment, name, request))
        answer = answer_agent(hosted, self._arrival(environment, name, request), request)
        return answer if isinstance(answer, Answer) else _or_refusal(answer)

    def _arrival(self, environment: str, name: str, request: Request) -> Arrival:
        return Arrival(partial(self._worlds.open_guest, environment, name, request.network), start_of_guest(name))

    async def _at_first_visit(self, environment: str, name: str, request: Request) -> Answer:
        """The same where the folder must be read first."""
        hosted = await self._worlds.environments.find(environment)
        answer = answer_agent(hosted, self._arrival(environment, name, request), request)
        return answer if isinstance(answer, Answer) else await answer

    def seconds_left(self, request: Request) -> float:
        """How long its token, or its session in the studio, is good, if it has one."""
        visitor = self._visitor(request)
        return self._guards.seconds_left(request) if visitor is None else visitor.seconds

    def _visitor(self, request: Request) -> Visitor | None:
        """Who is in the studio."""
        if self._door is None or "cookie" not in request.headers or not self._door.owns(request):
            return None
        return self._door.visitor(request.headers)

    def hand_over(self, process: int, sock: socket.socket, received: bytes, holder: str) -> bool:
        """False where too many wait for that process."""
        return self._siblings.hand_over("agent", process, sock, received, holder)

    # What the application answers

    async def _about(self, _: AppRequest) -> Response:
        return json_response(
            {"name": "EnvScaler farm", "version": __version__, "catalogue": f"{self._url}/v0.1/servers"}
        )

    async def _health(self, _: AppRequest) -> Response:
        environments = len(self._worlds.environments.entries)
        return json_response({"status": "ok", "version": __version__, "environments": environments})

    async def _environment(self, request: AppRequest) -> Response:
        card = await self._card_of(request)
        if _wants_page(request):
            return environment_page(card, self._url)
        return json_response(
            {
                "environment": card.id,
                "title": card.title,
                "about": card.about,
                "tools": [tool.name for tool in card.tools],
                "new": f"{self._url}/e/{card.id}/new",
            },
            headers=HEADERS,
        )

    async def _guest_link(self, request: AppRequest) -> Response:
        card = await self._card_of(request)
        named = request.query_params.get("scenario", "")
        task = (await self._task_of(card.id, named)) if named else None
        url = f"{self._url}/e/{card.id}/{self._worlds.invitation(card.id, named)}/mcp"
        audit("invited", request.client, request.method, request.url.path, environment=card.id)
        if _wants_page(request):
            return guest_page(card, url, "" if task is None else task.task)
        words = {} if task is None else {"scenario": task.id, "task": task.task}
        return json_response({"environment": card.id, "url": url, **words}, headers=HEADERS)

    async def _card_of(self, request: AppRequest) -> Environment:
        environment: str = request.path_params["environment"]
        try:
            self._worlds.check_known(environment)
            return (await self._worlds.environments.find(environment)).card
        except FolderError as cause:
            raise HTTPException(503, str(cause)) from cause
        except EnvScalerError as cause:
            raise HTTPException(404, str(cause)) from cause

    async def _task_of(self, environment: str, named: str) -> TaskWords:
        """A task that visitors may begin at: one of those that are offered as prompts."""
        hosted = await self._worlds.environments.find(environment)
        try:
            task = await hosted.task_to_train_on(named) if isinstance(hosted, HostedEnvironment) else None
        except FolderError as cause:
            raise HTTPException(503, str(cause)) from cause
        if task is None:
            raise HTTPException(404, "There is no such scenario for visitors; prompts/list of a world names some.")
        return task


def _wants_page(request: AppRequest) -> bool:
    return "text/html" in request.headers.get("accept", "")


def world_at(path: str) -> tuple[str, str] | None:
    """The environment and the name in the address of a world."""
    parts = path.split("/")
    return (parts[2], parts[3]) if len(parts) == 5 and parts[1] == "e" and parts[4] == "mcp" else None


async def _or_refusal(coming: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer to a first call at a guest link, also where no world opens there."""
    try:
        return await coming
    except FullError as cause:
        return unanswered(503, str(cause), ("retry-after", "5"))
    except FolderError as cause:
        return unanswered(503, str(cause))
    except WorldError as cause:
        return unanswered(404, str(cause))


def _readable(answer: Answer, origin: str) -> Answer:
    """An answer that a browser shows to a page of this origin."""
    return replace(answer, headers=(*answer.headers, ("access-control-allow-origin", origin), ("vary", "origin")))


async def _readable_later(coming: Coroutine[Any, Any, Answer], origin: str) -> Answer:
    return _readable(await coming, origin)


def _to_client(refusal: Answer) -> Answer:
    """A refusal as a client of the protocol reads it."""
    return unanswered(refusal.status, json.loads(refusal.body)["error"], *refusal.headers)


def scope_of(path: str) -> Scope | None:
    """The scope of the token that a request for this path needs; None for the health of the farm."""
    if path == "/health":
        return None
    return "agent" if path.startswith("/e/") else "read"


_PREFLIGHT_SECONDS = 3_600
