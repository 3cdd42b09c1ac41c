"""What does not go together is an error before anything runs."""

from __future__ import annotations

import pytest

from tests.language.small import errors, sound


@pytest.mark.parametrize(
    ("require", "told"),
    [
        ("one.since > 3 | No.", "a date and an int do not go together"),
        ("one.ward == one.nurse | No.", "Ward and Nurse or nothing do not go together"),
        ("one.fee == amount | No.", "a money and an int do not go together"),
        ("one.ward < one.ward | No.", "Ward has no order"),
        ("one.ward | No.", "'one.ward' is Ward, where yes or no belongs"),
        ("not amount | No.", "'amount' is an int, where yes or no belongs"),
        ("amount in one.ward | No.", "'one.ward' is Ward, not a list"),
        ("len(amount) > 0 | No.", "it takes one list or text"),
        ("years(one.since, amount) > 3 | No.", "int where date belongs"),
        ("one.since + one.since > today | No.", "a date + a date means nothing"),
        ("amount + one.since > today | No.", "write the date first, then + days"),
        ("one.since + days(3) > today | No.", "a date moves by days, and days(..) counts minutes"),
        ("one.fee * one.fee > 0 | No.", "money times money means nothing"),
        ("amount + one.fee > 0 | No.", "mixes money and a number"),
        ("amount / one.fee > 0 | No.", "a number divided by money means nothing"),
        ("one.ward.name.size > 0 | No.", "'one.ward.name' is a text and has no attributes"),
        ("one.ward.chief() is None | No.", "records have no methods"),
        ("amount > 1.5 | No.", "there are no float values; write cents, grams or a text"),
        ("amount is 3 | No.", "'is' stands only before None"),
        ("sum(w.name for w in Ward) > 0 | No.", "sum(..) adds numbers or money"),
        ("count(w.stays > 3 for w in Ward) > 0 | No.", "would count the noes too"),
        ("all(w for w in Ward) | No.", "all(..) asks yes or no of each"),
        ("overlap(1, 2, today, today) | No.", "with values of one kind"),
        ("one.ward in above(one.ward, chief) | No.", "above follows an attribute of Ward that refers to Ward again"),
        ("'(lambda: amount)() > 0 | No.'", "records have no methods"),
        ("'{1: 2} == {} | No.'", "Dict is not part of the language"),
        ("one.status[0] == 'o' | No.", "Subscript is not part of the language"),
        ("amount > | No.", "is no expression"),
    ],
)
def test_a_guard_of_ill_fitting_types_is_refused(require: str, told: str) -> None:
    assert told in errors(require=require)


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ("one.fee = amount", "'amount' is an int, where a money belongs"),
        ("one.fee = one.fee / 2", "is an exact ratio; end it with round, floor or ceil before it is stored"),
        ("one.note = today", "'today' is a date, where a text or nothing belongs"),
        ("one.ward = one.nurse", "'one.nurse' may be empty here"),
        ("one.ward = None", "'None' is nothing, and this is never empty"),
        ("one.nurse = one.ward", "'one.ward' is Ward, where Nurse or nothing belongs"),
        ("one.status = 'opened'", "'opened' is not one of open, closed; did you mean 'open'?"),
        ("one.ward.beds = 'four'", "where an int belongs"),
    ],
)
def test_a_value_goes_only_where_it_fits(effect: str, told: str) -> None:
    assert told in errors(effect=effect)


def test_a_word_that_a_list_does_not_have_is_never_met() -> None:
    assert "it is never 'opne'; did you mean 'open'?" in errors(require="one.status == 'opne' | No.")
    assert "it is never 'closd'; did you mean 'closed'?" in errors(require="one.status in ('open', 'closd') | No.")


def test_a_number_alone_beside_money_means_cents() -> None:
    sound(require="one.fee + 50 < 100000 and max(one.fee, 5) > 0 | No.")


def test_elements_of_a_list_fit_too() -> None:
    entities = "Tag:\n  words: list(one_of(a | b))\n  marks: list(int(0..9))\n  lines: list(text)"
    params = "tag: ref(Tag)\nmore: list(int(0..9))"
    assert "may hold 'c'" in errors(entities=entities, params=params, effect="tag.words = ['c']\ntag.marks = more")
    told = errors(entities=entities, params=params, effect="tag.marks = more + [amount]")
    assert "may hold numbers that are not between 0 and 9" in told
    sound(entities=entities, params=params, effect="tag.words = ['a']\ntag.marks = more\ntag.lines = ['x', 'y']")


def test_a_division_by_what_may_be_zero_is_refused() -> None:
    assert "'amount' may be 0" in errors(require="7 // amount > 1 | No.")
    assert "'count(Stay)' may be 0" in errors(require="7 % count(Stay) > 1 | No.")
    assert "may be 0" in errors(require="amount >= 0 | No.\n7 / amount > 1 | No.")


def test_a_guard_or_a_range_keeps_zero_out() -> None:
    sound(require="amount != 0 | No.\n7 // amount > 1 | No.")
    sound(require="amount > 0 and 7 // amount > 1 | No.")
    sound(require="amount == 0 or 7 // amount > 1 | No.")
    sound(require="7 // one.ward.beds > 1 | No.")
    sound(effect="one.ward.budget = one.fee // amount if amount >= 1 else one.fee")


def test_a_number_that_was_written_may_be_zero_again() -> None:
    parts = {
        "require": "one.ward.stays > 0 | No.",
        "effect": "one.ward = one.ward\none.fee = one.fee // one.ward.stays",
    }
    assert "'one.ward.stays' may be 0" in errors(**parts)


def test_definitions_do_not_go_round_in_a_circle() -> None:
    define = '"a(n: int)": b(n) + 1\n"b(n: int)": c(n) + 1\n"c(n: int)": a(n) + 1'
    assert "a > b > c > a goes round in a circle" in errors(define=define, require="a(amount) > 0 | No.")


def test_derived_attributes_do_not_go_round_in_a_circle() -> None:
    assert "goes round in a circle" in errors(entities="Box:\n  a: = self.b + 1\n  b: = self.a + 1")


def test_a_range_holds_its_default_and_is_not_empty() -> None:
    assert "is outside its range" in errors(entities="Box:\n  a: int(1..3) = 4")
    assert "the range is empty" in errors(entities="Box:\n  a: int(3..1)")


def test_options_are_names_and_said_once() -> None:
    assert "names a value twice" in errors(entities="Box:\n  a: one_of(x | y | x)")
    assert "is no name; write one_of(first | second)" in errors(entities="Box:\n  a: one_of(x, y)")
    assert "'optional' is said twice" in errors(entities="Box:\n  a: optional optional int")


def test_a_list_is_never_absent() -> None:
    assert "a list is never absent" in errors(entities="Box:\n  a: optional list(int)")


def test_unique_is_for_plain_values() -> None:
    assert "write a rule with unique(..)" in errors(entities="Box:\n  a: unique ref(Ward)")
