"""A run in figures: what was solved where, how surely, and what failed for another reason than the agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.scoring.pass_at_k import GROUPS, Group, grouped, passing
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.scoring.trajectory import Attempted
from envscaler_mcp.viewer.choosing import attempts_of


def disturbed(tally: Tally) -> list[Attempted]:
    """Episodes that failed for another reason than their agent."""
    return [attempt for attempt in attempts_of(tally) if attempt.owner not in (None, "agent")]


def summary_of(plan: RunPlan, tally: Tally, listed: Sequence[Attempted] | None = None) -> dict[str, Any]:
    """The whole run for programs; with a line for each episode, or for those that are to be listed."""
    done = tally.done.values()
    return {
        "agent": plan.agent,
        "via": plan.via,
        "scoring": plan.scoring,
        "rescored": plan.rescored,
        "gradings": gradings(tally),
        "planned": len(plan.episodes),
        "done": len(tally.done),
        "solved": sum(attempt.solved for attempt in done),
        "reward": mean_reward(list(done)),
        "masked": sum(attempt.masked for attempt in done),
        "failures": failures_of([*done, *tally.failed.values()]),
        "passing": [asdict(rate) for rate in passing(plan.episodes, tally.done)],
        **{f"by_{group}": _by(group, plan, tally) for group in GROUPS},
        "episodes": [
            {
                "id": attempt.id,
                "environment": attempt.environment,
                "reward": attempt.reward,
                "solved": attempt.solved,
                "owner": attempt.owner,
                "reason": attempt.reason,
                "grading": attempt.grading,
                "steps": attempt.steps,
                "ended": attempt.ended,
                "attempts": tally.attempts[attempt.id],
            }
            for attempt in (attempts_of(tally) if listed is None else listed)
        ],
    }


def gradings(tally: Tally) -> dict[str, int]:
    """How many of the verdicts that count were given under each number; those of one number are comparable."""
    return dict(sorted(Counter(attempt.grading.rpartition("/")[2] for attempt in tally.done.values()).items()))


def _by(group: Group, plan: RunPlan, tally: Tally) -> dict[str, Any]:
    groups = sorted(grouped(plan.episodes, group).items())
    return {name: figures_of(planned, tally) for name, planned in groups}


def figures_of(planned: Sequence[PlannedEpisode], tally: Tally) -> dict[str, Any]:
    """Some of its episodes."""
    done, failed = attempts_among(planned, tally)
    return {
        "planned": len(planned),
        "done": len(done),
        "masked": sum(attempt.masked for attempt in done),
        "solved": sum(attempt.solved for attempt in done),
        "reward": mean_reward(done),
        "failures": failures_of([*done, *failed]),
        "passing": [asdict(rate) for rate in passing(planned, tally.done)],
    }


def attempts_among(planned: Sequence[PlannedEpisode], tally: Tally) -> tuple[list[Attempted], list[Attempted]]:
    """Those that are done, and those that the machine kept from being played."""
    done = [tally.done[episode.id] for episode in planned if episode.id in tally.done]
    return done, [tally.failed[episode.id] for episode in planned if episode.id in tally.failed]


def mean_reward(done: Sequence[Attempted]) -> float | None:
    """The mean over what is not masked: an episode that something else spoilt says nothing about the agent."""
    counted = [attempt.reward for attempt in done if not attempt.masked]
    return mean(counted) if counted else None


def failures_of(attempts: Sequence[Attempted]) -> dict[str, int]:
    """How many failed, by the owner of the failure."""
    return dict(Counter(str(attempt.owner) for attempt in attempts if attempt.owner is not None))
