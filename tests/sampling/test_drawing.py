"""Draws follow from a seed alone, and values are what a blueprint says they may be."""

from __future__ import annotations

import pytest

from envscaler_mcp.language.types import DATE, DATETIME, MONEY, TEXT, Type
from envscaler_mcp.sampling import Chance
from envscaler_mcp.sampling.values import drawn, read, values_of


def test_what_is_drawn_is_the_same_on_every_machine() -> None:
    chance = Chance(7, "gym")
    assert [chance.below(1000) for _ in range(5)] == [
        Chance(7, "gym").below(1000),
        *[chance_at(n) for n in (1, 2, 3, 4)],
    ]
    assert [Chance(0, "").below(10**6), Chance(1, "").below(10**6), Chance(0, "a").below(10**6)] == [
        117645,
        212769,
        565380,
    ]


def chance_at(place: int) -> int:
    chance = Chance(7, "gym")
    return [chance.below(1000) for _ in range(place + 1)][-1]


@pytest.mark.parametrize(
    ("type_", "text", "allowed"),
    [
        (DATE, "today+1..today+2", {"2026-03-03", "2026-03-04"}),
        (DATE, "2026-01-01", {"2026-01-01"}),
        (DATETIME, "today+1T09:00,10:30", {"2026-03-03T09:00", "2026-03-03T10:30"}),
        (MONEY, "500..501", {500, 501}),
        (Type("one_of", options=("red", "blue")), "red", {"red"}),
        (TEXT, "hello", {"hello"}),
    ],
    ids=["days", "day", "times", "money", "word", "text"],
)
def test_an_alternative_is_read_as_its_type_wants_it(type_: Type, text: str, allowed: set[object]) -> None:
    assert {read(type_, text, Chance(seed, "x"), "2026-03-02", "x") for seed in range(30)} == allowed


def test_a_pattern_is_filled_with_digits_and_letters() -> None:
    text = read(TEXT, "AB-##?", Chance(3, "x"), "2026-03-02", "x")
    assert text[:3] == "AB-"
    assert text[3:5].isdigit()
    assert text[5].isupper()


def test_a_value_without_alternatives_lies_in_the_range_of_its_type() -> None:
    chance = Chance(3, "x")
    assert all(3 <= drawn(Type("int", low=3, high=5), (), chance, "2026-03-02", "x") <= 5 for _ in range(50))


def test_only_the_lines_of_an_owner_are_its_values() -> None:
    said = {"Room.number": "1 | 2", "Room.a, b": "x, y", "Rooms.number": "3"}
    values = values_of("Room", said)
    assert values.single == {"number": ("1", "2")}
    assert values.tables[0].rows == (("x", "y"),)
