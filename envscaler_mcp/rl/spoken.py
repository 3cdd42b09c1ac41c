"""A world at a task that a policy speaks to in a dialect, or that is disturbed. The translation is done here, so that it is the same at every place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.rl.errors import MaskedError
from envscaler_mcp.rl.places import TaskWorld
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.spoken_world import Memory, SpokenOutcome

if TYPE_CHECKING:
    from envscaler_mcp.serving.spoken_world import Interface


class SpokenTaskWorld:
    """A world of any place, and what it has told in the dialect."""

    url = ""
    """At its address an agent would meet the world's own interface."""

    def __init__(self, world: TaskWorld, interface: Interface, memory: Memory | None = None) -> None:
        self.is_here = world.is_here
        self._world = world
        self._interface = interface
        self._memory: Any = interface.memory() if memory is None else memory

    @property
    def lost(self) -> MaskedError | None:
        """What was raised when a call met that the world is gone."""
        return self._world.lost

    def call(self, tool: str, arguments: dict[str, Any], *, writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the spoken call, and what it changed."""
        meant = self._interface.call(tool, arguments, self._memory)
        if isinstance(meant, SpokenOutcome):
            return meant, StateDiff()
        outcome, diff = self._world.call(meant.tool, dict(meant.arguments), writes=writes)
        return self._interface.answer(meant, outcome, self._memory), diff

    def initial(self) -> Mapping[str, Any]:
        """The state as the world opened."""
        return self._world.initial()

    def state(self) -> Mapping[str, Any]:
        """All records as they are now."""
        return self._world.state()

    def judge(self, scoring: Scoring) -> Verdict:
        """What the state as it is now would be worth as an ending."""
        return self._world.judge(scoring)

    def fork(self, count: int) -> Sequence[SpokenTaskWorld]:
        """Worlds that continue from here, to which the same was told."""
        return [SpokenTaskWorld(world, self._interface, self._memory.copy()) for world in self._world.fork(count)]

    def close(self) -> None:
        """End the world."""
        self._world.close()

    def abandon(self) -> None:
        """End the world soon."""
        self._world.abandon()
