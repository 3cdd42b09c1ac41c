"""A world of a benchmark at a farm, as its owner holds it: its authors' code says how it is judged, and what it cannot do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from envscaler_mcp.artifacts import StateDiff, Tool
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.user import User, UserWorld
from envscaler_mcp.errors import Reason, WorldError
from envscaler_mcp.farm.static_results import FixedAnswers
from envscaler_mcp.serving.control.schemas import Judgement, Move
from envscaler_mcp.serving.session import Session


@dataclass(frozen=True, slots=True)
class OfficialTaskCard:
    """A task of a benchmark as people are shown it."""

    id: str
    category: str
    turns: tuple[str, ...]
    """What is said in each turn; or, where a model plays the user, what that one wants."""
    talks: bool
    """Whether a model plays the user."""
    calls: int
    """How many its authors' solution has."""
    system: str = ""
    """What its authors tell an agent first."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said at a task, and what the user has answered."""

    after: int
    """Calls that the world had answered before."""
    text: str | None
    """What the agent said; None where the user has begun."""
    reply: str


class OfficialTasks(ABC):
    """What a benchmark tells of its tasks."""

    @abstractmethod
    def cards(self) -> Sequence[OfficialTaskCard]:
        """All of them, in the official order."""


class Judging(ABC):
    """The judge of one verdict, in a process of its own."""

    memory = 0
    """Bytes that the process held when it was weighed last."""
    ended: Reason | None = None
    """Why it was ended from outside."""

    @abstractmethod
    def judgement(self, played: Any) -> Judgement:
        """The verdict on what was played; for a thread."""

    @abstractmethod
    def weigh(self) -> None:
        """Know how many bytes it holds for itself now."""

    @abstractmethod
    def end(self, reason: Reason, why: str) -> None:
        """End it; for a thread."""


class BenchmarkSession(Session, ABC):
    """A session at a task of a benchmark."""

    fixed: FixedAnswers
    """What agents are told now."""
    tools: tuple[Tool, ...]
    """What is listed now."""
    task_card: OfficialTaskCard
    begun: int = 0
    """The turn that was begun last."""
    conversation: tuple[Said, ...] = ()
    """What was said to the task's user, where one answers: what was said last, and the beginning of what is long."""
    replies: int = 0
    """How often the user has said something."""
    over: bool = False
    """Whether the conversation has ended, as far as that was asked."""

    @abstractmethod
    def view(self) -> dict[str, Any]:
        """What it holds, as far as JSON can say it: for people."""

    @abstractmethod
    def turn(self, number: int) -> None:
        """Begin a turn: from here on its tools are listed."""

    @abstractmethod
    def user(self, strategy: str, text: str | None, answers: Sequence[str]) -> dict[str, Any]:
        """What the authors' user says to a text, or says first; or what their model has to be asked before that."""

    @abstractmethod
    def make_user(self, world: UserWorld, player: ModelPlayer | None) -> User:
        """The task's user: asked by the authors' code with this model, or their script without one."""

    @abstractmethod
    def note(self, text: str | None, reply: str) -> None:
        """Let it be known what was said and answered, where no code of the authors has answered."""

    @abstractmethod
    def is_over(self) -> bool:
        """Whether the conversation has ended by the rules of the benchmark."""

    @abstractmethod
    def played(self, moves: Sequence[Move] | None) -> Any:
        """What was played so far, for a judge; WorldError where the moves are not those of this world."""

    @abstractmethod
    def judging(self) -> Judging:
        """A judge for it."""

    def state(self) -> dict[str, Any]:
        """Refused."""
        _refuse("state")

    def state_hash(self) -> str:
        """Refused."""
        _refuse("state")

    def diff(self) -> StateDiff:
        """Refused."""
        _refuse("difference")

    def diff_since_start(self) -> StateDiff:
        """Refused."""
        _refuse("difference")

    def snapshot(self) -> int:
        """Refused."""
        _refuse("snapshot")

    def restore(self, snapshot: int) -> None:  # noqa: ARG002
        """Refused."""
        _refuse("snapshot")

    def fork(self) -> Session:
        """Refused."""
        _refuse("fork")


def _refuse(what: str) -> NoReturn:
    raise WorldError(
        f"A world of a benchmark has no {what}: its authors' code holds objects that no JSON keeps. Open another world at "
        "the task instead."
    )
