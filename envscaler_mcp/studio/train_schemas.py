"""What the farm answers about training: runs in the order in which they were recorded, and the rows that come of one."""

from __future__ import annotations

from envscaler_mcp.serving.control.schemas import ControlOperation, JsonBody
from envscaler_mcp.studio.run_schemas import RUNS, Figures, RunCard, RunWorld

TRAINING = "/v1/training"


class CurvePoint(JsonBody):
    """The mean reward of some episodes that were recorded after each other."""

    episodes: int
    """How many were recorded until then."""
    reward: float


class TrainedRun(JsonBody):
    """A run as one point of a training."""

    card: RunCard
    all: Figures
    levels: dict[str, Figures]
    """The easiest first."""
    worlds: tuple[RunWorld, ...]
    curve: tuple[CurvePoint, ...]


class RowFormat(JsonBody):
    """A format in which the rows of a run are written for a trainer."""

    name: str
    about: str


class TrainingAnswer(JsonBody):
    """The runs of a folder, the oldest first."""

    runs: tuple[TrainedRun, ...]
    formats: tuple[RowFormat, ...]
    more: int
    """How many older ones, and ones that cannot be read, are left out."""


class RowsAnswer(JsonBody):
    """The rows that a run gives a trainer."""

    format: str
    rows: int
    episodes: int
    left_out: dict[str, int]
    """By reason, how many attempts."""
    first: tuple[str, ...]
    """The first rows, shortened; nothing where the format is no text."""
    command: str
    """What writes them into a file."""


TRAIN_OPERATIONS = (
    ControlOperation("GET", TRAINING, "training", "The latest runs, with rewards and pass@k.", None, TrainingAnswer),
    ControlOperation(
        "GET",
        f"{RUNS}/{{run}}/rows",
        "rows",
        "The rows of a run for a trainer; `?format=` names it, `only=solved` leaves out what is not solved.",
        None,
        RowsAnswer,
    ),
)
"""What owners are answered."""
