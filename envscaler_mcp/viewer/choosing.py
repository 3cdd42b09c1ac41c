"""Which episodes of a run are shown."""

from __future__ import annotations

from envscaler_mcp.artifacts.episode import Owner
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.scoring.trajectory import Attempted


def attempts_of(tally: Tally) -> list[Attempted]:
    """What counts of each episode, or else what was tried last."""
    return sorted((*tally.done.values(), *tally.failed.values()), key=lambda attempt: attempt.id)


def chosen(tally: Tally, *, failed: bool = False, owner: Owner | None = None, environment: str = "") -> list[Attempted]:
    """Those that were not solved, that failed through one owner, or that are of one environment."""
    return [
        attempt
        for attempt in attempts_of(tally)
        if not (failed and attempt.solved)
        and owner in (None, attempt.owner)
        and environment in ("", attempt.environment)
    ]
