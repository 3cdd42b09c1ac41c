"""The order in which the episodes of a run become something to train on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Scenario, Trajectory
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.artifacts.names import is_environment_id
from envscaler_mcp.export.dialogue import Dialogue, dialogue_of
from envscaler_mcp.export.filters import ExportFilter, Reason, Sieve
from envscaler_mcp.export.formats import Format
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
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
    missing: int
    """Episodes that the run was to have and has not."""
    damaged: int
    """Stretches of its journal that cannot be trusted."""


def export_run(folder: Path, servers: Path, form: Format, wish: ExportFilter, out: Path) -> Exported:
    """Write the episodes of a run that are wished for, each from the first attempt that counts."""
    sieve = form.sieve(wish)
    plan, tally, damaged = read_run(folder)
    removed: Counter[Reason] = Counter(dict.fromkeys(("attempt", "stale", *sieve.reasons), 0))
    removed["attempt"] += sum(tally.attempts.values()) - len(tally.done)
    # The run may be going on, and then there is more to read by now: what is counted is what is read.
    wanted = _Wanted(_Homes(servers), sieve, removed)
    written = form.write(out, wanted.of(read_trajectories(folder)))
    missing = len(plan.episodes) - len(tally.done)
    return Exported(removed.total() + wanted.episodes, wanted.episodes, written, removed, missing, damaged)


class _Wanted:
    """Lets episodes pass, one at a time, and counts them and the others."""

    def __init__(self, homes: _Homes, sieve: Sieve, removed: Counter[Reason]) -> None:
        self._homes = homes
        self._sieve = sieve
        self._removed = removed
        self.episodes = 0

    def of(self, trajectories: Iterable[Trajectory]) -> Iterator[Dialogue]:
        for one in trajectories:
            found = self._homes.of(one)
            if found is None:
                self._removed["stale"] += 1
                continue
            environment, scenario = found
            dialogue = dialogue_of(one, environment, scenario.split)
            reason = self._sieve.reason_of(dialogue)
            if reason is None:
                self.episodes += 1
                yield dialogue
            else:
                self._removed[reason] += 1


class _Homes:
    """Environments and tasks as they lie on the disk now, each environment read once."""

    def __init__(self, servers: Path) -> None:
        self._servers = servers
        self._known: dict[str, tuple[Environment, dict[str, Scenario]] | None] = {}

    def of(self, played: Trajectory) -> tuple[Environment, Scenario] | None:
        """Where the episode was played, unless that is another environment or another task by now."""
        name = played.environment
        if name not in self._known:
            self._known[name] = self._read(name)
        known = self._known[name]
        if known is None or known[0].code_digest != played.code_digest:
            return None
        scenario = known[1].get(played.scenario)
        return (known[0], scenario) if scenario and scenario.digest == played.scenario_digest else None

    def _read(self, name: str) -> tuple[Environment, dict[str, Scenario]] | None:
        folder = self._servers / name
        if not is_environment_id(name) or not has_member(folder, "environment.json"):
            return None
        return Environment.read_in(folder, "environment.json"), {one.id: one for one in load_scenarios(folder)}
