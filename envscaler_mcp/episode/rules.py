"""What the authors of a task say about its episodes, where that is not what holds here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from envscaler_mcp.artifacts import Step

Ending = Literal["completed", "steps", "tokens", "time", "error"]


class EpisodeRules(Protocol):
    """The rules of an official benchmark. The audit of users is not made: what they say is for its authors to answer for."""

    @property
    def hears_silence(self) -> bool:
        """Whether a move without words and calls is answered by the user, too."""

    @property
    def one_call(self) -> bool:
        """Whether only the first call of a move is made; the others are dropped."""

    def ending(self, steps: Sequence[Step]) -> Ending | None:
        """How the episode has ended with the last of these steps, if it has."""
