"""What a change answers: the records that it made, changed and deleted, from compiled code and from the interpreter alike."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.language.small import sound
from tests.synthesis.twins import Twins, class_of

MODEL = sound(
    operations="""\
charge:
  about: Charge a stay.
  params:
    stay: ref(Stay)
    fee: money(0..100000)
  effect:
    - stay.fee = fee
    - stay.note = 'charged'
  say: charge {stay}
rename:
  about: Rename a ward.
  params:
    ward: ref(Ward)
    beds: int(1..9)
  effect:
    - ward.beds = 1
    - ward.beds = beds
  say: change {ward}
empty:
  about: Delete the stays of a ward, and close those of others.
  params:
    ward: ref(Ward)
  effect:
    - for s in Stay if s.ward == ward or s.status == 'open':
        - s.status = 'closed'
    - for s in Stay if s.ward == ward:
        - delete s
  say: empty {ward}
pass_by:
  about: Make a stay and delete it.
  params:
    ward: ref(Ward)
  effect:
    - let stay = new Stay(ward, since=today)
    - delete stay
  say: pass {ward} by
""",
)
MADE = class_of(MODEL)


def ward(number: int) -> dict[str, Any]:
    return {"id": f"WARD-0000{number}", "name": f"Ward {number}", "beds": 9, "budget": 0, "chief_id": None}


def stay(number: int, of: int, status: str = "closed") -> dict[str, Any]:
    return {
        "id": f"STAY-{number:05}",
        "ward_id": f"WARD-0000{of}",
        "since": "2026-02-01",
        "nurse_id": None,
        "fee": 500,
        "note": None,
        "status": status,
    }


def worlds(*stays: dict[str, Any]) -> Twins:
    state = {
        "wards": {f"WARD-0000{number}": ward(number) for number in range(1, 10)},
        "nurses": {},
        "stays": {one["id"]: one for one in stays},
        "now": "2026-03-02T09:00",
        "counters": {"ward": 9, "nurse": 0, "stay": len(stays)},
    }
    return Twins(MODEL, state, MADE)


def test_only_what_is_new_of_a_record_is_told() -> None:
    both = worlds(stay(1, 1))
    first = both.call("charge", {"stay_id": "STAY-00001", "fee": 700})
    assert first["data"] == {"changed": {"stays": [{"id": "STAY-00001", "fee": 700, "note": "charged"}]}}
    again = both.call("charge", {"stay_id": "STAY-00001", "fee": 800})
    assert again["data"] == {"changed": {"stays": [{"id": "STAY-00001", "fee": 800}]}}


def test_a_record_is_told_with_its_name_and_not_at_all_where_it_ends_as_it_was() -> None:
    both = worlds()
    assert both.call("rename", {"ward_id": "WARD-00001", "beds": 4})["data"] == {
        "changed": {"wards": [{"id": "WARD-00001", "name": "Ward 1", "beds": 4}]}
    }
    assert both.call("rename", {"ward_id": "WARD-00001", "beds": 4})["data"] == {}


def test_deleted_records_are_told_by_their_ids_alone() -> None:
    both = worlds(stay(1, 1, "open"), stay(2, 2, "open"), stay(3, 1))
    assert both.call("empty", {"ward_id": "WARD-00001"})["data"] == {
        "changed": {"stays": [{"id": "STAY-00002", "status": "closed"}]},
        "deleted": {"stays": ["STAY-00001", "STAY-00003"]},
    }


def test_a_record_that_came_and_went_is_not_told() -> None:
    assert worlds().call("pass_by", {"ward_id": "WARD-00001"})["data"] == {"stay_id": "STAY-00001"}


@given(gone=st.integers(0, 9), closed=st.integers(0, 40))
def test_at_most_twenty_records_are_told_and_the_others_are_counted(gone: int, closed: int) -> None:
    # No ward has more than nine.
    stays = [stay(1 + at, 1 if at < gone else 2 + at % 8, "open") for at in range(gone + closed)]
    told = worlds(*stays).call("empty", {"ward_id": "WARD-00001"})["data"]
    shown = len(told.get("changed", {}).get("stays", [])) + len(told.get("deleted", {}).get("stays", []))
    assert shown == min(20, gone + closed)
    assert told.get("more", 0) == gone + closed - shown
