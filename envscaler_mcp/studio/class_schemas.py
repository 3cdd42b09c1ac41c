"""What the farm answers about classes: one teacher, many visitors, a world of their own for each of them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from envscaler_mcp.artifacts.scenario import Level
from envscaler_mcp.serving.control.schemas import ControlOperation, Done, JsonBody
from envscaler_mcp.studio.schemas import STUDIO_OPERATIONS

CLASSES = "/v1/classes"
SEAT = "/v1/seat"
MOST_SEATS = 200
"""Visitors of one class."""
MOST_TASKS = 20
"""Tasks that one class may go through."""
LONGEST_NAME = 40
_HOURS = 12.0


class ClassOrder(JsonBody):
    """A class to be opened at a task."""

    environment: str
    scenario: str
    seats: int = Field(default=100, ge=1, le=MOST_SEATS)
    """How many visitors may join."""
    hours: float = Field(default=3.0, gt=0, le=_HOURS)
    """When it ends, with all its worlds."""


class RulesOrder(JsonBody):
    """What visitors may do from now on; what is not said stays as it is."""

    locked: bool | None = None
    """Whether their worlds stay as they are."""
    joining: bool | None = None
    """Whether others may join."""


class NextTaskOrder(JsonBody):
    """The next task of a class, in the same environment."""

    scenario: str


class SeatOrder(JsonBody):
    """One of the visitors; all where none is named."""

    seat: str | None = None


class ClassTask(JsonBody):
    """A task that a class has gone through, or is at."""

    id: str
    level: Level
    task: str
    checks: tuple[str, ...]
    steps: int
    """How many calls its solution has."""


class SeatResult(JsonBody):
    """How far a visitor came with one task."""

    calls: int = 0
    """How many calls of theirs are recorded and not undone."""
    holds: tuple[bool, ...] = ()
    """Which checks hold now."""
    reward: float = 0.0
    solved_after: float | None = None
    """After how many seconds it was first solved."""


class SeatRow(JsonBody):
    """A visitor, as the board shows them."""

    seat: str
    name: str
    world: str
    """The name of their world; nothing where it has ended."""
    results: tuple[SeatResult, ...]
    """One for each task of the class."""


class ClassCard(JsonBody):
    """A class as it is listed."""

    name: str
    environment: str
    title: str
    visitors: int
    seconds_left: float


class ClassCards(JsonBody):
    """The classes that are open."""

    classes: tuple[ClassCard, ...]


class BoardAnswer(JsonBody):
    """A class: how to join it, and how far its visitors are."""

    name: str
    environment: str
    title: str
    address: str
    """Where visitors join."""
    qr: tuple[str, ...]
    """The same as the rows of a QR code, `1` for dark."""
    reachable: bool
    """Whether other machines can reach it."""
    tasks: tuple[ClassTask, ...]
    """The last one is the task that visitors are at."""
    locked: bool
    joining: bool
    places: int
    seconds_left: float
    seats: tuple[SeatRow, ...]


class SeatAnswer(JsonBody):
    """What a visitor's page needs to know."""

    seat: str
    """The name by which they know their world."""
    name: str
    title: str
    number: int
    """Which task of the class it is, counted from 1."""
    world: int
    """Which world of theirs it is, counted from 1; 0 where it has ended."""
    locked: bool
    seconds_left: float


def _of_class(
    method: str, does: str, about: str, takes: type[BaseModel] | None, gives: type[BaseModel]
) -> ControlOperation:
    return ControlOperation(method, f"{CLASSES}/{{class}}/{does}", f"class_{does}", about, takes, gives)


CLASS_OPERATIONS = (
    ControlOperation("GET", CLASSES, "classes", "The classes that are open.", None, ClassCards),
    ControlOperation("POST", CLASSES, "class_open", "Open a class at a task.", ClassOrder, BoardAnswer),
    ControlOperation(
        "GET", f"{CLASSES}/{{class}}", "class_board", "Its visitors, and how far they are.", None, BoardAnswer
    ),
    ControlOperation("DELETE", f"{CLASSES}/{{class}}", "class_end", "End it, and all its worlds.", None, Done),
    _of_class("POST", "rules", "Lock the worlds of its visitors, or the door.", RulesOrder, BoardAnswer),
    _of_class("POST", "task", "Go on to another task: a fresh world for each visitor.", NextTaskOrder, BoardAnswer),
    _of_class("POST", "reset", "A fresh world for a visitor, or for all.", SeatOrder, BoardAnswer),
    _of_class("POST", "remove", "Send a visitor away, or all.", SeatOrder, BoardAnswer),
)
"""What owners are answered."""


_OF_WORLD = (
    "card",
    "environment",
    "agents",
    "tables",
    "forms",
    "timeline",
    "checks",
    "events",
    "record",
    "call",
    "undo",
)
SEAT_OPERATIONS = (
    ControlOperation("GET", SEAT, "seat", "Where this visitor is.", None, SeatAnswer),
    ControlOperation("POST", f"{SEAT}/again", "again", "A fresh world.", None, SeatAnswer),
    *(operation for operation in STUDIO_OPERATIONS if operation.does in _OF_WORLD),
)
"""What visitors of a class are answered, each about their own world."""
