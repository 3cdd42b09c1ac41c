"""How an ending is judged once its checks have answered: what changed and must not have, and what that is worth.

Pure functions of states and answers, so that a proof, an episode and an outsider come to the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Frame, StateDiff
from envscaler_mcp.config import choices
from envscaler_mcp.serving.state_diff import diff_of_states

Scoring = choices.Scoring


def reward(passed: Sequence[bool], violations: Sequence[str], scoring: Scoring = "framed") -> float:
    """The share of checks that answered True; nothing where the frame is broken, or where there are no checks."""
    if not passed or (scoring == "framed" and violations):
        return 0.0
    share = sum(1 for answer in passed if answer is True) / len(passed)
    return round(share, 4) if scoring == "upstream" else share


def frame_violations(initial: Mapping[str, Any], final: Mapping[str, Any], frame: Frame | None) -> tuple[str, ...]:
    """Everything that changed and may not, as `path: what happened`, sorted.

    A change that the frame allows and nobody made is not told here: whether it had to be made is for the checks.
    """
    return () if frame is None else broken_frame(diff_of_states(initial, final), frame)


def counted(start: Sequence[bool], end: Sequence[bool]) -> list[bool]:
    """The answers that tell something: those of checks that were true before anything was done count only against."""
    return [answer for before, answer in zip(start, end, strict=True) if not (before and answer)]


def broken_frame(diff: StateDiff, frame: Frame) -> tuple[str, ...]:
    """The same, where the difference is known already."""
    return tuple(sorted(_violations(diff, frame)))


def _violations(diff: StateDiff, frame: Frame) -> Iterator[str]:
    for container, records in diff.created.items():
        allowed = frame.created.get(container, 0)
        if len(records) > allowed:
            # Which of them is the one too many, nobody can tell.
            yield from (f"{container}.{key}: created, one of {len(records)}, {allowed} allowed" for key in records)
    for container, records in diff.deleted.items():
        spared = frame.deleted.get(container, ())
        yield from (f"{container}.{key}: deleted" for key in records if key not in spared)
    for container, changes in diff.changed.items():
        for key, fields in changes.items():
            free = frame.changed.get(container, {}).get(key, ())
            yield from (f"{container}.{key}.{field}: changed" for field in fields if field not in free)
    for path in diff.scalars:
        if not any(path == free or path.startswith(f"{free}.") for free in frame.scalars):
            yield f"{path}: changed"
