"""Playing operations while watching for what their author did not foresee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envscaler_mcp.serving.deadline import within_time


@dataclass(frozen=True, slots=True)
class Surprise:
    """A call that passed every guard and was taken back by a rule, a range or a state's moves."""

    operation: str
    arguments: dict[str, Any]
    error: str


class Watch:
    """Plays operations of a compiled object, and notes refusals that no guard gave."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.surprises: list[Surprise] = []
        self.permitted: dict[str, int] = {}
        """Calls that passed every guard, by operation."""
        self._taken_back = ""
        take_back = world._take_back

        def noting(error: str) -> Any:
            self._taken_back = error
            return take_back(error)

        world._take_back = noting

    def play(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the operation answers."""
        self._taken_back = ""
        result: dict[str, Any] = within_time(getattr(self.world, operation), arguments)
        if result["success"] or self._taken_back:
            self.permitted[operation] = self.permitted.get(operation, 0) + 1
        if self._taken_back:
            self.surprises.append(Surprise(operation, arguments, self._taken_back))
        return result
