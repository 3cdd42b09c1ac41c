"""The control plane as a line of its own: JSON lines over a unix socket or a loopback port, for whoever has the token.

It shares no listener, no address and no message with the agent plane, and it has no request that calls a tool.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import anyio
import anyio.abc
import anyio.to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import LaunchError, SandboxError, WorldError
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value
from envscaler_mcp.serving.world_slot import WorldSlot

MAX_REQUEST = 64 * 1024
"""How long a request may be, in bytes; whoever sends a longer one is hung up on."""
PATIENCE = 5.0
"""Seconds a newcomer has to show the token."""

Open = Callable[[str | None, str | None, int | None], Session]
"""A session at a scenario, or at a state, and with a seed; each by its name, or as it lies nearest."""

T = TypeVar("T")


class ControlPlane:
    """The sessions of one server: the one it serves, and those forked from it."""

    def __init__(self, served: WorldSlot, session: Session, open_session: Open) -> None:
        self._served = served
        self._open = open_session
        self._current = "1"
        self._sessions = {"1": session}
        self._opened = 1
        self._doings: dict[str, Callable[[Mapping[str, Any]], Awaitable[Any]]] = {
            "open": self._do_open,
            "state": lambda asked: self._read(asked, lambda one: one.state()),
            "hash": lambda asked: self._read(asked, lambda one: one.state_hash()),
            "diff": lambda asked: self._read(asked, lambda one: one.diff().model_dump(mode="json")),
            "diff_since_start": lambda asked: self._read(
                asked, lambda one: one.diff_since_start().model_dump(mode="json")
            ),
            "snapshot": lambda asked: self._read(asked, lambda one: one.snapshot()),
            "restore": self._do_restore,
            "fork": self._do_fork,
            "serve": self._do_serve,
            "verify": self._do_verify,
            "close": self._do_close,
        }

    async def answer(self, line: bytes) -> dict[str, Any]:
        """What a request is told; no error names a path or shows code."""
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            return {"id": None, "error": "A request is one JSON object on a line."}
        if type(asked) is not dict:
            return {"id": None, "error": "A request is one JSON object on a line."}
        number = asked.get("id") if type(asked.get("id")) in (int, str) else None
        doing = asked.get("do")
        does = self._doings.get(doing) if type(doing) is str else None
        if does is None:
            return {
                "id": number,
                "error": f"There is no request {quote_value(doing)}{did_you_mean(doing, self._doings)}",
            }
        try:
            return {"id": number, "ok": await does(asked)}
        except (WorldError, SandboxError) as cause:
            return {"id": number, "error": str(cause)}
        except Exception as cause:
            return {"id": number, "error": f"{doing} could not be done: {type(cause).__name__}."}

    def _session(self, asked: Mapping[str, Any]) -> Session:
        name = _field(asked, "session", str, self._current)
        found = self._sessions.get(name)
        if found is None:
            raise WorldError(f"There is no session {quote_value(name)}.")
        return found

    async def _read(self, asked: Mapping[str, Any], act: Callable[[Session], T]) -> T:
        session = self._session(asked)
        return await self._served.turn(lambda: act(session))

    def _added(self, session: Session) -> str:
        self._opened += 1
        self._sessions[str(self._opened)] = session
        return str(self._opened)

    async def _do_open(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A new session takes the place of the served one, which ends."""
        scenario, state = _field(asked, "scenario", str, None), _field(asked, "state", str, None)
        seed = _field(asked, "seed", int, None)
        session = await self._served.turn(lambda: self._open(scenario, state, seed))
        former = self._sessions.pop(self._current, None)
        self._current = self._added(session)
        self._served.world = session.world
        if former is not None:
            await self._served.turn(former.close)
        return {"session": self._current}

    async def _do_restore(self, asked: Mapping[str, Any]) -> bool:
        mark = _field(asked, "mark", int)
        await self._read(asked, lambda one: one.restore(mark))
        return True

    async def _do_fork(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"session": self._added(await self._read(asked, lambda one: one.fork()))}

    async def _do_serve(self, asked: Mapping[str, Any]) -> bool:
        """From here on agents act on this session's world."""
        self._served.world = self._session(asked).world
        self._current = _field(asked, "session", str, self._current)
        return True

    async def _do_verify(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Agents may go on while checks run on the state that was read."""
        scoring = _field(asked, "scoring", str, "framed")
        if scoring not in get_args(Scoring):
            raise WorldError(f"There is no scoring {quote_value(scoring)}; there are {', '.join(get_args(Scoring))}.")
        session = self._session(asked)
        final = await self._served.turn(session.state)
        verdict = await anyio.to_thread.run_sync(session.judged, final, scoring)
        return verdict.model_dump(mode="json")

    async def _do_close(self, asked: Mapping[str, Any]) -> bool:
        session = self._session(asked)
        del self._sessions[_field(asked, "session", str, self._current)]
        await self._served.turn(session.close)
        return True

    def close(self) -> None:
        """End every session."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()


_NEEDED: Any = object()


def _field(asked: Mapping[str, Any], name: str, kind: type, default: Any = _NEEDED) -> Any:
    value = asked.get(name, default)
    if value is _NEEDED:
        raise WorldError(f"{name} is missing.")
    if value is not default and type(value) is not kind:
        raise WorldError(f"{name} must be {'a text' if kind is str else 'a whole number'}, not {quote_value(value)}.")
    return value


async def listen_for_control(address: str) -> anyio.abc.Listener[anyio.abc.SocketStream]:
    """A listener at a path, which only this user may open, or at a port of this machine alone."""
    try:
        if address.isdigit():
            return await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=int(address))
        return await anyio.create_unix_listener(Path(address), mode=0o600)
    except (OSError, OverflowError) as cause:
        raise LaunchError(f"The control plane cannot listen at {address!r}: {cause}; choose another place.") from cause


async def serve_control(plane: ControlPlane, listener: anyio.abc.Listener[anyio.abc.SocketStream], token: str) -> None:
    """Answer everybody who has the token, until cancelled."""

    async def answer_one(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            try:
                await _converse(plane, stream, token)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, anyio.IncompleteRead):
                return

    async with listener:
        await listener.serve(answer_one)


async def _converse(plane: ControlPlane, stream: anyio.abc.SocketStream, token: str) -> None:
    reader = BufferedByteReceiveStream(stream)
    greeting: bytes | None = None
    with anyio.move_on_after(PATIENCE):
        greeting = await _line(reader, stream)
    if greeting is None or not _admits(greeting, token):
        await _say(stream, {"id": None, "error": "A token is needed."})
        return
    await _say(stream, {"id": None, "ok": True})
    while (line := await _line(reader, stream)) is not None:
        await _say(stream, await plane.answer(line))


def _admits(greeting: bytes, token: str) -> bool:
    try:
        said = json.loads(greeting)
    except (ValueError, RecursionError):
        return False
    named = said.get("token") if type(said) is dict else None
    return type(named) is str and hmac.compare_digest(named.encode(errors="replace"), token.encode())


async def _line(reader: BufferedByteReceiveStream, stream: anyio.abc.SocketStream) -> bytes | None:
    """The next line; None after telling somebody that theirs is too long."""
    try:
        return await reader.receive_until(b"\n", MAX_REQUEST)
    except anyio.DelimiterNotFound:
        await _say(stream, {"id": None, "error": f"A request may have {MAX_REQUEST} bytes."})
        return None


async def _say(stream: anyio.abc.SocketStream, answer: Mapping[str, Any]) -> None:
    await stream.send(encode(answer).encode() + b"\n")
