"""A task in a world, how one knows that it was done, and the proof that both are sound."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import MAX_SCENARIO_ID, EnvironmentIds, StateNames
from envscaler_mcp.config import choices

Level = choices.Level
Split = choices.Split
ProofExtent = choices.ProofExtent
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")


class Call(Part):
    """One call of a tool."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Span(Part):
    """A stretch of the task's text, and the fact that it says, if it says one."""

    text: str
    fact: str = ""


class Fact(Part):
    """One thing that matters to a goal."""

    name: str
    value: Any
    """As it stands in the state: an id, an amount in cents, a day."""
    says: str = ""
    """How the person says it; nothing where they do not."""
    findable: bool = False
    """Whether the agent can find it by reading, once it was told the rest."""


class Goal(Part):
    """One thing that a person wants done."""

    story: str
    ask: str
    """How they begin to speak of it, before any detail."""
    request: str
    """All of it, as the task says it."""
    facts: tuple[Fact, ...] = ()
    telling: int = 0
    """Which of the story's tellings it is, counted from 0."""


class Conversation(Part):
    """What a person knows who wants the task done and tells it bit by bit."""

    first: str
    """What they say first of all."""
    goals: tuple[Goal, ...]


class Check(Part):
    """One changed fact, as a question and as a function, under the published names."""

    check_item: str
    """`Has …?`"""
    check_func: str
    """Source of `def check_func(final_state)`, with `initial_state` as a global."""
    engine: Literal["worker", "monty"] = "worker"


class Frame(Part):
    """What may change; everything else must be as it was."""

    created: dict[str, int] = Field(default_factory=dict)
    """Container to the exact number of new records."""
    deleted: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    changed: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    """Container, id, and the fields of the record that may change."""
    scalars: tuple[str, ...] = ("counters",)
    """State outside containers that may change."""


class VariantCounts(Part):
    """How many variants of one kind were tried, and what became of them."""

    made: int = 0
    equivalent: int = 0
    """Those that end in the wanted state after all."""
    right: int = 0
    """Mutants below reward 1, benign variants at it, without the equivalent ones."""
    right_without_frame: int = 0


class Proof(Part):
    """That the task can be solved, is not given away, and is not judged too strictly."""

    final_hash: str
    """State hash after the oracle, twice the same."""
    oracle_reward: float
    do_nothing_reward: float
    orders: VariantCounts = VariantCounts()
    """Other orders of independent steps."""
    flow: tuple[str, ...] = ()
    """Where each argument of the oracle can be known from, call by call."""
    mutants: dict[str, VariantCounts] = Field(default_factory=dict)
    benign: dict[str, VariantCounts] = Field(default_factory=dict)
    text_mutants: VariantCounts = VariantCounts()
    extent: ProofExtent = Field(default="whole", exclude_if=lambda extent: extent == "whole")
    """`half` where no wrong endings and no harmless variants were tried."""


class Scenario(Artifact):
    """One line of a server folder's `scenarios.jsonl`."""

    id: str
    """At most 120 characters for each environment that it names: every card of a world repeats it."""
    environment: EnvironmentIds
    code_digest: str
    state: StateNames
    """Name of the start state."""
    state_digest: str
    seed: int
    level: Level
    task: str
    spans: tuple[Span, ...] = ()
    checks: tuple[Check, ...]
    frame: Frame | None
    """None where it is unknown how the task is solved, and so what may change."""
    oracle: tuple[Call, ...]
    """Reads and changes that solve the task; none where they are unknown."""
    threads: tuple[tuple[int, ...], ...] = ()
    """The oracle's calls by thread, as places in it."""
    features: dict[str, int] = Field(default_factory=dict)
    """What makes it hard: reads, distractors, branches, refusals, facts near the targets."""
    conversation: Conversation | None = None
    split: Split = "train"
    proof: Proof | None = None

    def model_post_init(self, context: object) -> None:
        super().model_post_init(context)
        most = MAX_SCENARIO_ID * (1 + self.environment.count("+"))
        if len(self.id) > most:
            raise ValueError(f"the id {self.id[:40]!r}… has {len(self.id)} characters; at most {most} are allowed")
