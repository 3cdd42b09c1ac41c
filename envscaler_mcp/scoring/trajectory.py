"""Trajectories as they are written down, and what two of them have in common."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, get_args

from envscaler_mcp.artifacts import Trajectory, digest_of
from envscaler_mcp.artifacts.episode import Owner, legible_verdict
from envscaler_mcp.errors import RunError


@dataclass(frozen=True, slots=True)
class Attempted:
    """What a summary needs of a recorded attempt."""

    id: str
    environment: str
    agent: str
    attempt: int
    reward: float
    solved: bool
    owner: Owner | None
    reason: str
    steps: int
    ended: str
    masked: bool
    grading: str

    @property
    def counts(self) -> bool:
        """Whether the episode is done with this attempt; where the machine failed, it is to be tried again."""
        return self.owner != "infrastructure"


@dataclass(frozen=True, slots=True)
class WrittenAttempt:
    """An attempt as a journal takes it, and what a summary needs of it."""

    record: bytes
    attempt: Attempted


def written_attempt(trajectory: Trajectory) -> WrittenAttempt:
    """The attempt that a trajectory is."""
    return WrittenAttempt(record_of(trajectory), attempt_of(trajectory))


def record_of(trajectory: Trajectory) -> bytes:
    """The trajectory as a journal takes it."""
    return trajectory.model_dump_json().encode()


def trajectory_of(record: bytes) -> Trajectory:
    """The trajectory in a journal's record."""
    return Trajectory.from_text(record.decode(), "a record of the run")


def attempt_of(trajectory: Trajectory) -> Attempted:
    """What a summary needs of a trajectory."""
    verdict = trajectory.verdict
    return Attempted(
        id=trajectory.id,
        environment=trajectory.environment,
        agent=trajectory.agent,
        attempt=trajectory.attempt,
        reward=verdict.reward,
        solved=verdict.solved,
        owner=verdict.owner,
        reason=verdict.reason,
        steps=len(trajectory.steps),
        ended=trajectory.ended,
        masked=verdict.masked,
        grading=verdict.grading,
    )


def read_attempt(record: bytes) -> Attempted:
    """What a summary needs, without the cost of reading the rest properly."""
    try:
        document: dict[str, Any] = json.loads(record)
        verdict = legible_verdict(document["verdict"])
        owner = verdict.get("owner")
        if owner is not None and owner not in get_args(Owner):
            raise ValueError(f"no owner of a failure: {owner!r}")
        return Attempted(
            id=_of(str, document["id"]),
            environment=_of(str, document["environment"]),
            agent=_of(str, document["agent"]),
            attempt=_of(int, document["attempt"]),
            reward=float(_of((int, float), verdict.get("reward", 0.0))),
            solved=_of(bool, verdict.get("solved", False)),
            owner=owner,
            reason=_of(str, verdict.get("reason", "")),
            steps=len(_of(list, document["steps"])),
            ended=_of(str, document["ended"]),
            masked=_of(bool, verdict.get("masked", False)),
            grading=_of(str, verdict.get("grading", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as cause:
        raise RunError(f"A record of the run is no trajectory ({cause}); it was written by another program.") from cause


def _of(kind: Any, value: Any) -> Any:
    """The value, where it is of that kind; a record may come from any program."""
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} where another kind of value belongs")
    return value


def content_digest(trajectory: Trajectory) -> str:
    """The same for two plays in which the same happened, however long it took and whichever attempt it was."""
    content = trajectory.model_dump(
        mode="json",
        exclude={
            "attempt": True,
            "use": True,
            "user_use": True,
            "steps": {"__all__": {"milliseconds", "use", "user_use"}},
        },
    )
    return digest_of(content)
