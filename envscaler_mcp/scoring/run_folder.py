"""A run directory: the plan, the journal, and so at any time what is done and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Self

from envscaler_mcp.artifacts import Provenance, Trajectory
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.html.counts import counted
from envscaler_mcp.plain_files import PlainFolder
from envscaler_mcp.scoring.journal import Journal, RecordLocation, read_shards
from envscaler_mcp.scoring.trajectory import Attempted, WrittenAttempt, read_attempt, trajectory_of, written_attempt

PLAN = "plan.json"


class RunFolder:
    """A run that goes on: whatever is missing is to be played and recorded."""

    def __init__(self, plan: RunPlan, journal: Journal) -> None:
        self.plan = plan
        self._journal = journal
        self.tally = Tally(map(read_attempt, journal.records()))
        self.damaged = journal.damaged
        """Stretches of the journal that could not be trusted when it was opened."""

    @classmethod
    @contextmanager
    def open(cls, folder: Path, plan: RunPlan) -> Iterator[Self]:
        """The run in this folder: begun if there is none, gone on with if its plan is this one, refused otherwise."""
        with Journal.open(folder, partial(_keep_to, plan)) as journal:
            yield cls(plan, journal)

    def missing(self) -> tuple[PlannedEpisode, ...]:
        """Episodes that are not done."""
        return tuple(episode for episode in self.plan.episodes if episode.id not in self.tally.done)

    def record(self, trajectories: Sequence[Trajectory]) -> None:
        """Write attempts down; when this returns, they count."""
        self.write([written_attempt(trajectory) for trajectory in trajectories])

    def write(self, attempts: Sequence[WrittenAttempt]) -> None:
        """The same for attempts that are JSON already."""
        self._journal.append([written.record for written in attempts])
        for written in attempts:
            self.tally.add(written.attempt)


class Tally:
    """Attempts by episode. The first one that counts is the one that counts for ever."""

    def __init__(self, attempts: Iterable[Attempted] = ()) -> None:
        self.done: dict[str, Attempted] = {}
        self.attempts: dict[str, int] = {}
        """How often each episode was tried, with and without success."""
        self.failed: dict[str, Attempted] = {}
        """The last attempt of episodes that the machine kept from being played."""
        for attempt in attempts:
            self.add(attempt)

    def add(self, attempt: Attempted) -> None:
        """One more attempt."""
        self.attempts[attempt.id] = self.attempts.get(attempt.id, 0) + 1
        if attempt.id in self.done:
            return
        if attempt.counts:
            self.done[attempt.id] = attempt
            self.failed.pop(attempt.id, None)
        else:
            self.failed[attempt.id] = attempt


def read_plan(folder: Path) -> RunPlan:
    """The plan of a run."""
    plan = _plan_in(folder)
    if plan is None:
        raise RunError(f"There is no run in {str(folder)!r}; `envscaler run --out {folder}` begins one.")
    return plan


def read_run(folder: Path) -> tuple[RunPlan, Tally, int]:
    """Plan, attempts and the number of damaged stretches of a run, which may be going on."""
    plan, tally, damaged, _ = read_places(folder)
    return plan, tally, damaged


def recorded_episodes(folder: Path) -> dict[str, RecordLocation]:
    """Where the attempt of each episode lies: the one that counts, or else the last one."""
    return read_places(folder)[3]


def read_places(folder: Path) -> tuple[RunPlan, Tally, int, dict[str, RecordLocation]]:
    """What `read_run` and `recorded_episodes` tell, read once."""
    plan, tally, damaged = read_plan(folder), Tally(), 0
    places: dict[str, RecordLocation] = {}
    for shard, reading in read_shards(folder):
        damaged += len(reading.damaged)
        for record, begin in zip(reading.records, reading.begins, strict=True):
            attempt = read_attempt(record)
            if attempt.id not in tally.done:
                places[attempt.id] = RecordLocation(
                    attempt.id, attempt.environment, attempt.counts, shard, begin, len(record)
                )
            tally.add(attempt)
    return plan, tally, damaged, places


def read_trajectories(folder: Path) -> Iterator[Trajectory]:
    """The trajectory that counts of every episode that is done, in the order in which they were recorded."""
    seen: set[str] = set()
    for _, reading in read_shards(folder):
        for record in reading.records:
            attempt = read_attempt(record)
            if attempt.counts and attempt.id not in seen:
                seen.add(attempt.id)
                yield trajectory_of(record)


def places_of(plan: RunPlan, places: Mapping[str, RecordLocation], wanted: str) -> dict[str, RecordLocation]:
    """Of what is recorded, an episode by its id, or those of a task."""
    ids = {episode.id for episode in plan.episodes if wanted in (episode.id, episode.scenario)}
    return {name: place for name, place in places.items() if name in ids}


def rescored_plan(plan: RunPlan, scoring: Scoring) -> RunPlan:
    """The plan of a run whose episodes are those of another one, judged anew; verdicts of one number are comparable."""
    provenance = Provenance(parents={"run": plan.digest})
    number = GRADING.rpartition("/")[2]
    return plan.model_copy(update={"scoring": scoring, "rescored": number, "provenance": provenance})


def _keep_to(plan: RunPlan, folder: PlainFolder) -> None:
    """Before anything in the folder is mended: what does not belong to this run stays as it is."""
    stored = _plan_in(folder.path)
    if stored is None:
        if any(reading.records for _, reading in read_shards(folder.path)):
            raise RunError(
                f"{str(folder.path)!r} holds records of a run but no plan; choose another folder with --out."
            )
        folder.write(PLAN, plan.to_text().encode("utf-8"), sync=True)
    elif stored.digest != plan.digest:
        raise RunError(
            f"{str(folder.path)!r} holds another run ({_difference(stored, plan)}); "
            "repeat the command that began it to go on, or choose another folder with --out."
        )


def _plan_in(folder: Path) -> RunPlan | None:
    return RunPlan.read_in(folder, PLAN) if has_member(folder, PLAN) else None


def _difference(stored: RunPlan, plan: RunPlan) -> str:
    for name in (
        "agent",
        "via",
        "mode",
        "user",
        "scoring",
        "max_steps",
        "max_seconds",
        "max_tokens",
        "answer_tokens",
        "temperature",
        "prompts",
        "rescored",
    ):
        there, here = getattr(stored, name), getattr(plan, name)
        if there != here:
            return f"{name} {there!r}, not {here!r}"
    if stored.provenance.parents != plan.provenance.parents:
        return "the verdicts on another run"
    if len(stored.episodes) != len(plan.episodes):
        return f"{counted(len(stored.episodes), 'episode')}, not {len(plan.episodes)}"
    return "other episodes, or scenarios that were made again since"
