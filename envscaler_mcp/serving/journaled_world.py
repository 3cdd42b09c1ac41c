"""A world of a compiled class, which writes down its own changes.

Nothing here looks at more records than a call touched: a snapshot is a position in the history of writes, and to
restore is to take back what was written since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, Self

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import deadline
from envscaler_mcp.serving.attempt import MAX_RESULT, Attempt, attempted, check_length
from envscaler_mcp.serving.code import CallableTool, EnvironmentCode, load_class
from envscaler_mcp.serving.deadline import OverdueError, ended_in_a_write, rule_in, slot, within_time
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.local_world import RECORD_BYTES, LocalWorld
from envscaler_mcp.serving.outcome import Outcome, encode, ended
from envscaler_mcp.serving.plain_json import json_copy
from envscaler_mcp.serving.state_diff import Write, diff_of_journal

FULL = "as many records as it may; remove some, or open another world."

_FORGOTTEN_AT_ONCE = 1_000
"""At least so many writes are dropped together, while there are marks after them."""


class _Mark(NamedTuple):
    writes: int
    """How many writes lie before it."""


class JournaledWorld(LocalWorld):
    """A world of compiled code inside this process."""

    def __init__(self, code: EnvironmentCode, env: Any) -> None:
        super().__init__(code)
        self.seconds = deadline.SECONDS
        """How long a call may work."""
        self.changes = 0
        """Whatever may have changed its state, counted: between two equal counts the state is the same."""
        self._most_records: int | None = None
        self._env = env
        self._env._journal = []
        self._history: list[Write] = []
        self._written: dict[tuple[str, str], set[str]] = {}
        """Fields of records that the history tells of since the last mark."""
        self._last: list[Write] = []

    @classmethod
    def open(cls, code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> Self:
        """A new world at a state. Nothing in a compiled class is left to chance, so the seed decides nothing."""
        del seed
        made = load_class(code.source, code.environment.class_name)
        if not hasattr(made, "_undo"):
            raise WorldError(f"The class {made.__name__} of {code.environment.id!r} keeps no journal of its writes.")
        try:
            env = made(json_copy(dict(state)))
        except Exception as cause:
            raise WorldError(f"{code.environment.id!r} cannot be opened at this state: {cause}") from cause
        return cls(code, env)

    def _begin(self) -> None:
        self._last = []

    def _run(self, callable_tool: CallableTool, arguments: Mapping[str, Any]) -> Outcome:
        self.changes += 1
        env = self._env
        name = callable_tool.tool.name
        mine = slot()
        mine.turn += 1
        mine.limit = self.seconds
        mine.running = True
        try:
            result = getattr(env, name)(**arguments)
            mine.running = False
            success = result["success"]
            text = encode(result)
            if len(text) > MAX_RESULT:
                check_length(text)
        except BaseException as cause:
            mine.running = False
            if isinstance(cause, OverdueError) and ended_in_a_write(cause):
                # What it was before is not known any more.
                self.close()
                return ended("time")
            self._take_back(env._journal)
            env._journal = []
            self._last = []
            if isinstance(cause, KeyboardInterrupt):
                raise
            return self._failed(name, cause)
        journal = env._journal
        if journal and self._most_records is not None and self._grows_too_far(journal, self._most_records):
            self._take_back(journal)
            env._journal = []
            self._last = []
            return Outcome.saying("refused", f"{name} was not done: this world holds {FULL}")
        self._last = journal
        if journal:
            env._journal = []
            if self._marks:
                self._remember(journal)
        return Outcome("done" if success is True else "refused", text)

    def _grows_too_far(self, journal: list[Write], most: int) -> bool:
        return any(write[0] == "new" for write in journal) and self._records() > most

    def bound(self, growth: int, seconds: float) -> None:
        """Let it grow by so many records from here, and let each call work so long."""
        self._most_records = self._records() + growth
        self.seconds = seconds

    def _failed(self, tool: str, cause: BaseException) -> Outcome:
        if isinstance(cause, MemoryError):
            self.last_failure = "it used more memory than there is"
            message = f"{tool} used more memory than there is; nothing was changed. Ask for less: narrow it."
            return Outcome.saying("limited", message)
        if not isinstance(cause, OverdueError):
            return super()._failed(tool, cause)
        self.overdue += 1
        rules, number = self.environment.rules, rule_in(cause)
        rule = f" while it checked the rule {rules[number - 1]!r}" if number and number <= len(rules) else ""
        self.last_failure = f"it did not end within {self.seconds:g} seconds{rule}"
        return Outcome.saying(
            "limited",
            f"{tool} was ended after {self.seconds:g} seconds of work{rule}; nothing was changed. Ask for less: narrow it.",
        )

    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call; the world is as before afterwards, as far as the journal tells."""
        wrong = self._wrong(tool, arguments)
        if wrong is not None:
            return Attempt(wrong, None, encode(self.state()))
        outcome, failure = attempted(
            tool, partial(within_time, getattr(self._env, tool)), {"arguments": json_copy(dict(arguments))}
        )
        try:
            state = encode(self.state())
        except (TypeError, ValueError, RecursionError) as cause:
            outcome, failure, state = (
                Outcome.saying("failed", f"{tool} failed."),
                f"its state is no JSON: {cause}",
                "{}",
            )
        self._take_back(self._env._journal)
        self._env._journal = []
        self._last = []
        return Attempt(outcome, failure, state)

    def _take_back(self, journal: list[Write]) -> None:
        self.changes += 1
        if journal:
            self._env._undo(journal)

    def _remember(self, journal: list[Write]) -> None:
        """Add writes to the history, save what a field was in between: only what it was at the last mark is gone back to."""
        for write in journal:
            if write[0] == "put":
                written = self._written.setdefault((write[1], write[2]), set())
                if write[3] in written:
                    continue
                written.add(write[3])
            elif write[0] != "scalar":
                # Another record begins there, or one ends.
                self._written.pop((write[1], write[2]), None)
            self._history.append(write)

    def _mark(self) -> _Mark:
        self._written = {}
        return _Mark(len(self._history))

    def _return_to(self, mark: _Mark) -> None:
        self._take_back(self._history[mark.writes :])
        self._env._journal = []
        del self._history[mark.writes :]
        self._written = {}
        self._last = []

    def forget_marks(self, marks: Iterable[int]) -> None:
        """Nothing goes back to these any more, nor to what was before the first that is left."""
        super().forget_marks(marks)
        first = next((mark.writes for mark, _ in self._marks.values()), len(self._history))
        # Not each time: all marks change with it.
        if first >= _FORGOTTEN_AT_ONCE or not self._marks:
            del self._history[:first]
            self._marks = {number: (_Mark(mark.writes - first), turn) for number, (mark, turn) in self._marks.items()}
            if not self._marks:
                self._written = {}

    def _changed_since(self, mark: _Mark) -> StateDiff:
        return diff_of_journal(self._history[mark.writes :], vars(self._env))

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return diff_of_journal(self._last, vars(self._env))

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as a copy in plain JSON."""
        return {name: json_copy(value) for name, value in vars(self._env).items() if not name.startswith("_")}

    def look(self) -> dict[str, Any]:
        """The state as it is, not a copy: for reading it until the next call."""
        return {name: value for name, value in vars(self._env).items() if not name.startswith("_")}

    @property
    def held(self) -> int:
        """About how many bytes it holds in its process."""
        return super().held + RECORD_BYTES * (self._records() + len(self._history))

    def _records(self) -> int:
        records = (value for name, value in vars(self._env).items() if name[0] != "_" and type(value) is dict)
        return sum(map(len, records))

    def fork(self) -> JournaledWorld:
        """A second world that continues from here, independent of this one, with no marks."""
        try:
            twin = JournaledWorld(self.code, _copied(self._env))
        except _OtherShapeError:
            twin = JournaledWorld.open(self.code, self.look(), 0)
        twin._inherit(self)
        twin._most_records, twin.seconds = self._most_records, self.seconds
        return twin

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""
        if not is_minute(now):
            raise WorldError(f"A clock cannot show {now!r}; write a minute like 2026-03-02T09:00.")
        self.changes += 1
        self._last = [("scalar", "now", None, self._env.now)]
        self._env.now = now
        if self._marks:
            self._history += self._last

    def drop(self) -> None:
        """End the world and free its records, which cannot be looked at any more."""
        self.close()
        vars(self._env).clear()

    def close(self) -> None:
        """End the world; it answers no more calls."""
        super().close()
        self._history = []
        self._written = {}
        self._last = []


class _OtherShapeError(Exception):
    """Raised where a class keeps something else in private than indexes of its records."""


def _copied(env: Any) -> Any:
    """An instance of the same class with copies of the records, in copies of its indexes.

    To make the class anew at the state would sort all records, and find out anew under which values each one is found.
    """
    attributes = vars(env)
    copies: dict[str, Any] = {}
    copy_of: dict[int, Any] = {}
    for name, value in attributes.items():
        if name[0] != "_":
            copies[name] = made = _copied_value(value)
            if type(value) is dict:
                copy_of.update(zip(map(id, value.values()), made.values(), strict=True))
    twin = object.__new__(type(env))
    for name, value in attributes.items():
        if name in copies:
            setattr(twin, name, copies[name])
        elif name != "_journal":
            setattr(twin, name, _copied_index(value, copy_of))
    return twin


def _copied_value(value: Any) -> Any:
    if type(value) is not dict:
        return json_copy(value)
    # Most records hold no list; to copy those as a whole is several times as fast as field by field.
    return {
        key: {**item} if type(item) is dict and _FLAT.issuperset(map(type, item.values())) else json_copy(item)
        for key, item in value.items()
    }


_FLAT = frozenset({str, int, float, bool, type(None)})


def _copied_index(index: Any, copy_of: Mapping[int, Any]) -> dict[Any, dict[str, Any]]:
    """Records by the values of their attributes, and by id below these."""
    try:
        return {values: {key: copy_of[id(record)] for key, record in group.items()} for values, group in index.items()}
    except (AttributeError, KeyError) as cause:
        raise _OtherShapeError from cause
