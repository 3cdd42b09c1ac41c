"""What agents ask of one world, in either era of the Model Context Protocol, and nothing besides.

A call takes the short way: body in, call, text out, with no object of the protocol in between. Whatever is answered here
is answered by the SDK's server in the same words, which the tests compare.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from envscaler_mcp.farm.environments import FarmEnvironment, Start
from envscaler_mcp.farm.folder_reading import FolderError
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.http_messages import Answer, Request
from envscaler_mcp.farm.jsonrpc import (
    HANDSHAKE_VERSIONS,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MODERN_VERSIONS,
    RpcError,
    RpcMessage,
    check_envelope,
    check_meta,
    read_message,
    unsupported,
)
from envscaler_mcp.farm.static_results import NO_TASKS, OF_TASKS, FixedAnswers
from envscaler_mcp.serving.outcome import Outcome, encode, meta_of
from envscaler_mcp.serving.records import Reading, is_completion
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY, NO_KEY, is_key

NO_PAGE = "This is the address of a world: MCP clients send to it with POST, and nothing is ever pushed from here."

_quoted = json.encoder.encode_basestring


@dataclass(frozen=True, slots=True)
class Arrival:
    """The world of a guest link, which opens with the first call."""

    open: Callable[[], Coroutine[Any, Any, HostedWorld]]
    start: Start


def answer_agent(
    environment: FarmEnvironment, world: HostedWorld | Arrival, request: Request
) -> Answer | Coroutine[Any, Any, Answer]:
    """The answer to whatever was sent to a world's address."""
    if request.method != "POST":
        return _error(RpcError(INVALID_REQUEST, NO_PAGE), 405, headers=(("allow", "POST"),))
    headers = request.headers
    version = headers.get("mcp-protocol-version")
    if version is not None and "mcp-protocol-version" in request.repeated:
        version = version.partition(",")[0]
    modern = version is not None and version not in HANDSHAKE_VERSIONS
    reads_json, reads_events = _accepted(headers.get("accept", ""))
    if not reads_json and not reads_events:
        return _error(RpcError(INVALID_REQUEST, "An answer is JSON, or one event with JSON; accept one of them."), 406)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _error(RpcError(INVALID_REQUEST, "The Content-Type must be application/json."), 400)
    id_ = b"null"
    try:
        message = read_message(request.body)
        if message is None or message.id is None:
            return _noted(message, version, modern)
        id_ = message.id_text
        if modern:
            check_envelope(message, headers, request.repeated)
        check_meta(message.params)
        if message.method != "tools/call":
            if message.method in OF_TASKS:
                return _listed(environment, world, message, id_, modern, reads_json)
            fixed = world.fixed if isinstance(world, HostedWorld) else environment.fixed
            reading = reading_of(fixed, message)
            if reading is not None:
                return _read_later(environment, world, reading, message, id_, modern, reads_json)
            result = fixed.result(modern, message.method, message.params, NO_TASKS)
            answer = _sent(b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (id_, result), reads_json)
            return _in_session(answer, world) if fixed.changing and message.method == "initialize" else answer
        if isinstance(world, HostedWorld):
            return _called(world, message, id_, modern, reads_json)
        return _arrived(world, message, id_, modern, reads_json)
    except RpcError as cause:
        whole = modern or id_ == b"null"
        return _error(cause, cause.status if whole else 200, id_)


def _listed(
    environment: FarmEnvironment,
    world: HostedWorld | Arrival,
    message: RpcMessage,
    id_: bytes,
    modern: bool,
    reads_json: bool,
) -> Answer | Coroutine[Any, Any, Answer]:
    tasks = (
        world.offered
        if isinstance(world, HostedWorld)
        else environment.offered(world.start.scenario, world.start.state, world.start.prompts)
    )
    if tasks is None:
        return _listed_later(environment, world, message, id_, modern, reads_json)
    result = environment.fixed.result(modern, message.method, message.params, tasks)
    return _sent(b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (id_, result), reads_json)


async def _listed_later(
    environment: FarmEnvironment,
    world: HostedWorld | Arrival,
    message: RpcMessage,
    id_: bytes,
    modern: bool,
    reads_json: bool,
) -> Answer:
    """The same where the tasks of the folder must be read before."""
    try:
        await environment.read_tasks()
        answer = _listed(environment, world, message, id_, modern, reads_json)
    except FolderError as cause:
        return _error(RpcError(INVALID_REQUEST, str(cause)), 503, id_)
    except RpcError as cause:
        return _error(cause, cause.status if modern else 200, id_)
    return answer if isinstance(answer, Answer) else await answer


def reading_of(fixed: FixedAnswers, message: RpcMessage) -> Reading | None:
    """What a request wants to know of the records of a world; None for any other request."""
    params = message.params
    if message.method == "completion/complete" and fixed.records.kinds:
        if not is_completion(params):
            raise RpcError(INVALID_PARAMS, "completion/complete needs a ref, and an argument with a name and a value.")
        return fixed.records.complete(params)
    uri = params.get("uri") if message.method == "resources/read" else None
    return None if type(uri) is not str or fixed.records.named(uri) is None else fixed.records.read(uri)


