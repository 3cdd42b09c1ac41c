"""Episodes beside the tasks that they were about, as far as this home still has those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from envscaler_mcp.artifacts import Environment, Scenario, State, Trajectory, Verdict
from envscaler_mcp.artifacts.names import is_environment_id
from envscaler_mcp.errors import ArtifactError, EnvScalerError, RunError
from envscaler_mcp.grading.verdicts import own_rule
from envscaler_mcp.home import ServerFolders, folder_names
from envscaler_mcp.launch.opening import Starts
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.scoring.trajectory import read_attempt, trajectory_of
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.tasks import TaskList
from envscaler_mcp.studio.reasons import RefusalReasons, reasons_in
from envscaler_mcp.trust import load_code
from envscaler_mcp.trust.blueprint import BLUEPRINT
from envscaler_mcp.viewer.milestones import Milestone, milestones


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An episode, its task, and when which check turned true."""

    episode: Trajectory
    scenario: Scenario | None = None
    """Nothing where this home has the task no more, or another one under its name."""
    milestones: tuple[Milestone, ...] = ()
    unsure: str = ""
    """Why it is not known, or not surely, when checks turned true."""
    unreadable: str = ""
    """Why there is nothing of the episode but its verdict."""


class Review:
    """Looks episodes up in the server folders of a home; their states are made anew, nothing is called.

    Only what belongs to the environment of the last episode is kept: bring them one environment after the other.
    """

    def __init__(self, servers: ServerFolders, judge: Judge, fresh: TaskFile | None = None) -> None:
        """`fresh` are the tasks of a run that lie in no server folder."""
        self._servers = servers
        self._fresh = fresh
        self._judge = judge
        self._place: _Place | None = None

    def of(self, record: bytes) -> Reviewed:
        """The recorded episode with everything that this home can tell about it."""
        try:
            episode = trajectory_of(record)
        except ArtifactError as cause:
            return Reviewed(_outline(record), unreadable=str(cause))
        if episode.verdict.scoring == "official":
            # Of a benchmark: its judge says nothing of single moments, and no home has its worlds.
            return Reviewed(episode)
        scenario = None
        try:
            place = self._place_of(episode.environment)
            scenario = place.scenario(episode)
            return Reviewed(episode, scenario, *self._milestones(episode, scenario, place))
        except EnvScalerError as cause:
            return Reviewed(episode, scenario, unsure=str(cause))

    def beside(self, episode: Trajectory, scenario: Scenario) -> Reviewed:
        """An episode that was played just now, with the moments at which its checks turned."""
        return Reviewed(episode, scenario, *self._milestones(episode, scenario, self._place_of(episode.environment)))

    def card(self, environment: str) -> Environment:
        """What is known about an environment of this home."""
        return self._place_of(environment).code.environment

    def reasons(self, environment: str) -> RefusalReasons:
        """Why calls were refused there."""
        return self._place_of(environment).reasons

    def initial(self, scenario: Scenario) -> Mapping[str, Any]:
        """The state that a task begins with."""
        return self._place_of(scenario.environment).initial(scenario)

    def session(self, scenario: Scenario) -> Session:
        """A world at a task, which is its caller's to close."""
        return self._place_of(scenario.environment).session(scenario)

    def start(self, scenario: Scenario) -> State | None:
        """Where a task begins that lies in no server folder."""
        return None if self._fresh is None else self._fresh.state(scenario)

    def _place_of(self, environment: str) -> _Place:
        if self._place is None or self._place.environment != environment:
            self._place = _Place(self._servers, environment, self._fresh)
        return self._place

    def _milestones(self, episode: Trajectory, scenario: Scenario, place: _Place) -> tuple[tuple[Milestone, ...], str]:
        initial, published = place.initial(scenario), place.code.published

        def answers(state: Mapping[str, Any]) -> tuple[bool, ...]:
            return self._judge(scenario, initial, state, own_rule(episode.verdict.scoring), published).checks

        return milestones(episode.steps, initial, episode.final_hash, answers)


def _outline(record: bytes) -> Trajectory:
    """What a summary knows of an episode whose record cannot be read."""
    attempt = read_attempt(record)
    return Trajectory.model_construct(
        id=attempt.id,
        attempt=attempt.attempt,
        scenario="",
        scenario_digest="",
        environment=attempt.environment,
        code_digest="",
        seed=0,
        agent=attempt.agent,
        via="",
        ended=cast(Any, attempt.ended),
        verdict=Verdict.model_construct(
            reward=attempt.reward, solved=attempt.solved, owner=attempt.owner, reason=attempt.reason
        ),
    )


class _Place:
    """The server folder of an environment."""

    def __init__(self, servers: ServerFolders, environment: str, fresh: TaskFile | None) -> None:
        # The name comes from a record, and must not lead out of the home.
        if not is_environment_id(environment) or environment not in folder_names(servers):
            raise RunError(f"this home has no environment {environment!r}")
        self.environment = environment
        self._folder = servers / environment
        self._fresh = fresh
        self._tasks = TaskList(self._folder)
        self._initial: dict[tuple[str, int], Mapping[str, Any]] = {}

    @cached_property
    def code(self) -> EnvironmentCode:
        """The environment's code, which milestones need and summaries do not."""
        return load_code(self._folder)

    @cached_property
    def _starts(self) -> Starts:
        return Starts(self._folder, self.code, start_of=None if self._fresh is None else self._fresh.state)

    @cached_property
    def reasons(self) -> RefusalReasons:
        """Why calls are refused; a blueprint is only read where this installation compiled the code from it."""
        rules = self.code.environment.rules
        return reasons_in(self._folder / BLUEPRINT, rules) if self.code.trusted else RefusalReasons(rules)

    def session(self, scenario: Scenario) -> Session:
        """A world at a task."""
        return self._starts.session(scenario)

    def scenario(self, episode: Trajectory) -> Scenario:
        if self._fresh is None:
            scenario = self._tasks.find(episode.scenario)
        else:
            scenario = self._fresh.scenario(self.environment, episode.scenario)
        if scenario.digest != episode.scenario_digest:
            raise RunError(f"the scenario {episode.scenario!r} was made again since the episode was played")
        return scenario

    def initial(self, scenario: Scenario) -> Mapping[str, Any]:
        """The state that a task begins with; for some classes a process is started to know it."""
        start = scenario.state_digest, scenario.seed
        if start not in self._initial:
            session = self._starts.session(scenario)
            self._initial[start] = session.initial
            session.close()
        return self._initial[start]
