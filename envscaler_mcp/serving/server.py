"""One world as a Model Context Protocol server, in both eras of the protocol.

What a client is told never changes while a server lives: the tools, the introduction and the rules are the same for
everyone, and each may be kept for an hour.
"""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from envscaler_mcp.artifacts import Environment, Scenario
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.serving.outcome import ENDED, Outcome
from envscaler_mcp.serving.served import Served
from envscaler_mcp.serving.world import World

IDEMPOTENCY_KEY = "envscaler/idempotency-key"
"""Where a client puts a call's key in `_meta`: the same call sent twice with one key is run once."""
MAX_KEY = 200

INTRODUCTION = "environment://introduction"
RULES = "environment://rules"

logger = logging.getLogger(__name__)

_AN_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_Context = ServerRequestContext[Any]


def build_server(world: World | Served, tasks: Sequence[Scenario] = ()) -> Server[Any]:
    """A server whose tools act on this world, one call at a time, and which offers the tasks as prompts."""
    served = world if isinstance(world, Served) else Served(world)
    environment = served.world.environment
    turns = _Turns(served)
    tools = types.ListToolsResult(tools=[_tool(tool) for tool in environment.tools])
    texts = {INTRODUCTION: introduction_text(environment), RULES: rules_text(environment)}
    resources = types.ListResourcesResult(resources=_resources(environment))

    async def list_tools(_context: _Context, _params: Any) -> types.ListToolsResult:
        return tools

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        meta: dict[str, Any] = dict(context.meta or {})
        outcome = await turns.call(params.name, params.arguments, meta.get(IDEMPOTENCY_KEY))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=outcome.text)],
            structured_content=outcome.payload,
            is_error=outcome.is_error,
        )

    async def list_resources(_context: _Context, _params: Any) -> types.ListResourcesResult:
        return resources

    async def list_templates(_context: _Context, _params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(_context: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in texts:
            raise MCPError(
                types.INVALID_PARAMS, f"There is no resource {uri}; there are {', '.join(texts)}.", {"uri": uri}
            )
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=texts[uri])
        return types.ReadResourceResult(contents=[content])

    server: Server[Any] = Server(
        environment.id,
        version=environment.version,
        title=environment.title,
        description=environment.about,
        instructions=f"{environment.introduction}\n\n{texts[RULES]}",
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
        **(_prompts(tasks) if tasks else {}),
    )
    # The default is a tracing span around each request, which costs as much as the request.
    server.middleware.clear()
    return server


class _Turns:
    """Calls on the served world, whatever they come with."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def call(self, tool: str, arguments: dict[str, Any] | None, key: object) -> Outcome:
        if key is not None and (not isinstance(key, str) or not 0 < len(key) <= MAX_KEY):
            return Outcome.saying("invalid", f"An idempotency key must be a text of 1 to {MAX_KEY} characters.")
        given = {} if arguments is None else arguments
        served = self._served
        try:
            return await served.turn(lambda: served.world.call(tool, given, key))
        except EnvScalerError:
            logger.exception("a call of %r in %s", tool, served.world.environment.id)
            return ENDED


def _prompts(tasks: Sequence[Scenario]) -> dict[str, Any]:
    """The tasks as prompts: the same for everybody, whichever world is served."""
    texts = {task.id: task.task for task in tasks}
    listed = types.ListPromptsResult(
        prompts=[
            types.Prompt(name=task.id, title=f"Task {number} ({task.level})", description=_first_words(task.task))
            for number, task in enumerate(tasks, 1)
        ]
    )

    async def list_prompts(_context: _Context, _params: Any) -> types.ListPromptsResult:
        return listed

    async def get_prompt(_context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = texts.get(params.name)
        if text is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt {params.name!r}.", {"name": params.name})
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}


def _first_words(text: str) -> str:
    return textwrap.shorten(text, 120, placeholder=" …")


def introduction_text(environment: Environment) -> str:
    """What an agent is told first."""
    return f"# {environment.title}\n\n{environment.about}\n\n{environment.introduction}\n"


def rules_text(environment: Environment) -> str:
    """What always holds; a call that would break it is refused with its sentence."""
    rules = "\n".join(f"- {rule}" for rule in environment.rules)
    return f"# Rules\n\nA call that would break one of these is refused and changes nothing.\n\n{rules}\n"


def _tool(tool: Any) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=types.ToolAnnotations.model_validate(tool.annotations),
    )


def _resources(environment: Environment) -> list[types.Resource]:
    return [
        types.Resource(
            uri=INTRODUCTION,
            name="introduction",
            title="Introduction",
            description=f"What {environment.title} is and who works with it.",
            mime_type="text/markdown",
        ),
        types.Resource(
            uri=RULES,
            name="rules",
            title="Rules",
            description="What always holds here.",
            mime_type="text/markdown",
        ),
    ]
