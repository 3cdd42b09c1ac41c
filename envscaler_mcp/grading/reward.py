"""The reward rule: the share of checks that answer True, and 0 where something changed that the frame does not allow.

Pure functions of check results and state differences, so that a proof, an episode and a program outside this package
compute the same reward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Frame, StateDiff
from envscaler_mcp.artifacts.episode import Scoring

GRADING = f"{__version__}/19"
"""The version of these rules, stored with each verdict. Its number counts the changelog's entries under "Grading changes"."""


def reward(passed: Sequence[bool], violations: Sequence[str], scoring: Scoring = "framed") -> float:
    """The share of checks that answered True; 0 where the frame is violated, or where there are no checks."""
    if not passed or (scoring == "framed" and violations):
        return 0.0
    share = sum(1 for answer in passed if answer is True) / len(passed)
    return round(share, 4) if scoring == "upstream" else share


def informative(start: Sequence[bool], end: Sequence[bool]) -> list[bool]:
    """The answers at the end without those of checks that are true at the start and at the end.

    A check that was true at the start can only count against the agent.
    """
    return [answer for before, answer in zip(start, end, strict=True) if not (before and answer)]


def frame_violations(diff: StateDiff, frame: Frame | None) -> tuple[str, ...]:
    """Every change that the frame does not allow, as `path: what happened`, sorted.

    An allowed change that did not happen is no violation: whether it had to happen is for the checks.
    """
    return () if frame is None else tuple(sorted(_violations(diff, frame)))


def _violations(diff: StateDiff, frame: Frame) -> Iterator[str]:
    for container, records in diff.created.items():
        allowed = frame.created.get(container, 0)
        if len(records) > allowed:
            # Which of them is the surplus one cannot be known.
            yield from (f"{container}.{key}: created, one of {len(records)}, {allowed} allowed" for key in records)
    for container, records in diff.deleted.items():
        deletable = frame.deleted.get(container, ())
        yield from (f"{container}.{key}: deleted" for key in records if key not in deletable)
    for container, changes in diff.changed.items():
        for key, fields in changes.items():
            free = frame.changed.get(container, {}).get(key, ())
            yield from (f"{container}.{key}.{field}: changed" for field in fields if field not in free)
    for path in diff.scalars:
        if not any(path == free or path.startswith(f"{free}.") for free in frame.scalars):
            yield f"{path}: changed"
