"""Arguments that a blueprint's own values and guards make likely to be permitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.model import Model, Operation, Query
from envscaler_mcp.sampling.arguments import Arguments
from envscaler_mcp.sampling.chance import Chance

_DRAWS = 60


class Suggestions:
    """What may be asked of each operation and query of a model; of other tools nothing is known."""

    def __init__(self, model: Model | None) -> None:
        asked: dict[str, Operation | Query] = {**model.operations, **model.queries} if model is not None else {}
        self._arguments = (
            {name: Arguments(operation, model) for name, operation in asked.items()} if model is not None else {}
        )

    def knows(self, tool: str) -> bool:
        """Whether the model says anything about the tool's arguments."""
        return tool in self._arguments

    def of(self, tool: str, state: Mapping[str, Any], turn: int = 0) -> Iterator[dict[str, Any]]:
        """Arguments for the tool in a state; the same each time for the same turn."""
        arguments = self._arguments.get(tool)
        if arguments is None:
            return
        chance, records = Chance(turn, f"probes of {tool}"), SimpleNamespace(**state)
        for _ in range(_DRAWS):
            try:
                drawn = arguments.draw(records, chance)
            except GrowthError:
                # A text that only the author could choose, and nothing was said.
                return
            if drawn is not None:
                yield drawn
