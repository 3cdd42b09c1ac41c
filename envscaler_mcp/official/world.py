"""The world of an official task behind an MCP server, and a client of that server.

Arguments are not checked against the schemas, and results have none: the official code answers whatever it is asked, also
for a tool that is not listed. What resets, releases or reads a world is no tool.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol, get_args

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from pydantic import Field

from envscaler_mcp.artifacts import StateDiff, Step, Tool
from envscaler_mcp.errors import EnvScalerError, Reason, UnreadableStateError, WorkerEndedError, ungrouped
from envscaler_mcp.official.host import OfficialHost, OfficialProcess, asked, opened_process
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.control.schemas import Judgement
from envscaler_mcp.serving.outcome import kind_of

DOCUMENT = "envscaler/official"
"""Under this name the `_meta` of a tool has the authors' own definition of it."""
REASON = "envscaler/reason"
"""Under this name an error says why a world is gone."""
_CHANGE_SECONDS = 30.0
# The client says so of every call of a tool that is not listed, and an official world answers these like any other.
logging.getLogger("client").addFilter(lambda record: "not listed by server" not in str(record.msg))
_Context = ServerRequestContext[Any]


class OfficialTool(Tool):
    """A tool of an official benchmark: models are told of it by the authors' own definition."""

    definition: dict[str, Any] = Field(default_factory=dict)

    @property
    def function(self) -> dict[str, Any]:
        """The tool as chat endpoints are told of it in an official run."""
        return {"type": "function", "function": self.definition}


class _ChangingServer(Server[Any]):
    """Says that its list of tools may change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *given: Any, **more: Any
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True), *given, **more
        )


class OfficialServer:
    """An MCP server in front of forks of official code, one after the other."""

    def __init__(self, name: str) -> None:
        self.process: OfficialProcess | None = None
        self._definitions: Sequence[Mapping[str, Any]] = ()
        self._sessions: list[Any] = []
        self._turn = anyio.Lock()
        self.server: Server[Any] = _ChangingServer(
            name,
            get_tool_input_schema=lambda _name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.server.middleware.clear()

    async def begin(self, process: OfficialProcess, definitions: Sequence[Mapping[str, Any]]) -> None:
        """Another world from here on."""
        self.process = process
        await self.change(definitions)

    async def change(self, definitions: Sequence[Mapping[str, Any]]) -> None:
        """Other tools from here on; clients are told so."""
        self._definitions = definitions
        for session in self._sessions:
            await session.send_tool_list_changed()

    async def _list_tools(self, context: _Context, _params: Any) -> types.ListToolsResult:
        if context.session not in self._sessions:
            self._sessions.append(context.session)
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(listing(definition)) for definition in self._definitions]
        )

    async def _call_tool(self, _context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with self._turn:
            if self.process is None:
                raise MCPError(types.INTERNAL_ERROR, "no task is open")
            try:
                text, is_error = await asked(self.process, "call", params.name, dict(params.arguments or {}))
            except EnvScalerError as cause:
                raise MCPError(types.INTERNAL_ERROR, str(cause), {REASON: reason_of(cause)}) from cause
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


class WorldControl(Protocol):
    """What the program that opened a world asks of it, beside calls."""

    async def release(self, turn: int) -> None:
        """Let the server list the tools of the turn of this number."""

    async def digest(self) -> str:
        """Of the state as the official check compares it."""

    async def user(self, *given: Any) -> Any:
        """What the code of the task's user answers."""

    async def judged(self, steps: Sequence[Step]) -> Judgement | None:
        """The verdict on an episode in it; None where the program itself asks the judge."""


class _Here:
    """The control of a world whose server is in this process."""

    def __init__(self, process: OfficialProcess, server: OfficialServer) -> None:
        self._process, self._server = process, server

    async def release(self, turn: int) -> None:
        await self._server.change(await asked(self._process, "tools", turn))

    async def digest(self) -> str:
        digest: str = await asked(self._process, "digest")
        return digest

    async def user(self, *given: Any) -> Any:
        return await asked(self._process, "user", *given)

    async def judged(self, steps: Sequence[Step]) -> None:  # noqa: ARG002
        return None


