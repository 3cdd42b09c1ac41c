"""Agents that wait to be told of other tools: a stream in either era of the protocol, at the address of their world."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request as AppRequest
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp.farm.application import raw_json
from envscaler_mcp.farm.event_stream import EventStream
from envscaler_mcp.farm.http_messages import Request
from envscaler_mcp.farm.jsonrpc import INVALID_REQUEST, RpcError, RpcMessage, check_envelope, check_meta, read_message
from envscaler_mcp.farm.watchers import Watcher
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.serving.outcome import encode

METHOD = "subscriptions/listen"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_CHANGED = "notifications/tools/list_changed"
_SUBSCRIPTION = b"io.modelcontextprotocol/subscriptionId"


def wants_to_listen(request: Request) -> bool:
    """Whether what an agent sent to its world asks for a stream."""
    return request.method == "GET" or (request.method == "POST" and request.headers.get("mcp-method") == METHOD)


class Listeners:
    """Opens the streams."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds

    def routes(self) -> list[Route]:
        """At the addresses of worlds; other requests are answered before they come here."""
        return [Route("/e/{environment}/{world}/mcp", self._listen, methods=["GET", "POST"])]

    async def _listen(self, request: AppRequest) -> Response:
        if "text/event-stream" not in request.headers.get("accept", ""):
            raise HTTPException(406, "What comes is a stream of events; accept text/event-stream.")
        world = self._worlds.find(request.path_params["environment"], request.path_params["world"])
        if request.method == "GET":
            return EventStream(_Stream(world.listen(), _notification(_CHANGED)))
        id_ = b"null"
        try:
            message = read_message(await request.body())
            if message is None or message.id is None:
                raise RpcError(INVALID_REQUEST, "To listen is a request, and has an id.")
            id_ = message.id_text
            headers = request.headers
            repeated = frozenset(name for name in headers if len(headers.getlist(name)) > 1)
            check_envelope(message, headers, repeated)
            check_meta(message.params)
        except RpcError as cause:
            return raw_json(cause.body(id_), cause.status)
        subscription = b'"_meta":{"%s":%s}' % (_SUBSCRIPTION, id_)
        honored = _honored(message)
        first = _notification(_ACKNOWLEDGED, b'"notifications":%s,%s' % (encode(honored).encode(), subscription))
        event = _notification(_CHANGED, subscription) if honored else b""
        return EventStream(_Stream(world.listen(), event, first))


class _Stream:
    """Says the same each time that something has changed."""

    def __init__(self, watcher: Watcher, event: bytes, first: bytes = b"") -> None:
        self._watcher, self._event, self._first = watcher, event, first

    def __aiter__(self) -> _Stream:
        return self

    async def __anext__(self) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        event = await anext(self._watcher)
        return event if event.startswith(b":") else self._event

    async def aclose(self) -> None:
        """Listen no more."""
        await self._watcher.aclose()


def _honored(message: RpcMessage) -> dict[str, bool]:
    """What of its wishes a client is told of; nothing else changes here."""
    wanted = message.params.get("notifications")
    return {"toolsListChanged": True} if type(wanted) is dict and wanted.get("toolsListChanged") is True else {}


def _notification(method: str, params: bytes = b"") -> bytes:
    inside = b',"params":{%s}' % params if params else b""
    return b'event: message\ndata: {"jsonrpc":"2.0","method":"%s"%s}\n\n' % (method.encode(), inside)
