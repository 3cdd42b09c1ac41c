"""Statistics by name: what `envscaler stats` measures of a home beside counting it, and what other packages add."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.plugins import PlugIns
from envscaler_mcp.stats.reading import Holding

Cell = str | float


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table as the terminal and the page show it."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    """A sentence before it."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """A chart of the page."""

    title: str
    values: tuple[int, ...]
    step: int = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """What a statistic says of a home."""

    document: Mapping[str, Any]
    """As `--json` prints it."""
    tables: tuple[MeasuredTable, ...] = ()
    charts: tuple[Histogram, ...] = ()
    remarks: tuple[str, ...] = ()
    """Lines after the tables."""
    passed: bool = True
    """False ends the command with 1."""


Progress = Callable[[str, int, int], None]
"""Called with the name of what is finished, its number and how many there are."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """One measurement of a home."""

    about: str
    """What is measured, in a few words."""
    measure: Callable[[Sequence[Holding], str, Progress], Measured]
    """Takes the environments of a home, and the text after the colon in `--also NAME:TEXT`."""


STATISTICS: PlugIns[Statistic] = PlugIns(
    "envscaler.statistics",
    Statistic,
    {
        "similarity": "envscaler_mcp.stats.similarity:SIMILARITY",
        "signal": "envscaler_mcp.stats.signal:SIGNAL",
        "interfaces": "envscaler_mcp.stats.interfaces:INTERFACES",
        # Needs the files of a benchmark of other authors.
        "overlap": "envscaler_mcp.official.overlap:OVERLAP",
    },
)
"""Packages add statistics as entry points of this group."""