async def _read_later(
    environment: FarmEnvironment,
    world: HostedWorld | Arrival,
    reading: Reading,
    message: RpcMessage,
    id_: bytes,
    modern: bool,
    reads_json: bool,
) -> Answer:
    fixed = environment.fixed
    try:
        read = await _read(world if isinstance(world, HostedWorld) else await world.open(), reading)
        if message.method == "completion/complete":
            result = fixed.of_completion(modern, read)
        else:
            result = fixed.of_record(modern, message.params["uri"], read)
    except RpcError as cause:
        return _error(cause, cause.status if modern else 200, id_)
    return _sent(b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (id_, result), reads_json)


async def _read(world: HostedWorld, reading: Reading) -> dict[str, Any] | None:
    try:
        tool, arguments = next(reading)
        while True:
            outcome = world.call(tool, arguments, None)
            tool, arguments = reading.send(outcome if isinstance(outcome, Outcome) else await outcome)
    except StopIteration as done:
        read: dict[str, Any] | None = done.value
        return read


async def _arrived(arrival: Arrival, message: RpcMessage, id_: bytes, modern: bool, reads_json: bool) -> Answer:
    try:
        answer = _called(await arrival.open(), message, id_, modern, reads_json)
    except RpcError as cause:
        return _error(cause, cause.status if modern else 200, id_)
    return answer if isinstance(answer, Answer) else await answer


def _called(
    world: HostedWorld, message: RpcMessage, id_: bytes, modern: bool, reads_json: bool
) -> Answer | Coroutine[Any, Any, Answer]:
    params = message.params
    tool, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    if type(tool) is not str or type(arguments) not in (dict, type(None)):
        raise RpcError(INVALID_PARAMS, "tools/call needs a name, and arguments that are an object.")
    key = None if meta is None else meta.get(IDEMPOTENCY_KEY)
    if key is not None and not is_key(key):
        return _shaped(world, id_, modern, reads_json, Outcome.saying("invalid", NO_KEY))
    outcome = world.answer(tool, arguments or {}, key)
    if isinstance(outcome, Outcome):
        return _shaped(world, id_, modern, reads_json, outcome)
    return _shaped_later(world, id_, modern, reads_json, outcome)


async def _shaped_later(
    world: HostedWorld, id_: bytes, modern: bool, reads_json: bool, coming: Coroutine[Any, Any, Outcome]
) -> Answer:
    return _shaped(world, id_, modern, reads_json, await coming)


def _shaped(world: HostedWorld, id_: bytes, modern: bool, reads_json: bool, outcome: Outcome) -> Answer:
    text = outcome.text
    failed = b"true" if outcome.is_error else b"false"
    body = b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":%s' % (
        id_,
        _quoted(text).encode(),
        failed,
    )
    if outcome.wire:
        body += b',"structuredContent":%s' % outcome.wire.encode()
    meta = meta_of(outcome.kind)
    if modern:
        stamp = world.environment.fixed.stamp
        if meta is not None:
            stamp = b"%s,%s" % (stamp[:-1], encode(meta).encode()[1:])
        body += b',"resultType":"complete","_meta":%s}}' % stamp
    elif meta is not None:
        body += b',"_meta":%s}}' % encode(meta).encode()
    else:
        body += b"}}"
    return _sent(body, reads_json)


def _in_session(answer: Answer, world: HostedWorld | Arrival) -> Answer:
    """With the name of a session: some clients listen for changes only where they are given one. It means nothing else."""
    named = (("mcp-session-id", world.name),) if isinstance(world, HostedWorld) else ()
    return replace(answer, headers=(*answer.headers, *named))


def _noted(message: RpcMessage | None, version: str | None, modern: bool) -> Answer:
    """Notifications change nothing here, and an answer belongs to no question; both are well meant in the older era."""
    if message is None and modern:
        raise RpcError(INVALID_REQUEST, "No answer was asked for.")
    if modern and version not in MODERN_VERSIONS:
        raise unsupported(version)
    return Answer(202)


def _sent(body: bytes, reads_json: bool) -> Answer:
    if reads_json:
        return Answer(200, body)
    return Answer(200, b"event: message\ndata: %s\n\n" % body, "text/event-stream", (("cache-control", "no-store"),))


def _error(cause: RpcError, status: int, id_: bytes = b"null", headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(status, cause.body(id_), headers=headers)


def _accepted(accept: str) -> tuple[bool, bool]:
    """Whether JSON may be sent, and whether events may; who does not say takes either."""
    if accept == "application/json, text/event-stream":
        return True, True
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    anything = not accept or "*/*" in kinds
    return (
        anything or bool(kinds & {"application/json", "application/*"}),
        anything or bool(kinds & {"text/event-stream", "text/*"}),
    )
