"""What a gym needs of the place where its worlds are: the server folders of a home, or a farm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from envscaler_mcp.artifacts import Environment, FreshTask, Scenario, State, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.episode.progress import ChecksOfGoals
from envscaler_mcp.rl.errors import MaskedError
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool


@dataclass(frozen=True, slots=True)
class Task:
    """A scenario, and the state where it begins if that does not lie with its environment."""

    scenario: Scenario
    state: State | None = None


class TaskWorld(Protocol):
    """A world that was opened at a task. Nothing in it waits for an event loop."""

    is_here: bool
    """Whether calls are made in this process, and take less time than a thread would."""

    @property
    def lost(self) -> MaskedError | None:
        """What was raised when a call met that the world, or the way to it, is gone."""

    @property
    def url(self) -> str:
        """Where an agent connects to it; empty where it is in this process."""

    def call(self, tool: str, arguments: dict[str, Any], *, writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed; only a tool that writes is asked for that."""

    def initial(self) -> Mapping[str, Any]:
        """The state as the world opened; to be asked before anything is called."""

    def state(self) -> Mapping[str, Any]:
        """All records as they are now; no agent sees them."""

    def judge(self, scoring: Scoring) -> Verdict:
        """What the state as it is now would be worth as an ending; NoEndingError where it cannot be read."""

    def fork(self, count: int) -> Sequence[TaskWorld]:
        """Worlds that continue from here, independent of this one."""

    def close(self) -> None:
        """End the world."""

    def abandon(self) -> None:
        """End the world soon; called while objects are being collected, so it waits for nothing and takes no lock."""


class Place(Protocol):
    """Where tasks and their worlds are."""

    via: str
    """How worlds are reached, as trajectories say it: `direct` or `http`."""

    @property
    def agent_headers(self) -> Mapping[str, str]:
        """What agents send with their calls."""

    def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""

    def card(self, environment: str) -> Environment:
        """What is known of an environment."""

    def tools(self, environment: str) -> Mapping[str, CallableTool]:
        """Its tools, by name."""

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """Its stored tasks."""

    def fresh_tasks(
        self, environment: str, level: Level | None, seed: int, split: Split, proof: ProofExtent
    ) -> Iterator[FreshTask]:
        """Tasks that are made when they are asked for, without end."""

    def checks_of_goals(self, task: Task) -> ChecksOfGoals:
        """Which checks tell of each goal of the task's conversation."""

    def open(self, task: Task, count: int, *, diffs: bool) -> Sequence[TaskWorld]:
        """Worlds at a task, all of them or none; `diffs` where what calls change will be asked for."""

    def close(self) -> None:
        """End what belongs to the place; its worlds are closed before."""
