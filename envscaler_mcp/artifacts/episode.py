"""What was played, and what came of it."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field, model_validator

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.artifacts.scenario import Call
from envscaler_mcp.artifacts.state import StateDiff
from envscaler_mcp.artifacts.tool import Tool
from envscaler_mcp.config import choices

COMPLETED = "Task Completed"
"""What an agent says when it is done; the words of the paper."""
Scoring = choices.Scoring
AnyScoring = Literal["framed", "upstream", "official"]
"""`official`: the code of a benchmark's authors was the judge."""
Owner = choices.Owner


class Verdict(Part):
    """Whether the task was done, and whose failure it was where not."""

    scoring: AnyScoring = "framed"
    checks: tuple[bool, ...] = ()
    frame_violations: tuple[str, ...] = ()
    """Paths that changed and must not have."""
    reward: float = 0.0
    solved: bool = False
    owner: Owner | None = None
    """Whose failure it was; None where the task was solved."""
    masked: bool = False
    """Whether a trainer must leave this episode out, because the failure was not the agent's."""
    reason: str = ""
    grading: str = ""
    """The rules that judged it: the package's version, and a number that is raised with every change of a grading."""
    figures: dict[str, float] = Field(default_factory=dict, exclude_if=lambda figures: not figures)
    """What else the judge of a benchmark measured, by name."""

    @model_validator(mode="before")
    @classmethod
    def _legible(cls, recorded: Any) -> Any:
        return legible_verdict(recorded) if isinstance(recorded, dict) else recorded


def legible_verdict(recorded: dict[str, Any]) -> dict[str, Any]:
    """A recorded verdict as it can be counted: where its reward is no finite number, nothing was judged.

    Records may come from elsewhere, and JSON as Python writes it holds NaN and Infinity.
    """
    # What was judged has a reward; a verdict on what was never judged need not say so.
    reward = recorded.get("reward", None if {"checks", "grading"} <= recorded.keys() else 0.0)
    if isinstance(reward, int | float) and not isinstance(reward, bool) and math.isfinite(reward):
        return recorded
    reason = f"no reward can be read from its record: {reward!r}"[:200]
    return {**recorded, "reward": 0.0, "solved": False, "masked": True, "owner": "checker", "reason": reason}


class Usage(Part):
    """What an answer of a model took."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompt that the endpoint had read before."""
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    """Those of the completion that were thoughts."""


class ModelCost(Usage):
    """What the calls of a model in one role took."""

    dollars: float = 0.0
    milliseconds: float = 0.0
    """Waiting for the endpoint included."""

    def __add__(self, other: ModelCost) -> ModelCost:
        return ModelCost(**{name: getattr(self, name) + getattr(other, name) for name in ModelCost.model_fields})


class Invention(Part):
    """A value that a user gave without having been given it."""

    step: int
    """The step that it answers; 0 is what they said first."""
    value: str


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
    malformed: str = ""
    """What stood in the place of arguments that are no plain JSON object: such a call reaches no world."""
    meant: Call | None = Field(default=None, exclude_if=lambda meant: meant is None)
    """In a dialect, or disturbed: the canonical call that it stands for, where it reached the world."""
    disturbed: str = Field(default="", exclude_if=lambda kind: not kind)
    """The kind of disturbance through which the call failed on the way, which is no fault of the agent."""
    observation: str = ""
    is_error: bool = False
    diff: StateDiff = Field(default_factory=StateDiff)
    milliseconds: float = 0.0
    use: ModelCost | None = None
    """What the agent's model took for the move; with the first call of a turn."""
    user_use: ModelCost | None = None


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
    mode: Mode = "task"
    user: str = ""
    """Who played the user of a conversation."""
    steps: tuple[Step, ...] = ()
    messages: tuple[dict[str, Any], ...] = ()
    """The conversation as a chat template takes it."""
    ended: Literal["completed", "steps", "tokens", "time", "error"] = "completed"
    disturbed_by: Owner | None = None
    """Who ended or disturbed it, whatever its ending was worth; another grading may blame them."""
    disturbance: str = ""
    use: ModelCost | None = None
    """What the agent's model took in all."""
    user_use: ModelCost | None = None
    invented: tuple[Invention, ...] = ()
    final_hash: str = ""
    verdict: Verdict
    tools: tuple[Tool, ...] = Field(default=(), exclude_if=lambda tools: not tools)
    """What the agent could call, where that is not what one environment of a home has."""
    dialect: str = Field(default="", exclude_if=lambda dialect: not dialect)
    """Which dialect was spoken; nothing where it was the world's own interface."""
    disturbances: tuple[str, ...] = Field(default=(), exclude_if=lambda kinds: not kinds)
    """Which kinds of disturbances were on between the agent and its world."""
