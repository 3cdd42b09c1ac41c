"""What a benchmark says: a number, what it is compared with, and the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Peer:
    """Something else that was measured in the same run, turn by turn with ours."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Budget:
    """What was promised."""

    kind: Literal["at most", "at least"]
    value: float

    def holds(self, value: float) -> bool:
        return value <= self.value if self.kind == "at most" else value >= self.value


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    unit: str
    peer: Peer | None = None
    budget: Budget | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours by the peer's."""
        return self.value / self.peer.value if self.peer is not None and self.peer.value else None

    @property
    def holds(self) -> bool | None:
        return None if self.budget is None else self.budget.holds(self.value)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "holds": self.holds}


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured: the whole for figures, hardly anything to see that a benchmark runs."""

    rounds: int
    """How often each side has its turn."""
    calls: int
    """Calls in one turn."""
    environments: int
    """How many of the registered environments take part, where one is not enough."""
    records: int
    """How large the large state is."""
    worlds: int
    """How many worlds live at once."""
    library: int
    """How many environments take part where the whole library is meant."""


FULL = Scale(rounds=7, calls=2_000, environments=12, records=40_000, worlds=100, library=1_000)
QUICK = Scale(rounds=3, calls=300, environments=4, records=10_000, worlds=30, library=8)
TINY = Scale(rounds=1, calls=5, environments=1, records=300, worlds=2, library=1)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One budget, or a few that are measured together."""

    name: str
    about: str
    measure: Callable[[Scale], list[Figure]]


def table(figures: Sequence[Figure]) -> str:
    """The figures for people."""
    rows = [("", "here", "compared with", "ratio", "budget", "holds")]
    for figure in figures:
        peer = f"{figure.peer.name}: {amount(figure.peer.value)}" if figure.peer else ""
        ratio = f"{figure.ratio:.2f}" if figure.ratio is not None else ""
        budget = f"{figure.budget.kind} {amount(figure.budget.value)}" if figure.budget else ""
        holds = {True: "yes", False: "NO", None: ""}[figure.holds]
        rows.append((figure.name, f"{amount(figure.value)} {figure.unit}", peer, ratio, budget, holds))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    notes = [f"  {figure.name}: {figure.note}" for figure in figures if figure.note]
    return "\n".join([lines[0], "-" * sum(widths, 10), *lines[1:], *(["", *notes] if notes else [])])


def amount(value: float) -> str:
    """A number as short as it may be."""
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
