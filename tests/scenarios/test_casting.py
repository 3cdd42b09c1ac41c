"""A story is cast with records and values that fit it, or not at all."""

from __future__ import annotations

from typing import Any

from tests.scenarios.lending import lending, story


def told(cast: str, *uses: str) -> str:
    """A story that uses its cast somehow."""
    said = " ".join(f"{{{use}}}" for use in uses)
    return story(cast, "block(reader=r)", f"Block {{r}}. {said}")


def test_a_role_is_cast_anew_where_a_later_one_finds_nobody() -> None:
    place = lending(told("r in Reader; s in Shelf; b in Book if b.shelf == s and b.title == 'Walden'", "s", "b"))
    cast = [place.cast("it", seed) for seed in range(12)]
    assert all(names is not None and names["s"].id == "SHELF-00003" for names in cast)
    assert all(names is not None and names["b"].id == "BOOK-00004" for names in cast)


def test_every_record_that_fits_has_its_chance_and_no_other() -> None:
    place = lending(told("r in Reader if not r.blocked"))
    drawn = [names["r"].id for seed in range(40) if (names := place.cast("it", seed)) is not None]
    assert set(drawn) == {"READER-00001", "READER-00002", "READER-00004"}


def test_what_another_story_has_drawn_is_not_drawn_again() -> None:
    place = lending(told("r in Reader"))
    taken = "READER-00001 READER-00002 READER-00003"
    assert {str(place.cast("it", seed, taken=taken)) for seed in range(9)} == {
        str({"r": place.ref("READER-00004")}),
    }
    assert place.cast("it", taken=f"{taken} READER-00004") is None


def test_nobody_is_cast_where_what_follows_is_empty() -> None:
    for empty in ("first(l for l in Loan if l.reader == r)", "[l for l in Loan if l.reader == r]"):
        place = lending(told(f"r in Reader if r.name == 'Cy Dorn'; what = {empty}", "what"))
        assert place.cast("it") is None
    zero = lending(told("r in Reader if r.name == 'Cy Dorn'; what = len([l for l in Loan if l.reader == r])", "what"))
    names = zero.cast("it")
    assert names is not None
    assert names["what"] == 0


def test_a_value_is_one_of_the_storys_own_or_of_the_parameters() -> None:
    own = lending(told("r in Reader; much from claim.total in 100 | 200", "much"))
    of_the_parameter = lending(told("r in Reader; much from claim.total", "much"))

    def drawn(place: Any) -> set[int]:
        return {names["much"] for seed in range(20) if (names := place.cast("it", seed)) is not None}

    assert drawn(own) == {100, 200}
    assert drawn(of_the_parameter) == {300, 700}


def test_equal_seeds_cast_equally() -> None:
    place = lending(told("r in Reader; b in Book; due from lend.due_at", "b", "due"))
    assert [place.cast("it", seed) for seed in range(9)] == [place.cast("it", seed) for seed in range(9)]
