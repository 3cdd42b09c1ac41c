"""OpenEnv's wire: sessions that reset, step and are rewarded, for programs with a token for control."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

import anyio.to_thread
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from envscaler_mcp import __version__
from envscaler_mcp.artifacts.mistakes import first_mistake
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm import openenv_documents as documents
from envscaler_mcp.farm.access import audit, token_in
from envscaler_mcp.farm.application import json_response
from envscaler_mcp.farm.application_protocol import web_sockets_installed
from envscaler_mcp.farm.environments import HostedEnvironment
from envscaler_mcp.farm.http_messages import FAILED
from envscaler_mcp.farm.open_connections import most_connections
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.verdicts import HOLDER
from envscaler_mcp.farm.worlds import FullError, Worlds
from envscaler_mcp.serving.control.bodies import read_json
from envscaler_mcp.serving.outcome import encode

if TYPE_CHECKING:
    from envscaler_mcp.farm.openenv_session import JudgeWorld, OpenEnvSession

PREFIX = "/openenv"
SESSIONS = "envscaler_mcp.farm.openenv_session"
MOST_SESSIONS = 2_048
"""Sessions in a process, where its descriptors allow so many; each has at most one world."""
IDLE_SECONDS = 3_600.0
"""How long a session stays without a message."""
NOT_INSTALLED = "WebSockets need a library that is not installed here: pip install 'envscaler-mcp[openenv]'"
_TRY_LATER, _GOING_AWAY = 1013, 1001

logger = logging.getLogger(__name__)

Answering = Callable[[Request, HostedEnvironment], Awaitable[Response]]


def session_in(path: str, query: str) -> str | None:
    """The session that a request for a WebSocket names."""
    if not path.startswith(f"{PREFIX}/") or "session_id=" not in query:
        return None
    return parse_qs(query).get("session_id", [None])[0]


class OpenEnvRoutes:
    """The routes of all environments, and the sessions of this process."""

    def __init__(self, worlds: Worlds, siblings: Siblings, judge: JudgeWorld) -> None:
        self._worlds = worlds
        self._siblings = siblings
        self._judge = judge
        self._sessions: dict[str, OpenEnvSession] = {}

    def routes(self, *, for_peers: bool) -> list[BaseRoute]:
        """For the application of the control plane, whose every request needs a token for control; or for that of other processes."""
        place = f"{PREFIX}/{{environment}}"
        socket = WebSocketRoute(f"{place}/ws", self._web_socket)
        return [
            *([socket] if web_sockets_installed() else []),
            Route(f"{place}/ws", self._on(_no_web_socket)),
            Route(f"{place}/health", self._on(_health)),
            Route(f"{place}/metadata", self._on(_metadata)),
            Route(f"{place}/schema", self._on(_schema)),
            Route(f"{place}/openapi.json", self._on(_openapi)),
            Route(f"{place}/openenv.yaml", self._on(_manifest)),
            Route(f"{place}/runtime.json", self._on(_runtime_plan)),
            Route(f"{place}/reset", self._on(self._reset), methods=["POST"]),
            Route(f"{place}/step", self._on(self._step), methods=["POST"]),
            Route(f"{place}/state", self._on(self._state)),
            Route(f"{place}/mcp", self._on(partial(self._mcp, for_peers=for_peers)), methods=["POST"]),
        ]

    def _on(self, answer: Answering) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            HOLDER.set(token_in(request.headers.get("authorization", "")))
            await _loaded()
            try:
                return await answer(request, await self._environment(request.path_params["environment"]))
            except ValidationError as cause:
                raise HTTPException(422, first_mistake(cause)) from cause

        return answered

    async def _environment(self, name: str) -> HostedEnvironment:
        try:
            hosted = await self._worlds.environments.find(name)
        except WorldError as cause:
            raise HTTPException(404, str(cause)) from cause
        if not isinstance(hosted, HostedEnvironment):
            raise HTTPException(404, "A benchmark has no sessions here; owners open its worlds with POST /v1/worlds.")
        return hosted

    # Sessions

    async def _opened(self, hosted: HostedEnvironment) -> OpenEnvSession:
        from envscaler_mcp.farm.openenv_session import OpenEnvSession

        holder, most = HOLDER.get(), most_connections(MOST_SESSIONS, of="owners")
        while len(self._sessions) >= most:
            given_up = self._given_up_for(holder)
            if given_up is None:
                raise FullError(f"{most} sessions are open, as many as may be; close some.")
            if given_up.waiting is not None:
                given_up.waiting.reschedule(0)
            await self._close(given_up)
        session = OpenEnvSession(self._worlds.share.fresh(), holder, hosted, self._worlds, self._judge)
        self._sessions[session.name] = session
        return session

    def _given_up_for(self, holder: str) -> OpenEnvSession | None:
        """Of the token with most, the idle session that was used longest ago, those without a WebSocket first."""
        counts = Counter(session.holder for session in self._sessions.values())
        ((greedy, count),) = counts.most_common(1)
        if count <= counts[holder] + 1:
            return None
        idle = (each for each in self._sessions.values() if each.holder == greedy and each.is_idle)
        return min(idle, key=lambda session: (session.attached, session.used), default=None)

    async def reap(self) -> None:
        """Close what is over, for as long as the process runs."""
        while True:
            await asyncio.sleep(1)
            for session in [each for each in self._sessions.values() if each.is_over]:
                try:
                    await self._close(session)
                except Exception:
                    logger.exception("a session of OpenEnv could not be closed")

    async def _close(self, session: OpenEnvSession) -> None:
        self._sessions.pop(session.name, None)
        await session.close()

    def _named(self, name: str, hosted: HostedEnvironment) -> OpenEnvSession:
        session = self._sessions.get(name)
        if session is None or session.hosted is not hosted:
            raise WorldError("There is no such session of this environment; it was closed, or has ended.")
        return session

    async def _web_socket(self, socket: WebSocket) -> None:
        """One message after the other, until either side ends it."""
        HOLDER.set(token_in(socket.headers.get("authorization", "")))
        await _loaded()
        try:
            hosted = await self._environment(socket.path_params["environment"])
        except HTTPException as cause:
            await socket.accept()
            await _send_error(socket, "SESSION_ERROR", cause.detail)
            await socket.close(_GOING_AWAY)
            return
        audit("openenv", socket.client, "WS", socket.url.path, environment=hosted.card.id)
        await socket.accept()
        try:
            session = await self._session_of(socket, hosted)
        except EnvScalerError as cause:
            full = isinstance(cause, FullError)
            await _send_error(socket, "CAPACITY_REACHED" if full else "SESSION_ERROR", str(cause))
            await socket.close(_TRY_LATER if full else _GOING_AWAY)
            return
        own = "session_id" not in socket.query_params
        try:
            await self._converse(socket, session)
        except WebSocketDisconnect:
            pass
        except TimeoutError:
            await socket.close(_TRY_LATER)
        finally:
            session.attached = False
            if own or session.name not in self._sessions:
                await self._close(session)

    async def _session_of(self, socket: WebSocket, hosted: HostedEnvironment) -> OpenEnvSession:
        name = socket.query_params.get("session_id")
        session = await self._opened(hosted) if name is None else self._named(name, hosted)
        if session.attached:
            raise WorldError("This session has a WebSocket already.")
        session.attached = True
        return session

    async def _converse(self, socket: WebSocket, session: OpenEnvSession) -> None:
        while True:
            try:
                async with asyncio.timeout(IDLE_SECONDS) as session.waiting:
                    received = await socket.receive()
            finally:
                session.waiting = None
            if received["type"] != "websocket.receive":
                return
            if session.name not in self._sessions:
                # It was closed before this message came, or in the same turn of the loop.
                raise TimeoutError
            text = received.get("text")
            if text is None:
                await _send_error(socket, "INVALID_JSON", "A message is a text with a JSON object.")
                continue
            if not await _answered(socket, session, text):
                await socket.close()
                return

    # Requests without a WebSocket

    async def _reset(self, request: Request, hosted: HostedEnvironment) -> Response:
        given = _object(await request.body() or b"{}")
        return await self._alone(hosted, lambda session: session.reset(given))

    async def _step(self, request: Request, hosted: HostedEnvironment) -> Response:
        action = _object(await request.body()).get("action")
        if not isinstance(action, dict):
            raise HTTPException(422, "action: it must be an object.")
        return await self._alone(hosted, lambda session: session.step(action))

    async def _state(self, _: Request, hosted: HostedEnvironment) -> Response:
        async def state(session: OpenEnvSession) -> dict[str, Any]:
            return session.state()

        return await self._alone(hosted, state)

    async def _alone(
        self, hosted: HostedEnvironment, does: Callable[[OpenEnvSession], Awaitable[dict[str, Any]]]
    ) -> Response:
        """As OpenEnv's own server: each request has an environment of its own, which ends with the answer."""
        session = await self._opened(hosted)
        try:
            return json_response(await does(session))
        finally:
            await self._close(session)

    async def _mcp(self, request: Request, hosted: HostedEnvironment, *, for_peers: bool) -> Response:
        body = await request.body()
        try:
            asked = read_json(body)
        except (ValueError, RecursionError):
            return _rpc(None, error=(-32700, "Parse error"))
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return _rpc(None, error=(-32600, "Invalid Request"))
        params = asked.get("params") or {}
        number = asked.get("id")
        if not isinstance(params, dict) or not isinstance(number, int | str | None):
            return _rpc(None, error=(-32602, "Invalid params"))
        name = params.get("session_id")
        if isinstance(name, str) and not for_peers:
            owner = self._worlds.share.owner(name)
            if owner in self._siblings.others:
                path = f"{PREFIX}/{quote(hosted.card.id)}/mcp"
                status, content = await self._siblings.ask(owner, "POST", path, body)
                return Response(content, status, media_type="application/json")
        try:
            return _rpc(number, result=await self._rpc_result(asked["method"], params, hosted))
        except ValidationError:
            return _rpc(number, error=(-32602, "Invalid params"))
        except LookupError:
            return _rpc(number, error=(-32601, f"Method not found: {asked['method'][:60]}"))
        except EnvScalerError as cause:
            return _rpc(number, error=(-32000, str(cause)))

    async def _rpc_result(self, method: str, params: Mapping[str, Any], hosted: HostedEnvironment) -> dict[str, Any]:
        """What OpenEnv's client for tools asks for beside its WebSocket; LookupError where there is no such method."""
        if method == "openenv/session/create":
            return {"session_id": (await self._opened(hosted)).name}
        if method == "tools/list":
            from envscaler_mcp.farm.openenv_session import tools_of

            return {"tools": tools_of(hosted.card)}
        if method not in ("openenv/session/close", "tools/call"):
            raise LookupError(method)
        session = self._named(str(params.get("session_id")), hosted)
        if method == "openenv/session/close":
            await self._close(session)
            return {"session_id": session.name, "closed": True}
        action = {"type": "call_tool", "tool_name": params.get("name"), "arguments": params.get("arguments") or {}}
        async with session.turn:
            said = (await session.step(action, rewarded=False))["observation"]["result"]
        return {"content": [{"type": "text", "text": said}], "data": said}


