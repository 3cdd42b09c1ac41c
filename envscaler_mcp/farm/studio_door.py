"""How a browser is let into the studio: a one-time code or a token becomes a session of a cookie and a key.

The cookie alone opens nothing: browsers send it to every port of a host, so a session also needs a key that the page keeps
where only pages of its own origin can read it. The token itself is never stored in the browser, nor in any address.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request as AppRequest
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from envscaler_mcp.config.choices import StudioScope
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.access import SESSION_KEY, Guards, audit, holder_of, token_in
from envscaler_mcp.farm.application import json_response
from envscaler_mcp.farm.classes import PROCESS, is_for_first
from envscaler_mcp.farm.connections import HandOver
from envscaler_mcp.farm.control_plane import world_in
from envscaler_mcp.farm.http_messages import Answer, Request, error
from envscaler_mcp.farm.tokens import allows, seconds_left
from envscaler_mcp.farm.worlds import Share, Worlds
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.studio import pages

LOGIN = f"{pages.PREFIX}/login"
API = "/v1/"
SESSION_SECONDS = 12 * 3600
CODE_SECONDS = 120
_MOST_BODY = 4_096
_MOST_USED = 10_000
_MOST_ALIASES = 32_768
_ALIAS = re.compile(r"view-(\d{1,4})-([0-9a-f]{32})")
_SCOPES: tuple[StudioScope, ...] = ("control", "read")
SessionScope = Literal["control", "read", "seat"]
"""What a session is good for; the last is that of a visitor of a class."""
_SESSIONS: tuple[SessionScope, ...] = (*_SCOPES, "seat")
JOIN = f"{pages.PREFIX}/join"


def _signature(secret: bytes, what: str) -> str:
    return hmac.new(secret, f"studio {what}".encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a signed text says."""

    kind: Literal["code", "session"]
    scope: SessionScope
    ends: int
    """When it is over."""
    sessions_end: int
    """When every session is over that comes of it."""
    holder: str
    """Whose token it came from."""
    world: str = ""
    """The alias of the only world that it shows, or the place of a visitor; all worlds where there is none."""
    number: str = field(default_factory=partial(secrets.token_urlsafe, 12))
    """Says which one it is, and opens nothing."""

    def signed(self, secret: bytes) -> str:
        """The text of it."""
        words = (self.kind, self.scope, self.ends, self.number, self.sessions_end, self.holder, self.world)
        claim = ".".join(map(str, words))
        return f"{claim}.{_signature(secret, claim)}"


def _claim_in(secret: bytes, kind: Literal["code", "session"], text: str) -> _Claim | None:
    """What a signed text of this kind says that is not over."""
    if len(text) > 512 or not text.isascii():
        return None
    claim, _, signature = text.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _signature(secret, claim).encode()):
        return None
    # What is signed was written here.
    named, scope, ends, number, sessions_end, holder, world = claim.split(".")
    if named != kind or int(ends) <= time.time():
        return None
    known = next(each for each in _SESSIONS if each == scope)
    return _Claim(kind, known, int(ends), int(sessions_end), holder, world, number)


def code_for(secret: bytes, scope: StudioScope = "control", seconds: float = CODE_SECONDS) -> str:
    """A code that opens one session; a browser is started with it in the fragment of the address."""
    now = int(time.time())
    return _Claim("code", scope, int(now + seconds), now + SESSION_SECONDS, holder_of("")).signed(secret)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request to the studio's operations."""

    scope: SessionScope
    holder: str
    """What stands for the token, also where a session came of it."""
    seconds: float
    world: str = ""
    """The alias of the only world that is shown, or the place of a visitor of a class."""


