"""A server process of a benchmark: MCP on its standard streams, and beside it a socket for the program that runs episodes.

An agent's client sees an ordinary server whose tools change. Which task is open, what is released and how the state reads
are asked over the socket, in lines of JSON; no tool does any of it.
"""

from __future__ import annotations

import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import SocketStream

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.official.benchmark import BENCHMARKS
from envscaler_mcp.official.host import OfficialHost, asked, opened_process
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.official.world import REASON, OfficialServer, reason_of
from envscaler_mcp.serving.stdio import serve_stdio


async def serve(name: str, source: str, control: str) -> None:
    """Serve until the client closes the streams."""
    with Stage.of(BENCHMARKS[name], Path(source) if source else None) as stage:
        server = OfficialServer(name)
        listener = await anyio.create_unix_listener(control, mode=0o600)
        async with listener, anyio.create_task_group() as group:
            group.start_soon(listener.serve, _Control(stage.host, server).serve)
            await serve_stdio(server.server)
            group.cancel_scope.cancel()


class _Control:
    def __init__(self, host: OfficialHost, server: OfficialServer) -> None:
        self._host, self._server = host, server

    async def serve(self, stream: SocketStream) -> None:
        """Answer one client, line by line; the world it opened ends with it."""
        async with stream, AsyncExitStack() as stack:
            rest = b""
            async for piece in stream:
                rest += piece
                while b"\n" in rest:
                    line, _, rest = rest.partition(b"\n")
                    await stream.send(json.dumps(await self._answer(json.loads(line), stack)).encode() + b"\n")

    async def _answer(self, request: dict[str, Any], stack: AsyncExitStack) -> dict[str, Any]:
        try:
            match request["do"]:
                case "open":
                    await stack.aclose()
                    process = await stack.enter_async_context(opened_process(self._host, request["content"]))
                    await self._server.begin(process, await asked(process, "tools", 0))
                    return {"answer": True}
                case "release":
                    assert self._server.process is not None
                    await self._server.change(await asked(self._server.process, "tools", request["turn"]))
                    return {"answer": True}
                case "user":
                    assert self._server.process is not None
                    return {"answer": await asked(self._server.process, "user", *request["given"])}
                case _:
                    assert self._server.process is not None
                    return {"answer": await asked(self._server.process, "digest")}
        except EnvScalerError as cause:
            return {"failed": str(cause), REASON: reason_of(cause)}


def main() -> None:
    """The program: name of the benchmark, its folder, path of the control socket."""
    anyio.run(serve, sys.argv[1], sys.argv[2], sys.argv[3])
