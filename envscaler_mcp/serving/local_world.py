"""What worlds inside one process have in common: who may call what, repeated calls, marks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from envscaler_mcp.artifacts import Environment, StateDiff, canonical_json, digest_of
from envscaler_mcp.errors import ArtifactError, WorldError
from envscaler_mcp.serving.attempt import Attempt, TooLargeError, too_large
from envscaler_mcp.serving.code import CallableTool, EnvironmentCode
from envscaler_mcp.serving.outcome import INSIDE, Outcome
from envscaler_mcp.serving.plain import copied
from envscaler_mcp.serving.suggestion import did_you_mean, shown

KEPT_KEYS = 1_000
"""How many idempotency keys a world remembers; the oldest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call that was sent with a key, and what came of it."""

    call: str
    outcome: Outcome
    turn: int


class LocalWorld(ABC):
    """A world inside this process; how changes are taken back is the subclass's own."""

    def __init__(self, code: EnvironmentCode) -> None:
        self.code = code
        self.last_failure: str | None = None
        """What environment code raised in the last call that failed; for whoever judges the code, not for agents."""
        self._tools = code.tools
        self._keyed: dict[str, Keyed] = {}
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
        found = self._tools.get(tool) if type(tool) is str else None
        if found is None:
            self._begin()
            return CLOSED if self._closed else no_such_tool(tool, self._tools)
        wrong = found.check(arguments)
        if wrong is not None:
            self._begin()
            return Outcome.saying("invalid", wrong)
        return self._run(found, copied(arguments) if found.nested else arguments)

    def _wrong(self, tool: str, arguments: Mapping[str, Any]) -> Outcome | None:
        """The refusal of what never reaches the code."""
        found = self._tools.get(tool)
        if found is None:
            return CLOSED if self._closed else no_such_tool(tool, self._tools)
        wrong = found.check(arguments)
        return None if wrong is None else Outcome.saying("invalid", wrong)

    def _call_once(self, tool: str, arguments: Mapping[str, Any], key: str) -> Outcome:
        try:
            call = canonical_json([tool, arguments])
        except ArtifactError:
            # Such arguments are refused with a better sentence, and nothing is run that could be run twice.
            return self.call(tool, arguments)
        known = self._keyed.get(key)
        if known is not None:
            self._begin()
            if known.call == call:
                return known.outcome
            return Outcome.saying("invalid", f"The idempotency key {shown(key)} was already used for another call.")
        outcome = self.call(tool, arguments)
        self._turn += 1
        self._keyed[key] = Keyed(call, outcome, self._turn)
        if len(self._keyed) > KEPT_KEYS:
            del self._keyed[next(iter(self._keyed))]
        return outcome

    @abstractmethod
    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call, before this world mends anything."""

    @abstractmethod
    def _begin(self) -> None:
        """A new call: nothing has changed yet."""

    @abstractmethod
    def _run(self, found: CallableTool, arguments: Mapping[str, Any]) -> Outcome:
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
        """A second world that goes on from here by itself, with no marks."""

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
        self._marks = {number: kept for number, kept in self._marks.items() if number <= snapshot}
        self._keyed = {key: known for key, known in self._keyed.items() if known.turn <= turn}

    def diff_since(self, snapshot: int) -> StateDiff:
        """What changed since the snapshot."""
        return self._changed_since(self._at(snapshot)[0])

    def _at(self, snapshot: int) -> tuple[Any, int]:
        found: tuple[Any, int] | None = self._marks.get(snapshot)
        if found is None:
            raise WorldError(
                f"There is no snapshot {snapshot!r}; a restore forgets those taken after the one restored."
            )
        return found

    def _inherit(self, parent: LocalWorld) -> None:
        self._keyed = dict(parent._keyed)
        self._turn = parent._turn

    def close(self) -> None:
        """End the world; it answers no more calls."""
        self._closed = True
        self._tools = {}
        self._marks.clear()
        self._keyed.clear()

    def _failed(self, tool: str, cause: BaseException) -> Outcome:
        self.last_failure = f"{type(cause).__name__}: {cause}"
        if isinstance(cause, TooLargeError):
            return too_large(tool, cause)
        return Outcome.saying("failed", tool + INSIDE)


def no_such_tool(tool: object, tools: Mapping[str, Any]) -> Outcome:
    """The outcome of a call to something that is not a tool."""
    return Outcome.saying("invalid", f"There is no tool {shown(tool)}{did_you_mean(tool, tools)}")


CLOSED = Outcome.saying("invalid", "This world is closed.")
