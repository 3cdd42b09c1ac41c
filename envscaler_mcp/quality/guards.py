"""Which guard refuses a call: told from its words at once, and from the blueprint where it must be certain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.language.interpreter import GuardRefusal, Interpreter
from envscaler_mcp.language.model import Guard, Model, Operation, Query, Sentence


class GuardIndex:
    """The guards of every operation and query."""

    def __init__(self, model: Model) -> None:
        self.model = model
        asked: dict[str, Operation | Query] = {**model.operations, **model.queries}
        self.of = {
            name: tuple(line for line in operation.require if isinstance(line, Guard))
            for name, operation in asked.items()
        }
        self._words = {name: [_pattern(guard.sentence) for guard in guards] for name, guards in self.of.items()}

    def number_of(self, tool: str, sentence: str) -> int:
        """The first guard that may have said so, counted from 1, or 0."""
        for number, pattern in enumerate(self._words.get(tool, ()), start=1):
            if pattern.fullmatch(sentence):
                return number
        return 0

    def expected(self, tool: str, arguments: Mapping[str, Any], state: Interpreter) -> tuple[int, str] | None:
        """The guard that must refuse the call and its words; 0 for a record that is not there; None where none does."""
        refusal = state.refusal(tool, arguments)
        if refusal is None:
            return None
        return refusal.number if isinstance(refusal, GuardRefusal) else 0, str(refusal)


def _pattern(sentence: Sentence) -> re.Pattern[str]:
    parts = (re.escape(part) if isinstance(part, str) else ".*" for part in sentence.parts)
    return re.compile("".join(parts), re.DOTALL)
