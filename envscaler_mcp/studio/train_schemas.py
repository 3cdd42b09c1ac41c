"""What the farm answers about training: runs in the order in which they were recorded, and the rows that come of one."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from envscaler_mcp.serving.control.schemas import ControlOperation
from envscaler_mcp.studio.run_schemas import RUNS, PassRate, RunCard

TRAINING = "/v1/training"


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Rates(_Body):
    """How well some episodes of a run went."""

    done: int
    solved: int
    reward: float | None
    """The mean of what is not masked."""
    passing: tuple[PassRate, ...]


class WorldRates(_Body):
    """The same for one environment, and for each level of its tasks."""

    environment: str
    all: Rates
    levels: dict[str, Rates]


class CurvePoint(_Body):
    """The mean reward of some episodes that were recorded after each other."""

    episodes: int
    """How many were recorded until then."""
    reward: float


class TrainedRun(_Body):
    """A run as one point of a training."""

    card: RunCard
    all: Rates
    levels: dict[str, Rates]
    """The easiest first."""
    worlds: tuple[WorldRates, ...]
    curve: tuple[CurvePoint, ...]


class TrainingAnswer(_Body):
    """The runs of a folder, the oldest first."""

    runs: tuple[TrainedRun, ...]
    more: int
    """How many older ones, and ones that cannot be read, are left out."""


class RowsAnswer(_Body):
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
