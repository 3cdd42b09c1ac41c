"""What a studio answers about recorded runs, and about agents that play beside each other."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envscaler_mcp.serving.control.schemas import MOST_AT_ONCE, PREFIX, ControlOperation, JsonBody
from envscaler_mcp.studio.schemas import (
    READER_OPERATIONS,
    STUDIO_OPERATIONS,
    Author,
    CheckLamp,
    RecordedCall,
    TablesAnswer,
)

RUNS = "/v1/runs"
Outcome = Literal["solved", "failed", "disturbed"]
"""Not solved by its agent, or for another reason than the agent."""
OUTCOMES: tuple[Outcome, ...] = ("solved", "failed", "disturbed")
Change = Literal["both", "left", "right", "neither", "missing"]
"""Which of two runs solved a task; `missing` where one of them has no verdict on it."""
CHANGES: tuple[Change, ...] = ("left", "right", "both", "neither", "missing")


class RunCard(JsonBody):
    """A run folder as it is listed."""

    id: str
    """Its name where that can stand in an address."""
    name: str
    agent: str = ""
    user: str = ""
    mode: str = ""
    via: str = ""
    scoring: str = ""
    benchmark: str = ""
    planned: int = 0
    bytes: int = 0
    """Of its journal."""
    changed: float = 0.0
    """When something was recorded last, in seconds since 1970."""
    problem: str = ""
    """Why nothing of it can be shown."""


class RunList(JsonBody):
    """The run folders of a studio, the latest first."""

    folder: str
    """Where they lie; nothing where the studio was started without one."""
    runs: tuple[RunCard, ...]
    more: int = 0
    """How many folders are not listed."""


class PassRate(JsonBody):
    """How surely tasks are solved that were played several times."""

    k: int
    at_least_once: float
    every_time: float
    tasks: int


class Figures(JsonBody):
    """What came of some of the episodes of a run."""

    planned: int
    done: int
    solved: int
    masked: int
    reward: float | None
    """The mean of what is not masked."""
    failures: dict[str, int]
    """By the owner of the failure."""
    passing: tuple[PassRate, ...] = ()
    """How surely, where that is asked for of each part of a run."""


class RunWorld(JsonBody):
    """What came of the tasks of one environment."""

    environment: str
    all: Figures
    levels: dict[str, Figures]


class RunAnswer(JsonBody):
    """A run in figures."""

    card: RunCard
    all: Figures
    levels: dict[str, Figures]
    """The easiest first."""
    worlds: tuple[RunWorld, ...]
    more_worlds: int
    passing: tuple[PassRate, ...]
    gradings: dict[str, int]
    """How many verdicts were given by each grading; those of one are comparable."""
    damaged: int
    """Stretches of the journal that cannot be read."""
    outcomes: dict[str, int]


class EpisodeRow(JsonBody):
    """An episode as it is listed."""

    id: str
    scenario: str
    environment: str
    level: str
    split: str
    repetition: int
    outcome: Outcome
    reward: float
    owner: str
    reason: str
    steps: int
    ended: str
    masked: bool


class EpisodeList(JsonBody):
    """The episodes of a run that fit, some of them at a time."""

    episodes: tuple[EpisodeRow, ...]
    total: int
    offset: int


class RunStep(JsonBody):
    """A step of an episode: what was said, or a call, and which checks hold after it."""

    place: int
    """Counted from 1."""
    turn: int
    says: str
    thinks: str
    call: RecordedCall | None
    """Nothing where the agent only spoke."""
    hears: str
    """What it was answered to words."""
    milliseconds: float
    holds: tuple[int, ...]
    """The checks that hold after it, counted from 1."""
    turned_true: tuple[int, ...] = ()
    turned_false: tuple[int, ...] = ()


class EpisodeAnswer(JsonBody):
    """One recorded episode."""

    row: EpisodeRow
    run: str
    agent: str
    user: str
    mode: str
    seed: int
    attempt: int
    system: str
    task: str
    scoring: str
    frame_violations: tuple[str, ...]
    checks: tuple[CheckLamp, ...]
    """Whether each holds at the end."""
    holds: tuple[int, ...]
    """The checks that hold at the start."""
    rules: tuple[str, ...]
    steps: tuple[RunStep, ...]
    more_steps: int = 0
    """How many steps are left out."""
    unsure: str = ""
    """Why it is not known, or not surely, when checks turned true."""
    unreadable: str = ""
    """Why there is nothing but the verdict."""
    playable: bool = False
    """Whether a world can be opened at one of its steps."""


class ComparedRow(JsonBody):
    """The same task in two runs."""

    scenario: str
    environment: str
    level: str
    repetition: int
    change: Change
    left: EpisodeRow | None
    right: EpisodeRow | None


class RunComparison(JsonBody):
    """Two runs, task by task."""

    left: RunCard
    right: RunCard
    left_all: Figures
    right_all: Figures
    changes: dict[str, int]
    """How many tasks were solved by which of them."""
    rows: tuple[ComparedRow, ...]
    total: int
    offset: int


class StepPair(JsonBody):
    """What stands side by side: the places of two steps; 0 where one side has none."""

    left: int
    right: int
    same: bool


class EpisodeComparison(JsonBody):
    """Two episodes side by side."""

    left: EpisodeAnswer
    right: EpisodeAnswer
    rows: tuple[StepPair, ...]
    parts_at: int
    """The first call, counted from 1, that is not the same in both; 0 where all are."""


class StepOrder(JsonBody):
    """Open a world as it was before this step of an episode."""

    episode: str = Field(max_length=2_000)
    step: int = Field(ge=1, le=MOST_AT_ONCE)


class StepWorld(JsonBody):
    """The world that was opened."""

    world: str
    calls: int
    """How many calls were made in it."""
    differs: int
    """The first of them that was answered otherwise than it was recorded; 0 where none was."""


class Contender(JsonBody):
    """One agent of an arena."""

    world: str
    by: Author | None
    """Who made the first call since the fork; nothing before it."""
    calls: int
    refused: int
    reward: float
    solved: bool
    checks: tuple[CheckLamp, ...]
    steps: tuple[RecordedCall, ...]
    more_steps: int
    """How many calls before those are left out."""
    ended: bool


class ArenaAnswer(JsonBody):
    """The forks of one world, and how far each has come."""

    task: str | None
    contenders: tuple[Contender, ...]
    parts_at: int
    """The first call since the fork that is not the same for all that have made as many; 0 where there is none."""
    first: str
    """The world that is solved with the fewest calls."""


def _of_run(does: str, path: str, about: str, gives: Any) -> ControlOperation:
    return ControlOperation("GET", f"{RUNS}/{{run}}{path}", does, about, None, gives)


_PAGES = "`?offset=` continues."
_ARENA = ControlOperation(
    "GET",
    f"{PREFIX}/{{name}}/arena",
    "arena",
    "Its forks: who plays there, where they part, who has solved it.",
    None,
    ArenaAnswer,
)
RUN_OPERATIONS = (
    ControlOperation("GET", RUNS, "runs", "The run folders.", None, RunList),
    _of_run("run", "", "A run in figures, by environment and level.", RunAnswer),
    _of_run(
        "episodes",
        "/episodes",
        f"Its episodes; `?search=`, `environment=`, `level=` and `outcome=` choose, {_PAGES}",
        EpisodeList,
    ),
    _of_run("episode", "/episode", "The episode that `?id=` names, step by step.", EpisodeAnswer),
    _of_run(
        "run_tables",
        "/tables",
        "The state after step `?after=` of the episode that `?id=` names, or of its solution with `of=solution`, as tables.",
        TablesAnswer,
    ),
    _of_run(
        "compare_runs",
        "/compare",
        f"This run and the one that `?with=` names, task by task; `change=` chooses, {_PAGES}",
        RunComparison,
    ),
    _of_run(
        "compare_episodes",
        "/beside",
        "The episode `?id=` beside the same task in the run `with=`, or beside its solution.",
        EpisodeComparison,
    ),
    ControlOperation(
        "POST",
        f"{RUNS}/{{run}}/open",
        "open_step",
        "Open a world as it was before a step: at the scenario, with the calls before it.",
        StepOrder,
        StepWorld,
    ),
)
OWNER_OPERATIONS = (*STUDIO_OPERATIONS, *RUN_OPERATIONS, _ARENA)
"""What a farm answers to owners, and to pages of owners."""
VISITOR_OPERATIONS = (*READER_OPERATIONS, _ARENA)
"""What it answers to pages of readers. A run shows how tasks are solved, so they see none."""
