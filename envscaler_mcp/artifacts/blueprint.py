"""The logic model of one environment, as its author wrote it: expressions are still text."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part

Read = Literal["get", "list", "find", "count"]


class LoopSpec(Part):
    """`for x in SOURCE …` and what is done with each."""

    each: str
    """The head after `for`, as written."""
    do: tuple[str | LoopSpec | BranchSpec, ...]


class BranchSpec(Part):
    """`if TEST:` and what is done either way."""

    test: str
    then: tuple[str | LoopSpec | BranchSpec, ...]
    otherwise: tuple[str | LoopSpec | BranchSpec, ...] = ()


class RuleSpec(Part):
    """What always holds; the text is shown to agents and is the refusal."""

    text: str
    holds: str


class OperationSpec(Part):
    """A change that people of the trade make."""

    about: str
    params: dict[str, str | dict[str, str]] = Field(default_factory=dict)
    help: dict[str, str] = Field(default_factory=dict)
    """What agents read of a parameter: `what it is`, or `what it is | what leaving it out means`."""
    require: tuple[str, ...] = ()
    effect: tuple[str | LoopSpec | BranchSpec, ...]
    say: str


class QuerySpec(Part):
    """A question of the trade: records found and shown, or one answer."""

    about: str
    params: dict[str, str | dict[str, str]] = Field(default_factory=dict)
    help: dict[str, str] = Field(default_factory=dict)
    """What agents read of a parameter: `what it is`, or `what it is | what leaving it out means`."""
    require: tuple[str, ...] = ()
    find: str | None = None
    where: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    limit: str | None = None
    show: dict[str, str] = Field(default_factory=dict)
    answer: dict[str, str] = Field(default_factory=dict)


class StartSpec(Part):
    """How a plausible start state is grown."""

    now: str = "2026-03-02T09:00"
    days: int = 60
    """How many days of history lie before `now`."""
    records: dict[str, int] = Field(default_factory=dict)
    """How many records of each entity are there before the history begins."""
    history: int = 60
    """How many successful operations make the history."""
    play: dict[str, int] = Field(default_factory=dict)
    """How often an operation is played in comparison with the others; 1 where nothing is said, 0 for never."""
    values: dict[str, str] = Field(default_factory=dict)
    """`Entity.attribute` or `operation.parameter` to the values it may take, or `= expression`."""
    daily: tuple[str | LoopSpec | BranchSpec, ...] = Field(default=(), exclude_if=lambda daily: not daily)
    """What is done at the opening of every day of the history."""
    hours: str = Field(default="", exclude_if=lambda hours: not hours)
    """When things happen: `mon..fri 08:00..18:00 | sat 09:00..13:00`."""


class StorySpec(Part):
    """One thing that happens in the trade and what a person asks for because of it."""

    cast: tuple[str, ...]
    """Records and values, bound in order: `guest in Patient if ..`, `bed = first(..)`, `reason from block_bed.reason`."""
    do: tuple[str | LoopSpec | BranchSpec, ...]
    """The changes: `admit_patient(patient=guest, bed=bed)`."""
    tell: tuple[str, ...]
    """The request in other words each, as a person would write it."""
    ask: str = ""
    """How a person would begin to speak of it, before any detail."""


class ThemeSpec(Part):
    """An occasion at which several stories belong together."""

    openings: tuple[str, ...]
    stories: tuple[str, ...]


class WordsSpec(Part):
    """How people of the trade speak."""

    records: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Entity to the ways in which one of its records is told apart from the others: `{patient}'s stay`."""
    values: dict[str, str] = Field(default_factory=dict)
    """`Entity.attribute.value` to how it is said."""
    openings: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()
    themes: dict[str, ThemeSpec] = Field(default_factory=dict)


class Blueprint(Artifact):
    """Entities, rules, operations and queries of one line of work."""

    id: str
    title: str
    about: str
    sector: str
    version: str = "1.0.0"
    entities: dict[str, dict[str, str]]
    """Entity to attribute to type, or to `= expression` where the attribute is derived."""
    define: dict[str, str] = Field(default_factory=dict)
    rules: tuple[RuleSpec, ...]
    operations: dict[str, OperationSpec]
    queries: dict[str, QuerySpec] = Field(default_factory=dict)
    derive: dict[str, tuple[Read, ...]] = Field(default_factory=dict)
    """Which reads follow from an entity; `get` and `list` where nothing is said."""
    start: StartSpec = StartSpec()
    words: WordsSpec = WordsSpec()
    stories: dict[str, StorySpec] = Field(default_factory=dict)
