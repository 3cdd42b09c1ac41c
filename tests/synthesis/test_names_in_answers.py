"""Look-ups and lists say what people call the records to which they point, from compiled code and interpreter alike."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.synthesis.answers import answers_of
from tests.language.small import sound
from tests.synthesis.twins import Twins, class_of

MODEL = sound(
    queries="""\
by_ward:
  about: Stays with their nurse.
  find: s in Stay
  show:
    stay: s
    ward: s.ward
    ward_name: s.ward.name
    nurse: s.nurse
by_nurse:
  about: Stays with the name of their nurse.
  find: s in Stay
  show:
    nurse: s.nurse
    nurse_id: s.nurse.id if s.nurse is not None else None
    nurse_name: s.nurse.name if s.nurse is not None else None
chiefs:
  about: Wards that are full.
  find: w in Ward
  where:
    - w.stays >= 1
newest:
  about: What was last.
  params:
    ward: ref(Ward)
    other: optional ref(Ward)
  answer:
    ward: ward
    stays: ward.stays
    chief: ward.chief
    same: other or ward
"""
)
MADE = class_of(MODEL)
Stays = list[tuple[int, int]]
"""The ward and the nurse of each; nurse 0 is none."""
STAYS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), max_size=60).filter(
    lambda stays: all([ward for ward, _ in stays].count(number) <= 9 for number in range(1, 10))
)


def worlds(stays: Stays, chief: int = 0) -> Twins:
    def id_of(noun: str, number: int) -> str | None:
        return f"{noun}-{number:05}" if number else None

    wards = [
        {"id": id_of("WARD", n), "name": f"Ward {n}", "beds": 9, "budget": 0, "chief_id": id_of("NURSE", chief)}
        for n in range(1, 10)
    ]
    nurses = [
        {"id": id_of("NURSE", n), "name": f"Ann {n}", "level": None, "ward_ids": ["WARD-00001", f"WARD-0000{n}"][:n]}
        for n in range(1, 5)
    ]
    rest = {"since": "2026-02-01", "fee": 500, "note": None, "status": "closed"}
    rows = [
        {"id": id_of("STAY", at), "ward_id": id_of("WARD", ward), "nurse_id": id_of("NURSE", nurse), **rest}
        for at, (ward, nurse) in enumerate(stays, 1)
    ]
    state: dict[str, Any] = {
        name: {row["id"]: row for row in records}
        for name, records in (("wards", wards), ("nurses", nurses), ("stays", rows))
    }
    return Twins(MODEL, {**state, "now": "2026-03-02T09:00"}, MADE)


def test_a_record_is_answered_with_the_names_of_what_it_points_to() -> None:
    both = worlds([(3, 2)], chief=4)
    assert both.call("get_stay", {"stay_id": "STAY-00001"})["names"] == {"WARD-00003": "Ward 3", "NURSE-00002": "Ann 2"}
    # A stay has no name, so that of the last one is not there.
    assert both.call("get_ward", {"ward_id": "WARD-00003"})["names"] == {"NURSE-00004": "Ann 4"}
    assert both.call("get_nurse", {"nurse_id": "NURSE-00002"})["names"] == {
        "WARD-00001": "Ward 1",
        "WARD-00002": "Ward 2",
    }


def test_where_nothing_is_pointed_to_no_names_are_said() -> None:
    both = worlds([])
    assert set(both.call("get_ward", {"ward_id": "WARD-00001"})) == {"success", "data"}
    assert set(both.call("list_stays", {})) == {"success", "data"}


def test_a_name_that_stands_beside_its_id_is_not_said_again() -> None:
    both = worlds([(3, 2), (4, 0)])
    assert both.call("by_ward", {})["names"] == {"NURSE-00002": "Ann 2"}
    assert "names" not in both.call("by_nurse", {})


def test_what_the_author_asks_is_answered_with_names_too() -> None:
    both = worlds([(3, 2)], chief=1)
    assert both.call("chiefs", {})["names"] == {"NURSE-00001": "Ann 1"}
    assert both.call("newest", {"ward_id": "WARD-00003", "other_id": "WARD-00005"})["names"] == {
        "WARD-00003": "Ward 3",
        "NURSE-00001": "Ann 1",
        "WARD-00005": "Ward 5",
    }


@given(stays=STAYS, offset=st.integers(0, 60))
def test_a_page_names_what_its_own_rows_point_to_and_nothing_else(stays: Stays, offset: int) -> None:
    answer = worlds(stays).call("list_stays", {"offset": offset})
    rows = answer["data"]["stays"]
    pointed = {row[key] for row in rows for key in ("ward_id", "nurse_id")} - {None}
    assert answer.get("names", {}).keys() == pointed
    for id_, name in answer.get("names", {}).items():
        assert name == f"{'Ward' if id_.startswith('WARD') else 'Ann'} {int(id_[-5:])}"


def test_the_card_says_which_tools_answer_with_names() -> None:
    assert {"get_stay", "list_stays", "get_ward", "by_ward", "chiefs", "newest"} <= {*answers_of(MODEL).naming}
    assert not {"by_nurse", "admit"} & {*answers_of(MODEL).naming}
