"""The formats of trainers by name: what each takes of an episode, what it leaves out, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.config import choices
from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.alpaca import write_alpaca
from envscaler_mcp.export.atif import write_atif
from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.filters import ExportFilter, Key, Part, Reason, Sieve, task_of, words_of
from envscaler_mcp.export.llama_factory import write_llama_factory
from envscaler_mcp.export.ms_swift import write_ms_swift
from envscaler_mcp.export.skyrl import write_skyrl
from envscaler_mcp.export.trl import write_trl
from envscaler_mcp.export.verl import write_verl

Name = choices.ExportFormat

_FORM: tuple[Reason, ...] = ("silent", "disordered", "malformed", "empty", "marks")
_LESSONS: tuple[Reason, ...] = (
    *("split", "masked", "user", *_FORM),
    *("unfinished", "turns", "frame", "unsolved", "duplicate"),
)
# A task that the agent failed is one to practise.
_PROMPTS: tuple[Reason, ...] = ("split", "masked", "user", *_FORM, "unsolved", "duplicate")
_RECORDS: tuple[Reason, ...] = ("split", "silent", "disordered", "unsolved")


@dataclass(frozen=True, slots=True)
class Format:
    """How episodes are written for one consumer."""

    about: str
    suffixes: tuple[str, ...]
    """How the file's name ends; none where a folder is written."""
    writer: Callable[[Path, Iterable[Dialogue]], int]
    reasons: tuple[Reason, ...] = _LESSONS
    """Why an episode is left out."""
    part: Part = lambda one: one.lesson
    key: Key = words_of

    def write(self, out: Path, dialogues: Iterable[Dialogue]) -> int:
        """Into a file or folder; how many rows or documents there are."""
        self.check(out)
        return self.writer(out, dialogues)

    def check(self, out: Path) -> None:
        """Refuse a file that its name would give another form."""
        if self.suffixes and out.suffix not in self.suffixes:
            raise ExportError(f"{out} is no file of this format; its name ends with {' or '.join(self.suffixes)}.")

    def sieve(self, wish: ExportFilter) -> Sieve:
        """What finds the episodes that the format takes and that are wished for; a wish that it cannot heed is refused."""
        wished: set[str] = {*wish.keep, *({"turns"} if {"min_turns", "max_turns"} & wish.model_fields_set else ())}
        if unheeded := sorted(wished.difference(self.reasons)):
            raise ExportError(f"For this format {' and '.join(unheeded)} leave out nothing; ask for it without them.")
        return Sieve(wish, self.reasons, self.part, self.key)


FORMATS: dict[Name, Format] = {
    "trl": Format(*EXPORT_FORMATS["trl"], write_trl),
    "llama-factory": Format(*EXPORT_FORMATS["llama-factory"], write_llama_factory),
    "alpaca": Format(*EXPORT_FORMATS["alpaca"], write_alpaca),
    "ms-swift": Format(*EXPORT_FORMATS["ms-swift"], write_ms_swift),
    "verl": Format(*EXPORT_FORMATS["verl"], write_verl, _PROMPTS, lambda one: one.prompt, task_of),
    "skyrl": Format(*EXPORT_FORMATS["skyrl"], write_skyrl, _PROMPTS, lambda one: one.prompt, task_of),
    "atif": Format(*EXPORT_FORMATS["atif"], write_atif, _RECORDS, lambda one: one.messages),
}
