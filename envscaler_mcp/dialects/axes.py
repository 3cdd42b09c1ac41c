"""In what dialects differ. The values of one dialect are drawn from a family, so that they fit each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeVar, get_args

from envscaler_mcp.errors import WorldError

T = TypeVar("T")

Family = Literal["rest", "python", "graphql", "spreadsheet", "rpc", "product"]
ToolNames = Literal["snake", "camel", "pascal", "kebab", "noun_first", "prefixed", "http"]
Listing = Literal["list", "search", "find", "query", "get_all", "fetch"]
KeyNames = Literal["snake", "camel", "pascal", "kebab"]
IdNames = Literal["id", "bare", "ref", "key"]
Ids = Literal["integer", "uuid", "hash", "words", "ticket"]
Arguments = Literal["flat", "filters", "fields", "input"]
Choices = Literal["plain", "upper", "title", "dashed", "number"]
Dates = Literal["iso", "epoch", "day_first", "named_month"]
Money = Literal["cents", "decimal", "parts"]
Paging = Literal["offset", "page", "cursor"]
Answers = Literal["plain", "envelope", "ok", "jsonapi", "markdown", "csv"]
Changes = Literal["message", "ids", "bare", "records"]
Errors = Literal["sentence", "code", "status", "in_band"]
Grouping = Literal["operation", "entity"]
Descriptions = Literal["full", "terse", "none", "examples", "docstring"]
Columns = Literal["all", "chosen"]

MOST_NUMBERS = 10**9
"""Dialects are numbered below it."""
PAGE_SIZES = (5, 10, 20, 25, 50)
"""How many rows a page holds; a world answers fifty at most."""


@dataclass(frozen=True, slots=True)
class Axes:
    """One value of each axis."""

    family: Family
    tools: ToolNames
    listing: Listing
    keys: KeyNames
    id_names: IdNames
    ids: Ids
    arguments: Arguments
    choices: Choices
    dates: Dates
    money: Money
    paging: Paging
    page_size: int
    answers: Answers
    changes: Changes
    errors: Errors
    grouping: Grouping
    descriptions: Descriptions
    columns: Columns
    """Whether a caller may choose what rows hold."""
    structured: bool
    """Whether answers come as structured content too."""
    further: int
    """How many tools there are that have nothing to do with the world."""


@dataclass(frozen=True, slots=True)
class DialectName:
    """A dialect of every environment, by number; those of `held-out` numbers are not met in training."""

    seed: int
    held_out: bool = False

    @classmethod
    def read(cls, text: str) -> DialectName:
        """The dialect of a text such as `17` or `held-out-17`; WorldError for any other text."""
        match = _NAME.fullmatch(text)
        if match is None:
            raise WorldError(f"{text[:40]!r} is no dialect; write a number, such as 17, or held-out-17.")
        return cls(int(match[2]), match[1] is not None)

    def __str__(self) -> str:
        return f"{'held-out-' if self.held_out else ''}{self.seed}"


_NAME = re.compile(r"(held-out-)?([0-9]{1,9})")

_Values = Mapping[str, Sequence[str]]

_ANY: _Values = {
    "listing": get_args(Listing),
    "descriptions": ("full", "full", "full", "terse", "none", "docstring", "docstring", "examples"),
    "columns": ("chosen", "chosen", "chosen", "chosen", "all"),
    "grouping": ("operation", "operation", "operation", "entity"),
    "changes": get_args(Changes),
}
"""What fits every family. A value that stands here, or in a family, several times is drawn so much more often."""

FAMILIES: Mapping[Family, _Values] = {
    "rest": {
        "tools": ("snake", "snake", "snake", "camel", "http"),
        "keys": ("snake", "camel"),
        "id_names": ("id", "bare"),
        "ids": ("integer", "uuid", "hash"),
        "arguments": ("flat", "filters", "fields"),
        "choices": ("plain", "upper", "dashed"),
        "dates": ("iso", "epoch"),
        "money": ("cents", "decimal"),
        "paging": ("page", "cursor", "offset"),
        "answers": ("envelope", "jsonapi", "plain"),
        "errors": ("code", "status"),
        "structured": ("yes", "no"),
    },
    "python": {
        "tools": ("snake", "noun_first"),
        "keys": ("snake",),
        "id_names": ("id", "ref", "key"),
        "ids": ("integer", "words", "hash"),
        "arguments": ("flat", "filters"),
        "choices": ("plain", "upper"),
        "dates": ("iso", "epoch"),
        "money": ("cents", "decimal"),
        "paging": ("offset", "page"),
        "answers": ("plain", "ok"),
        "errors": ("sentence", "in_band"),
        "structured": ("yes", "no"),
    },
    "graphql": {
        "tools": ("camel", "pascal"),
        "keys": ("camel",),
        "id_names": ("id", "bare"),
        "ids": ("uuid", "hash"),
        "arguments": ("input", "filters"),
        "choices": ("upper",),
        "dates": ("iso", "epoch"),
        "money": ("cents", "parts"),
        "paging": ("cursor",),
        "answers": ("envelope", "plain"),
        "errors": ("code",),
        "structured": ("yes",),
    },
    "spreadsheet": {
        "tools": ("kebab", "snake", "snake"),
        "keys": ("snake", "kebab"),
        "id_names": ("key", "ref", "bare"),
        "ids": ("ticket", "integer"),
        "arguments": ("flat",),
        "choices": ("title", "plain"),
        "dates": ("day_first", "named_month", "iso"),
        "money": ("decimal",),
        "paging": ("page", "offset"),
        "answers": ("markdown", "csv"),
        "errors": ("sentence",),
        "structured": ("no",),
    },
    "rpc": {
        "tools": ("pascal", "prefixed", "camel", "snake"),
        "keys": ("pascal", "camel"),
        "id_names": ("id", "key"),
        "ids": ("integer", "ticket"),
        "arguments": ("input", "fields", "flat"),
        "choices": ("number", "upper"),
        "dates": ("epoch", "day_first"),
        "money": ("cents", "parts"),
        "paging": ("offset", "page"),
        "answers": ("ok", "plain"),
        "errors": ("in_band", "status"),
        "structured": ("no", "yes"),
    },
    "product": {
        "tools": ("prefixed", "kebab", "http", "snake", "snake"),
        "keys": ("camel", "snake", "kebab"),
        "id_names": ("key", "bare", "ref"),
        "ids": ("ticket", "words", "uuid"),
        "arguments": ("flat", "filters", "fields"),
        "choices": ("dashed", "title", "plain"),
        "dates": ("iso", "named_month"),
        "money": ("decimal", "parts"),
        "paging": ("cursor", "page"),
        "answers": ("markdown", "envelope", "plain"),
        "errors": ("sentence", "code"),
        "structured": ("no", "yes"),
    },
}

HELD_OUT: Mapping[str, frozenset[str]] = {
    "listing": frozenset({"fetch"}),
    "tools": frozenset({"noun_first", "pascal"}),
    "ids": frozenset({"words"}),
    "id_names": frozenset({"ref"}),
    "dates": frozenset({"named_month"}),
    "money": frozenset({"parts"}),
    "choices": frozenset({"dashed"}),
    "answers": frozenset({"csv", "jsonapi"}),
    "errors": frozenset({"status"}),
    "descriptions": frozenset({"examples"}),
}
"""Values that are only drawn for held-out dialects, which draw none but these where their family has any."""


def axes_of(environment: str, name: DialectName) -> Axes:
    """The axes of a dialect of an environment; they follow from its id, the number and nothing else."""
    families = get_args(Family)
    family: Family = families[drawn_number(environment, name, "family") % len(families)]
    given = {axis: _drawn(environment, name, axis, values) for axis, values in {**_ANY, **FAMILIES[family]}.items()}
    size = PAGE_SIZES[drawn_number(environment, name, "page_size") % len(PAGE_SIZES)]
    further = drawn_number(environment, name, "further") % 4
    structured = given.pop("structured") == "yes" and given["answers"] not in ("markdown", "csv")
    return Axes(family=family, page_size=size, structured=structured, further=further, **given)  # type: ignore[arg-type]


def _drawn(environment: str, name: DialectName, axis: str, values: Sequence[str]) -> str:
    hidden = HELD_OUT.get(axis, frozenset())
    allowed = [value for value in values if (value in hidden) == name.held_out] or list(values)
    return allowed[drawn_number(environment, name, axis) % len(allowed)]


def drawn_number(environment: str, name: DialectName, purpose: str) -> int:
    """A number of 64 bits that follows from these alone, on every machine."""
    return int.from_bytes(sha256(f"{environment}/{name}/{purpose}".encode()).digest()[:8], "big")
