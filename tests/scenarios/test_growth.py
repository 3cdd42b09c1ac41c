"""Start states grow from base records and a history of operations, and are the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.language.model import Model
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.scenarios import Grown, grow
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.nursery import compile_nursery
from tests.library_sample import turns

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


def test_a_row_of_a_parameter_may_leave_one_of_its_records_open() -> None:
    rows = GYM.replace("    Member.born:", "    book_place.member, course: any, Yoga | any, Boxing\n    Member.born:")
    content = grown(model_of(rows)).content
    named = {content["courses"][place["course_id"]]["name"] for place in content["places"].values()}
    assert named == {"Yoga", "Boxing"}
    assert len({place["member_id"] for place in content["places"].values()}) > 2


def test_a_parameter_names_the_records_that_its_values_name() -> None:
    named = GYM.replace("    Member.born:", "    book_place.course: Yoga | Yoga | Pilates\n    Member.born:")
    content = grown(model_of(named)).content
    assert {content["courses"][place["course_id"]]["name"] for place in content["places"].values()} == {
        "Yoga",
        "Pilates",
    }


ORDERED = (
    GYM.replace(
        "rules:\n",
        """  Order:
    sold_by: optional ref(Trainer)
    note: optional text
    when_open: list(one_of(mon | tue | sun))
  Line:
    order: fixed ref(Order)
    drink: text
    bottles: int(1..9)
    shared_with: optional ref(Member)
rules:
""",
    )
    .replace(
        "operations:\n",
        """operations:
  order_drinks:
    about: Order drinks.
    params:
      sold_by: optional ref(Trainer)
      note: optional text
      when_open: list(one_of(mon | tue | sun))
      lines:
        drink: text
        bottles: int(1..9)
        shared_with: optional ref(Member)
    effect:
      - let order = new Order(sold_by, note, when_open)
      - for l in lines:
          - new Line(order, drink=l.drink, bottles=l.bottles, shared_with=l.shared_with)
    say: order drinks
""",
    )
    .replace(
        "    Member.born:",
        """    Trainer.name: Ada Berg | Bruno Costa
    Member.name: Carla Diaz | Dan Eriksen | Elif Fischer | Farah Gomez | Grace Hall | Hugo Ito | Ines Jensen | Jan Kim
    Order.when_open: mon + tue | sun
    order_drinks.sold_by, note: none, none | Ada Berg, by card
    order_drinks.lines.drink, lines.bottles, lines.shared_with: water, 6, none | juice, 2, Dan Eriksen
    Member.born:""",
    )
)


def test_a_row_of_a_parameter_may_leave_something_out() -> None:
    trainers = {"none": None, "Ada Berg": "by card"}
    content = grown(model_of(ORDERED), history=60).content
    names = {None: "none"} | {key: trainer["name"] for key, trainer in content["trainers"].items()}
    sold = {(names[order["sold_by_id"]], order["note"]) for order in content["orders"].values()}
    assert sold == set(trainers.items())


def test_fields_of_a_structure_that_are_said_together_stay_together() -> None:
    lines = grown(model_of(ORDERED), history=60).content["lines"].values()
    assert {(line["drink"], line["bottles"], line["shared_with_id"] is None) for line in lines} == {
        ("water", 6, True),
        ("juice", 2, False),
    }


def test_a_list_takes_its_elements_from_the_lists_of_the_attribute_it_is_stored_in() -> None:
    orders = grown(model_of(ORDERED), history=60).content["orders"].values()
    assert {one for order in orders for one in order["when_open"]} == {"mon", "tue", "sun"}


def test_rows_of_values_stay_together_and_come_in_their_order() -> None:
    content = grown(model_of(GYM), history=0).content
    rows = [(course["name"], course["places"]) for course in content["courses"].values()]
    assert rows == [("Yoga", 2), ("Boxing", 3), ("Spinning", 1), ("Pilates", 3)]


def test_an_address_goes_with_the_name_of_its_person() -> None:
    for member in grown(model_of(GYM), history=0).content["members"].values():
        assert member["email"].split("@")[0].split(".")[0][:1] == member["name"][:1].lower()
        assert member["email"].partition("@")[2] in ("example.com", "example.org", "example.net")


@pytest.mark.parametrize("env_id", turns(blueprint_files()))
def test_a_grown_state_of_the_library_is_sound(env_id: str) -> None:
    model = check_blueprint(read_blueprint(blueprint_files()[env_id])).sound()
    result = grown(model)
    assert Interpreter(model, result.content).check_state() == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Member: 8", "Membre: 8"), "start.records names 'Membre', which is no entity"),
        (("Member.born:", "Member.birth:"), "start.values 'Member.birth': Member has no 'birth'"),
        (("history: 25", "history: 25\n  play:\n    book: 3"), "start.play names 'book', which is no operation"),
        (("Yoga, 2 |", "Yoga |"), "the row 'Yoga' has 1 fields, not 2"),
        (("Member.born: 1980-01-01..2000-12-31", "Member.born, friend: '|'"), "'Member.born, friend' says nothing"),
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
    ids=["entity", "attribute", "operation", "row", "nothing", "number", "text", "rules"],
)
def test_a_start_that_cannot_grow_says_what_to_mend(change: tuple[str, str], message: str) -> None:
    with pytest.raises(GrowthError, match=message):
        grown(model_of(GYM.replace(*change)))
