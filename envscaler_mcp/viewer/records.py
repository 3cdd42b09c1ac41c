"""The records of a run in the order in which they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from envscaler_mcp.scoring.journal import RecordLocation
from envscaler_mcp.scoring.run_folder import recorded_episodes


def by_environment(folder: Path, limit: int | None = None) -> Iterator[RecordLocation]:
    """One environment after the other; a limit takes those that were recorded first."""
    yield from sorted(list(recorded_episodes(folder).values())[:limit], key=lambda place: place.environment)
