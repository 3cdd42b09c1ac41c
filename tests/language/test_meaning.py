"""What no trade would mean is an error or a warning."""

from __future__ import annotations

import pytest

from envscaler_mcp.errors import BlueprintError
from tests.language.small import checked, errors, sound, warnings


def test_a_guard_has_a_sentence_with_a_full_stop() -> None:
    assert "has no sentence; write" in errors(require="one.fee > 0")
    assert "end it with a full stop" in errors(require="one.fee > 0 | it is free")
    assert "has an open bracket" in errors(require="'one.fee > 0 | Stay {one is free.'")


def test_a_rule_is_a_sentence_about_records() -> None:
    assert "write a sentence with a full stop" in errors(
        rules="- text: Fees are low\n  holds: all(s.fee < 9 for s in Stay)"
    )
    assert "it looks at no entity" in errors(rules="- text: One is one.\n  holds: 1 == 1")
    assert "cannot be used here" in errors(rules="- text: It is late.\n  holds: all(s.since < today for s in Stay)")


def test_a_rule_reads_the_clock_through_no_define_either() -> None:
    parts = {
        "define": '"late(s: Stay)": s.since < today',
        "rules": "- text: None is late.\n  holds: none(s for s in Stay if late(s))",
    }
    assert "a rule speaks of the state only" in errors(**parts)


def test_a_rule_that_no_operation_can_break_is_looked_at() -> None:
    rule = "- text: Levels are low.\n  holds: all(n.level is None or n.level < 4 for n in Nurse)"
    assert "rule 2 (Levels are low.): no operation can break it: is it a rule?" in warnings(rules=rule)
    assert checked(rules=rule).model is not None


def test_a_state_that_nothing_enters_is_an_error() -> None:
    told = errors(entities="Box:\n  state: states(new > old; old > lost)", effect="new Box(state='old')")
    assert told == "entity Box, attribute state: no operation enters the state 'lost'"


def test_an_operation_changes_something() -> None:
    told = errors(operations="look:\n  about: Look.\n  effect: []\n  say: look")
    assert told == "operation look: it changes nothing; a question belongs under 'queries'"


def test_fixed_and_derived_attributes_and_ids_are_not_written() -> None:
    assert "'one.since' is fixed and is set only by new" in errors(effect="one.since = today")
    assert "'one.ward.stays' is derived; change what it is derived from" in errors(effect="one.ward.stays = 3")
    assert "Stay has no attribute 'id'" in errors(effect="one.id = 'STAY-00009'")
    assert "Ward.stays is derived and cannot be given" in errors(effect="new Ward(name='x', beds=3, stays=3)")


def test_a_new_record_has_all_it_needs() -> None:
    assert "Stay.since needs a value" in errors(effect="new Stay(ward=one.ward)")
    assert "'ward' is given twice" in errors(effect="let ward = one.ward\nnew Stay(ward, ward=ward, since=today)")
    assert "has no attribute to go to; write attribute=" in errors(effect="new Stay(one.ward, since=today)")


def test_only_records_are_written_and_deleted() -> None:
    assert "is text, not a record, and cannot be changed" in errors(effect="one.ward.name.size = 3")
    assert "not a record, and cannot be deleted" in errors(effect="delete one.fee")
    assert "only = and += and -= change an attribute" in errors(effect="one.fee *= 2")
    assert "there is no let of that name" in errors(effect="set amount = 3")


def test_a_batch_that_may_name_a_record_twice_is_looked_at() -> None:
    parts = {"params": "stays: list(ref(Stay))", "require": "len(stays) > 0 | None."}
    assert "'stays' may name a record twice; guard it with unique(..)" in warnings(**parts)
    assert "twice" not in warnings(**{**parts, "require": "unique(s for s in stays) | Twice."})


def test_a_query_finds_or_answers() -> None:
    assert "either 'find' (records) or 'answer' (values)" in errors(queries="what:\n  about: What.\n  show: {}")
    told = errors(queries="what:\n  about: What.\n  answer:\n    ratio: count(Stay) / 3")
    assert "which is not shown as it is; round it or name an attribute" in told


def test_there_are_not_too_many_tools() -> None:
    many = "\n".join(f"E{'x' * n}:\n  label: text" for n in range(1, 11))
    assert "22 are allowed" in errors(entities=many)


def test_all_errors_are_told_at_once() -> None:
    told = errors(require="nobody > 0 | No.\none.feee > 0 | No.", effect="one.since = today\nnew Ward(name='x')")
    assert len(told.splitlines()) == 4
    with pytest.raises(BlueprintError, match="small has 4 errors"):
        sound(require="nobody > 0 | No.\none.feee > 0 | No.", effect="one.since = today\nnew Ward(name='x')")


@pytest.mark.parametrize(
    ("name", "other"), [("list_stay", "list_stays"), ("list_warts", "list_wards"), ("tired", "tried")]
)
def test_tools_that_are_easily_taken_for_each_other_are_warned_of(name: str, other: str) -> None:
    operation = f"{name}:\n  about: Change it.\n  params:\n    ward: ref(Ward)\n  effect:\n    - ward.beds = 2\n  say: change {{ward}}"
    said = f"{name!r} are easily taken for each other" in warnings(operations=operation)
    assert said == (other != "tried")
    assert "easily taken" not in warnings()
