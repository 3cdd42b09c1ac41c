"""What a server tells its client beside its answers, where the client asked for it: messages of a log.

In the older era a client sets the level once, in the newer one with each request. Until then nothing is sent. A message
names tools, tasks and outcomes, never arguments or records.
"""

from __future__ import annotations

from typing import Any, get_args

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from envscaler_mcp.serving.outcome import Kind

LOGGER = "envscaler"
LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)
"""From the least to the most severe."""
_OF_CALLS: dict[Kind, types.LoggingLevel] = {
    "done": "debug",
    "refused": "debug",
    "invalid": "debug",
    "limited": "warning",
    "failed": "error",
    "ended": "error",
    "exhausted": "error",
}
_Context = ServerRequestContext[Any]


class ClientLog:
    """The log of one connection on which messages can go before an answer, such as standard streams."""

    def __init__(self) -> None:
        self._level: types.LoggingLevel | None = None

    def offered_by(self, server: Server[Any]) -> None:
        """Let clients set the level; the server lists the capability then."""
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)

    async def note_call(self, context: _Context, tool: str, kind: Kind) -> None:
        """Tell what came of a call; calls that went wrong for another reason than their arguments are severe."""
        await self._tell(context, _OF_CALLS[kind], {"event": "call", "tool": tool, "outcome": kind})

    async def note_start(self, context: _Context, task: str) -> None:
        """Tell that another world is in the place of the one that the client knew."""
        await self._tell(context, "notice", {"event": "new world", "task": task})

    async def _set_level(self, _context: _Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._level = params.level
        return types.EmptyResult()

    async def _tell(self, context: _Context, level: types.LoggingLevel, data: dict[str, str]) -> None:
        wanted = self._wanted(context)
        if wanted is None or LEVELS.index(level) < LEVELS.index(wanted):
            return
        params = types.LoggingMessageNotificationParams(level=level, logger=LOGGER, data=data)
        await context.session.send_notification(types.LoggingMessageNotification(params=params), context.request_id)

    def _wanted(self, context: _Context) -> types.LoggingLevel | None:
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return self._level
        meta: dict[str, Any] = dict(context.meta or {})
        asked = meta.get(types.LOG_LEVEL_META_KEY)
        return next((level for level in LEVELS if level == asked), None)
