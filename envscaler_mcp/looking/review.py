"""Episodes beside the tasks that they were about, as far as this home still has those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario, Trajectory
from envscaler_mcp.errors import EnvScalerError, RunError
from envscaler_mcp.launch.opening import Starts
from envscaler_mcp.looking.milestones import Milestone, milestones
from envscaler_mcp.serving import load_code
from envscaler_mcp.serving.session import Judge
from envscaler_mcp.serving.tasks import load_scenarios


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An episode, its task, and when which check turned true."""

    episode: Trajectory
    scenario: Scenario | None = None
    """Nothing where this home has the task no more, or another one under its name."""
    milestones: tuple[Milestone, ...] = ()
    unknown: str = ""
    """Why it is not known when checks turned true."""


class Review:
    """Looks episodes up in the server folders of a home; their states are made anew, nothing is called."""

    def __init__(self, servers: Path, judge: Judge) -> None:
        self._servers = servers
        self._judge = judge
        self._scenarios: dict[str, dict[str, Scenario]] = {}
        self._starts: dict[str, Starts] = {}

    def of(self, episode: Trajectory) -> Reviewed:
        """The episode with everything that this home can tell about it."""
        try:
            scenario = self._scenario(episode)
        except EnvScalerError as cause:
            return Reviewed(episode, unknown=str(cause))
        try:
            return Reviewed(episode, scenario, self._milestones(episode, scenario))
        except EnvScalerError as cause:
            return Reviewed(episode, scenario, unknown=str(cause))

    def _scenario(self, episode: Trajectory) -> Scenario:
        known = self._scenarios.get(episode.environment)
        if known is None:
            # The name comes from a record, and must not lead out of the home.
            if Path(episode.environment).name != episode.environment:
                raise RunError(f"{episode.environment!r} is no name of an environment")
            loaded = load_scenarios(self._servers / episode.environment)
            known = self._scenarios[episode.environment] = {one.digest: one for one in loaded}
        found = known.get(episode.scenario_digest)
        if found is None:
            raise RunError(f"this home has no scenario {episode.scenario!r} as it was when the episode was played")
        return found

    def _milestones(self, episode: Trajectory, scenario: Scenario) -> tuple[Milestone, ...]:
        initial = self._initial(scenario)
        scoring = episode.verdict.scoring

        def answers(state: Mapping[str, Any]) -> tuple[bool, ...]:
            return self._judge(scenario, initial, state, scoring).checks

        return milestones(episode.steps, initial, episode.final_hash, answers)

    def _initial(self, scenario: Scenario) -> Mapping[str, Any]:
        starts = self._starts.get(scenario.environment)
        if starts is None:
            folder = self._servers / scenario.environment
            starts = self._starts[scenario.environment] = Starts(folder, load_code(folder))
        session = starts.session(scenario)
        try:
            return session.initial
        finally:
            session.close()
