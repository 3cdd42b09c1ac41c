"""A value that may be empty is used only where something has shown that it is there."""

from __future__ import annotations

import pytest

from tests.language.small import errors, sound

MAY_BE_EMPTY = "may be empty here"


@pytest.mark.parametrize(
    "require",
    [
        "one.nurse.name == 'Ann' | No.",
        "one.nurse.level > 2 | No.",
        "one.nurse is not None and one.nurse.level > 2 | No.",
        "one.nurse is None or one.nurse.level + 1 > 2 | No.",
        "first(w for w in Ward).beds > 2 | No.",
        "min(w.beds for w in Ward) > 2 | No.",
        "one.ward.last.fee > 2 | No.",
        "amount > 2 | The fee of {one.nurse.name}.",
        "one.nurse is not None | {one.nurse.name} is there.",
        "one.nurse is None or amount > 2 | {one.note} is there.",
        "any(s.nurse.level > 2 for s in Stay) | No.",
    ],
)
def test_a_value_that_may_be_empty_is_not_used(require: str) -> None:
    assert MAY_BE_EMPTY in errors(require=require)


@pytest.mark.parametrize(
    "require",
    [
        "one.nurse is not None | No.\none.nurse.name == 'Ann' | {one.nurse.name}.",
        "one.nurse is not None and one.nurse.level is not None and one.nurse.level > 2 | No.",
        "one.nurse is None or one.nurse.name == 'Ann' | {one.nurse.name} is not Ann.",
        "one.nurse is None | {one.nurse.name} is there.",
        "not (one.nurse is None) and one.nurse.name == 'Ann' | No.",
        "let nurse = one.nurse or one.ward.chief\nnurse is not None | No.\nnurse.name == 'Ann' | No.",
        "any(s for s in Stay if s.nurse is not None and s.nurse.name == 'Ann') | No.",
        "(one.nurse.name if one.nurse is not None else 'nobody') == 'Ann' | No.",
        "one.note == 'x' | No.\nlen(one.note) > 0 | No.",
        "one.note in ('x', 'y') | No.\nlen(one.note) > 0 | No.",
        "let last = first(w for w in Ward)\nlast is not None | No.\nlast.beds > 2 | No.",
        "one.nurse == one.ward.chief | No.",
        "one.nurse is not None and one.nurse in [n for n in Nurse] | No.",
        "(min(w.beds for w in Ward) or 0) > 2 | No.",
    ],
)
def test_what_was_shown_to_be_there_is_used(require: str) -> None:
    sound(require=require)


def test_what_is_never_empty_is_not_asked() -> None:
    assert "'one.ward' is never empty here" in errors(require="one.ward is not None | No.")
    assert "is never empty, so 'or' has nothing to choose" in errors(require="(one.ward or one.ward) == one.ward | No.")


def test_a_write_ends_what_was_known_of_the_attribute() -> None:
    known = "one.nurse is not None | No."
    assert MAY_BE_EMPTY in errors(require=known, effect="one.nurse = one.ward.chief\none.note = one.nurse.name")
    assert MAY_BE_EMPTY in errors(
        require=known, params="two: ref(Stay)", effect="two.nurse = None\none.note = one.nurse.name"
    )
    sound(require=known, effect="one.note = 'x'\none.note = one.nurse.name")


def test_a_write_ends_what_was_known_of_what_is_worked_out() -> None:
    known = "one.ward.last is not None | No."
    assert MAY_BE_EMPTY in errors(
        require=known, effect="one.status = 'closed'\none.note = one.ward.last.note or 'x'\none.fee = one.ward.last.fee"
    )
    assert MAY_BE_EMPTY in errors(
        require=known, params="two: ref(Stay)", effect="delete two\none.fee = one.ward.last.fee"
    )


def test_a_loop_may_have_written_before_its_first_line_is_read() -> None:
    told = errors(
        require="one.nurse is not None | No.",
        operations="""\
looped:
  about: Loop.
  params:
    one: ref(Stay)
  require:
    - one.nurse is not None | No.
  effect:
    - for s in Stay:
        - s.note = one.nurse.name
        - one.nurse = None
  say: loop
""",
    )
    assert "operation looped, effect 1: 'one.nurse' may be empty here" in told


def test_what_one_branch_wrote_is_not_known_after_both() -> None:
    told = errors(
        operations="""\
branched:
  about: Branch.
  params:
    one: ref(Stay)
    nurse: optional ref(Nurse)
  require:
    - one.nurse is not None | No.
  effect:
    - if nurse is not None:
        - one.note = nurse.name
      else:
        - one.nurse = nurse
    - one.note = one.nurse.name
  say: branch
""",
    )
    assert told == (
        "operation branched, effect 2: 'one.nurse' may be empty here and is used for its name; "
        "test it with 'is not None' first"
    )


def test_an_optional_parameter_skips_the_filters_that_name_it() -> None:
    model = sound(
        queries="""\
stays_of:
  about: Stays.
  params:
    nurse: optional ref(Nurse)
    least: optional int
  find: s in Stay
  where:
    - s.nurse == nurse
    - nurse is None or s.since > today - 3
    - least is not None or nurse is not None
    - len(nurse.name) > least
""",
    )
    skipped = [line.skipped_without for line in model.queries["stays_of"].where]
    assert skipped == [("nurse",), (), (), ("nurse", "least")]


def test_what_is_said_afterwards_is_always_there() -> None:
    parts = {"params": "nurse: optional ref(Nurse)", "effect": "one.nurse = nurse"}
    assert MAY_BE_EMPTY in errors(**parts, say="give {nurse}")
    sound(**parts, say="'do it[ with {nurse}]'")
