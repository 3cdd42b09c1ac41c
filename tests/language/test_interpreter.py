"""What a blueprint means, told in examples: results that a person can work out, whatever the compiler does."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from envscaler_mcp.language.interpreter import Interpreter
from tests.language.small import sound

MODEL = sound(
    rules="- text: A nurse watches one open stay.\n  holds: unique(s.nurse for s in Stay if s.status == 'open' and s.nurse is not None)",
    operations="""\
charge:
  about: Charge a stay.
  params:
    stay: ref(Stay)
    fee: money(-90000..90000)
    nurse: optional ref(Nurse)
    after: optional date
  require:
    - let before = stay.fee
    - fee != 0 | Stay {stay} costs {before} already, on {today}.
    - stay.status == 'open' or nurse is None | {stay.ward} has closed it.
  effect:
    - stay.fee += fee
    - stay.note = 'charged'
    - stay.nurse = nurse
    - if after is not None:
        - new Stay(ward=stay.ward, since=after, nurse=nurse)
  say: charge {stay} with {fee}[ from {after} on]
discharge:
  about: Close and delete.
  params:
    ward: ref(Ward)
    kept: int
  effect:
    - let left = kept
    - for s in Stay if s.ward == ward by desc(s.fee), s.since:
        - if left > 0:
            - set left = left - 1
            - s.status = 'closed'
          else:
            - delete s
    - ward.chief = None
  say: discharge {ward}
open_ward:
  about: Open a ward and another.
  params:
    name: name
    nurse: optional ref(Nurse)
  effect:
    - let ward = new Ward(name, beds=2, chief=nurse)
    - new Ward(name='Spare', beds=1)
    - new Stay(ward, since=today)
  say: open {name}
close_ward:
  about: Delete a ward.
  params:
    ward: ref(Ward)
  effect:
    - delete ward
  say: close {ward}
""",
    queries="""\
costly:
  about: Stays that cost something.
  params:
    ward: optional ref(Ward)
    least: optional money
  find: s in Stay
  where:
    - s.ward == ward
    - s.fee >= least
  by: [desc(s.fee)]
  show:
    stay: s
    fee: s.fee
    nurse: s.nurse
