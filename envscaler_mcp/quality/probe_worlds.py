"""One state of an environment at which calls are tried, each on two forks, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from envscaler_mcp.artifacts import State, StateDiff
from envscaler_mcp.errors import EnvScalerError, SandboxError, WorldError
from envscaler_mcp.serving.attempt import Attempt
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.outcome import Outcome, encode
from envscaler_mcp.serving.state_diff import diff_of_states
from envscaler_mcp.serving.world import World

Opener = Callable[[EnvironmentCode, Mapping[str, Any], int], World]
"""Opens a world at a state with a seed: in this process for trusted code, in a worker for any other."""
Earlier = tuple[tuple[str, dict[str, Any]], ...]
"""Calls that are made before the one that is tried."""


@runtime_checkable
class AttemptingWorld(World, Protocol):
    """A world in which calls can be tried."""

    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call; the world is as before afterwards."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one call on both forks."""

    outcome: Outcome
    failure: str | None
    before: dict[str, Any]
    after: dict[str, Any]
    """The very object `before` where nothing changed."""
    diff: StateDiff
    differs: str = ""
    """How the two forks came apart."""
    stuck: bool = False
    """Whether the change could not be taken back."""


NOTHING = StateDiff()


class Bench:
    """The worlds of one state. Every call leaves them as they were, or they are opened anew."""

    def __init__(self, code: EnvironmentCode, state: State, open_world: Opener) -> None:
        self.code, self.start = code, state
        self._opener = open_world
        self._faithful: set[str] = set()
        """Tools whose changes were seen to be taken back."""
        self._open()
        self.text = encode(self._worlds[0].state())
        self.state: dict[str, Any] = json.loads(self.text)

    def _open(self) -> None:
        first = self._attempting(self._opener(self.code, self.start.content, self.start.seed))
        try:
            second = self._attempting(first.fork())
        except SandboxError:
            # Some machines let no worker be forked; a world opened in the same way is as good.
            second = self._attempting(self._opener(self.code, self.start.content, self.start.seed))
        self._worlds = (first, second)
        self._marks = (first.snapshot(), second.snapshot())

    def _attempting(self, world: World) -> AttemptingWorld:
        if not isinstance(world, AttemptingWorld):
            raise WorldError(f"Calls cannot be tried in a {type(world).__name__}.")
        return world

    def close(self) -> None:
        """End both worlds."""
        for world in self._worlds:
            world.close()

    def peek(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """What an agent would be answered, on the first fork only."""
        try:
            outcome = self._worlds[0].call(tool, arguments)
            if outcome.kind == "done":
                self._worlds[0].restore(self._marks[0])
                if tool not in self._faithful and not self._takes_back(tool):
                    self._open()
        except EnvScalerError as cause:
            self._open()
            return Outcome.saying("failed", str(cause))
        return outcome

    def attempt(self, tool: str, arguments: Mapping[str, Any], earlier: Earlier = ()) -> Tried:
        """The call after the earlier ones, on both forks."""
        try:
            before = self._played(earlier) if earlier else self.state
            tried = self._compared(tool, arguments, before)
            stuck = bool(not tried.diff.empty or tried.failure) and not self._restored(before)
            if earlier:
                self._restore()
        except EnvScalerError as cause:
            self._open()
            return Tried(
                Outcome.saying("failed", str(cause)), f"its world ended: {cause}", self.state, self.state, NOTHING
            )
        if stuck:
            self._open()
        return Tried(tried.outcome, tried.failure, before, tried.after, tried.diff, tried.differs, stuck)

    def _takes_back(self, tool: str) -> bool:
        """Whether the call that was just taken back left nothing; asked until it has once."""
        if encode(self._worlds[0].state()) != self.text:
            return False
        self._faithful.add(tool)
        return True

    def history(self, calls: Iterable[tuple[str, dict[str, Any]]]) -> list[tuple[Outcome, dict[str, Any]]]:
        """Calls made one after another, each with the state after it; the worlds are as before afterwards."""
        steps: list[tuple[Outcome, dict[str, Any]]] = []
        try:
            for tool, arguments in calls:
                outcome = self._worlds[0].call(tool, arguments)
                steps.append((outcome, self._worlds[0].state()))
            self._restore()
        except EnvScalerError:
            self._open()
        return steps

    def _played(self, earlier: Earlier) -> dict[str, Any]:
        for tool, arguments in earlier:
            for world in self._worlds:
                world.call(tool, arguments)
        return self._worlds[0].state()

    def _restore(self) -> None:
        for world, mark in zip(self._worlds, self._marks, strict=True):
            world.restore(mark)

    def _compared(self, tool: str, arguments: Mapping[str, Any], before: dict[str, Any]) -> Tried:
        was = self.text if before is self.state else encode(before)
        first = self._worlds[0].attempt(tool, arguments)
        outcome = first.outcome
        if outcome.kind == "invalid":
            return Tried(outcome, None, before, before, NOTHING)
        second = self._worlds[1].attempt(tool, arguments)
        after, diff = before, NOTHING
        if first.state != was:
            after = json.loads(first.state)
            diff = diff_of_states(before, after)
        differs = ""
        if (outcome, first.failure) != (second.outcome, second.failure):
            differs = "two answers"
        elif first.state != second.state and not diff_of_states(after, json.loads(second.state)).empty:
            differs = "two states"
        return Tried(outcome, first.failure, before, before if diff.empty else after, diff, differs)

    def _restored(self, before: dict[str, Any]) -> bool:
        was = self.text if before is self.state else encode(before)
        states = [world.state() for world in self._worlds]
        return all(encode(state) == was or diff_of_states(before, state).empty for state in states)
