"""Types as authors write them: `fixed optional ref(Room)`, `int(1..9) = 3`, `states(open > closed)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from envscaler_mcp.language.column_types import type_named
from envscaler_mcp.language.column_types.choices import NAME
from envscaler_mcp.language.text import split_top
from envscaler_mcp.language.types import Complaint, Type, list_of


@dataclass(frozen=True, slots=True)
class WrittenType:
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


def parse_type(text: str) -> WrittenType:
    """The type in a text such as `fixed optional ref(Room)` or `int(1..9) = 3`."""
    rest = text.strip()
    modifiers: set[str] = set()
    while match := _WORDS.match(rest):
        if match[1] in modifiers:
            raise Complaint(f"{match[1]!r} is said twice in {text!r}")
        modifiers.add(match[1])
        rest = rest[match.end() :]
    pieces = split_top(rest, "=")
    if len(pieces) > 2:
        raise Complaint(f"{text!r} has more than one default")
    default = pieces[1].strip() if len(pieces) == 2 else None
    base, moves, same_as = _parse_base(pieces[0].strip(), text)
    if "optional" in modifiers:
        base = base.maybe
    return WrittenType(base, "fixed" in modifiers, "unique" in modifiers, default, moves, same_as)


def _parse_base(text: str, whole: str) -> tuple[Type, tuple[tuple[str, str], ...] | None, tuple[str, str] | None]:
    if match := re.fullmatch(r"([A-Z]\w*)\.(\w+)", text):
        return Type("none"), None, (match[1], match[2])
    word, bracket, rest = text.partition("(")
    word = word.strip()
    if bracket and not rest.endswith(")"):
        raise Complaint(f"{whole!r} has no closing bracket")
    inner = rest[:-1].strip() if bracket else None
    if word == "states":
        states, moves = _parse_states(inner or "", whole)
        return Type("one_of", options=states), moves, None
    if word == "list":
        element, moved, same_as = _parse_base(inner or "", whole)
        if moved is not None or same_as is not None or element.kind == "list":
            raise Complaint(f"{whole!r}: a list holds plain values or references")
        return list_of(element), None, None
    return type_named(word, inner, text, whole), None, None


def _parse_states(text: str, whole: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    states: list[str] = []
    moves: list[tuple[str, str]] = []
    for clause in text.split(";"):
        source, arrow, targets = clause.partition(">")
        start = source.strip()
        goals = [goal.strip() for goal in targets.split("|")] if arrow else []
        for state in (start, *goals):
            if not NAME.match(state):
                raise Complaint(f"{whole!r}: {state!r} is no name; write states(open > closed | lost; closed > open)")
            if state not in states:
                states.append(state)
        moves.extend((start, goal) for goal in goals)
    if len(set(moves)) != len(moves):
        raise Complaint(f"{whole!r} names a move twice")
    return tuple(states), tuple(moves)
