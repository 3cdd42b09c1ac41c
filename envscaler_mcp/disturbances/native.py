"""A world's own interface in the form that dialects have, so that it can be disturbed as they can."""

from __future__ import annotations

from typing import Any, Self

from envscaler_mcp.artifacts import Call, Environment
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.spoken_world import MeantCall, SpokenOutcome


class NativeInterface:
    """Calls and answers as they are."""

    def __init__(self, environment: Environment) -> None:
        if environment.origin == "published":
            raise WorldError(f"{environment.id!r} cannot be disturbed: it does what the published runtime does.")
        self.card = environment

    def memory(self) -> NoMemory:
        """Nothing."""
        return NoMemory()

    def encode(self, call: Call) -> Call:
        """The call itself."""
        return call

    def call(self, name: str, arguments: Any, _memory: NoMemory) -> MeantCall:
        """The call itself."""
        return MeantCall(name, arguments)

    def answer(self, meant: MeantCall, outcome: Outcome, _memory: NoMemory) -> SpokenOutcome:
        """The answer itself."""
        answer = _NativeOutcome(outcome.kind, outcome.text)
        answer.meant = meant
        return answer


class NoMemory:
    """What is remembered where nothing is translated."""

    def __len__(self) -> int:
        return 0

    def forget_since(self, number: int) -> None:
        """There is nothing to forget."""

    def copy(self) -> Self:
        """The same."""
        return self


class _NativeOutcome(SpokenOutcome):
    """Text and structured content are those of the world, byte for byte."""

    __slots__ = ()

    @property
    def structured(self) -> dict[str, Any] | None:
        """The whole answer."""
        return self.payload

    @property
    def wire(self) -> str:
        """The text."""
        return self.text
