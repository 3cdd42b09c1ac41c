"""The calls of one world since its owner asked to record them, each with a mark to go back to. What it holds is bounded."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.studio.reasons import RefusalReasons
from envscaler_mcp.studio.schemas import Author, RecordedCall

_PARTS = ("tool", "arguments", "kind", "result", "diff")
MOST_STEPS = 500
"""Calls that a recording holds, and as many marks."""
MAX_RECORDED = 1024 * 1024
"""Bytes that one recording holds."""
MAX_RECORDINGS = 32 * 1024 * 1024
"""Bytes of all recordings of a process."""


@dataclass(slots=True)
class Caller:
    """Who makes a call, and the step that was recorded of it."""

    author: Author = "agent"
    step: RecordedCall | None = None


@dataclass(frozen=True, slots=True)
class _Recorded:
    number: int
    by: Author
    text: bytes
    """The call as JSON: read, it would take many times as much memory."""
    mark: int | None
    """The snapshot before it; None for calls that change nothing, and where no more marks were set."""
    writes: bool


@dataclass(eq=False)
class Timeline:
    """What happened in a world, the latest last."""

    holder: str
    held: HeldBytes
    reasons: RefusalReasons
    dropped: int = 0
    forked_after: int = 0
    """The call of another world after which this world began; 0 where it began as its own."""
    _steps: deque[_Recorded] = field(default_factory=deque)
    _dropped_by: Counter[Author] = field(default_factory=Counter)
    _size: int = 0
    _unneeded: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def last(self) -> int:
        """The number of the latest call."""
        return self._steps[-1].number if self._steps else self.dropped

    @property
    def earliest(self) -> int:
        """The earliest call after which this world can be again: of a fork, that at which it began."""
        start = max(self.dropped, self.forked_after)
        marked = self.last
        for recorded in reversed(self._steps):
            if recorded.number <= start or (recorded.writes and recorded.mark is None):
                break
            marked = recorded.number - 1
        return marked

    @property
    def wants_mark(self) -> bool:
        """Whether another mark may be set."""
        return sum(recorded.mark is not None for recorded in self._steps) < MOST_STEPS

    def made_by(self, author: Author) -> int:
        """How many of the calls since the recording began were made by this author."""
        return self._dropped_by[author] + sum(recorded.by == author for recorded in self._steps)

    def add(self, author: Author, content: Mapping[str, Any], mark: int | None, *, writes: bool) -> RecordedCall:
        """Record a call, as its watchers hear of it."""
        # An agent may send halves of characters, which no answer could hold.
        text = encode({name: content.get(name) for name in _PARTS}).encode(errors="replace")
        shown = json.loads(text)
        step = RecordedCall(
            number=self.last + 1,
            by=author,
            tool=str(shown["tool"]),
            arguments=shown["arguments"],
            kind=str(shown["kind"]),
            result=shown["result"],
            diff=shown["diff"],
            shortened=content.get("shortened", {}),
            **self._refused_by(shown),
            undoable=mark is not None or not writes,
        )
        recorded = _Recorded(step.number, author, step.model_dump_json().encode(), mark, writes)
        self._steps.append(recorded)
        self._size += len(recorded.text)
        while len(self._steps) > MOST_STEPS or (self._size > MAX_RECORDED and len(self._steps) > 1):
            self._drop_oldest()
        self.held.hold(self, self.holder, self._size)
        return step

    def _drop_oldest(self) -> None:
        oldest = self._steps.popleft()
        self._size -= len(oldest.text)
        self._dropped_by[oldest.by] += 1
        self.dropped = oldest.number
        if oldest.mark is not None:
            self._unneeded.append(oldest.mark)

    def unneeded_marks(self) -> list[int]:
        """The marks of calls that were dropped since this was asked last."""
        marks, self._unneeded = self._unneeded, []
        return marks

    def _refused_by(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        result = shown["result"]
        if shown["kind"] != "refused" or not isinstance(result, dict):
            return {}
        error = result.get("error")
        return {"rule": self.reasons.rule(error), "condition": self.reasons.condition(shown["tool"], error)}

    def steps(self) -> tuple[RecordedCall, ...]:
        """All that it holds."""
        steps: list[RecordedCall] = []
        back = True
        for recorded in reversed(self._steps):
            back = recorded.mark is not None if recorded.writes else back
            step = RecordedCall.model_validate_json(recorded.text)
            steps.append(step.model_copy(update={"undoable": back}))
        return tuple(reversed(steps))

    def undo(self, after: int, restore: Callable[[int], None]) -> None:
        """Let the world be as after that call, and forget the later ones."""
        if not self.dropped <= after <= self.last:
            raise WorldError(f"Calls {self.dropped + 1} to {self.last} are recorded; there is no moment after {after}.")
        first = next((r for r in self._steps if r.number > after and r.writes), None)
        if first is not None:
            if first.mark is None:
                raise WorldError(f"Call {first.number} cannot be undone: this world has no mark before it.")
            restore(first.mark)
        self._forget(lambda recorded: recorded.number > after)

    def restored(self, mark: int) -> None:
        """The owner went back to a mark of their own: what came after it did not happen."""
        first = next((r.number for r in self._steps if r.mark is not None and r.mark > mark), None)
        if first is not None:
            self._forget(lambda recorded: recorded.number >= first)

    def _forget(self, gone: Callable[[_Recorded], bool]) -> None:
        while self._steps and gone(self._steps[-1]):
            self._size -= len(self._steps.pop().text)
        self.forked_after = min(self.forked_after, self.last)
        self.held.hold(self, self.holder, self._size)

    def forked(self, holder: str) -> Timeline:
        """The same calls in a world that goes on from here, which has no marks yet."""
        copy = Timeline(holder, self.held, self.reasons, self.dropped, self.last)
        for recorded in self._steps:
            copy._steps.append(replace(recorded, mark=None))
        copy._dropped_by = Counter(self._dropped_by)
        copy._size = self._size
        self.held.hold(copy, holder, copy._size)
        return copy

    def give_up(self) -> None:
        """Hold nothing of what happened so far: recordings of other worlds need the room."""
        while self._steps:
            self._drop_oldest()

    def close(self) -> None:
        """The world has ended."""
        self.held.forget(self)
