"""The episodes of a run, written for a trainer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Scenario, Tool, Trajectory
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.artifacts.names import is_environment_id
from envscaler_mcp.artifacts.run import PlannedEpisode, PlannedServer, RunPlan
from envscaler_mcp.artifacts.scenario import Split
from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.card import RowCounts
from envscaler_mcp.export.dialogue import Dialogue, dialogue_of
from envscaler_mcp.export.filters import EpisodeFilter, ExportFilter, Reason
from envscaler_mcp.export.formats import Format
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.serving.tasks import load_scenarios


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of the attempts in a run."""

    attempts: int
    episodes: int
    """Those that are written."""
    written: int
    """Rows or documents."""
    removed: Mapping[Reason, int]
    splits: Mapping[Split, int]
    """Those that are left out because of their split, by split."""
    missing: int
    """Episodes that the run was to have and has not."""
    damaged: int
    """Stretches of its journal that cannot be trusted."""
    absent: tuple[str, ...]
    """Environments that were played and are not in the home; their episodes count as stale."""
    counts: RowCounts
    """What the written rows hold."""


def export_run(
    folder: Path, servers: ServerFolders, form: Format, wanted: ExportFilter, out: Path, *, contaminate: bool = False
) -> Exported:
    """Write the wanted episodes of a run, each from the first attempt that counts.

    Episodes of a benchmark of other authors are refused unless the caller wants to `contaminate` a model with them.
    """
    chosen = form.filter(wanted)
    plan, tally, damaged = read_run(folder)
    if plan.benchmark is not None and not contaminate:
        raise ExportError(
            f"{str(folder)!r} is a run of the benchmark {plan.benchmark.name}. A model that is trained on its tasks cannot "
            "be measured on them any more, nor can any model that is trained on what that one says. "
            "--contaminate exports it all the same."
        )
    removed: Counter[Reason] = Counter(dict.fromkeys(("attempt", "stale", *chosen.reasons), 0))
    removed["attempt"] += sum(tally.attempts.values()) - len(tally.done)
    # The run may be going on, and then there is more to read by now: what is counted is what is read.
    home = _Home(servers, TaskFile.of_run(folder), official=plan.benchmark is not None)
    passing = _Passing(plan, home, chosen, removed)
    counts = RowCounts()
    written = form.write(out, counts.counted(passing.of(read_trajectories(folder))))
    missing = len(plan.episodes) - len(tally.done)
    attempts = removed.total() + passing.episodes
    return Exported(attempts, passing.episodes, written, removed, passing.splits, missing, damaged, home.absent, counts)


class _Passing:
    """Lets episodes pass, one at a time, and counts them and the others."""

    def __init__(self, plan: RunPlan, home: _Home, chosen: EpisodeFilter, removed: Counter[Reason]) -> None:
        self._planned = {episode.id: episode for episode in plan.episodes}
        self._home = home
        self._chosen = chosen
        self._removed = removed
        self.episodes = 0
        self.splits: Counter[Split] = Counter()

    def of(self, trajectories: Iterable[Trajectory]) -> Iterator[Dialogue]:
        for trajectory in trajectories:
            current = self._home.tools_and_split(trajectory, self._planned.get(trajectory.id))
            if current is None:
                self._removed["stale"] += 1
                continue
            dialogue = dialogue_of(trajectory, *current)
            reason = self._chosen.reason_of(dialogue)
            if reason is None:
                self.episodes += 1
                yield dialogue
            else:
                self._removed[reason] += 1
                if reason == "split":
                    self.splits[dialogue.split] += 1


class _Home:
    """Environments and tasks as they lie on the disk now, each environment read once."""

    def __init__(self, servers: ServerFolders, fresh: TaskFile | None, *, official: bool = False) -> None:
        self._servers = servers
        self._official = official
        """Whether what was played is of no home, but of a benchmark."""
        self._fresh = fresh
        self._known: dict[str, tuple[Environment, dict[str, Scenario]] | None] = {}

    @property
    def absent(self) -> tuple[str, ...]:
        """Environments that were asked for and are not here."""
        return tuple(sorted(name for name, known in self._known.items() if known is None))

    def tools_and_split(
        self, played: Trajectory, planned: PlannedEpisode | None
    ) -> tuple[Sequence[Tool], Split] | None:
        """What the agent could call, and which part of the data it was; nothing where its worlds are others by now."""
        if self._official and planned is not None:
            return played.tools, planned.split or "held_out"
        if planned is not None and planned.servers:
            worlds = [server for server in planned.servers if server.environment is not None]
            current = all(self._current(server) is not None for server in worlds)
            return (played.tools, planned.split or "train") if current else None
        world = PlannedServer.model_construct(
            name=played.environment,
            environment=played.environment,
            code_digest=played.code_digest,
            scenario=played.scenario,
            scenario_digest=played.scenario_digest,
        )
        environment, scenario = self._current(world) or (None, None)
        if environment is None or scenario is None:
            return None
        return played.tools if played.dialect or played.disturbances else environment.tools, scenario.split

    def _current(self, server: PlannedServer) -> tuple[Environment, Scenario | None] | None:
        """Environment and scenario of a world, unless either is another one by now."""
        name = server.environment or ""
        if name not in self._known:
            self._known[name] = self._read(name)
        known = self._known[name]
        if known is None or known[0].code_digest != server.code_digest:
            return None
        if not server.scenario:
            return known[0], None
        scenario = known[1].get(server.scenario)
        return (known[0], scenario) if scenario and scenario.digest == server.scenario_digest else None

    def _read(self, name: str) -> tuple[Environment, dict[str, Scenario]] | None:
        folder = self._servers / name
        if not is_environment_id(name) or not has_member(folder, "environment.json"):
            return None
        tasks = load_scenarios(folder) if self._fresh is None else self._fresh.scenarios(name)
        scenarios = {scenario.id: scenario for scenario in tasks}
        return Environment.read_in(folder, "environment.json"), scenarios
