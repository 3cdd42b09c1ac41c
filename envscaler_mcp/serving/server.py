"""One world as a Model Context Protocol server, in both eras of the protocol.

The tools, the introduction and the rules never change while a server lives. The tasks it offers are those that can be
done in the world it was opened with. Each list may be kept for an hour.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError
from envscaler_mcp.serving import server_info
from envscaler_mcp.serving.client_log import ClientLog
from envscaler_mcp.serving.listing import listed_tools
from envscaler_mcp.serving.outcome import Outcome, ended, meta_of
from envscaler_mcp.serving.records import Reading, RecordResources, progress_after
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY, INTRODUCTION, KEPT_MS, NO_KEY, RULES, is_key
from envscaler_mcp.serving.world import World
from envscaler_mcp.serving.world_slot import WorldSlot

logger = logging.getLogger(__name__)

_AN_HOUR = CacheHint(ttl_ms=KEPT_MS, scope="public")
_Context = ServerRequestContext[Any]
Tasks = Callable[[], Sequence[Scenario]]
Begin = Callable[[Scenario], Awaitable[bool]]
"""Puts a world at the start of a task in the place of the present one, unless that is there already; whether it did."""


def build_server(
    world: World | WorldSlot,
    tasks: Sequence[Scenario] | Tasks = (),
    begin: Begin | None = None,
    log: ClientLog | None = None,
) -> Server[Any]:
    """A server whose tools act on this world, one call at a time, and which offers the tasks as prompts.

    A function tells which tasks those are now, where another world may be put in the place of this one. With `begin`, a
    task that is asked for can be done in the world that is there afterwards. A `log` belongs to a connection on which
    messages can go before an answer.
    """
    served = world if isinstance(world, WorldSlot) else WorldSlot(world)
    environment = served.world.environment
    turns = _Turns(served)
    tools = types.ListToolsResult.model_validate({"tools": listed_tools(environment)})
    texts = {INTRODUCTION: server_info.introduction_text(environment), RULES: server_info.rules_text(environment)}
    records = RecordResources(environment)
    templates = types.ListResourceTemplatesResult.model_validate({"resourceTemplates": records.templates})
    resources = types.ListResourcesResult.model_validate({"resources": server_info.resources(environment)})

    async def list_tools(_context: _Context, _params: Any) -> types.ListToolsResult:
        return tools

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        meta: dict[str, Any] = dict(context.meta or {})
        outcome = await turns.call(params.name, params.arguments, meta.get(IDEMPOTENCY_KEY))
        if log is not None:
            await log.note_call(context, params.name, outcome.kind)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=outcome.text)],
            structured_content=outcome.structured,
            is_error=outcome.is_error,
            meta=meta_of(outcome.kind),
        )

    async def list_resources(_context: _Context, _params: Any) -> types.ListResourcesResult:
        return resources

    async def list_templates(_context: _Context, _params: Any) -> types.ListResourceTemplatesResult:
        return templates

    async def read_resource(context: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if records.named(uri) is not None:
            record = await turns.read(records.read(uri), context)
            if record is not None:
                content = types.TextResourceContents.model_validate(record)
                return types.ReadResourceResult(contents=[content], ttl_ms=0, cache_scope="private")
        if uri not in texts:
            raise MCPError(types.INVALID_PARAMS, server_info.no_resource(uri), {"uri": uri})
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=texts[uri])
        return types.ReadResourceResult(contents=[content])

    server: Server[Any] = Server(
        environment.id,
        version=environment.version,
        title=environment.title,
        description=environment.about,
        icons=[types.Icon.model_validate(icon) for icon in server_info.ICONS],
        instructions=server_info.instructions(environment),
        cache_hints=dict.fromkeys(
            (
                *("tools/list", "resources/list", "resources/templates/list", "resources/read"),
                *(("prompts/list",) if tasks else ()),
            ),
            _AN_HOUR,
        ),
        # The SDK would search each schema for headers that repeat an argument, and no schema of ours asks for any.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        **(_completion(records, turns) if records.kinds else {}),
        **(_prompts(tasks if callable(tasks) else lambda: tasks, begin, log) if tasks else {}),
    )
    if log is not None:
        log.offered_by(server)
    # The default is a tracing span around each request, which costs as much as the request.
    server.middleware.clear()
    return server


class _Turns:
    """Calls on the served world, whatever they come with."""

    def __init__(self, served: WorldSlot) -> None:
        self._served = served

    async def call(self, tool: str, arguments: dict[str, Any] | None, key: Any) -> Outcome:
        if key is not None and not is_key(key):
            return Outcome.saying("invalid", NO_KEY)
        given = {} if arguments is None else arguments
        served = self._served
        try:
            return await served.turn(lambda: served.world.call(tool, given, key))
        except EnvScalerError as cause:
            logger.exception("a call of %r in %s", tool, served.world.environment.id)
            return ended(cause.reason if isinstance(cause, WorkerEndedError) else "")

    async def read(self, reading: Reading, context: _Context) -> dict[str, Any] | None:
        """What comes of a reading that makes calls; a client that asked for progress hears of each page before the last."""
        try:
            tool, arguments = next(reading)
            while True:
                outcome = await self.call(tool, arguments, None)
                progress = progress_after(outcome, arguments)
                tool, arguments = reading.send(outcome)
                if progress is not None:
                    await context.session.report_progress(*progress, "records looked through")
        except StopIteration as done:
            read: dict[str, Any] | None = done.value
            return read


def _completion(records: RecordResources, turns: _Turns) -> dict[str, Any]:
    async def complete(context: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        asked = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        completion = await turns.read(records.complete(asked), context)
        return types.CompleteResult.model_validate({"completion": completion})

    return {"on_completion": complete}


def _prompts(tasks: Tasks, begin: Begin | None, log: ClientLog | None) -> dict[str, Any]:
    async def list_prompts(_context: _Context, _params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": server_info.prompts(tasks())})

    async def get_prompt(context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        chosen = next((task for task in tasks() if task.id == params.name), None)
        if chosen is None:
            raise MCPError(types.INVALID_PARAMS, server_info.no_prompt(params.name), {"name": params.name})
        if begin is not None and await begin(chosen) and log is not None:
            await log.note_start(context, chosen.id)
        content = types.TextContent(type="text", text=chosen.task)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}