async def _loaded() -> None:
    """Have what plays episodes, which a farm without OpenEnv's clients never needs; calls go on while it is imported."""
    if SESSIONS not in sys.modules:
        await anyio.to_thread.run_sync(import_module, SESSIONS)


async def _answered(socket: WebSocket, session: OpenEnvSession, text: str) -> bool:
    """Answer one message; whether another may come."""
    try:
        message = read_json(text)
        kind, data = message["type"], message.get("data", {})
        if not isinstance(kind, str) or not isinstance(data, dict):
            raise TypeError(kind)
    except (ValueError, RecursionError):
        await _send_error(socket, "INVALID_JSON", "The message is not JSON.")
        return True
    except WorldError as cause:
        await _send_error(socket, "VALIDATION_ERROR", str(cause))
        return True
    except (TypeError, KeyError, AttributeError):
        await _send_error(socket, "VALIDATION_ERROR", "A message is an object with a type, and with data.")
        return True
    if kind == "close":
        return False
    try:
        async with session.turn:
            answer = await _outcome(session, kind, data)
    except ValidationError as cause:
        await _send_error(socket, "VALIDATION_ERROR", first_mistake(cause))
    except EnvScalerError as cause:
        await _send_error(socket, "EXECUTION_ERROR", str(cause))
    except Exception:
        logger.exception("a message of OpenEnv could not be answered")
        await _send_error(socket, "EXECUTION_ERROR", FAILED)
    else:
        if answer is None:
            await _send_error(socket, "UNKNOWN_TYPE", "There are messages of the types reset, step, state and close.")
        else:
            await _send(socket, answer)
    return True


