"""The types of the language, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from envscaler_mcp.language.text import did_you_mean, split_top

Kind = Literal[
    "text",
    "int",
    "money",
    "bool",
    "date",
    "time",
    "datetime",
    "one_of",
    "ref",
    "list",
    "struct",
    "ratio",
    "none",
    "key",
]

TEXT_KINDS = ("name", "person", "email", "phone", "address", "company", "city", "country")
"""Text whose generator is known."""


class Complaint(Exception):  # noqa: N818
    """What is wrong with one expression or type; whoever knows the place puts it in front."""


@dataclass(frozen=True, slots=True)
class Type:
    """What a value is."""

    kind: Kind
    optional: bool = False
    options: tuple[str, ...] = ()
    entity: str = ""
    of: Type | None = None
    """Element of a list; unit (int or money) of a ratio."""
    fields: tuple[tuple[str, Type], ...] = ()
    low: int | None = None
    high: int | None = None
    shape: str = ""
    """The kind of text: person, email, …"""

    @property
    def certain(self) -> Type:
        """The same without None."""
        return replace(self, optional=False) if self.optional else self

    @property
    def maybe(self) -> Type:
        """The same or None."""
        return self if self.optional else replace(self, optional=True)

    def __str__(self) -> str:
        text: str = self.kind
        if self.kind == "ref":
            text = self.entity
        elif self.kind == "list" and self.of is not None:
            text = f"list of {self.of}"
        elif self.kind == "one_of":
            text = "one of " + ", ".join(self.options)
        elif self.kind == "ratio":
            text = "exact ratio"
        return f"{text} or nothing" if self.optional else text


TEXT, INT, MONEY, BOOL = Type("text"), Type("int"), Type("money"), Type("bool")
DATE, TIME, DATETIME, NONE = Type("date"), Type("time"), Type("datetime"), Type("none")


def ref(entity: str) -> Type:
    return Type("ref", entity=entity)


def list_of(element: Type) -> Type:
    return Type("list", of=element)


@dataclass(frozen=True, slots=True)
class Written:
    """A type as an author wrote it, with the words around it."""

    type: Type
    fixed: bool = False
    unique: bool = False
    default: str | None = None
    """The literal after `=`, still text."""
    moves: tuple[tuple[str, str], ...] | None = None
    """Allowed moves of a `states(..)`."""
    same_as: tuple[str, str] | None = None
    """`Entity.attribute` whose type this is."""


_WORDS = re.compile(r"(optional|fixed|unique)\s+")
_RANGE = re.compile(r"^(-?\d+)\.\.(-?\d+)$")
_NAME = re.compile(r"^[a-z][a-z0-9_-]*$", re.IGNORECASE)


def parse_type(text: str) -> Written:
    """The type in a text such as `fixed optional ref(Room)` or `int(1..9) = 3`."""
    rest = text.strip()
    said: set[str] = set()
    while match := _WORDS.match(rest):
        if match[1] in said:
            raise Complaint(f"{match[1]!r} is said twice in {text!r}")
        said.add(match[1])
        rest = rest[match.end() :]
    pieces = split_top(rest, "=")
    if len(pieces) > 2:
        raise Complaint(f"{text!r} has more than one default")
    default = pieces[1].strip() if len(pieces) == 2 else None
    base, moves, same_as = _parse_base(pieces[0].strip(), text)
    if "optional" in said:
        base = base.maybe
    return Written(base, "fixed" in said, "unique" in said, default, moves, same_as)


_PLAIN: dict[str, Type] = {
    "text": TEXT,
    "bool": BOOL,
    "date": DATE,
    "time": TIME,
    "datetime": DATETIME,
    **{kind: Type("text", shape=kind) for kind in TEXT_KINDS},
}


def _parse_base(text: str, whole: str) -> tuple[Type, tuple[tuple[str, str], ...] | None, tuple[str, str] | None]:
    if match := re.fullmatch(r"([A-Z]\w*)\.(\w+)", text):
        return Type("none"), None, (match[1], match[2])
    name, bracket, inner = text.partition("(")
    name = name.strip()
    if bracket and not inner.endswith(")"):
        raise Complaint(f"{whole!r} has no closing bracket")
    inner = inner[:-1].strip()
    if name in _PLAIN and not bracket:
        return _PLAIN[name], None, None
    if name == "states":
        states, moves = _parse_states(inner, whole)
        return Type("one_of", options=states), moves, None
    return _parse_made(name, inner, text, whole), None, None


def _parse_made(name: str, inner: str, text: str, whole: str) -> Type:
    """A type with something in brackets."""
    match name:
        case "int" | "money":
            low, high = _parse_range(inner, whole) if inner else (None, None)
            return Type("int" if name == "int" else "money", low=low, high=high)
        case "one_of":
            return Type("one_of", options=_parse_options(split_top(inner, "|"), whole))
        case "ref":
            if not re.fullmatch(r"[A-Z]\w*", inner):
                raise Complaint(f"{whole!r}: write ref(Name) with the name of an entity")
            return ref(inner)
        case "list":
            element, moves, same_as = _parse_base(inner, whole)
            if moves is not None or same_as is not None or element.kind == "list":
                raise Complaint(f"{whole!r}: a list holds plain values or references")
            return list_of(element)
    known = [*_PLAIN, "int", "money", "one_of", "states", "ref", "list"]
    raise Complaint(f"there is no type {text!r}{did_you_mean(name, known)}")


def _parse_range(text: str, whole: str) -> tuple[int, int]:
    match = _RANGE.match(text.replace(" ", ""))
    if not match:
        raise Complaint(f"{whole!r}: write a range as (1..9)")
    low, high = int(match[1]), int(match[2])
    if low > high:
        raise Complaint(f"{whole!r}: the range is empty")
    return low, high


def _parse_options(pieces: list[str], whole: str) -> tuple[str, ...]:
    options = tuple(piece.strip() for piece in pieces)
    for option in options:
        if not _NAME.match(option):
            raise Complaint(f"{whole!r}: {option!r} is no name; write one_of(first | second)")
    if len(set(options)) != len(options):
        raise Complaint(f"{whole!r} names a value twice")
    return options


def _parse_states(text: str, whole: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    states: list[str] = []
    moves: list[tuple[str, str]] = []
    for clause in text.split(";"):
        source, arrow, targets = clause.partition(">")
        start = source.strip()
        goals = [goal.strip() for goal in targets.split("|")] if arrow else []
        for state in (start, *goals):
            if not _NAME.match(state):
                raise Complaint(f"{whole!r}: {state!r} is no name; write states(open > closed | lost; closed > open)")
            if state not in states:
                states.append(state)
        moves.extend((start, goal) for goal in goals)
    if len(set(moves)) != len(moves):
        raise Complaint(f"{whole!r} names a move twice")
    return tuple(states), tuple(moves)
