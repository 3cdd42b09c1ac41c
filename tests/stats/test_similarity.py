"""A copy under other names is seen to be a copy; different trades are seen to be different."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.stats.similarity import LOOKED_AT, REFUSED, similarities
from envscaler_mcp.stats.structure import Structure, structure_of
from tests.library_sample import sample

GYM = Path(__file__).parents[1] / "blueprints" / "gym.yaml"

RENAMED = {
    "gym": "ferry",
    "Trainer": "Captain",
    "Course": "Crossing",
    "Member": "Traveller",
    "Place": "Berth",
    "trainer": "captain",
    "course": "crossing",
    "member": "traveller",
    "places": "berths",
    "price": "fare",
    "taken": "filled",
    "friend": "companion",
    "booked_on": "bought_on",
    "booked": "bought",
    "given_up": "handed_back",
    "book_place": "buy_berth",
    "give_up_place": "hand_back",
    "place": "berth",
    "c": "k",
    "p": "b",
}

TABLE = """\
id: table
title: Table
about: Keeps rows.
sector: tests
entities:
  Row:
    name: unique text
    colour: one_of(red | blue)
    size: int(1..9)
operations:
  add_row:
    about: Add a row.
    params:
      name: text
      colour: one_of(red | blue)
      size: int(1..9)
    effect:
      - new Row(name, colour, size)
    say: add {name}
  change_row:
    about: Change a row.
    params:
      row: ref(Row)
      size: int(1..9)
    effect:
      - row.size = size
    say: change {row}
  remove_row:
    about: Remove a row.
    params:
      row: ref(Row)
    effect:
      - delete row
    say: remove {row}
"""


def structure(text: str) -> Structure:
    return structure_of(check_blueprint(read_blueprint(text, "text.yaml")).sound())


@cache
def of_library(name: str) -> Structure:
    return structure_of(check_blueprint(read_blueprint(blueprint_files()[name])).sound())


def renamed(text: str) -> str:
    body, start = text.split("start:\n")
    assert start
    return re.sub(r"\b\w+\b", lambda word: RENAMED.get(word[0], word[0]), body)


def test_a_copy_under_other_names_is_a_copy() -> None:
    text = GYM.read_text(encoding="utf-8")
    assert renamed(text) != text.split("start:\n")[0]
    assert structure(text).similarity(structure(renamed(text))) == 1.0


def test_a_copy_with_a_few_lines_changed_is_still_too_alike() -> None:
    text = blueprint_files()["bank_accounts"].read_text(encoding="utf-8")
    body = text.split("\nwords:\n")[0]
    added = body.replace(
        "\nrules:\n", "\nrules:\n  - text: Nothing is without an account.\n    holds: count(Account) >= 0\n", 1
    )
    assert added != body
    assert 1.0 > structure(body).similarity(structure(added)) > REFUSED


def test_different_trades_are_different_and_a_bare_table_is_nobody_s_neighbour() -> None:
    known = {name: of_library(name) for name in sample(blueprint_files(), 8)} | {"table": structure(TABLE)}
    found = similarities(known)
    assert found.refused == ()
    assert found.nearest["table"].similarity < LOOKED_AT / 2


def test_looking_up_what_is_shared_comes_to_the_same_as_comparing_every_pair() -> None:
    names = sample(blueprint_files(), 6)
    found = {
        (pair.first, pair.other): pair.similarity for pair in similarities({n: of_library(n) for n in names}).pairs
    }
    assert len(found) == 15
    for (one, other), value in found.items():
        assert value == pytest.approx(of_library(one).similarity(of_library(other)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_whole_library_is_diverse() -> None:
    found = similarities({name: of_library(name) for name in blueprint_files()})
    assert [(pair.first, pair.other, round(pair.similarity, 3)) for pair in found.refused] == []
    assert found.diverse
