"""JSON-RPC as agents send it: one message in a body, of one of two eras."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.farm.http_messages import Answer
from envscaler_mcp.serving.outcome import encode

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What a client of the modern era repeats in the header `Mcp-Name`."""

_ROUTING = frozenset({"mcp-protocol-version", "mcp-method", "mcp-name"})

MAX_DEPTH = 200
"""How deep objects and lists may lie in one another; code that recurses into deeper ones reaches its limit."""

_STATUS = {METHOD_NOT_FOUND: 404}
_STATUS |= dict.fromkeys((PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION), 400)


class RpcError(Exception):
    """A request that gets an error instead of a result."""

    def __init__(self, code: int, reason: str, data: Any = None) -> None:
        super().__init__(reason)
        self.code = code
        self.data = data

    @property
    def status(self) -> int:
        """The status with which the modern era sends it."""
        return _STATUS.get(self.code, 200)

    def body(self, id_: bytes) -> bytes:
        """The message that tells of it."""
        error = {"code": self.code, "message": str(self)} | ({} if self.data is None else {"data": self.data})
        return b'{"jsonrpc":"2.0","id":%s,"error":%s}' % (id_, encode(error).encode(errors="replace"))


@dataclass(slots=True)
class RpcMessage:
    """A request, or a notification, which has no id."""

    id: int | str | None
    method: str
    params: dict[str, Any]

    @property
    def id_text(self) -> bytes:
        """The id as it is sent back, also where it holds what cannot be written in UTF-8."""
        if type(self.id) is int:
            return b"%d" % self.id
        try:
            return encode(self.id).encode()
        except UnicodeEncodeError:
            return json.dumps(self.id).encode()


def unanswered(status: int, reason: str, *headers: tuple[str, str]) -> Answer:
    """Why a message was not even read, in a form in which clients of the protocol look for a sentence."""
    return Answer(status, RpcError(INVALID_REQUEST, reason).body(b"null"), headers=headers)


_NO_MESSAGE = "The body must be one JSON-RPC request or notification."


def read_message(body: bytes) -> RpcMessage | None:
    """The message in a body; None for an answer, which this server does not wait for."""
    try:
        said = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "The body is not JSON in UTF-8.") from None
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and _is_deep(said):
        raise RpcError(PARSE_ERROR, f"Objects and lists may lie in one another {MAX_DEPTH} deep.")
    if type(said) is not dict or said.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, _NO_MESSAGE)
    method, params = said.get("method"), said.get("params")
    if method is None and _is_answer(said):
        return None
    if type(method) is not str or type(params) not in (dict, type(None)):
        raise RpcError(INVALID_REQUEST, _NO_MESSAGE)
    id_ = said.get("id")
    if "id" in said and type(id_) not in (int, str):
        raise RpcError(INVALID_REQUEST, "The id of a request must be a text or a whole number.")
    return RpcMessage(id_, method, params or {})


def _is_deep(said: Any) -> bool:
    level = [said]
    for _ in range(MAX_DEPTH + 1):
        # An object's values, or a list's; what is neither holds nothing.
        level = [value for value in level if type(value) in (dict, list)]
        if not level:
            return False
        level = [inner for value in level for inner in (value.values() if type(value) is dict else value)]
    return True


def _is_answer(said: Mapping[str, Any]) -> bool:
    error = said.get("error")
    if type(error) is dict:
        is_error = type(error.get("code")) is int and type(error.get("message")) is str
        return is_error and "id" in said and isinstance(said["id"], int | str | None)
    return type(said.get("result")) is dict and isinstance(said.get("id"), int | str)


def check_meta(params: Mapping[str, Any]) -> None:
    """What a request of either era may carry beside what it is about."""
    meta = params.get("_meta")
    if meta is None:
        return
    if type(meta) is not dict:
        raise RpcError(INVALID_PARAMS, "params._meta must be an object.")
    if "progressToken" in meta and not isinstance(meta["progressToken"], str | int):
        raise RpcError(INVALID_PARAMS, "A progressToken must be a text or a whole number.")


def check_envelope(message: RpcMessage, headers: Mapping[str, str], repeated: frozenset[str]) -> None:
    """What a request of the modern era must carry: each fact in its body, and the same in its headers."""
    for name in _ROUTING & repeated:
        raise RpcError(HEADER_MISMATCH, f"The header {name} may stand there once.")
    meta = message.params.get("_meta")
    if type(meta) is not dict:
        raise RpcError(INVALID_PARAMS, f"params._meta must be an object with {VERSION_KEY!r} and {CAPABILITIES_KEY!r}.")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {', '.join(map(repr, missing))}.")
    version = meta[VERSION_KEY]
    if headers.get("mcp-protocol-version") != version:
        raise RpcError(HEADER_MISMATCH, "The header mcp-protocol-version does not say what params._meta says.")
    if headers.get("mcp-method") != message.method:
        raise RpcError(HEADER_MISMATCH, "The header mcp-method does not say what the body says.")
    named_by = NAMED_BY.get(message.method)
    named = None if named_by is None else message.params.get(named_by)
    if named is not None and _decoded(headers.get("mcp-name")) != named:
        raise RpcError(HEADER_MISMATCH, f"The header mcp-name does not say what the body says as {named_by!r}.")
    if version not in MODERN_VERSIONS:
        raise unsupported(version)
    if named_by is not None:
        _check_responses(message.params)
    client = meta.get(CLIENT_KEY)
    if type(meta[CAPABILITIES_KEY]) is not dict or not (client is None or _is_implementation(client)):
        raise RpcError(INVALID_PARAMS, "params._meta describes the client in another way than the protocol does.")


def _check_responses(params: Mapping[str, Any]) -> None:
    """What a client was asked for while its request was under way; nothing is asked for here, so no more is done with it."""
    responses, state = params.get("inputResponses"), params.get("requestState")
    if responses is None and state is None:
        return
    if type(state) not in (str, type(None)):
        raise RpcError(INVALID_PARAMS, "A requestState must be a text.")
    if type(responses) not in (dict, type(None)) or not all(map(_is_response, (responses or {}).values())):
        raise RpcError(INVALID_PARAMS, "inputResponses must be results by the keys of what was asked for.")


def _is_response(response: Any) -> bool:
    """Whether it can be the result of an elicitation, of sampling, or of listing roots."""
    return type(response) is dict and (
        response.get("action") in ("accept", "decline", "cancel")
        or type(response.get("model")) is str
        or type(response.get("roots")) is list
    )


def unsupported(version: object) -> RpcError:
    data = {"supported": list(MODERN_VERSIONS), "requested": version}
    return RpcError(UNSUPPORTED_VERSION, "This version of the protocol is not spoken here.", data)


def negotiated(params: Mapping[str, Any]) -> str:
    """The version that a client of the older era is told."""
    wanted = params.get("protocolVersion")
    described = type(params.get("capabilities")) is dict and _is_implementation(params.get("clientInfo"))
    if type(wanted) is not str or not described:
        raise RpcError(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo.")
    return wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def _is_implementation(client: Any) -> bool:
    return type(client) is dict and type(client.get("name")) is str and type(client.get("version")) is str


def _decoded(value: str | None) -> str | None:
    """What a header says; a text that headers cannot carry is sent in base64 between marks."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    import base64

    packed = value[len("=?base64?") : -len("?=")]
    try:
        content = base64.b64decode(packed, validate=True)
        text = content.decode()
    except ValueError:
        return None
    return text if base64.b64encode(content).decode() == packed else None
