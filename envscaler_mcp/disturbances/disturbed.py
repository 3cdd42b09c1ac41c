"""An interface to the worlds of an environment, disturbed. It may be a world's own or a dialect."""

from __future__ import annotations

import json
import re
from typing import Any, Protocol

from envscaler_mcp.artifacts import Call
from envscaler_mcp.disturbances.failures import Failures, out_of_service
from envscaler_mcp.disturbances.kinds import Disturbances
from envscaler_mcp.disturbances.tools import OfferedTools
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.spoken_world import Interface, MeantCall, Memory, SpokenOutcome


class Disturbable(Interface, Protocol):
    """An interface that can say canonical calls."""

    def encode(self, call: Call) -> Call:
        """A canonical call as it is spoken."""


class Disturbed:
    """The interface with its disturbances. Made for one task and seed; worlds of that task share it."""

    def __init__(self, interface: Disturbable, drawn: Disturbances) -> None:
        self._interface = interface
        self.drawn = drawn
        self._failures = Failures(drawn)
        try:
            self._offered = OfferedTools(interface.card.tools, drawn)
        except _OTHER_SHAPE as cause:
            # A card may come from anywhere.
            raise WorldError(
                f"{interface.card.id!r} cannot be disturbed: its card describes tools as no server does."
            ) from cause
        # Clients hold every answer against what a card says of it, which failures and other tools are no part of.
        self.card = interface.card.model_copy(update={"tools": self._offered.tools, "answers": None})

    def memory(self) -> DisturbedMemory:
        """What is remembered of a world that was not called."""
        return DisturbedMemory(self._interface.memory())

    def encode(self, call: Call) -> Call:
        """A canonical call as it is spoken by who picks the right tool and knows nothing of failures to come."""
        spoken = self._interface.encode(call)
        return spoken.model_copy(update={"tool": self._offered.name_of(spoken.tool)})

    def call(self, name: str, arguments: Any, memory: DisturbedMemory) -> MeantCall | SpokenOutcome:
        """The call that is meant, or what is answered where no world is asked."""
        number = memory.count()
        kind = self._failures.at(number)
        if kind:
            return self._failures.answer(kind, number)
        if name in self._offered.added:
            return out_of_service(name)
        given = self._offered.arguments(name, arguments)
        if isinstance(given, SpokenOutcome):
            return given
        meant = self._interface.call(self._offered.real_name(name), given, memory.behind)
        return self._under_offered_name(meant) if isinstance(meant, SpokenOutcome) else meant

    def answer(self, meant: MeantCall, outcome: Outcome, memory: DisturbedMemory) -> SpokenOutcome:
        """What is read of an outcome."""
        return self._under_offered_name(self._interface.answer(meant, outcome, memory.behind))

    def _under_offered_name(self, answer: SpokenOutcome) -> SpokenOutcome:
        """A refusal names its tool, which may be offered under another name."""
        if answer.kind not in ("refused", "invalid") or not self._offered.renamed:
            return answer
        text = _NAME.sub(lambda word: self._offered.renamed.get(word[0], word[0]), answer.text)
        if text == answer.text:
            return answer
        body = None if answer.structured is None else json.loads(text)
        renamed = SpokenOutcome(answer.kind, text, body, in_band=answer.in_band)
        renamed.meant = answer.meant
        return renamed


_OTHER_SHAPE = (LookupError, TypeError, AttributeError, ValueError, RecursionError, StopIteration)
"""What is raised where a value is not what it should be."""
_NAME = re.compile(r"[\w-]+")
_CALLS_AT = 1 << 20
"""Where the number of calls begins in the length of a memory; an interface behind remembers less than that."""


class DisturbedMemory:
    """How many calls were made, and what the interface behind remembers: one number to go back to."""

    def __init__(self, behind: Memory, calls: int = 0) -> None:
        self.behind = behind
        self._calls = calls

    def count(self) -> int:
        """The number of the call that is being made, from 0."""
        self._calls += 1
        return self._calls - 1

    def __len__(self) -> int:
        return self._calls * _CALLS_AT + len(self.behind)

    def forget_since(self, number: int) -> None:
        """Be as then."""
        self._calls, behind = divmod(number, _CALLS_AT)
        self.behind.forget_since(behind)

    def copy(self) -> DisturbedMemory:
        """The same for another world."""
        return DisturbedMemory(self.behind.copy(), self._calls)
