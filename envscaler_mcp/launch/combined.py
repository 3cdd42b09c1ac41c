"""Several servers as one: each call goes to the server whose tool it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from envscaler_mcp.artifacts import StateDiff, Tool
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.local_world import no_such_tool

_LONGEST = 64
"""Of a tool's name; chat endpoints take no longer one."""


class ServerChannel(Protocol):
    """How one of them is called, and looked at."""

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]: ...

    async def state(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One of the servers."""

    name: str
    introduction: str
    tools: Mapping[str, CallableTool]
    way: ServerChannel


class Several:
    """Tools keep their names; what several of them offer has the server's name before it."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)
        self._routes = {offered: (member, tool) for offered, member, tool in _offered(self.members)}
        self.tools: Mapping[str, CallableTool] = {
            offered: replace(found, tool=found.tool.model_copy(update={"name": offered}))
            for offered, (member, tool) in self._routes.items()
            for found in [member.tools[tool]]
        }

    @property
    def introduction(self) -> str:
        """What each says of itself, under its name where there are several."""
        if len(self.members) == 1:
            return self.members[0].introduction
        return "\n".join(f"# {one.name}\n\n{one.introduction.rstrip()}\n" for one in self.members)

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools as an agent is told of them."""
        return tuple(one.tool for one in self.tools.values())

    def name_of(self, member: str, tool: str) -> str:
        """Under which name a server's tool is offered."""
        return next(
            (offered for offered, (one, own) in self._routes.items() if (one.name, own) == (member, tool)), tool
        )

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed where that can be known."""
        if tool not in self._routes:
            return no_such_tool(tool, self.tools), StateDiff()
        member, own = self._routes[tool]
        return await member.way.call(own, arguments, writes)

    async def state(self) -> Mapping[str, Any]:
        """The states of all of them, by name."""
        return {one.name: await one.way.state() for one in self.members}


def _offered(members: Sequence[Member]) -> Iterator[tuple[str, Member, str]]:
    owners = Counter(_sendable(tool) for one in members for tool in one.tools)
    taken: set[str] = set()
    for member in members:
        for tool in member.tools:
            plain = _sendable(tool)
            wanted = name = plain if owners[plain] == 1 else _sendable(f"{member.name}__{tool}")
            number = 1
            while name in taken or (name != plain and name in owners):
                number += 1
                name = f"{wanted[: _LONGEST - 4]}_{number}"
            taken.add(name)
            yield name, member, tool


def _sendable(name: str) -> str:
    """As chat endpoints take names."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_LONGEST] or "tool"
