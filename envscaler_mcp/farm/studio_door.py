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
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request as AppRequest
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from envscaler_mcp.config.choices import StudioScope
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.access import SESSION_KEY, Guards, audit, token_in
from envscaler_mcp.farm.application import json_response
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


def _signature(secret: bytes, what: str) -> str:
    return hmac.new(secret, f"studio {what}".encode(), hashlib.sha256).hexdigest()


def _signed(secret: bytes, kind: str, scope: str, seconds: float) -> str:
    claim = f"{kind}.{scope}.{int(time.time() + seconds)}.{secrets.token_urlsafe(12)}"
    return f"{claim}.{_signature(secret, claim)}"


def _scope_in(secret: bytes, kind: str, text: str) -> StudioScope | None:
    """The scope of a signed text of this kind that is not over."""
    if len(text) > 256 or not text.isascii():
        return None
    claim, _, signature = text.rpartition(".")
    words = claim.split(".")
    if not hmac.compare_digest(signature.encode(), _signature(secret, claim).encode()) or len(words) != 4:
        return None
    good = words[0] == kind and words[2].isdigit() and int(words[2]) > time.time()
    return next((scope for scope in _SCOPES if good and scope == words[1]), None)


def code_for(secret: bytes, scope: StudioScope = "control", seconds: float = CODE_SECONDS) -> str:
    """A code that opens one session; a browser is started with it in the fragment of the address."""
    return _signed(secret, "code", scope, seconds)


def _number(code: str) -> str:
    """The part of a code that says which one it is, and opens nothing."""
    return code.split(".")[3] if code.count(".") == 4 else ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request to the studio's operations."""

    scope: StudioScope
    holder: str
    seconds: float


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
        if not request.path.startswith(API):
            return None
        visitor = self.visitor(request.headers)
        if visitor is None:
            audit("refused", request.peer, request.method, request.path, status=401, why="no session")
            return error(401, "Log in to the studio, or send a token.", ("www-authenticate", "Bearer"))
        if visitor.scope == "read" and request.method not in ("GET", "HEAD"):
            audit("refused", request.peer, request.method, request.path, status=403, why="a reader")
            return error(403, "A reader's page changes nothing; log in with a token for control.")
        name = world_in(request.path)
        if name is None:
            return None
        alias = _ALIAS.fullmatch(name)
        return self._elsewhere(int(alias[1]) % self._share.of if alias else self._share.owner(name))

    def _elsewhere(self, owner: int) -> HandOver | None:
        return None if owner == self._share.number else HandOver(owner)

    def visitor(self, headers: Any) -> Visitor | None:
        """Who a session, or a token of a program, belongs to."""
        token = token_in(headers.get("authorization", ""))
        scope = self._scope_of_token(token)
        if scope is not None:
            return Visitor(scope, token, seconds_left(token))
        cookie = self._cookie_in(headers.get("cookie", ""))
        scope = _scope_in(self._secret, "session", cookie)
        if scope is None or not hmac.compare_digest(self._key(cookie).encode(), headers.get(SESSION_KEY, "").encode()):
            return None
        return Visitor(scope, cookie, int(cookie.split(".")[2]) - time.time())

    def reader_code(self, seconds: float) -> str:
        """A code that opens one session of a reader."""
        return code_for(self._secret, "read", seconds)

    def _cookie_in(self, cookies: str) -> str:
        """The studio's cookie; nothing where there is none, or several."""
        parts = [part.strip().partition("=") for part in cookies.split(";")]
        values = [value for name, _, value in parts if name == self.cookie]
        return values[0] if len(values) == 1 else ""

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
            Route(f"{pages.PREFIX}/logout", self._log_out, methods=["POST"]),
            Route(f"{pages.PREFIX}/{{file}}", pages.static_file),
        ]

    async def _log_in_by_code(self, request: AppRequest) -> Response:
        code = await _field(request, "code")
        number, now = _number(code), time.time()
        scope = _scope_in(self._secret, "code", code)
        self._used = {used: end for used, end in self._used.items() if end > now}
        if scope is None or number != request.path_params["number"] or number in self._used:
            return self._refused(request, "This code was used, or is over; start `envscaler studio` again.")
        if len(self._used) >= _MOST_USED:
            return self._refused(request, "Too many codes were used; wait a minute.")
        self._used[number] = int(code.split(".")[2])
        return self._session(request, scope, SESSION_SECONDS)

    async def _log_in_by_token(self, request: AppRequest) -> Response:
        token = (await _field(request, "token")).strip()
        scope = self._scope_of_token(token)
        if scope is None:
            return self._refused(request, "This is no token for control or for reading that this farm knows.")
        return self._session(request, scope, min(SESSION_SECONDS, seconds_left(token)))

    def _refused(self, request: AppRequest, why: str) -> Response:
        audit("refused", request.client, request.method, request.url.path, status=401, why=why)
        return json_response({"error": why}, 401)

    def _session(self, request: AppRequest, scope: str, seconds: float) -> Response:
        audit("studio", request.client, request.method, request.url.path, scope=scope)
        cookie = _signed(self._secret, "session", scope, seconds)
        made = json_response({"scope": scope, "key": self._key(cookie), "seconds": int(seconds)}, 201, _NOT_STORED)
        made.set_cookie(
            self.cookie,
            cookie,
            max_age=int(seconds),
            path=API,
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return made

    async def _log_out(self, _: AppRequest) -> Response:
        made = json_response({"done": True})
        made.delete_cookie(self.cookie, path=API, httponly=True, samesite="strict", secure=self._secure)
        return made


@dataclass(frozen=True, slots=True)
class Studio:
    """The studio of a farm: who is let in, and what owners and readers are answered."""

    door: StudioDoor
    owners: Sequence[Route]
    readers: Sequence[Route]

    def routes(self, about: Callable[[AppRequest], Awaitable[Response]]) -> list[BaseRoute]:
        """All of it; programs that ask for `/` are answered by `about`. What no other route takes comes here."""

        async def home(request: AppRequest) -> Response:
            if "text/html" in request.headers.get("accept", ""):
                return pages.file_named("index.html", request)
            return await about(request)

        operations = _ByScope(self.door, Router(self.owners), Router(self.readers))
        return [Route("/", home), *self.door.routes(), Mount("", app=operations)]


async def _to_home(_: AppRequest) -> Response:
    return RedirectResponse("/", 302)


class _ByScope:
    """Operations for owners, or for readers."""

    def __init__(self, door: StudioDoor, owners: Router, readers: Router) -> None:
        self._door = door
        self._owners = owners
        self._readers = readers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API):
            await self._owners.not_found(scope, receive, send)
            return
        visitor = self._door.visitor(AppRequest(scope).headers)
        if visitor is None:
            raise HTTPException(401, "Log in to the studio, or send a token.")
        await (self._owners if visitor.scope == "control" else self._readers)(scope, receive, send)


async def _field(request: AppRequest, name: str) -> str:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise HTTPException(413, f"A login has at most {_MOST_BODY} bytes.")
    try:
        value = json.loads(bytes(body))[name]
    except (ValueError, TypeError, KeyError):
        raise WorldError(f"The body: a text {name!r} is needed.") from None
    return value if isinstance(value, str) else ""


_NOT_STORED = {"cache-control": "no-store"}
