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
"""Letters of a tool's name; chat endpoints take no longer one."""


class ServerChannel(Protocol):
    """How one of them is called, and its state read."""

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]: ...

    async def state(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One of the servers."""

    name: str
    introduction: str
    tools: Mapping[str, CallableTool]
    channel: ServerChannel
    is_world: bool = False
    """Whether it is a world of a home, which answers calls of tools that it does not have, each kind in its own words."""


class CombinedServers:
    """Tools keep their names; those that several servers have get the server's name in front."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)
        first = self.members[0]
        # A world alone is called as it is: most episodes are played so.
        self._only = first.channel if len(self.members) == 1 and first.is_world else None
        self._routes = {} if self._only else {name: (member, tool) for name, member, tool in _named(self.members)}
        self.tools: Mapping[str, CallableTool] = (
            first.tools if self._only else {name: _renamed(*route, name) for name, route in self._routes.items()}
        )

    @property
    def introduction(self) -> str:
        """What each says of itself, under its name where there are several."""
        if len(self.members) == 1:
            return self.members[0].introduction
        return "\n".join(f"# {member.name}\n\n{member.introduction.rstrip()}\n" for member in self.members)

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools as an agent is told of them."""
        return tuple(callable_tool.tool for callable_tool in self.tools.values())

    def name_of(self, server: str, tool: str) -> str:
        """Under which name a server's tool is offered."""
        routes = ((name, member.name, own) for name, (member, own) in self._routes.items())
        return next((name for name, member, own in routes if (member, own) == (server, tool)), tool)

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed where that can be known."""
        if self._only is not None:
            return await self._only.call(tool, arguments, writes)
        if tool not in self._routes:
            return no_such_tool(tool, self.tools), StateDiff()
        member, own = self._routes[tool]
        return await member.channel.call(own, arguments, writes)

    async def state(self) -> Mapping[str, Any]:
        """The states of all of them, by name."""
        return {member.name: await member.channel.state() for member in self.members}


def _renamed(member: Member, tool: str, name: str) -> CallableTool:
    callable_tool = member.tools[tool]
    return replace(callable_tool, tool=callable_tool.tool.model_copy(update={"name": name}))


def _named(members: Sequence[Member]) -> Iterator[tuple[str, Member, str]]:
    """Each tool of each server with a name of its own."""
    owners = Counter(_sendable(tool) for member in members for tool in member.tools)
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
