"""An external MCP server in an episode: it is called as by any client, and has no control plane."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from mcp_types import Tool as ListedTool

from envscaler_mcp.artifacts import StateDiff, Tool
from envscaler_mcp.errors import LaunchError, WorkerEndedError, boundary, first_in, ungrouped
from envscaler_mcp.launch.stdio import connected
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool

CALL_TIMEOUT = 60.0
"""Seconds until a call that is not answered is given up."""
_PAGES = 100
"""Of a list of tools; a server whose list never ends is not used."""

Target = str | tuple[str, ...]
"""The URL of a server, or the command that starts one."""


@asynccontextmanager
async def foreign_server(name: str, target: Target, patience: float = CALL_TIMEOUT) -> AsyncIterator[ForeignServer]:
    """The server, for the block. `LaunchError` where it cannot be reached; it may go away later, and the block goes on."""
    with ungrouped():
        async with anyio.create_task_group() as group:
            server = ForeignServer(name, patience)
            # In a task of its own: a client whose server goes away cancels the task that holds it.
            await group.start(server._hold, target)
            yield server
            group.cancel_scope.cancel()


class ForeignServer:
    """Its tools, what it says of itself, and the way to it."""

    def __init__(self, name: str, patience: float) -> None:
        self.name = name
        self.introduction = ""
        self.tools: Mapping[str, CallableTool] = {}
        self._patience = patience
        self._client: Client | None = None
        self._calling = anyio.CancelScope()

    async def _hold(self, target: Target, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        failure = f"The server {self.name!r} did not start" if isinstance(target, tuple) else f"{target} is not reached"
        server = (
            StdioServerParameters(command=target[0], args=list(target[1:])) if isinstance(target, tuple) else target
        )
        opened = False
        try:
            async with connected(Client(server, read_timeout_seconds=self._patience), failure) as client:
                with boundary(LaunchError, f"The server {self.name!r} does not tell its tools"):
                    self.tools = {tool.name: _callable(tool) for tool in await _listed(client)}
                self.introduction = client.instructions or _title(client) or f"The server {self.name}."
                self._client, opened = client, True
                task_status.started()
                await anyio.sleep_forever()
        except Exception as cause:
            if not opened:
                reason = first_in(cause) if isinstance(cause, ExceptionGroup) else cause
                raise reason if isinstance(reason, LaunchError) else LaunchError(f"{failure}: {reason}") from cause
        finally:
            self._client = None
            self._calling.cancel()

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:  # noqa: ARG002
        """What the tool answered; what that changed is not known. `WorkerEndedError` where the server is gone."""
        if self._client is None:
            raise self._gone()
        with anyio.CancelScope() as self._calling:
            return await self._called(self._client, tool, arguments), StateDiff()
        raise self._gone()

    async def _called(self, client: Client, tool: str, arguments: dict[str, Any]) -> Outcome:
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError as cause:
            if cause.code == CONNECTION_CLOSED:
                raise self._gone() from cause
            return Outcome.saying("refused", str(cause))
        except Exception as cause:
            # It answered what the protocol, or what it says of itself, does not allow.
            return Outcome.saying("refused", f"The answer of {tool!r} cannot be used: {cause}")
        return Outcome("refused" if result.is_error else "done", _text(result))

    async def state(self) -> Mapping[str, Any]:
        """Empty: its state cannot be read."""
        return {}

    def _gone(self) -> WorkerEndedError:
        return WorkerEndedError("crash", f"the server {self.name!r} has ended, or is not reached any more")


async def _listed(client: Client) -> list[ListedTool]:
    page = await client.list_tools()
    tools = [*page.tools]
    for _ in range(_PAGES):
        if not page.next_cursor:
            break
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    if not tools:
        raise LaunchError("There are none.")
    return tools


def _callable(listed: ListedTool) -> CallableTool:
    """Nothing is checked here but that arguments are an object: what its schema means is the server's to say."""
    reads = listed.annotations is not None and listed.annotations.read_only_hint is True
    tool = Tool(
        name=listed.name,
        description=listed.description or listed.title or "",
        effect="reads" if reads else "writes",
        input_schema=listed.input_schema,
    )
    return CallableTool(tool, _check, nested=True)


def _check(arguments: Any) -> str | None:
    return None if isinstance(arguments, dict) else "The arguments must be an object."


def _title(client: Client) -> str:
    info = client.server_info
    return "" if info is None else info.title or info.name


def _text(result: CallToolResult) -> str:
    """What an agent that reads can be told of the answer."""
    texts = [_block(block) for block in result.content]
    if not texts and result.structured_content is not None:
        texts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(texts).encode(errors="replace").decode() or "(nothing)"


def _block(content: Any) -> str:
    if isinstance(content, TextContent):
        return content.text
    if isinstance(content, ResourceLink):
        return f"[{content.name}: {content.uri}]"
    if isinstance(content, EmbeddedResource):
        inner = content.resource
        return inner.text if isinstance(inner, TextResourceContents) else f"[{inner.mime_type}: {inner.uri}]"
    return f"[{content.mime_type}, which cannot be shown as text]"
