"""What worlds inside one process have in common: who may call what, repeated calls, marks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Self

from envscaler_mcp.artifacts import Environment, StateDiff, canonical_json, digest_of
from envscaler_mcp.errors import ArtifactError, WorldError
from envscaler_mcp.serving.attempt import Attempt, TooLargeError, result_too_large
from envscaler_mcp.serving.code import CallableTool, EnvironmentCode
from envscaler_mcp.serving.kept_keys import KeptKeys, digest_of_call
from envscaler_mcp.serving.outcome import INSIDE, Outcome
from envscaler_mcp.serving.plain_json import json_copy
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value

RECORD_BYTES = 4_096
"""What a record is taken to hold where a world's memory is estimated: a long text, of letters that take four bytes."""


class LocalWorld(ABC):
    """A world inside this process; how changes are taken back is the subclass's own."""

    def __init__(self, code: EnvironmentCode) -> None:
        self.code = code
        self.last_failure: str | None = None
        """What environment code raised in the last call that failed; for tests of the code, not for agents."""
        self.overdue = 0
        """Calls that were ended because they took too long."""
        self._tools = code.tools
        self._keyed = KeptKeys()
        self._turn = 0
        self._marks: dict[int, Any] = {}
        self._marked = 0
        self._closed = False

    @classmethod
    @abstractmethod
    def open(cls, code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> Self:
        """A new world at a state."""

    @property
    def environment(self) -> Environment:
        """What is known about the environment without running it."""
        return self.code.environment

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """What came of the call; never raises for what a caller sent or what environment code did."""
        if key is not None:
            return self._call_once(tool, arguments, key)
        callable_tool = self._tools.get(tool) if type(tool) is str else None
        if callable_tool is None:
            self._begin()
            return CLOSED if self._closed else no_such_tool(tool, self._tools)
        wrong = callable_tool.check(arguments)
        if wrong is not None:
            self._begin()
            return Outcome.saying("invalid", wrong)
        return self._run(callable_tool, json_copy(arguments) if callable_tool.nested else arguments)

    def _wrong(self, tool: str, arguments: Mapping[str, Any]) -> Outcome | None:
        """The refusal of what never reaches the code."""
        callable_tool = self._tools.get(tool)
        if callable_tool is None:
            return CLOSED if self._closed else no_such_tool(tool, self._tools)
        wrong = callable_tool.check(arguments)
        return None if wrong is None else Outcome.saying("invalid", wrong)

    def _call_once(self, tool: str, arguments: Mapping[str, Any], key: str) -> Outcome:
        try:
            call = digest_of_call(canonical_json([tool, arguments]))
        except ArtifactError:
            # Such arguments are refused with a better sentence, and nothing is run that could be run twice.
            return self.call(tool, arguments)
        known = self._keyed.find(key)
        if known is not None:
            self._begin()
            if known.call == call:
                return known.outcome
            return Outcome.saying(
                "invalid", f"The idempotency key {quote_value(key)} was already used for another call."
            )
        outcome = self.call(tool, arguments)
        if outcome.kind != "invalid":
            # Where nothing was run, nothing can be run twice.
            self._turn += 1
            self._keyed.keep(key, call, outcome, self._turn)
        return outcome

    @property
    def held(self) -> int:
        """About how many bytes it holds in its process."""
        return self._keyed.size

    @abstractmethod
    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call, before this world mends anything."""

    @abstractmethod
    def _begin(self) -> None:
        """A new call: nothing has changed yet."""

    @abstractmethod
    def _run(self, callable_tool: CallableTool, arguments: Mapping[str, Any]) -> Outcome:
        """What comes of a call whose tool was found."""

    @abstractmethod
    def _mark(self) -> Any:
        """What `_return_to` needs to come back here."""

    @abstractmethod
    def _return_to(self, mark: Any) -> None:
        """Take back everything since the mark."""

    @abstractmethod
    def _changed_since(self, mark: Any) -> StateDiff:
        """What is different from the mark."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Every record and scalar, as a copy in plain JSON."""

    def look(self) -> dict[str, Any]:
        """The state for reading only, as cheaply as this world has it."""
        return self.state()

    @abstractmethod
    def diff(self) -> StateDiff:
        """What the last call changed."""

    @abstractmethod
    def fork(self) -> LocalWorld:
        """A second world that continues from here, independent of this one, with no marks."""

    @abstractmethod
    def set_clock(self, now: str) -> None:
        """Let it be this minute."""

    def state_hash(self) -> str:
        """The digest of the state; equal states have equal hashes everywhere."""
        return digest_of(self.state())

    def snapshot(self) -> int:
        """A mark to come back to."""
        self._marked += 1
        self._marks[self._marked] = (self._mark(), self._turn)
        return self._marked

    def restore(self, snapshot: int) -> None:
        """Be as at the snapshot, which may be used again. Marks set after it are forgotten."""
        mark, turn = self._at(snapshot)
        self._return_to(mark)
        self._marks = {number: stored for number, stored in self._marks.items() if number <= snapshot}
        self._keyed.keep_until(turn)

    def forget_marks(self, marks: Iterable[int]) -> None:
        """Nothing goes back to these any more."""
        for mark in marks:
            self._marks.pop(mark, None)

    def diff_since(self, snapshot: int) -> StateDiff:
        """What changed since the snapshot."""
        return self._changed_since(self._at(snapshot)[0])

    def _at(self, snapshot: int) -> tuple[Any, int]:
        stored: tuple[Any, int] | None = self._marks.get(snapshot)
        if stored is None:
            raise WorldError(
                f"There is no snapshot {snapshot!r}; a restore forgets those taken after the one restored."
            )
        return stored

    def _inherit(self, parent: LocalWorld) -> None:
        self._keyed.copy_of(parent._keyed)
        self._turn = parent._turn

    def drop(self) -> None:
        """End the world and free what it holds, which cannot be looked at any more."""
        self.close()

    def close(self) -> None:
        """End the world; it answers no more calls."""
        self._closed = True
        self._tools = {}
        self._marks.clear()
        self._keyed.clear()

    def _failed(self, tool: str, cause: BaseException) -> Outcome:
        self.last_failure = f"{type(cause).__name__}: {cause}"
        if isinstance(cause, TooLargeError):
            return result_too_large(tool, cause)
        return Outcome.saying("failed", tool + INSIDE)


def no_such_tool(tool: object, tools: Mapping[str, Any]) -> Outcome:
    """The outcome of a call to something that is not a tool."""
    return Outcome.saying("invalid", f"There is no tool {quote_value(tool)}{did_you_mean(tool, tools)}")


CLOSED = Outcome.saying("invalid", "This world is closed.")
