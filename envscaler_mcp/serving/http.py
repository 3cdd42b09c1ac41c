"""A server over streamable HTTP, for this machine unless its owner asks for more and names a token.

No session is kept: the process has one world, and every request is whole in itself. A client of the older era may open
as often as it likes, and a restarted server goes on where its clients are.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from envscaler_mcp.serving.pages import PAGE_HEADERS, is_from_elsewhere, is_own_name
from envscaler_mcp.serving.sockets import is_loopback

MAX_BODY = 1024 * 1024
"""How long a request may be, in bytes."""
PATH = "/mcp"


def http_app(
    server: Server[Any],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    json_response: bool = True,
    stateless: bool = True,
    origins: Collection[str] = (),
) -> ASGIApp:
    """The server as an ASGI application that refuses strangers before it reads what they sent.

    Pages of these origins may use it too.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=json_response,
        stateless_http=stateless,
        max_request_body_size=MAX_BODY,
        # `Doorkeeper` decides, with the address and the token at hand.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    door = Doorkeeper(_Signpost(app), host, token, origins)
    return CORSMiddleware(door, sorted(origins), ("GET", "POST"), PAGE_HEADERS, max_age=3_600) if origins else door


class _Signpost:
    """Where a path leads nowhere, or a person opens the address: what it is and what to do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request for the protocol through, or say where it belongs."""
        if scope["type"] == "http":
            reads_pages = b"text/html" in _headers_of(scope).get(b"accept", b"")
            if scope["path"].rstrip("/") != PATH:
                await PlainTextResponse(_NO_PATH, 404)(scope, receive, send)
                return
            if scope["method"] == "GET" and reads_pages:
                await PlainTextResponse(_NO_PAGE, 405, {"Allow": "POST"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


_NO_PATH = f"There is nothing here; the MCP server of this world is at {PATH}.\n"
_NO_PAGE = "This is the address of an MCP server: a client sends to it with POST. Put it into a host program's file.\n"


class Doorkeeper:
    """Who may enter: the right `Host`, no page of another site, and the token where there is one."""

    def __init__(self, app: ASGIApp, host: str, token: str | None, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)
        self._open = not is_loopback(host)
        self._names = frozenset({host.strip("[]").lower()})
        self._token = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] == "http":
            refusal = self._refusal(_headers_of(scope))
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, headers: dict[bytes, bytes]) -> PlainTextResponse | None:
        host = _text(headers.get(b"host")) or ""
        # A machine that is open to others has names that are unknown here, and there the token decides.
        if not self._open and not is_own_name(host, self._names):
            return PlainTextResponse("Invalid Host header", 421)
        origin = _text(headers.get(b"origin"))
        if origin not in self._origins and is_from_elsewhere(
            origin, _text(headers.get(b"sec-fetch-site")), host, self._names
        ):
            return PlainTextResponse("Pages of other sites are not let in", 403)
        if self._token is not None and not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
            return PlainTextResponse("A token is needed", 401, {"WWW-Authenticate": "Bearer"})
        return None


def _headers_of(scope: Scope) -> dict[bytes, bytes]:
    """Those of a request; where a name came more than once, its values together, which no rule takes for one of them."""
    headers: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        headers[name] = headers[name] + b", " + value if name in headers else value
    return headers


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")


class HttpServer(uvicorn.Server):
    """Uvicorn without its signal handlers: the code that runs it decides what ends it."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Leave signals alone."""
        return nullcontext()

    def stop(self) -> None:
        """Finish what was begun and end."""
        self.should_exit = True


def http_server(
    app: ASGIApp, *, lifespan: Literal["on", "off"] = "on", http: Literal["h11", "auto"] = "h11"
) -> HttpServer:
    """A server for the application; `serve(sockets=[…])` runs it. Without a lifespan it may be cancelled.

    With `http="auto"` httptools reads requests where it is installed, which takes half as long as h11.
    """
    return HttpServer(
        uvicorn.Config(
            app,
            http=http,
            loop="asyncio",
            ws="none",
            lifespan=lifespan,
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
        )
    )