class Hearing:
    """Hands on to the world that is open what its client hears unasked."""

    def __init__(self) -> None:
        self._world: OfficialWorld | None = None

    @contextmanager
    def told_to(self, world: OfficialWorld) -> Iterator[None]:
        """To this world, for the block."""
        self._world = world
        try:
            yield
        finally:
            self._world = None

    async def hear(self, message: Any) -> None:
        """A message of the server."""
        if self._world is not None:
            await self._world.hear(message)


class OfficialWorld:
    """A task's world, as an episode calls it: through the protocol."""

    def __init__(self, control: WorldControl, client: Client) -> None:
        self.tools: Mapping[str, CallableTool] = {}
        """What is listed now."""
        self._control, self._client = control, client
        self._changed = anyio.Event()

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:  # noqa: ARG002
        """The official answer, letter by letter."""
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as cause:
            raise loss(cause.error.data, str(cause)) from cause
        text = "".join(block.text for block in result.content if isinstance(block, types.TextContent))
        return Outcome(kind_of(result.meta, bool(result.is_error)), text), StateDiff()

    async def state(self) -> Mapping[str, Any]:
        """Nothing: official objects have no form in JSON that keeps what they are."""
        return {}

    async def release(self, turn: int) -> None:
        """The tools of the turn of this number, which the agent's client hears of as any client would."""
        self._changed = anyio.Event()
        await self._control.release(turn)
        with anyio.fail_after(_CHANGE_SECONDS):
            await self._changed.wait()
        await self.read_tools()

    async def user(self, *given: Any) -> Any:
        """What the code of the task's user answers, where that is official; no agent can ask it."""
        return await self._control.user(*given)

    async def judged(self, steps: Sequence[Step]) -> Judgement | None:
        """The verdict of the farm that holds the world; None where the program itself asks the judge."""
        return await self._control.judged(steps)

    async def digest(self) -> str:
        """Of the state as the official check compares it; empty where the benchmark has no such thing."""
        return await self._control.digest()

    async def read_tools(self) -> None:
        """List the tools anew."""
        listed = await self._client.list_tools()
        self.tools = {tool.name: _callable(tool) for tool in listed.tools}

    async def hear(self, message: Any) -> None:
        """A message of the server that answers no request."""
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()


@asynccontextmanager
async def open_official_world(
    host: OfficialHost, name: str, content: Mapping[str, Any]
) -> AsyncIterator[OfficialWorld]:
    """The world of a task, its server and a client of that, for the block."""
    hearing = Hearing()
    # What the block raises would leave the client's task group as a group.
    with ungrouped():
        async with opened_process(host, content) as process:
            server = OfficialServer(name)
            await server.begin(process, await asked(process, "tools", 0))
            # The handshake of 2025: changes of a list arrive unasked, as most hosts hear of them today.
            async with Client(server.server, mode="legacy", message_handler=hearing.hear) as client:
                world = OfficialWorld(_Here(process, server), client)
                with hearing.told_to(world):
                    await world.read_tools()
                    yield world


def reason_of(cause: EnvScalerError) -> str:
    """Why a world is gone, for another process."""
    if isinstance(cause, UnreadableStateError):
        return "state"
    return cause.reason if isinstance(cause, WorkerEndedError) else "crash"


def loss(said: Any, message: str) -> WorkerEndedError | UnreadableStateError:
    """What another process has said of it."""
    reason = said.get(REASON) if isinstance(said, dict) else None
    if reason == "state":
        return UnreadableStateError(message)
    reasons: dict[Any, Reason] = {each: each for each in get_args(Reason)}
    return WorkerEndedError(reasons.get(reason, "crash") if type(reason) is str else "crash", message)


def listing(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as the protocol lists it."""
    return {
        "name": definition["name"],
        "description": definition.get("description", ""),
        "inputSchema": definition["parameters"],
        # The SDK sorts the keys of a schema, and models read them in the authors' order.
        "_meta": {DOCUMENT: definition},
    }


def _callable(listed: types.Tool) -> CallableTool:
    plain = {"name": listed.name, "description": listed.description or "", "parameters": listed.input_schema}
    definition = (listed.meta or {}).get(DOCUMENT)
    tool = OfficialTool(
        name=listed.name,
        description=listed.description or "",
        effect="writes",
        input_schema=listed.input_schema,
        definition=definition if isinstance(definition, dict) else plain,
    )
    return CallableTool(tool, _check, nested=True)


def _check(arguments: Any) -> str | None:
    return None if isinstance(arguments, dict) else "The arguments must be an object."
