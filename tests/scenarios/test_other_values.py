"""What a mutant says instead is another valid value of the type, and a plausible one."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.language.column_types import COLUMN_TYPES, ColumnType, Nearby, is_valid, other_values
from envscaler_mcp.language.column_types.texts import TEXT_KINDS
from envscaler_mcp.language.types import BOOL, DATE, DATETIME, TEXT, TIME, Type, list_of, ref
from envscaler_mcp.language.written_types import parse_type
from envscaler_mcp.scenarios.observed_types import type_of_schema, type_of_values
from envscaler_mcp.scenarios.shapes import Shapes

BOOKS = ("BOOK-1", "BOOK-2", "BOOK-3")
HERE = Nearby("2026-03-05", lambda _entity: BOOKS, ("Emma", "Walden"))

TYPED: list[tuple[Type, st.SearchStrategy[Any]]] = [
    (BOOL, st.booleans()),
    (Type("int"), st.integers(-1000, 1000)),
    (Type("int", low=1, high=2), st.integers(1, 2)),
    (Type("money", low=0, high=90_000), st.integers(0, 90_000)),
    (Type("one_of", options=("in", "out", "lost")), st.sampled_from(("in", "out", "lost"))),
    (ref("Book"), st.sampled_from(BOOKS)),
    (DATE, st.dates().map(date.isoformat)),
    (TIME, st.times().map(lambda time: f"{time:%H:%M}")),
    (DATETIME, st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes"))),
    (TEXT, st.text(min_size=1).filter(str.strip)),
    (Type("text", shape="email"), st.emails()),
    (list_of(ref("Book")), st.lists(st.sampled_from(BOOKS), max_size=3, unique=True)),
    (list_of(Type("one_of", options=("a", "b", "c"))), st.lists(st.sampled_from("abc"), max_size=3, unique=True)),
]


@pytest.mark.parametrize(("type_", "values"), TYPED, ids=[str(type_) for type_, _ in TYPED])
def test_other_values_are_of_the_type_and_differ(type_: Type, values: st.SearchStrategy[Any]) -> None:
    @given(values)
    def differ(value: Any) -> None:
        others = list(islice(other_values(value, type_, HERE), 12))
        assert others, (value, type_)
        assert value not in others
        assert all(is_valid(other, type_, HERE) for other in others)
        assert all(type(other) is type(value) for other in others)
        assert len({repr(other) for other in others}) == len(others)

    differ()


@given(st.datetimes().map(lambda one: one.isoformat(timespec="minutes")))
def test_a_moment_is_tried_at_another_time_of_its_day_and_on_another_day_at_its_time(moment: str) -> None:
    others = list(other_values(moment, DATETIME, HERE))
    assert any(other[:10] == moment[:10] and other[11:] != moment[11:] for other in others)
    assert any(other[:10] != moment[:10] and other[11:] == moment[11:] for other in others)


@pytest.mark.parametrize(
    ("written", "type_", "other"),
    [
        ("2026-312", TEXT, "2026-313"),
        ("20 Mill Lane", TEXT, "21 Mill Lane"),
        ("Lot 99", TEXT, "Lot 98"),
        ("A", TEXT, "B"),
        ("Ann Ash", Type("text", shape="person"), "Ann Ash Jr"),
        ("ann@example.com", Type("text", shape="email"), "ann.2@example.com"),
        ("2026-03-31", DATE, "2026-04-01"),
        ("23:45", TIME, "23:00"),
        ("09:30", TIME, "10:00"),
        (4700, Type("money"), 4701),
    ],
)
def test_the_nearest_other_value_is_what_a_person_could_have_said(written: Any, type_: Type, other: Any) -> None:
    assert next(other_values(written, type_, HERE)) == other


def test_a_text_is_also_what_another_record_says_there() -> None:
    assert {"Emma", "Walden"} <= set(other_values("Ulysses", TEXT, HERE))


def test_an_optional_value_may_be_left_out_and_a_missing_one_given() -> None:
    assert None in set(other_values(True, BOOL.maybe, HERE))
    assert list(other_values(None, ref("Book").maybe, HERE)) == ["BOOK-1"]
    assert list(other_values("in", Type("one_of", options=("in",)), HERE)) == []


def test_one_field_of_an_entry_is_otherwise_at_a_time() -> None:
    line = Type("struct", fields=(("book", ref("Book")), ("copies", Type("int", low=1, high=9)), ("on", DATE)))
    entry = {"book_id": "BOOK-1", "copies": 9, "on": "2026-03-05"}
    others = list(other_values([entry], list_of(line), HERE))
    assert [{name for name in entry if other[0][name] != entry[name]} for other in others] == [
        {"book_id"},
        {"copies"},
        {"on"},
    ]


def test_every_type_that_can_be_written_says_how_it_is_mutated() -> None:
    written = ["text", "int", "money", "bool", "date", "time", "datetime", "one_of(a | b)", "ref(X)", "list(text)"]
    kinds = {parse_type(text).type.kind for text in (*written, *TEXT_KINDS)}
    assert kinds == COLUMN_TYPES.keys() - {"none", "key", "ratio", "struct"}
    assert all(type(COLUMN_TYPES[kind]).others is not ColumnType.others for kind in kinds)


# Where nobody wrote the types down

SHAPES = Shapes({"books": {f"B{n}": {"id": f"B{n}", "title": f"Title {n}"} for n in range(4)}})


@pytest.mark.parametrize(
    ("observed", "kind"),
    [
        (["09:30", "10:15"], "time"),
        (["2026-03-05"], "date"),
        (["2026-03-05T10:00", "2026-03-06T09:30"], "datetime"),
        (["2026-312", "2026-313"], "text"),
        (["20 Mill Lane", "3 High Street"], "text"),
        (["B1", "B2"], "ref"),
        (["open", "closed", "open", "open"], "one_of"),
        (["open", "closed"], "text"),
        ([1, 2.5], "int"),
        ([True, False], "bool"),
        ([1, "one"], "none"),
        ([["B1"], []], "list"),
        ([{"title": "x"}], "struct"),
    ],
)
def test_what_records_hold_tells_the_type(observed: list[Any], kind: str) -> None:
    type_ = type_of_values(observed, SHAPES)
    assert type_.kind == kind
    nearby = Nearby("2026-03-05", lambda container: SHAPES.containers.get(container, {}), tuple(observed))
    others = list(islice(other_values(observed[0], type_, nearby), 1))
    assert others
    assert others[0] != observed[0]


def test_a_schema_says_more_than_what_was_seen() -> None:
    assert type_of_schema({"type": "string", "enum": ["a", "b"]}, ["a"], SHAPES).options == ("a", "b")
    assert type_of_schema({"type": "string", "format": "date"}, ["soon"], SHAPES) == DATE
    ranged = type_of_schema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 2}, {"type": "null"}]}, [2], SHAPES)
    assert (ranged.kind, ranged.low, ranged.high, ranged.optional) == ("int", 1, 2, True)
    assert re.fullmatch(
        "list of books", str(type_of_schema({"type": "array", "items": {"type": "string"}}, [["B1"]], SHAPES))
    )
