"""The world of an official task behind an MCP server, and a client of that server.

Arguments are not checked against the schemas, and results have none: the official code answers whatever it is asked, also
for a tool that is not listed. What resets, releases or reads a world is no tool.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import Field

from envscaler_mcp.artifacts import StateDiff, Tool
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError
from envscaler_mcp.official.host import OfficialHost, OfficialProcess, asked, opened
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool

DOCUMENT = "envscaler/official"
"""Under this name the `_meta` of a tool has what the authors' definition says beside name, description and parameters."""
_CHANGE_SECONDS = 30.0
# The client says so of every call of a tool that is not listed, and an official world answers these like any other.
logging.getLogger("client").addFilter(lambda record: "not listed by server" not in str(record.msg))
_Context = ServerRequestContext[Any]


class OfficialTool(Tool):
    """A tool of an official benchmark: models are told of it by the authors' own definition."""

    more: dict[str, Any] = Field(default_factory=dict)
    """What that says beside name, description and parameters."""

    @property
    def function(self) -> dict[str, Any]:
        """The tool as chat endpoints are told of it in an official run."""
        definition = {"name": self.name, "description": self.description, "parameters": self.input_schema, **self.more}
        return {"type": "function", "function": definition}


class OfficialServer:
    """An MCP server in front of a fork of official code."""

    def __init__(self, name: str, process: OfficialProcess, definitions: Sequence[Mapping[str, Any]]) -> None:
        self._process = process
        self._definitions = definitions
        self._sessions: list[Any] = []
        self._turn = anyio.Lock()
        self.server: Server[Any] = Server(
            name,
            get_tool_input_schema=lambda _name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.server.middleware.clear()

    async def change(self, definitions: Sequence[Mapping[str, Any]]) -> None:
        """Other tools from here on; clients are told so."""
        self._definitions = definitions
        for session in self._sessions:
            await session.send_tool_list_changed()

    async def _list_tools(self, context: _Context, _params: Any) -> types.ListToolsResult:
        if context.session not in self._sessions:
            self._sessions.append(context.session)
        return types.ListToolsResult(tools=[_listed(definition) for definition in self._definitions])

    async def _call_tool(self, _context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with self._turn:
            try:
                text, is_error = await asked(self._process, "call", params.name, dict(params.arguments or {}))
            except EnvScalerError as cause:
                raise MCPError(types.INTERNAL_ERROR, str(cause)) from cause
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


class OfficialWorld:
    """A task's world, as an episode calls it: through the protocol."""

    def __init__(self, process: OfficialProcess, server: OfficialServer, client: Client) -> None:
        self.tools: Mapping[str, CallableTool] = {}
        """What is listed now."""
        self._process, self._server, self._client = process, server, client
        self._changed = anyio.Event()

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:  # noqa: ARG002
        """The official answer, letter by letter."""
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as cause:
            raise WorkerEndedError("crash", str(cause)) from cause
        text = "".join(block.text for block in result.content if isinstance(block, types.TextContent))
        return Outcome("refused" if result.is_error else "done", text), StateDiff()

    async def state(self) -> Mapping[str, Any]:
        """Nothing: official objects have no form in JSON that keeps what they are."""
        return {}

    async def release(self, turn: int) -> None:
        """The tools of the turn of this number, which the agent's client hears of as any client would."""
        definitions = await asked(self._process, "tools", turn)
        self._changed = anyio.Event()
        await self._server.change(definitions)
        with anyio.fail_after(_CHANGE_SECONDS):
            await self._changed.wait()
        await self.read_tools()

    async def ask(self, method: str, *given: Any) -> Any:
        """What the benchmark's own code answers beside its tools; no agent can ask it."""
        return await asked(self._process, method, *given)

    async def digest(self) -> str:
        """Of the state as the official check compares it; empty where the benchmark has no such thing."""
        digest: str = await asked(self._process, "digest")
        return digest

    async def read_tools(self) -> None:
        """List the tools anew."""
        listed = await self._client.list_tools()
        self.tools = {tool.name: _callable(tool) for tool in listed.tools}

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()


@asynccontextmanager
async def open_world(host: OfficialHost, name: str, content: Mapping[str, Any]) -> AsyncIterator[OfficialWorld]:
    """The world of a task, its server and a client of that, for the block."""
    async with opened(host, content) as process:
        server = OfficialServer(name, process, await asked(process, "tools", 0))
        heard: list[OfficialWorld] = []

        async def hear(message: Any) -> None:
            for world in heard:
                await world._hear(message)

        # The handshake of 2025: changes of a list arrive unasked, as most hosts hear of them today.
        async with Client(server.server, mode="legacy", message_handler=hear) as client:
            world = OfficialWorld(process, server, client)
            heard.append(world)
            await world.read_tools()
            yield world


def _listed(definition: Mapping[str, Any]) -> types.Tool:
    more = {key: value for key, value in definition.items() if key not in ("name", "description", "parameters")}
    return types.Tool.model_validate(
        {
            "name": definition["name"],
            "description": definition.get("description", ""),
            "inputSchema": definition["parameters"],
            "_meta": {DOCUMENT: more},
        }
    )


def _callable(listed: types.Tool) -> CallableTool:
    more = (listed.meta or {}).get(DOCUMENT, {})
    tool = OfficialTool(
        name=listed.name,
        description=listed.description or "",
        effect="writes",
        input_schema=listed.input_schema,
        more=more if isinstance(more, dict) else {},
    )
    return CallableTool(tool, _check, nested=True)


def _check(arguments: Any) -> str | None:
    return None if isinstance(arguments, dict) else "The arguments must be an object."
