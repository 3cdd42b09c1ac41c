"""Start states grow from base records and a history of operations, and are the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.types import DATE, DATETIME, MONEY, TEXT, Type
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.scenarios import Grown, grow
from envscaler_mcp.scenarios.chance import Chance
from envscaler_mcp.scenarios.values import drawn, read, values_of
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.nursery import compile_nursery

GYM = (Path(__file__).parent.parent / "blueprints" / "gym.yaml").read_text()


def model_of(text: str) -> Model:
    return check_blueprint(read_blueprint(text, "gym.yaml")).sound()


def grown(model: Model, seed: int = 7, history: int | None = None) -> Grown:
    nursery = compile_nursery(model)
    return grow(model, load_class(nursery.source, nursery.class_name), seed, history)


def test_equal_seeds_grow_equal_states_and_other_seeds_others() -> None:
    model = model_of(GYM)
    assert canonical_json(grown(model, 1).content) == canonical_json(grown(model, 1).content)
    assert canonical_json(grown(model, 1).content) != canonical_json(grown(model, 2).content)


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


def test_a_history_is_played_and_every_operation_has_its_turn() -> None:
    result = grown(model_of(GYM))
    assert sum(result.played.values()) == 25
    assert set(result.played) == {"book_place", "give_up_place"}


def test_the_history_ends_now_and_lies_in_the_days_before() -> None:
    content = grown(model_of(GYM)).content
    assert content["now"] == "2026-03-02T09:00"
    booked = [place["booked_on"] for place in content["places"].values()]
    assert booked == sorted(booked)
    assert booked[0] >= "2026-01-31"
    assert booked[-1] <= "2026-03-02"


def test_rows_of_values_stay_together_and_come_in_their_order() -> None:
    content = grown(model_of(GYM), history=0).content
    rows = [(course["name"], course["places"]) for course in content["courses"].values()]
    assert rows == [("Yoga", 2), ("Boxing", 3), ("Spinning", 1), ("Pilates", 3)]


def test_an_address_goes_with_the_name_of_its_person() -> None:
    for member in grown(model_of(GYM), history=0).content["members"].values():
        assert member["email"].split("@")[0].split(".")[0][:1] == member["name"][:1].lower()
        assert member["email"].partition("@")[2] in ("example.com", "example.org", "example.net")


@pytest.mark.parametrize("path", blueprint_files().values(), ids=blueprint_files())
def test_a_grown_state_of_the_library_is_sound(path: Path) -> None:
    model = check_blueprint(read_blueprint(path)).sound()
    result = grown(model)
    assert Interpreter(model, result.content).check_state() == []
    assert sum(result.played.values()) >= 0.9 * model.blueprint.start.history


@pytest.mark.parametrize("path", blueprint_files().values(), ids=blueprint_files())
def test_no_guard_of_the_library_lets_a_call_through_that_a_rule_refuses(path: Path) -> None:
    model = check_blueprint(read_blueprint(path)).sound()
    assert [surprise for seed in (1, 2) for surprise in grown(model, seed, 150).surprises] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Member: 8", "Membre: 8"), "start.records names 'Membre', which is no entity"),
        (("Member.born:", "Member.birth:"), "start.values 'Member.birth': Member has no 'birth'"),
        (("history: 25", "history: 25\n  play:\n    book: 3"), "start.play names 'book', which is no operation"),
        (("Yoga, 2 |", "Yoga |"), "the row 'Yoga' has 1 fields, not 2"),
        (("Yoga, 2 |", "Yoga, two |"), "start.values of Course.places: 'two' is no int"),
        (
            ("Course.name, places: Yoga, 2 | Boxing, 3 | Spinning, 1 | Pilates, 3", "Course.places: 2"),
            "Course.name is a plain text",
        ),
        (
            ("Course: 4", "Course: 4\n    Place: 30"),
            "A course never has more members than places|A member books a course once",
        ),
    ],
    ids=["entity", "attribute", "operation", "row", "number", "text", "rules"],
)
def test_a_start_that_cannot_grow_says_what_to_mend(change: tuple[str, str], message: str) -> None:
    with pytest.raises(GrowthError, match=message):
        grown(model_of(GYM.replace(*change)))


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
