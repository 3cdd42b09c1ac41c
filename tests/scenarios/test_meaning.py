"""A task in other words may not mean something else; where a rule is not sure, its own words stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envscaler_mcp.scenarios.meaning import changed_meaning
from tests.library_sample import sample

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
SIGN = "Have the consent of Ms Okoro signed by Al Zahir before 14 May, and pay $94.60 from the joint account."
PUMP = "Move every pump but the one of Ward 7 to the store. Only if there is no room, leave it."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SIGN, SIGN.replace("by Al Zahir", "not by Al Zahir")),
        (SIGN, SIGN.replace("by Al Zahir", "by anybody except Al Zahir")),
        (SIGN, SIGN.replace("before", "after")),
        (SIGN, SIGN.replace("before", "until")),
        (SIGN, SIGN.replace("14 May", "15 May")),
        (SIGN, SIGN.replace("14 May", "the middle of May")),
        (SIGN, SIGN.replace("14 May", "14 June")),
        (SIGN, SIGN.replace("$94.60", "$96.40")),
        (SIGN, SIGN.replace("Al Zahir", "Al Zahid")),
        (SIGN, SIGN.replace("Al Zahir", "somebody")),
        (SIGN, SIGN.replace("Ms Okoro signed", "Ms Okoro signed only")),
        (SIGN, SIGN.replace("Have", "Never have")),
        (SIGN, SIGN.replace("Have", "Don't have")),
        (SIGN, SIGN.replace("Have", "Don’t have")),
        (PUMP, PUMP.replace("no room", "room")),
        (PUMP, PUMP.replace("Only if", "If")),
        (PUMP, PUMP.replace("Only if", "Unless")),
        (PUMP, PUMP.replace("every pump but", "every pump and")),
        (PUMP, PUMP.replace("every", "any")),
        (PUMP, PUMP.replace("Ward 7", "Ward 8")),
        ("Take it from Bay 3 to Bay 5.", "Take it to Bay 3 from Bay 5."),
        ("Close the old lane, and do not open the card.", "Do not close the old lane, and open the card."),
        ("Open the gate for Mr Brandt.", "Close the gate for Mr Brandt."),
        ("Take the cheapest room for two nights.", "Take the dearest room for two nights."),
        ("Book at least three rooms.", "Book at most three rooms."),
        ("Book more than 3 rooms for Ada.", "Book less than 3 rooms for Ada."),
        ("Book the rooms for Ada unless it rains.", "Book the rooms for Ada if it rains."),
        ("Write “store closed” on it.", "Write “store open” on it."),
        ("Pay Ada first, otherwise Ben.", "Pay Ada first, and Ben."),
        ("Tell both of them.", "Tell one of them."),
    ],
)
def test_words_that_may_mean_something_else_are_refused(before: str, after: str) -> None:
    assert before != after
    assert list(changed_meaning(before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SIGN, f"Good morning. {SIGN} Many thanks."),
        (
            SIGN,
            "Please pay $94.60 from the joint account, and have Ms Okoro's consent signed by Al Zahir before 14 May.",
        ),
        (
            PUMP,
            "Hello, a small thing: only if there is no room, leave it. Move every pump but the one of Ward 7 to the store.",
        ),
        ("Do not open the card of Ben.", "Ben asked us: please don't open the card of Ben."),
        ("Enrol Ada Cole from 8 March.", "Ada Cole wants to be enrolled from 8 March, would you see to it?"),
        ("Book more than 3 rooms for Ada.", "Ada asks that over 3 rooms be booked for Ada."),
    ],
)
def test_the_same_in_another_order_with_greetings_is_let_through(before: str, after: str) -> None:
    assert list(changed_meaning(before, after)) == []


@pytest.mark.parametrize("world", sample((path.parent.name for path in SERVERS.glob("*/scenarios.jsonl")), 8))
def test_no_task_of_the_library_means_something_else_than_itself_or_may_lose_its_negations(world: str) -> None:
    for line in (SERVERS / world / "scenarios.jsonl").read_text().splitlines():
        task = json.loads(line)["task"].partition("\n\n")[2]
        assert list(changed_meaning(task, f"Good morning.\n{task}\nMany thanks.")) == []
        for word, other in (
            (" not ", " "),
            (" before ", " after "),
            ("if ", "unless "),
            (" every ", " a "),
            (" no ", " a "),
        ):
            if word in task:
                assert list(changed_meaning(task, task.replace(word, other, 1)))