class StudioDoor:
    """The studio's part of the agents' listener."""

    def __init__(self, secret: bytes, share: Share, guards: Guards, url: str, *, admits: bool = True) -> None:
        """One that admits no pages only names worlds for readers."""
        self.admits = admits
        self._secret = secret
        self._share = share
        self._guards = guards
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        self.cookie = f"envscaler_studio_{parts.port or parts.scheme}"
        """Browsers send cookies to all ports of a host; studios at several ports have one each."""
        self.seat_cookie = f"envscaler_seat_{parts.port or parts.scheme}"
        """Of its own, so that a teacher may join the class in the same browser."""
        self._used: dict[str, float] = {}
        """Codes that were used, until they are over."""
        self.alias = lru_cache(_MOST_ALIASES)(self._alias)
        """A name for a world by its own, which says nothing of that; readers know worlds by it."""

    def owns(self, request: Request) -> bool:
        """Whether a request is the studio's to answer."""
        path = request.path
        if path == "/":
            return "text/html" in request.headers.get("accept", "")
        return path.startswith((f"{pages.PREFIX}/", API)) or path == pages.PREFIX

    def admit(self, request: Request) -> Answer | HandOver | None:
        """Decide by the head alone."""
        refusal = self._guards.refusal(request, None)
        if refusal is not None:
            return refusal
        if request.path.startswith(f"{LOGIN}/"):
            return self._elsewhere(self._share.owner(request.path.rpartition("/")[2]))
        if request.path == JOIN:
            return self._elsewhere(PROCESS)
        if not request.path.startswith(API):
            return None
        visitor = self.visitor(request.headers)
        if visitor is None:
            audit("refused", request.peer, request.method, request.path, status=401, why="no session")
            return error(401, "Log in to the studio, or send a token.", ("www-authenticate", "Bearer"))
        if visitor.scope == "read" and request.method not in ("GET", "HEAD"):
            audit("refused", request.peer, request.method, request.path, status=403, why="a reader")
            return error(403, "A reader's page changes nothing; log in with a token for control.")
        if visitor.scope == "seat" or is_for_first(request.path):
            return self._elsewhere(PROCESS)
        name = world_in(request.path)
        if name is None:
            # What is repeated is answered where it was done.
            key = request.headers.get("idempotency-key")
            return None if key is None else self._elsewhere(self._share.owner(key))
        alias = _ALIAS.fullmatch(name)
        return self._elsewhere(int(alias[1]) % self._share.of if alias else self._share.owner(name))

    def _elsewhere(self, owner: int) -> HandOver | None:
        return None if owner == self._share.number else HandOver(owner)

    def visitor(self, headers: Any) -> Visitor | None:
        """Who a session, or a token of a program, belongs to."""
        authorization = headers.get("authorization", "")
        if authorization:
            # One that is not good does not pass for a session: it would be a name of its client's choice.
            token = token_in(authorization)
            scope = self._scope_of_token(token)
            return None if scope is None else Visitor(scope, holder_of(token), seconds_left(token))
        key = headers.get(SESSION_KEY, "").encode()
        for name in (self.cookie, self.seat_cookie):
            cookie = _cookie_in(headers.get("cookie", ""), name)
            claim = _claim_in(self._secret, "session", cookie)
            if claim is not None and hmac.compare_digest(self._key(cookie).encode(), key):
                return Visitor(claim.scope, claim.holder, claim.ends - time.time(), claim.world)
        return None

    def reader_code(self, sharer: Visitor, world: str, seconds: float) -> str:
        """A code that opens one session of a reader, for one world and for no longer than the sharer may be here."""
        now = int(time.time())
        last = now + int(min(SESSION_SECONDS, sharer.seconds))
        claim = _Claim("code", "read", int(now + seconds), last, sharer.holder, self.alias(world))
        return claim.signed(self._secret)

    def _scope_of_token(self, token: str) -> StudioScope | None:
        return next((scope for scope in _SCOPES if allows(self._secret, token, scope)), None)

    def _key(self, cookie: str) -> str:
        return _signature(self._secret, f"key of {cookie}")

    def _alias(self, name: str) -> str:
        return f"view-{self._share.owner(name)}-{_signature(self._secret, f'view of {name}')[:32]}"

    def named(self, alias: str, worlds: Worlds) -> str:
        """The world's own name; NoWorldError where there is no such alias."""
        name = next((world.name for world in worlds if self.alias(world.name) == alias), None)
        if name is None:
            raise NoWorldError("There is no such world; it was closed, or its lease has ended.")
        return name

    # What the application answers

    def routes(self) -> list[BaseRoute]:
        """The pages and the login."""
        return [
            Route(pages.PREFIX, _to_home),
            Route(f"{LOGIN}/{{number}}", self._log_in_by_code, methods=["POST"]),
            Route(LOGIN, self._log_in_by_token, methods=["POST"]),
            Route(f"{pages.PREFIX}/logout", partial(self._log_out, self.cookie), methods=["POST"]),
            Route(f"{pages.PREFIX}/leave", partial(self._log_out, self.seat_cookie), methods=["POST"]),
            Route(f"{pages.PREFIX}/{{file}}", pages.static_file),
        ]

    async def _log_in_by_code(self, request: AppRequest) -> Response:
        now = time.time()
        (code,) = await body_fields(request, "code")
        claim = _claim_in(self._secret, "code", code)
        self._used = {used: end for used, end in self._used.items() if end > now}
        if claim is None or claim.number != request.path_params["number"] or claim.number in self._used:
            why = "This link was used already, or its time is over"
            return self.refused(request, f"{why}; ask for a new one, or start envscaler studio again.")
        if len(self._used) >= _MOST_USED:
            return self.refused(request, "Too many codes were used; wait a minute.")
        if claim.sessions_end <= now:
            return self.refused(request, "The token of the person who shared this is over.")
        self._used[claim.number] = claim.ends
        return self._session(request, replace(claim, kind="session", ends=claim.sessions_end))

    async def _log_in_by_token(self, request: AppRequest) -> Response:
        (given,) = await body_fields(request, "token")
        token = given.strip()
        scope = self._scope_of_token(token)
        if scope is None:
            return self.refused(request, "This is no token for control or for reading that this farm knows.")
        ends = int(time.time() + min(SESSION_SECONDS, seconds_left(token)))
        return self._session(request, _Claim("session", scope, ends, ends, holder_of(token)))

    def refused(self, request: AppRequest, why: str) -> Response:
        """The answer to a code or a token that opens nothing."""
        audit("refused", request.client, request.method, request.url.path, status=401, why=why)
        return json_response({"error": why}, 401)

    def seat_session(self, request: AppRequest, seat: str, holder: str, seconds: float) -> Response:
        """A session of a visitor of a class."""
        ends = int(time.time() + seconds)
        return self._session(request, _Claim("session", "seat", ends, ends, holder, seat))

    def _session(self, request: AppRequest, claim: _Claim) -> Response:
        audit("studio", request.client, request.method, request.url.path, scope=claim.scope)
        cookie, seconds = claim.signed(self._secret), int(claim.ends - time.time())
        made = json_response({"scope": claim.scope, "key": self._key(cookie), "seconds": seconds}, 201, _NOT_STORED)
        made.set_cookie(
            self.seat_cookie if claim.scope == "seat" else self.cookie,
            cookie,
            max_age=seconds,
            path=API,
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return made

    async def _log_out(self, cookie: str, _: AppRequest) -> Response:
        made = json_response({"done": True})
        made.delete_cookie(cookie, path=API, httponly=True, samesite="strict", secure=self._secure)
        return made


@dataclass(frozen=True, slots=True)
class Studio:
    """The studio of a farm: who is let in, and what owners and readers are answered."""

    door: StudioDoor
    owners: Sequence[Route]
    readers: Sequence[Route]
    visitors: Sequence[Route]
    """For those of a class."""
    join: Callable[[AppRequest], Awaitable[Response]]
    """Gives a visitor a place in a class."""

    def routes(self, about: Callable[[AppRequest], Awaitable[Response]]) -> list[BaseRoute]:
        """All of it; programs that ask for `/` are answered by `about`. What no other route takes comes here."""

        async def home(request: AppRequest) -> Response:
            if "text/html" in request.headers.get("accept", ""):
                return pages.file_named("index.html", request)
            return await about(request)

        by_scope: dict[SessionScope, Router] = {
            "control": Router(self.owners),
            "read": Router(self.readers),
            "seat": Router(self.visitors),
        }
        joining = Route(JOIN, self.join, methods=["POST"])
        return [Route("/", home), joining, *self.door.routes(), Mount("", app=_ByScope(self.door, by_scope))]


def _cookie_in(cookies: str, wanted: str) -> str:
    """The cookie of that name; nothing where there is none, or several."""
    parts = [part.strip().partition("=") for part in cookies.split(";")]
    values = [value for name, _, value in parts if name == wanted]
    return values[0] if len(values) == 1 else ""


async def _to_home(_: AppRequest) -> Response:
    return RedirectResponse("/", 302)


class _ByScope:
    """Operations for owners, for readers, or for visitors of a class."""

    def __init__(self, door: StudioDoor, routers: Mapping[SessionScope, Router]) -> None:
        self._door = door
        self._routers = routers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API):
            await self._routers["control"].not_found(scope, receive, send)
            return
        visitor = self._door.visitor(AppRequest(scope).headers)
        if visitor is None:
            raise HTTPException(401, "Log in to the studio, or send a token.")
        await self._routers[visitor.scope](scope, receive, send)


async def body_fields(request: AppRequest, *names: str) -> list[str]:
    """The texts of these names in a small body."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise HTTPException(413, f"A login has at most {_MOST_BODY} bytes.")
    try:
        content = json.loads(bytes(body))
        values = [content[name] for name in names]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise WorldError(f"The body: texts are needed: {', '.join(names)}.") from None
    return [value if isinstance(value, str) else "" for value in values]


_NOT_STORED = {"cache-control": "no-store"}
