"""A clause decides something where the plan without it ends otherwise; else it is idle."""

from __future__ import annotations

from collections import Counter

import pytest

from envscaler_mcp.scenarios import clauses
from envscaler_mcp.scenarios.clauses import ClausesOfTask
from tests.scenarios.lending import lending, story

TO_A1, BLOCKED = "s in Shelf if s.code == 'A1'", "r in Reader if r.blocked"
MOVE = "move_book(book=b, shelf=s)"


def cheapest(shelf: str) -> tuple[str, str]:
    return f"{TO_A1}; b = first([b for b in Book if b.shelf.code == '{shelf}'], by=(b.price, b.title))", MOVE


def every(test: str) -> tuple[str, str]:
    return TO_A1, f'{{"for b in Book if {test}": ["{MOVE}"]}}'


def either(test: str, then: str, otherwise: str) -> tuple[str, str]:
    return BLOCKED, f'{{"if {test}": [{then}], else: [{otherwise}]}}'


UNBLOCK, TAKE_BACK = '"unblock(reader=r)"', '"take_back(loan=l)"'
STORIES = {
    "emma_alone": every("b.shelf.code == 'B1' and b.price < 2000"),
    "nothing_is_dearer": every("b.shelf.code == 'B1' and b.price < 5000"),
    "cannot_be_left_out": (
        BLOCKED,
        "{\"for l in Loan if l.note is not None and l.note < 'h' and l.status == 'out'\": [" + '"take_back(loan=l)"]}',
    ),
    "two_cost_the_same": cheapest("B2"),
    "one_is_cheapest": cheapest("B1"),
    "unlike": either("r.blocked", UNBLOCK, '"block(reader=r)"'),
    "alike": either("r.blocked", UNBLOCK, UNBLOCK),
    "other_case": either(
        "not r.blocked", f"{{\"for l in Loan if l.reader == r and l.status == 'out'\": [{TAKE_BACK}]}}", UNBLOCK
    ),
}
BOOK = "".join(story(*parts, "Do it.").replace("it:", f"{name}:", 1) for name, parts in STORIES.items())


@pytest.mark.parametrize(
    ("name", "decides", "idle"),
    [
        ("emma_alone", {"condition": 2}, {"all": 1}),
        ("nothing_is_dearer", {"condition": 1, "all": 1}, {"condition": 1}),
        # Walden and Dracula both cost seven dollars, and nothing costs less.
        ("two_cost_the_same", {"tie-break": 1}, {"condition": 1, "superlative": 1}),
        ("one_is_cheapest", {"condition": 1, "superlative": 1}, {"tie-break": 1}),
        ("unlike", {"branch": 1}, {}),
        ("alike", {}, {"branch": 1}),
    ],
)
def test_each_clause_decides_something_or_is_idle(name: str, decides: dict[str, int], idle: dict[str, int]) -> None:
    assert clauses_of(name) == (decides, idle)


def test_what_is_asked_for_in_the_other_case_is_no_clause_of_the_task() -> None:
    assert clauses_of("other_case") == ({"branch": 1}, {})


def test_a_condition_without_which_nothing_can_be_worked_out_is_no_clause() -> None:
    # No text is compared with a note that is not there.
    assert clauses_of("cannot_be_left_out") == ({"condition": 1}, {"condition": 1, "all": 1})


def test_clauses_that_take_too_long_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clauses, "_SECONDS", 0.0)
    assert clauses_of("emma_alone") == ({}, {})


def clauses_of(name: str) -> tuple[dict[str, int], dict[str, int]]:
    """How many clauses of each kind decide something, and how many do not; the world is as before."""
    library = lending(BOOK)
    names = library.cast(name)
    assert names is not None
    world = library.world()
    before = world.state_hash()
    found = ClausesOfTask(library.model, world).tally(library.speech.stories[name], names)
    assert world.state_hash() == before
    world.close()
    decides: Counter[str] = Counter()
    idle: Counter[str] = Counter()
    for (kind, does), many in found.items():
        (decides if does else idle)[kind] += many
    return dict(decides), dict(idle)
