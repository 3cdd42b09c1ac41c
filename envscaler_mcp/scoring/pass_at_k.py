"""How surely tasks are solved, from several plays of each: pass@k and pass^k, without bias.

pass@k is the chance that at least one of k plays solves a task, pass^k that all of them do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import mean
from typing import Literal

from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.scoring.trajectory import Attempted

Group = Literal["environment", "level", "split"]
GROUPS: tuple[Group, ...] = ("environment", "level", "split")


@dataclass(frozen=True, slots=True)
class Passing:
    """Estimates for one number of plays."""

    k: int
    at_least_once: float
    every_time: float
    tasks: int
    """How many tasks were played so often that they could be counted."""


def passing(planned: Iterable[PlannedEpisode], done: Mapping[str, Attempted]) -> list[Passing]:
    """For each k, the mean over the tasks of which k plays or more count; what is masked counts as not played."""
    plays: dict[str, list[bool]] = {}
    for episode in planned:
        attempt = done.get(episode.id)
        if attempt is not None and not attempt.masked:
            plays.setdefault(episode.scenario, []).append(attempt.solved)
    most = max(map(len, plays.values()), default=0)
    return [
        _passing(k, [(len(solved), sum(solved)) for solved in plays.values() if len(solved) >= k])
        for k in range(1, most + 1)
    ]


def _passing(k: int, counts: Sequence[tuple[int, int]]) -> Passing:
    return Passing(
        k,
        at_least_once=mean(1 - comb(plays - solved, k) / comb(plays, k) for plays, solved in counts),
        every_time=mean(comb(solved, k) / comb(plays, k) for plays, solved in counts),
        tasks=len(counts),
    )


def grouped(planned: Iterable[PlannedEpisode], by: Group) -> dict[str, list[PlannedEpisode]]:
    """Episodes by what they have in common; those of which it is not known are left out."""
    groups: dict[str, list[PlannedEpisode]] = {}
    for episode in planned:
        name = getattr(episode, by)
        if name is not None:
            groups.setdefault(name, []).append(episode)
    return groups
