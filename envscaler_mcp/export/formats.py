"""Formats by name: what each takes of a run or of a home, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.filters import EpisodeFilter, ExportFilter, Key, Part, Reason, words_of
from envscaler_mcp.plugins import PlugIns

_FORM: tuple[Reason, ...] = ("silent", "disordered", "malformed", "empty", "marks")
LESSONS: tuple[Reason, ...] = (
    *("split", "masked", "user", *_FORM),
    *("unfinished", "turns", "frame", "unsolved", "duplicate"),
)
"""Why an episode teaches nothing."""
# A task that the agent failed is one to practise.
PROMPTS: tuple[Reason, ...] = ("servers", "split", "masked", "user", *_FORM, "unsolved", "duplicate")
"""Why a task is none to practise."""
RECORDS: tuple[Reason, ...] = ("split", "silent", "disordered", "unsolved")
"""Why an episode is no record."""


@dataclass(frozen=True, slots=True)
class Format:
    """How the episodes of a run are written for one consumer."""

    about: str
    suffixes: tuple[str, ...]
    """How the file's name ends; empty where a folder is written."""
    writer: Callable[[Path, Iterable[Dialogue]], int]
    """Writes whole or not at all; how many rows or documents there are."""
    reasons: tuple[Reason, ...] = LESSONS
    """Why an episode is left out."""
    part: Part = lambda dialogue: dialogue.lesson
    key: Key = words_of

    def write(self, out: Path, dialogues: Iterable[Dialogue]) -> int:
        """Into a file or folder; how many rows or documents there are."""
        self.check(out)
        return self.writer(out, dialogues)

    def check(self, out: Path) -> None:
        """Refuse a file whose name says another format."""
        if self.suffixes and out.suffix not in self.suffixes:
            raise ExportError(f"{out} is no file of this format; its name ends with {' or '.join(self.suffixes)}.")

    def filter(self, wanted: ExportFilter) -> EpisodeFilter:
        """What finds the wanted episodes that the format takes; a condition that it cannot heed is refused."""
        given: set[str] = {*wanted.keep, *({"turns"} if {"min_turns", "max_turns"} & wanted.model_fields_set else ())}
        if unheeded := sorted(given.difference(self.reasons)):
            raise ExportError(f"For this format {' and '.join(unheeded)} leave out nothing; ask for it without them.")
        return EpisodeFilter(wanted, self.reasons, self.part, self.key)


@dataclass(frozen=True, slots=True)
class HomeFormat:
    """How environments of a home and their scenarios are written for others."""

    about: str
    writer: Callable[[Sequence[Path], Path, Path], tuple[int, int]]
    """Takes server folders, and where environments and scenarios are written; how many of each there are."""


_HERE = "envscaler_mcp.export"
FORMATS = PlugIns(
    "envscaler.export_formats",
    Format,
    {
        "trl": f"{_HERE}.trl:FORMAT",
        "llama-factory": f"{_HERE}.llama_factory:FORMAT",
        "alpaca": f"{_HERE}.alpaca:FORMAT",
        "ms-swift": f"{_HERE}.ms_swift:FORMAT",
        "verl": f"{_HERE}.verl:FORMAT",
        "skyrl": f"{_HERE}.skyrl:FORMAT",
        "atif": f"{_HERE}.atif:FORMAT",
    },
)
HOME_FORMATS = PlugIns("envscaler.home_formats", HomeFormat, {"envscaler": "envscaler_mcp.pipeline.exporting:FORMAT"})
