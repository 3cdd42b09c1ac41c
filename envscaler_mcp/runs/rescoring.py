"""The endings of a run are judged again, after a grading change or by the other rule, into a run folder of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Trajectory, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import RunPlan, Via
from envscaler_mcp.episode.transcript import is_said
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.grading.verdicts import final_verdict, own_rule, ungraded_as_published
from envscaler_mcp.runs.playing import judge_worlds
from envscaler_mcp.runs.recording import Progress
from envscaler_mcp.runs.replaying import Ending, Replayed, replay_run
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.scoring.run_folder import RunFolder, Tally, read_places, read_plan, rescored_plan
from envscaler_mcp.scoring.trajectory import Attempted

_BATCH = 64
"""Episodes that wait for the disk together."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """What came of rescoring a run."""

    plan: RunPlan
    """That of the run as it was played."""
    before: Tally
    damaged: int
    """Stretches of its journal that cannot be read."""
    after: Tally
    not_judged: dict[str, str]
    """Episodes that are not in the new run because they could not be played again, and why."""

    @property
    def judged(self) -> list[tuple[Attempted, Attempted]]:
        """Every episode that has a verdict in the new run: then and now."""
        done = self.before.done
        return [(done[name], now) for name, now in sorted(self.after.done.items()) if name in done]

    @property
    def changed(self) -> list[tuple[Attempted, Attempted]]:
        """Those whose verdict is another one now."""
        return [(then, now) for then, now in self.judged if _said(then) != _said(now)]


def _said(attempt: Attempted) -> tuple[object, ...]:
    return attempt.reward, attempt.solved, attempt.owner, attempt.reason


def rescored_folder(folder: Path, scoring: Scoring | None) -> Path:
    """Where a rescored run goes by default: beside the run, one folder for each rule and grading."""
    place = folder.resolve()
    plan = read_plan(folder)
    new = rescored_plan(plan, scoring or own_rule(plan.scoring))
    out = place.with_name(f"{place.name}-rescored-{new.scoring}-{new.rescored}")
    if out.is_symlink():
        raise RunError(f"{str(out)!r} is a link; remove it, or name a folder with --out")
    return out


async def rescore_run(
    home: WorldHome, folder: Path, out: Path, scoring: Scoring | None, via: Via, parallel: int, progress: Progress
) -> Rescored:
    """Judge what is not judged yet; the original is not touched.

    Endings come of playing episodes again. What cannot be played again is not recorded, and tried by the next call.
    """
    plan, before, damaged, places = read_places(folder)
    with RunFolder.open(out, rescored_plan(plan, scoring or own_rule(plan.scoring))) as run:
        if home.tasks is not None:
            home.tasks.write_played(out, {episode.scenario for episode in plan.episodes})
        missing = {name: place for name, place in places.items() if place.counts and name not in run.tally.done}
        judging = _Judging(home, run)
        try:
            await replay_run(home, plan, missing, via, parallel, judging.take, progress)
        finally:
            with anyio.CancelScope(shield=True):
                await judging.write()
        return Rescored(plan, before, damaged, run.tally, judging.not_judged)


class _Judging:
    def __init__(self, home: WorldHome, run: RunFolder) -> None:
        self.not_judged: dict[str, str] = {}
        self._home = home
        self._run = run
        self._waiting: list[Trajectory] = []
        self._lock = anyio.Lock()

    async def take(self, replayed: Replayed, record: Trajectory | None, ending: Ending | None) -> None:
        if record is None or replayed.outcome != "identical":
            self.not_judged[replayed.id] = replayed.why
            return
        self._waiting.append(record.model_copy(update={"verdict": await self._verdict(record, ending)}))
        if len(self._waiting) >= _BATCH:
            await self.write()

    async def _verdict(self, record: Trajectory, ending: Ending | None) -> Verdict:
        scoring = own_rule(self._run.plan.scoring)
        unchanged = record.verdict.model_copy(update={"scoring": scoring, "grading": GRADING})
        if ending is None:
            return unchanged
        judged = await anyio.to_thread.run_sync(judge_worlds, self._home, ending.servers, ending.final, scoring)
        if judged is None:
            return unchanged
        owner, disturbance = record.disturbed_by, record.disturbance
        if owner is None and record.verdict.owner not in (None, "agent", "checker"):
            # Older records say only in their verdict who disturbed them.
            owner, disturbance = record.verdict.owner, record.verdict.reason
        if owner == "user_simulator" and any(is_said(step) for step in record.steps):
            # Older gradings blamed a user for what the agent's words may have brought about.
            owner = None if all(invention.step for invention in record.invented) else owner
        return final_verdict(judged, owner, disturbance, ungraded_as_published(record.ended, record.steps))

    async def write(self) -> None:
        """Everything that waits lies on the disk. Not to be cancelled: what was taken from the list is nowhere else."""
        async with self._lock:
            batch, self._waiting = self._waiting, []
            if batch:
                await anyio.to_thread.run_sync(self._run.record, batch)