async def _outcome(session: OpenEnvSession, kind: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
    if kind == "reset":
        return {"type": "observation", "data": await session.reset(data)}
    if kind == "step":
        return {"type": "observation", "data": await session.step(data)}
    if kind == "state":
        return {"type": "state", "data": session.state()}
    return None


async def _send_error(socket: WebSocket, code: str, message: str) -> None:
    await _send(socket, {"type": "error", "data": {"message": message, "code": code}})


async def _send(socket: WebSocket, answer: dict[str, Any]) -> None:
    # What a client wrote comes back in it, and may be no text that can be sent.
    await socket.send_text(encode(answer).encode(errors="replace").decode())


def _rpc(number: Any, *, result: Any = None, error: tuple[int, str] | None = None) -> Response:
    said = {"result": result} if error is None else {"error": {"code": error[0], "message": error[1]}}
    return json_response({"jsonrpc": "2.0", "id": number, **said})


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = read_json(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise HTTPException(422, "The body must be a JSON object.")
    return given


async def _no_web_socket(_: Request, __: HostedEnvironment) -> Response:
    if web_sockets_installed():
        raise HTTPException(426, "Connect a WebSocket here.", {"upgrade": "websocket"})
    raise HTTPException(501, NOT_INSTALLED)


async def _health(_: Request, __: HostedEnvironment) -> Response:
    return json_response({"status": "healthy", "version": __version__})


async def _metadata(_: Request, hosted: HostedEnvironment) -> Response:
    return json_response(documents.metadata(hosted.card))


async def _schema(_: Request, __: HostedEnvironment) -> Response:
    return json_response(documents.message_schemas())


async def _openapi(_: Request, hosted: HostedEnvironment) -> Response:
    return json_response(documents.openapi(hosted.card))


async def _manifest(request: Request, hosted: HostedEnvironment) -> Response:
    return Response(documents.openenv_yaml(hosted.card, request.url.port or 80), media_type="application/yaml")


async def _runtime_plan(request: Request, hosted: HostedEnvironment) -> Response:
    """The oracle of a task, for OpenEnv's validator; the first task where none is named."""
    wanted = request.query_params.get("scenario")
    task = next((task for task in await hosted.scenarios() if wanted in (None, task.id)), None)
    if task is None:
        raise HTTPException(404, "There is no such scenario of this environment.")
    return json_response(documents.runtime_plan(task))
