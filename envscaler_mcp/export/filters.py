"""Which episodes are worth training on, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.artifacts.scenario import Split
from envscaler_mcp.config import choices
from envscaler_mcp.export.dialogue import Dialogue, Message
from envscaler_mcp.export.validity import calls_are_read, has_empty_turn, has_marks, in_order

Reason = Literal[
    "attempt",
    "stale",
    "servers",
    "split",
    "masked",
    "user",
    "silent",
    "disordered",
    "malformed",
    "empty",
    "marks",
    "unfinished",
    "turns",
    "frame",
    "unsolved",
    "duplicate",
]
Keepable = choices.Keepable
REASONS: dict[Reason, str] = {
    "attempt": "it does not count, since the machine failed or another attempt of the episode does",
    "stale": "its environment or its task is no longer the one that was played",
    "servers": "it was played over several servers, a server of another program, in a dialect or disturbed, which no trainer can open",
    "split": "its task belongs to another split",
    "masked": "it failed, and not because of its agent",
    "user": "its user invented something",
    "silent": "nothing was said in it that could be written",
    "disordered": "its turns are not in order",
    "malformed": "a call of its agent could not be read",
    "empty": "its agent neither said nor called anything in a turn",
    "marks": "a sign of the template, such as </tool_call>, is in a text",
    "unfinished": "it was stopped by a limit or an error before it was over",
    "turns": "it has too few or too many turns of the agent",
    "frame": "something changed that must not",
    "unsolved": "a check does not hold",
    "duplicate": "an episode before it teaches the same",
}
"""Every episode that is left out is counted under the first of these that is true."""

Part = Callable[[Dialogue], tuple[Message, ...]]
"""The messages of an episode that a format takes."""
Key = Callable[[Dialogue], object]
"""What two episodes of which one is enough have in common."""


class ExportFilter(BaseModel):
    """Which episodes are wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    splits: tuple[Split, ...] = ("train",)
    solved: bool = False
    """Whether only solved episodes are wanted."""
    min_turns: int = Field(default=2, ge=1)
    max_turns: int = Field(default=60, ge=1)
    keep: tuple[Keepable, ...] = ()
    """Reasons that do not count."""

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if self.min_turns > self.max_turns:
            raise ValueError(f"no episode has {self.min_turns} turns or more and at most {self.max_turns}")
        return self


class EpisodeFilter:
    """Says of one episode after the other why it is left out."""

    def __init__(self, wish: ExportFilter, reasons: Collection[Reason], part: Part, key: Key) -> None:
        self._key = key
        self._seen: set[str] = set()
        faults: dict[Reason, Callable[[Dialogue], bool]] = {
            "servers": lambda dialogue: bool(dialogue.trajectory.tools),
            "split": lambda dialogue: dialogue.split not in wish.splits,
            "masked": lambda dialogue: dialogue.trajectory.verdict.masked,
            "user": lambda dialogue: bool(dialogue.trajectory.invented),
            "silent": lambda dialogue: not part(dialogue),
            "disordered": lambda dialogue: not in_order(part(dialogue)),
            "malformed": lambda dialogue: _is_malformed(dialogue, part(dialogue)),
            "empty": lambda dialogue: has_empty_turn(part(dialogue)),
            "marks": lambda dialogue: has_marks(part(dialogue)),
            "unfinished": lambda dialogue: dialogue.trajectory.ended != "completed",
            "turns": lambda dialogue: not wish.min_turns <= dialogue.turns <= wish.max_turns,
            "frame": lambda dialogue: bool(dialogue.trajectory.verdict.frame_violations),
            "unsolved": lambda dialogue: wish.solved and not dialogue.trajectory.verdict.solved,
            "duplicate": self._was_seen,
        }
        self._faults = {name: is_so for name, is_so in faults.items() if name in reasons and name not in wish.keep}

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Those that count here."""
        return tuple(self._faults)

    def reason_of(self, dialogue: Dialogue) -> Reason | None:
        """Why the episode is left out; nothing where it is wanted."""
        return next((name for name, is_so in self._faults.items() if is_so(dialogue)), None)

    def _was_seen(self, dialogue: Dialogue) -> bool:
        digest = digest_of(self._key(dialogue))
        new = digest not in self._seen
        self._seen.add(digest)
        return not new


def _is_malformed(dialogue: Dialogue, messages: Sequence[Message]) -> bool:
    """Also where the messages do not show it: in the place of what could not be read they have no arguments at all."""
    turns = sum(message["role"] == "assistant" for message in messages)
    written = any(step.malformed for step in dialogue.trajectory.steps if step.turn <= turns)
    return written or not calls_are_read(messages)


def words_of(dialogue: Dialogue) -> object:
    """The lesson without the names of its calls, which another run gives in another way."""
    return [dialogue.trajectory.environment, *map(_without_ids, dialogue.lesson)]


def task_of(dialogue: Dialogue) -> object:
    """The task, however it was played."""
    return dialogue.trajectory.scenario_digest


def _without_ids(message: Message) -> Message:
    bare = {key: value for key, value in message.items() if key not in ("tool_calls", "tool_call_id")}
    return bare | {"calls": [call["function"] for call in message.get("tool_calls", [])]}
