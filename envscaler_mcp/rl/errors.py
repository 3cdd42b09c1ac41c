"""What the gym raises: a mistake of the caller, something that was closed, or a failure that is not the policy's."""

from __future__ import annotations

from typing import Never

from envscaler_mcp.errors import LaunchError, RunError, WorldError


class UsageError(RunError, WorldError, TypeError, ValueError):
    """An id, an option or a value that the gym does not take; the message says what it takes. Nothing was done."""


class ClosedError(RunError):
    """The gym or the episode was closed before this was asked of it."""


class MaskedError(RunError):
    """What failed was not the policy: the episode has no reward, so leave it out. Parent of all that a lost farm raises."""


class FarmLostError(MaskedError, LaunchError):
    """The farm cannot be reached, or did not answer in time. An episode that meets this is over."""


class FarmRefusedError(MaskedError, LaunchError):
    """The farm answers, and does not do this now: it is full, or takes no such token. Nothing was done."""


class WorldLostError(MaskedError, LaunchError):
    """The world is gone: its lease ended, its worker broke down, or the farm was started again. Its episode is over."""


def refuse_pickling(what: str) -> Never:
    """Raise for what belongs to one process; the message says what to send in its place."""
    raise UsageError(
        f"{what} belongs to its process and cannot be pickled or copied. Open a gym in each process (rl.local(), "
        "rl.connect(URL, TOKEN)), and send the id of a task, a Scenario, a FreshTask, a Verdict or a Trajectory there."
    )
