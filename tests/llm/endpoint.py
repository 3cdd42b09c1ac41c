"""An OpenAI-compatible endpoint that answers from a script: a real server, and every way in which a real one goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Asked = Mapping[str, Any]
"""The body of a request."""


@dataclass(frozen=True)
class Say:
    """A good answer."""

    text: str | None
    reasoning: str = ""
    finish: str = "stop"
    tool_calls: Sequence[tuple[str, str]] = ()
    refusal: str | None = None
    usage: tuple[int, int] = (100, 50)

    def body(self, asked: Asked) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = [
                {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for at, (name, arguments) in enumerate(self.tool_calls)
            ]
        prompt, completion = self.usage
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": asked.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
        }


@dataclass(frozen=True)
class Fail:
    """An error as endpoints report it."""

    status: int
    message: str = "not now"
    headers: Mapping[str, str] = field(default_factory=dict)
    param: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Vector:
    """Embeddings, one number each: the length of the text."""


class Reset:
    """The connection ends in the middle of nowhere."""


class Half:
    """The connection ends in the middle of the answer."""


class Hang:
    """Nothing comes, ever."""


class Trickle:
    """Something comes all the time, and never an answer."""


@dataclass(frozen=True)
class Garbage:
    """Something comes that is no answer."""

    body: bytes = b"<html>Welcome to the gateway</html>"
    kind: str = "text/html"
    encoding: str = "identity"


Reply = Say | Fail | Vector | Reset | Half | Hang | Trickle | Garbage
Script = Callable[[Asked], Reply]


@dataclass
class ScriptedEndpoint:
    """A server that is listening."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0


def one_after_the_other(*replies: Reply) -> Script:
    """The replies in their order; the last one again and again."""
    rest = list(replies)
    return lambda _: rest.pop(0) if len(rest) > 1 else rest[0]


@asynccontextmanager
async def scripted_endpoint(script: Script, *, delay: float = 0.0) -> AsyncIterator[ScriptedEndpoint]:
    """A server on a free port of this machine."""
    place = ScriptedEndpoint("")
    talking: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talking.add(task)
        try:
            while (asked := await _request(reader)) is not None:
                place.requests.append(asked)
                place.at_once += 1
                place.most_at_once = max(place.most_at_once, place.at_once)
                try:
                    await asyncio.sleep(delay)
                    if not await _reply(_scripted(script, asked), asked, writer):
                        break
                finally:
                    place.at_once -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            talking.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    place.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield place
    finally:
        server.close()
        for task in list(talking):
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)


def _scripted(script: Script, asked: Asked) -> Reply:
    try:
        return script(asked)
    except Exception as error:
        # Told as an endpoint tells it, so that nobody asks again and waits.
        return Fail(400, f"the script does not know what to say: {error!r}")


async def _request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])}
    body: dict[str, Any] = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
    body["_path"] = head.split(" ", 2)[1]
    body["_key"] = headers.get("authorization", "").removeprefix("Bearer ")
    return body


async def _reply(reply: Reply, asked: Asked, writer: asyncio.StreamWriter) -> bool:
    """Whether the connection goes on."""
    match reply:
        case Hang():
            await asyncio.sleep(3600)
            return False
        case Reset():
            return False
        case Half():
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n" + b'{"id": "chatcm'
            )
            await writer.drain()
            return False
        case Trickle():
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        case Garbage():
            await _send(writer, 200, {"content-encoding": reply.encoding}, reply.body, reply.kind)
        case Fail():
            error = {"message": reply.message, "type": "error", "param": reply.param, "code": reply.code}
            await _send(writer, reply.status, reply.headers, json.dumps({"error": error}).encode())
        case Vector():
            data = [
                {"object": "embedding", "index": at, "embedding": [float(len(text))]}
                for at, text in enumerate(asked["input"])
            ]
            body = {
                "object": "list",
                "model": asked["model"],
                "data": data,
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
            await _send(writer, 200, {}, json.dumps(body).encode())
        case Say():
            await _send(writer, 200, {}, json.dumps(reply.body(asked)).encode())
    return True


async def _send(
    writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str], body: bytes, kind: str = "application/json"
) -> None:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()
