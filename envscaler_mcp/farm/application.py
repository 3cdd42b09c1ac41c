"""The Starlette applications of a farm: JSON answers, and errors as JSON that names no path and shows no code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from envscaler_mcp.errors import (
    EnvScalerError,
    LaunchError,
    SandboxError,
    UnreadableStateError,
    WorkerEndedError,
    WorldError,
)
from envscaler_mcp.farm.hosted_world import BusyError
from envscaler_mcp.farm.http_messages import FAILED
from envscaler_mcp.farm.peers import SilentError
from envscaler_mcp.farm.watchers import TooManyWatchersError
from envscaler_mcp.farm.world_pages import advice
from envscaler_mcp.farm.worlds import FullError
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.outcome import encode


def application(
    routes: Sequence[BaseRoute], middleware: Sequence[Middleware] = (), nothing: Callable[[str, str], str] = advice
) -> Starlette:
    """An application of these routes; what it says of a path and a method where no route leads."""

    async def http_error(request: Request, cause: HTTPException) -> Response:
        message = cause.detail
        if (cause.status_code, message) in _UNEXPLAINED:
            message = nothing(request.url.path, request.method)
        return error_response(cause.status_code, message, cause.headers)

    handlers: dict[Any, Any] = {HTTPException: http_error, EnvScalerError: _refused, Exception: _failed}
    made = Starlette(routes=routes, middleware=middleware, exception_handlers=handlers)
    made.router.redirect_slashes = False
    return made


def json_response(content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The answer with this content."""
    return raw_json(encode(dict(content)).encode(errors="replace"), status, headers)


def raw_json(text: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The answer with this JSON."""
    return Response(text, status, headers, "application/json")


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Why there is nothing else."""
    return raw_json(encode({"error": message}).encode(errors="replace"), status, headers)


_UNEXPLAINED = {(404, "Not Found"), (405, "Method Not Allowed")}
"""What Starlette says where no route leads."""


async def _refused(_: Request, cause: EnvScalerError) -> Response:
    if isinstance(cause, NoWorldError):
        return error_response(404, str(cause))
    if isinstance(cause, (FullError, SilentError, BusyError, TooManyWatchersError)):
        return error_response(503, str(cause), {"retry-after": "5"})
    if isinstance(cause, SandboxError):
        reason = {"reason": cause.reason} if isinstance(cause, WorkerEndedError) else {}
        return json_response({"error": _WORKER_ENDED, **reason}, 410)
    if isinstance(cause, UnreadableStateError):
        return json_response({"error": str(cause), "reason": "state"}, 409)
    if isinstance(cause, (WorldError, LaunchError)):
        return error_response(400, str(cause))
    return error_response(500, FAILED)


_WORKER_ENDED = "The worker that held this world has ended; close it and open another one."


async def _failed(_: Request, __: Exception) -> Response:
    # Starlette raises the cause again, and uvicorn logs it.
    return error_response(500, FAILED)
