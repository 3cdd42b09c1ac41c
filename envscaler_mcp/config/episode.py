"""What holds for any episode, whether it belongs to a run or is played alone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from envscaler_mcp.config.choices import (
    AGENTS,
    ANSWER_TOKENS,
    MAX_SECONDS,
    MAX_STEPS,
    MAX_TOKENS,
    PERSON,
    PERSON_SECONDS,
    PUBLISHED_STEPS,
    Mode,
    Scoring,
)
from envscaler_mcp.config.options import Config, Flag

PLAYERS, LIMITS, MODELS = "Players", "Limits", "Models"


class EpisodeConfig(Config):
    """Who plays an episode, how it is scored, and what ends it."""

    agent: Annotated[str, Flag(f"The agent: {', '.join(AGENTS)}.", panel=PLAYERS)] = "oracle"
    mode: Annotated[
        Mode,
        Flag("task: the agent gets the whole task at once. conversation: it talks with a user.", panel=PLAYERS),
    ] = "task"
    user: str = ""
    """The user of a conversation."""
    seed: Annotated[int, Flag("Seed of the agent's random numbers.", panel=PLAYERS)] = 0
    scoring: Annotated[
        Scoring,
        Flag(
            "framed: a change outside the scenario's frame earns nothing. upstream: the published rule, which ignores "
            "such changes; environments imported with --faithful earn exactly the published reward.",
            panel=PLAYERS,
        ),
    ] = "framed"
    max_steps: Annotated[
        int | None,
        Field(ge=1),
        Flag(
            f"At most this many steps in an episode. Default: {MAX_STEPS}; with --scoring upstream the published "
            f"{PUBLISHED_STEPS['task']}, or {PUBLISHED_STEPS['conversation']} in conversations.",
            panel=LIMITS,
        ),
    ] = None
    max_seconds: Annotated[
        float | None,
        Field(ge=0.001),
        Flag(
            f"At most this many seconds for an episode. Default: {MAX_SECONDS:g}; one day with a person.", panel=LIMITS
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        Field(ge=1),
        Flag(
            "At most this many tokens from the agent in an episode; the step that exceeds it is the last. "
            f"Default for models: {MAX_TOKENS:,}.",
            panel=LIMITS,
        ),
    ] = None
    answer_tokens: Annotated[
        int, Field(ge=16), Flag("At most this many tokens in one answer of the agent's model.", panel=LIMITS)
    ] = ANSWER_TOKENS
    temperature: Annotated[
        float | None,
        Field(ge=0, le=2),
        Flag("Temperature of the agent's model. Default: the endpoint's.", panel=MODELS),
    ] = None

    @property
    def by_hand(self) -> bool:
        """Whether a person at this keyboard takes part."""
        return PERSON in (self.agent, self.user if self.mode == "conversation" else "")

    @property
    def seconds(self) -> float:
        """The duration that an episode may have."""
        return self.max_seconds or (PERSON_SECONDS if self.by_hand else MAX_SECONDS)


def steps_of(scoring: Scoring, mode: Mode) -> int:
    """How many steps an episode has by default."""
    return MAX_STEPS if scoring == "framed" else PUBLISHED_STEPS[mode]
