"""The endings of a run are judged anew, after a grading change or by the other rule, into a run folder of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Trajectory, Verdict
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.episode.transcript import is_said
from envscaler_mcp.errors import RunError
from envscaler_mcp.launch.channels import Via
from envscaler_mcp.runs.replaying import Ending, Replayed, replay_run
from envscaler_mcp.runs.run import Progress
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.judging import GRADING
from envscaler_mcp.scoring.run_folder import RunFolder, Tally, read_places, read_plan, rescored_plan
from envscaler_mcp.scoring.trajectory import Attempted
from envscaler_mcp.scoring.verdict import final_verdict, ungraded_as_published
from envscaler_mcp.serving.grading import Scoring

_BATCH = 64
"""Episodes that wait for the disk together."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """What judging a run anew has come to."""

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
        """Those of which something else is said now."""
        return [(then, now) for then, now in self.judged if _said(then) != _said(now)]


def _said(one: Attempted) -> tuple[object, ...]:
    return one.reward, one.solved, one.owner, one.reason


def rescored_folder(folder: Path, scoring: Scoring | None) -> Path:
    """Where a run that is judged anew goes by itself: beside the run, one for each rule and grading."""
    place = folder.resolve()
    plan = read_plan(folder)
    new = rescored_plan(plan, scoring or plan.scoring)
    out = place.with_name(f"{place.name}-rescored-{new.scoring}-{new.rescored}")
    if out.is_symlink():
        raise RunError(f"{str(out)!r} is a link; remove it, or name a folder with --out")
    return out


async def rescore_run(
    farm: WorldHome, folder: Path, out: Path, scoring: Scoring | None, via: Via, parallel: int, progress: Progress
) -> Rescored:
    """Judge what is not judged yet; the original is not touched.

    Endings come of playing episodes again. What cannot be played again is not recorded, and tried by the next call.
    """
    plan, before, damaged, places = read_places(folder)
    with RunFolder.open(out, rescored_plan(plan, scoring or plan.scoring)) as run:
        missing = {name: one for name, one in places.items() if one.counts and name not in run.tally.done}
        judging = _Judging(farm, run)
        try:
            await replay_run(farm, plan, missing, via, parallel, judging.take, progress)
        finally:
            with anyio.CancelScope(shield=True):
                await judging.write()
        return Rescored(plan, before, damaged, run.tally, judging.not_judged)


class _Judging:
    def __init__(self, farm: WorldHome, run: RunFolder) -> None:
        self.not_judged: dict[str, str] = {}
        self._farm = farm
        self._run = run
        self._waiting: list[Trajectory] = []
        self._lock = anyio.Lock()

    async def take(self, told: Replayed, record: Trajectory | None, ending: Ending | None) -> None:
        if record is None or told.outcome != "identical":
            self.not_judged[told.id] = told.why
            return
        self._waiting.append(record.model_copy(update={"verdict": await self._verdict(record, ending)}))
        if len(self._waiting) >= _BATCH:
            await self.write()

    async def _verdict(self, record: Trajectory, ending: Ending | None) -> Verdict:
        scoring = self._run.plan.scoring
        if ending is None:
            return record.verdict.model_copy(update={"scoring": scoring, "grading": GRADING})
        judge = partial(self._farm.judge, ending.scenario, ending.initial, ending.final, scoring)
        judged = await anyio.to_thread.run_sync(judge)
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
