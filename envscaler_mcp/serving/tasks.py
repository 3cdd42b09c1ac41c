"""The tasks that a server folder holds: read, found, and offered to whoever connects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import ArtifactError, WorldError
from envscaler_mcp.serving.suggestion import did_you_mean

TASKS = "scenarios.jsonl"
MORE_TASKS = "more_scenarios.jsonl"
"""Those that were made here and do not ship."""


def load_scenarios(folder: Path) -> tuple[Scenario, ...]:
    """Every scenario of the folder, in its order; none where it holds no tasks."""
    found: tuple[Scenario, ...] = ()
    for name in (TASKS, MORE_TASKS):
        path = folder / name
        try:
            changed = path.stat().st_mtime_ns
        except OSError:
            continue
        found += _read(path, changed)
    if len({scenario.id for scenario in found}) < len(found):
        raise ArtifactError(f"{folder} holds two scenarios of one id; make it again with `envscaler build`.")
    return found


@lru_cache(maxsize=512)
def _read(path: Path, _changed: int) -> tuple[Scenario, ...]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as cause:
        raise ArtifactError(f"{path} cannot be read: {cause}") from cause
    return tuple(
        Scenario.from_text(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    )


def find_scenario(scenarios: Sequence[Scenario], named: str) -> Scenario:
    """The scenario of that id."""
    for scenario in scenarios:
        if scenario.id == named:
            return scenario
    raise WorldError(f"There is no scenario {named!r} here{did_you_mean(named, [one.id for one in scenarios])}")
