"""What was played, and what came of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.state import StateDiff

COMPLETED = "Task Completed"
"""What an agent says when it is done; the words of the paper."""
Owner = Literal["agent", "environment", "checker", "user_simulator", "timeout", "infrastructure"]


class Verdict(Part):
    """Whether the task was done, and whose failure it was where not."""

    scoring: Literal["framed", "upstream"] = "framed"
    checks: tuple[bool, ...] = ()
    frame_violations: tuple[str, ...] = ()
    """Paths that changed and must not have."""
    reward: float = 0.0
    solved: bool = False
    owner: Owner | None = None
    """Nobody's where the task was solved."""
    masked: bool = False
    """Whether a trainer must leave this episode out, because the failure was not the agent's."""
    reason: str = ""
    grading: str = ""
    """The rules that judged it: the package's version, and a number that is raised with every change of a grading."""


class Step(Part):
    """What the agent said or called, what it saw, and what that changed; several calls of one turn are several steps."""

    number: int
    turn: int = 0
    """The agent's move that it belongs to."""
    text: str = ""
    reasoning: str = ""
    """What the agent's model thought before; no user hears it."""
    tool: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    unsent: bool = False
    """Whether it was a call that cannot be told in JSON: it reached no world, and only its answer is kept."""
    observation: str = ""
    is_error: bool = False
    diff: StateDiff = StateDiff()
    milliseconds: float = 0.0


class Trajectory(Artifact):
    """Everything that is needed to judge an episode again, and to replay it."""

    id: str
    """Scenario, agent, repetition: the same plan gives the same ids."""
    attempt: int = 1
    scenario: str
    scenario_digest: str
    environment: str
    code_digest: str
    seed: int
    agent: str
    via: str
    mode: Literal["task", "conversation"] = "task"
    user: str = ""
    """Who played the user of a conversation."""
    steps: tuple[Step, ...] = ()
    messages: tuple[dict[str, Any], ...] = ()
    """The conversation as a chat template takes it."""
    ended: Literal["completed", "steps", "time", "error"] = "completed"
    disturbed_by: Owner | None = None
    """Who ended or disturbed it, whatever its ending was worth; another grading may blame them."""
    disturbance: str = ""
    final_hash: str = ""
    verdict: Verdict