""",
)
WARDS = "ward_ids"


def world(**changes: Any) -> Interpreter:
    stay = {"nurse_id": None, "note": None, "status": "open"}
    state: dict[str, Any] = {
        "wards": {
            "WARD-00001": {"id": "WARD-00001", "name": "North", "beds": 2, "budget": 0, "chief_id": "NURSE-00001"},
            "WARD-00002": {"id": "WARD-00002", "name": "South", "beds": 9, "budget": 5, "chief_id": None},
        },
        "nurses": {"NURSE-00001": {"id": "NURSE-00001", "name": "Ann Lee", "level": None, WARDS: ["WARD-00002"]}},
        "stays": {
            "STAY-00001": {"id": "STAY-00001", "ward_id": "WARD-00001", "since": "2026-02-01", "fee": 500, **stay},
            "STAY-00002": {"id": "STAY-00002", "ward_id": "WARD-00001", "since": "2026-02-02", "fee": 900, **stay},
            "STAY-00003": {"id": "STAY-00003", "ward_id": "WARD-00002", "since": "2026-02-03", "fee": 900, **stay},
        },
        "now": "2026-03-02T09:00",
        "counters": {"ward": 2, "nurse": 1, "stay": 3},
    }
    return Interpreter(MODEL, {**state, **changes})


def test_a_call_that_is_done_tells_what_was_done() -> None:
    told = world().call("charge", {"stay_id": "STAY-00001", "fee": 12345})
    changed = {"stays": [{"id": "STAY-00001", "fee": 12845, "note": "charged"}]}
    assert told == {"success": True, "message": "Done: charge STAY-00001 with 123.45.", "data": {"changed": changed}}


def test_what_was_created_is_told_by_its_id() -> None:
    opened = world()
    told = opened.call("open_ward", {"name": "East"})
    assert told["message"] == "Done: open East (new: ward WARD-00003, ward WARD-00004, stay STAY-00004)."
    changed = told["data"].pop("changed")
    assert told["data"] == {"ward_id": "WARD-00003", "new_ward_id": "WARD-00004", "stay_id": "STAY-00004"}
    # Where nothing is, nothing is said of it.
    assert changed["stays"] == [
        {name: value for name, value in opened.state["stays"]["STAY-00004"].items() if value is not None}
    ]
    assert [ward["id"] for ward in changed["wards"]] == ["WARD-00003", "WARD-00004"]
    assert opened.state["counters"] == {"ward": 4, "nurse": 1, "stay": 4}
    assert opened.state["stays"]["STAY-00004"]["since"] == "2026-03-02"


def test_what_was_created_in_a_branch_is_not_told_by_its_id() -> None:
    told = world().call("charge", {"stay_id": "STAY-00003", "fee": -900, "after": "2026-04-01"})
    assert told["message"] == "Done: charge STAY-00003 with -9.00 from 2026-04-01 on."
    assert set(told["data"]) == {"changed"}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("charge", {"stay_id": "STAY-9", "fee": 0, "nurse_id": "x"}, "There is no stay 'STAY-9'."),
        ("charge", {"stay_id": "STAY-00001", "fee": 0, "nurse_id": "x"}, "There is no nurse 'x'."),
        ("charge", {"stay_id": "STAY-00001", "fee": 0}, "Stay STAY-00001 costs 5.00 already, on 2026-03-02."),
        ("charge", {"stay_id": "STAY-00001", "fee": -600}, "The fee of STAY-00001 must be between 0.00 and 1,000.00."),
        ("charge", {"stay_id": "STAY-00001", "fee": 9, "after": "2026-03-02"}, "A ward has no more stays than beds."),
        (
            "charge",
            {"stay_id": "STAY-00003", "fee": 9, "nurse_id": "NURSE-00001", "after": "2026-03-02"},
            "A nurse watches one open stay.",
        ),
        ("open_ward", {"name": "North"}, "There is already a ward with the name 'North'."),
        ("close_ward", {"ward_id": "WARD-00001"}, "Ward North is still used by 2 stays."),
        ("close_ward", {"ward_id": "WARD-00002"}, "Ward South is still used by 1 nurse."),
        ("costly", {"ward_id": "no"}, "There is no ward 'no'."),
        ("get_stay", {"stay_id": "no"}, "There is no stay 'no'."),
        ("list_stays", {"ward_id": "no"}, "There is no ward 'no'."),
    ],
)
def test_a_refused_call_says_why_and_changes_nothing(tool: str, arguments: dict[str, Any], error: str) -> None:
    tried = world()
    before = copy.deepcopy(tried.state)
    assert tried.call(tool, arguments) == {"success": False, "error": error}
    assert tried.state == before


def test_a_loop_runs_in_order_over_what_was_there_before() -> None:
    done = world()
    assert done.call("discharge", {"ward_id": "WARD-00001", "kept": 1})["success"]
    assert {key: stay["status"] for key, stay in done.state["stays"].items()} == {
        "STAY-00002": "closed",
        "STAY-00003": "open",
    }
    assert done.state["wards"]["WARD-00001"]["chief_id"] is None


def test_reads_show_what_is_derived() -> None:
    told = world().call("get_ward", {"ward_id": "WARD-00001"})
    assert told["data"] == {
        "id": "WARD-00001",
        "name": "North",
        "beds": 2,
        "budget": 0,
        "chief_id": "NURSE-00001",
        "stays": 2,
        "last_id": "STAY-00002",
    }


def test_lists_are_narrowed_counted_and_paged() -> None:
    asked = world()
    assert asked.call("list_stays", {"ward_id": "WARD-00001", "status": "open"})["data"]["total"] == 2
    assert asked.call("list_wards", {"name": "OUT"})["data"]["wards"][0]["name"] == "South"
    page = asked.call("list_stays", {"offset": 2})["data"]
    assert (page["total"], [stay["id"] for stay in page["stays"]]) == (3, ["STAY-00003"])


def test_lists_of_what_operations_make_are_narrowed_by_day() -> None:
    def since(**days: str) -> list[str]:
        return [stay["since"] for stay in world().call("list_stays", days)["data"]["stays"]]

    assert since(since_from="2026-02-02") == ["2026-02-02", "2026-02-03"]
    assert since(since_to="2026-02-02") == ["2026-02-01", "2026-02-02"]
    assert since(since_from="2026-02-02", since_to="2026-02-02") == ["2026-02-02"]
    assert since(since_from="2026-02-04") == []


def test_the_day_and_the_hour_can_be_asked() -> None:
    assert world().call("current_time", {})["data"] == {"now": "2026-03-02T09:00", "weekday": "Monday"}


def test_a_query_skips_the_filters_of_what_is_not_given() -> None:
    asked = world()
    rows = asked.call("costly", {})["data"]["stays"]
    assert [row["stay"] for row in rows] == ["STAY-00002", "STAY-00003", "STAY-00001"]
    assert asked.call("costly", {"ward_id": "WARD-00001", "least": 600})["data"] == {
        "total": 1,
        "stays": [{"stay": "STAY-00002", "fee": 900, "nurse": None}],
    }


def test_an_unknown_tool_is_the_callers_mistake() -> None:
    with pytest.raises(LookupError, match="There is no tool 'chargee'; did you mean 'charge'"):
        world().call("chargee", {})


def test_a_sound_state_has_no_faults() -> None:
    assert world().check_state() == []
    assert Interpreter(MODEL).check_state() == []


@pytest.mark.parametrize(
    ("container", "change", "fault"),
    [
        ("stays", {"fee": 100001}, "stay 'STAY-00001': fee is 100001, which is not between 0 and 100000"),
        ("stays", {"fee": True}, "stay 'STAY-00001': fee is True, which is no whole number"),
        ("stays", {"fee": None}, "stay 'STAY-00001': fee is empty"),
        ("stays", {"status": "opened"}, "stay 'STAY-00001': status is 'opened'; did you mean 'open'?"),
        ("stays", {"since": "2026-02-30"}, "stay 'STAY-00001': since is '2026-02-30', which is no date"),
        ("stays", {"ward_id": "WARD-9"}, "stay 'STAY-00001': ward_id is 'WARD-9', and there is no such ward"),
        ("stays", {"note": 3}, "stay 'STAY-00001': note is 3, which is no text"),
        ("stays", {"notes": "x"}, "stay 'STAY-00001': it has no attribute 'notes'; did you mean 'note'?"),
        ("stays", {"id": "STAY-7"}, "stay 'STAY-00001': its id says 'STAY-7'"),
        ("wards", {"name": "South"}, "ward 'WARD-00002': name 'South' is that of 'WARD-00001' too"),
        ("wards", {"beds": 1}, "A ward has no more stays than beds."),
    ],
)
def test_a_state_written_by_hand_is_looked_through(container: str, change: dict[str, Any], fault: str) -> None:
    state = world().state
    first = next(iter(state[container]))
    state[container][first] = {**state[container][first], **change}
    assert Interpreter(MODEL, state).check_state() == [fault]


def test_more_that_can_be_wrong_with_a_state() -> None:
    state = world().state
    state["nurses"]["NURSE-00001"][WARDS] = ["WARD-9"]
    del state["stays"]["STAY-00001"]["note"]
    state["now"] = "2026-03-02"
    state["counters"]["stays"] = 4
    asked = Interpreter(MODEL, state)
    asked.state["ward"] = {}
    faults = asked.check_state()
    assert len(faults) == 5, faults
    assert "note is missing" in " ".join(faults)
    assert "holds a value that is 'WARD-9', and there is no such ward" in " ".join(faults)


def test_rules_are_numbered_as_they_are_written() -> None:
    state = world().state
    state["stays"]["STAY-00001"]["nurse_id"] = state["stays"]["STAY-00003"]["nurse_id"] = "NURSE-00001"
    state["wards"]["WARD-00001"]["beds"] = 1
    assert Interpreter(MODEL, state).broken_rules() == [1, 2]
