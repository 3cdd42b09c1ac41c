"""The SDK's lowlevel server as its documentation shows it, with one tool that repeats a text: `echo.py stdio|http`."""

from __future__ import annotations

import socket
import sys
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = types.Tool(
    name="echo",
    description="Say a text again.",
    input_schema={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)


async def list_tools(_context: ServerRequestContext[Any], _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


async def call_tool(_context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    text = str((params.arguments or {})["text"])
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def main(way: str) -> None:
    server: Server[Any] = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    if way == "stdio":
        anyio.run(_stdio, server)
    else:
        _http(server)


async def _stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _http(server: Server[Any]) -> None:
    # With the protocol named, as our own server does it: otherwise every answer waits for 40 ms.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    sys.stdout.write(f"http://127.0.0.1:{sock.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    config = uvicorn.Config(app, http="h11", loop="asyncio", ws="none", log_level="warning", access_log=False)
    anyio.run(uvicorn.Server(config).serve, [sock])


if __name__ == "__main__":
    main(sys.argv[1])
