"""What the agent did at once: a sentence, or calls that belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from envscaler_mcp.artifacts import Step
from envscaler_mcp.episode.transcript import is_call


@dataclass(frozen=True, slots=True)
class Turn:
    """A move of the agent."""

    steps: tuple[tuple[int, Step], ...]
    """Each with its place in the episode, counted from 1: numbers in older records occur twice."""

    @property
    def spoken(self) -> bool:
        """Whether it was speech; a call is one even if the name of its tool is empty."""
        (_, first), *more = self.steps
        return not (more or first.arguments or is_call(first))


def turns_of(steps: Sequence[Step]) -> Iterator[Turn]:
    """The moves in their order."""
    for _, together in groupby(enumerate(steps, 1), key=lambda numbered: numbered[1].turn or -numbered[0]):
        yield Turn(tuple(together))
