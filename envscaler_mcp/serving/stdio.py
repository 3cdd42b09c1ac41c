"""A server on its standard streams, tolerant of clients that look before they choose.

The SDK's loop serves the era of the first request and refuses the other one from then on. Some hosts first ask
`server/discover`, which belongs to the newer era, and then open with `initialize`, which belongs to the older: so that
question is answered here, and the next request is the first that the SDK sees.
"""

from __future__ import annotations

import json
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_on_request, serve_dual_era_loop
from mcp.shared.direct_dispatcher import create_direct_dispatcher_pair
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from envscaler_mcp.serving.wire import LineWriter, TooLongError, lines, private_streams

LAST_ANSWERS = 2.0
"""Seconds that calls get to be answered after the client has sent its last message."""

_Incoming = ObjectSendStream[SessionMessage | Exception]


async def serve_stdio(server: Server[Any]) -> None:
    """Serve this process's standard streams until the client closes them."""
    with private_streams() as (wire_in, wire_out):
        await serve_wire(server, wire_in, wire_out)


async def serve_wire(server: Server[Any], wire_in: int, wire_out: int) -> None:
    """Serve a pair of descriptors until the reading one ends."""
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    owed = _Owed()
    async with server.lifespan(server) as state, anyio.create_task_group() as group:
        group.start_soon(_send, from_server, LineWriter(wire_out), owed)
        group.start_soon(_receive, server, state, wire_in, to_server, to_client.clone(), owed)
        await serve_dual_era_loop(
            server,
            from_client,
            to_client,
            lifespan_state=state,
            init_options=server.create_initialization_options(),
        )


class _Owed:
    """Requests that have not been answered: the SDK drops them when the client has nothing more to say."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId | None] = set()
        self._changed = anyio.Event()

    def asked(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)

    def answered(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
            self._ids.discard(message.id)
            self._changed.set()

    async def settle(self) -> None:
        with anyio.move_on_after(LAST_ANSWERS):
            while self._ids:
                self._changed = anyio.Event()
                await self._changed.wait()


async def _send(messages: ObjectReceiveStream[SessionMessage], writer: LineWriter, owed: _Owed) -> None:
    async with messages:
        async for message in messages:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await writer.write(text.encode())
            except (BrokenPipeError, ConnectionResetError):
                return
            owed.answered(message.message)


async def _receive(
    server: Server[Any],
    state: Any,
    wire: int,
    to_server: _Incoming,
    to_client: ObjectSendStream[SessionMessage],
    owed: _Owed,
) -> None:
    decided = False
    async with to_server, to_client:
        try:
            async for line in lines(wire):
                message = _parsed(line)
                if message is None:
                    continue
                if isinstance(message, types.JSONRPCError):
                    await to_client.send(SessionMessage(message))
                elif isinstance(message, types.JSONRPCRequest) and message.method == "server/discover" and not decided:
                    await to_client.send(SessionMessage(await _discovered(server, state, message)))
                else:
                    decided = decided or isinstance(message, types.JSONRPCRequest)
                    owed.asked(message)
                    await to_server.send(SessionMessage(message))
            await owed.settle()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return


def _parsed(line: bytes | TooLongError) -> types.JSONRPCMessage | None:
    """The message on a line, or the error that the sender is owed; nothing for an empty line."""
    if isinstance(line, TooLongError):
        return _error(None, types.INVALID_REQUEST, "The message is too long.")
    if not line.strip():
        return None
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
            # The SDK takes a request whose id is malformed for a notification, which gets no answer.
            return _error(None, types.INVALID_REQUEST, "Invalid request")
        return message
    except ValidationError as cause:
        # What is no JSON is one mistake; what is may have as many as it has values, and they are only listed all together.
        if (
            cause.error_count() == 1
            and cause.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid"
        ):
            return _error(None, types.PARSE_ERROR, "Parse error")
        return _error(None, types.INVALID_REQUEST, "Invalid request")


def _error(request: Any, code: int, message: str, data: Any = None) -> types.JSONRPCError:
    error = (
        types.ErrorData(code=code, message=message)
        if data is None
        else types.ErrorData(code=code, message=message, data=data)
    )
    return types.JSONRPCError(jsonrpc="2.0", id=request, error=error)


async def _discovered(
    server: Server[Any], state: Any, request: types.JSONRPCRequest
) -> types.JSONRPCResponse | types.JSONRPCError:
    """The server's own answer to `server/discover`, given before an era is chosen."""
    route = classify_inbound_request({"method": request.method, "params": request.params})
    if isinstance(route, InboundLadderRejection):
        return _error(request.id, route.code, route.message, route.data)
    asking, answering = create_direct_dispatcher_pair(raise_handler_exceptions=False)
    answer: types.JSONRPCResponse | types.JSONRPCError
    async with anyio.create_task_group() as group:
        await group.start(asking.run, _nobody_asks, _nobody_tells)
        await group.start(answering.run, modern_on_request(server, state), _nobody_tells)
        try:
            result = await asking.send_raw_request(request.method, request.params)
            answer = types.JSONRPCResponse(jsonrpc="2.0", id=request.id, result=result)
        except MCPError as cause:
            answer = _error(request.id, cause.code, cause.message, cause.data)
        asking.close()
        answering.close()
    return answer


async def _nobody_asks(_context: Any, method: str, _params: Any) -> dict[str, Any]:
    raise MCPError(types.METHOD_NOT_FOUND, "Method not found", method)


async def _nobody_tells(_context: Any, _method: str, _params: Any) -> None:
    return None
