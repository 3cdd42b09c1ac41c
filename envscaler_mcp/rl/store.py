"""Episodes of a program in a run folder, as `runs`, `replay` and `export` read one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from envscaler_mcp.artifacts import Scenario, Trajectory
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan, Via
from envscaler_mcp.config.choices import MAX_SECONDS
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.verdicts import own_rule
from envscaler_mcp.scoring.run_folder import RunFolder

T = TypeVar("T")


def store(folder: Path, trajectories: Sequence[Trajectory], scenario: Callable[[Trajectory], Scenario | None]) -> None:
    """Write them into a new run folder; `scenario` knows the stored tasks, whose level and split the plan names."""
    if not trajectories:
        raise RunError("There is nothing to store: no trajectory was given.")
    ids = [trajectory.id for trajectory in trajectories]
    twice = next((id_ for id_ in ids if ids.count(id_) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise RunError(f"Two trajectories are called {twice!r}; give each a repetition of its own in record().")
    mode = _one("mode", [trajectory.mode for trajectory in trajectories])
    scoring = own_rule(_one("scoring", [trajectory.verdict.scoring for trajectory in trajectories]))
    ended = [_limit_of(trajectory) for trajectory in trajectories if trajectory.ended == "steps"]
    plan = RunPlan(
        agent=_one("agent", [trajectory.agent for trajectory in trajectories]),
        via=cast(Via, _one("way", [trajectory.via for trajectory in trajectories])),
        mode=mode,
        user=_one("user", [trajectory.user for trajectory in trajectories]),
        scoring=scoring,
        max_steps=_one("number of steps", ended) if ended else steps_of(scoring, mode),
        max_seconds=MAX_SECONDS,
        episodes=tuple(_planned(trajectory, scenario(trajectory)) for trajectory in trajectories),
    )
    with RunFolder.open(folder, plan) as run:
        missing = {episode.id for episode in run.missing()}
        run.record([trajectory for trajectory in trajectories if trajectory.id in missing])


def _limit_of(trajectory: Trajectory) -> int:
    """The limit of moves at which it ended: those with a disturbed call do not count, as many as the limit at most."""
    moves = trajectory.steps[-1].turn
    disturbed = len({step.turn for step in trajectory.steps if step.disturbed})
    return max(moves - disturbed, moves // 2)


def _planned(trajectory: Trajectory, scenario: Scenario | None) -> PlannedEpisode:
    repetition = trajectory.id.rpartition("/")[2]
    return PlannedEpisode(
        id=trajectory.id,
        scenario=trajectory.scenario,
        scenario_digest=trajectory.scenario_digest,
        environment=trajectory.environment,
        code_digest=trajectory.code_digest,
        repetition=int(repetition) if repetition.isdecimal() else 1,
        seed=trajectory.seed,
        level=None if scenario is None else scenario.level,
        split=None if scenario is None else scenario.split,
        dialect=trajectory.dialect,
        disturbances=trajectory.disturbances,
    )


def _one(what: str, values: Sequence[T]) -> T:
    if len(set(values)) > 1:
        raise RunError(
            f"The trajectories are not of one {what}: {', '.join(map(repr, set(values)))}; store them apart."
        )
    return values[0]
