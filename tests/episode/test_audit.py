"""What a user says is compared with what they can know, value by value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.audit import UserAudit
from envscaler_mcp.episode.user import STOP
from tests.episode.voices import conversing
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
TASK = (
    "Please enrol Ada Cole and Émile O'Brien on 8 March 2026 at 09:30; the note reads “cold, wet feet”. Charge 1,250.50 to "
    "BOOK-00007, room 102 A in the club 14 times, and write to ada@example.org that there are three seats."
)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    return conversing(write_home(tmp_path_factory.mktemp("home")) / "generated_servers")


def audit(scenario: Scenario, task: str = TASK) -> UserAudit:
    return UserAudit(scenario.model_copy(update={"task": task, "conversation": None}))


@pytest.mark.parametrize(
    "reply",
    [
        "It's about Ada Cole. Her seat, please.",
        "Émile's, I mean O’Brien's.",
        "On March 8th, or 2026-03-08 as you write it.",
        "At 9:30 on the 8th.",
        "The note says 'Cold, wet feet'.",
        "Charge 1250.5, that is 1,250.50.",
        "It's book-00007 in room 102A.",
        "Write to ADA@example.org about the 3 seats.",
        "Yes, please. I'm OK with two of them. THANKS!",
        f"That's all. {STOP}",
        "What is the ID? Do it ASAP, I SAID Ada. OK, Great.",
        "Hello, Assistant! Ask our Assistant. Thank you 🙂 Great work.",
        "1. **Name**: Ada Cole\n2. **Seats:** three",
        "**1**. Ada\n**2.** Émile",
        "On Sunday, 8 March, or in March at all, so on Sunday.",
        "08.03.2026, or 8/3/2026, or 3/8/2026 where you are.",
        "At 9:30 am, so at 9.",
        "A 14-times thing, number 00007.",
    ],
)
def test_what_the_task_says_in_other_words_is_not_invented(scenario: Scenario, reply: str) -> None:
    assert audit(scenario).invented(reply) == []


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ("Please tell Ada Lovelace.", ["Lovelace"]),
        ("I think it was Émile Zola, or Ada Zola.", ["Zola"]),
        ("On 9 March, please.", ["9 March"]),
        ("On May 8th.", ["May 8th"]),
        ("It is 2026-04-08.", ["2026-04-08"]),
        ("The note reads “dry feet”.", ["“dry feet”"]),
        ("Charge 1,250.55 or 12.", ["1,250.55", "12"]),
        ("There are seventeen seats.", ["seventeen"]),
        ("It's BOOK-00008.", ["BOOK-00008"]),
        ("Write to eve@example.org.", ["eve@example.org"]),
        ("Write to a@example.org.", ["a@example.org"]),
        ("It's BOOK-0000, seat B14 in room 2A.", ["BOOK-0000", "B14", "2A"]),
        ("Charge 7, or 2, or 30.", ["7", "2", "30"]),
        ("On 08.04.2026 or 13/14/2026, at 10:30.", ["08.04.2026", "13/14/2026", "10:30"]),
        ("On the 9th, for Ada, Émile and Bob.", ["9th", "Bob"]),
    ],
)
def test_what_nobody_told_the_user_is_invented(scenario: Scenario, reply: str, values: list[str]) -> None:
    assert audit(scenario).invented(reply) == values


def test_what_the_agent_said_may_be_repeated_and_an_invention_is_told_once(scenario: Scenario) -> None:
    heard = audit(scenario)
    heard.heard("Shall I take seat B14 for Mr Lovelace?")
    assert heard.invented("Yes, B14 for Lovelace.") == []
    assert heard.invented("And B15.") == ["B15"]
    assert heard.invented("I said B15.") == []


@pytest.mark.parametrize(
    ("said", "repeated"),
    [
        ("On 2026/04/05?", "Yes, on 5 April."),
        ("On 2026.04.05?", "Yes, 2026-04-05."),
        ("I note 05-04-2026.", "Yes, on 5 April, or on 4 May."),
        ("On the fifth of April?", "Yes, April 5th."),
        ("On the twenty-fifth of April?", "Yes, 25 April."),
        ("At half past ten, or a quarter to five?", "At 10:30, or 4:45."),
        ("At 21h35?", "Yes, 21:35."),
        ("It is 1 234 in all.", "1234 is fine."),
        ("It is 1.234,55 in all.", "1234.55 is fine."),
        ("Twenty-five of them, or a dozen?", "25, or 12."),
        ("Is it Z\u043elt\u200ban Kov\u0430r?", "It is Zoltan, I mean Zoltan Kovar."),
    ],
)
def test_what_the_agent_wrote_in_another_spelling_may_be_repeated(scenario: Scenario, said: str, repeated: str) -> None:
    heard = audit(scenario)
    assert heard.invented(repeated)
    heard = audit(scenario)
    heard.heard(said)
    assert heard.invented(repeated) == []


@pytest.mark.timeout(5)
@pytest.mark.parametrize("again", ["111 ", "1.111", "1-1-", "twenty ", "half past ", "2026/1/", "1'111'", "\u043e"])
def test_an_agent_that_repeats_itself_holds_up_no_audit(scenario: Scenario, again: str) -> None:
    audit(scenario).heard((again * 50_000)[:200_000])


def shipped(every: int) -> Iterator[Scenario]:
    for file in sorted((ROOT / "generated_servers").glob("*/scenarios.jsonl"))[::every]:
        for line in file.read_text().splitlines()[::every]:
            yield Scenario.from_text(line, file.name)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_the_people_of_the_library_invent_nothing_when_they_tell_what_they_want(every: int) -> None:
    scenarios = list(shipped(every))
    assert scenarios
    for scenario in scenarios:
        assert scenario.conversation is not None
        heard = UserAudit(scenario)
        invented = heard.invented(scenario.conversation.first)
        for goal in scenario.conversation.goals:
            details = (f"{fact.name.replace('_', ' ').capitalize()}: {fact.says}." for fact in goal.facts if fact.says)
            for reply in (goal.ask, *details, goal.request):
                invented += heard.invented(reply)
        assert (scenario.id, invented, heard.untold()) == (scenario.id, [], [])


def test_what_the_agent_was_never_told_is_known(scenario: Scenario) -> None:
    telling = UserAudit(scenario)
    telling.invented("Somebody wants to join.")
    assert telling.untold() == ["Ada", "Cole", "8 March"]
    telling.invented("Her name is Ada Cole.")
    telling.heard("From March 8th?")
    assert telling.untold() == []


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Sorry, I can't help with that.", False),
        ("I am not able to do this. Is there anything else I can do for you?", False),
        ("I cannot find her. What is her name?", True),
        ("I can't do that today; shall I do it tomorrow?", True),
        ("It is done. Anything else?", False),
        ("Done with the first step. What is the day?", False),
        ("Hello!", True),
    ],
)
def test_who_leaves_after_a_refusal_or_a_claim_that_all_is_done_has_not_left_too_early(
    scenario: Scenario, said: str, left: bool
) -> None:
    telling = audit(scenario)
    telling.heard("I cannot do that.")
    telling.heard(said)
    assert bool(telling.untold()) == left


@pytest.mark.timeout(5)
@pytest.mark.parametrize("again", ["a-", "a", "“", "1.", "a@", "0,", "„a”", "A ", "'a", "-a1", "\n1.", "can i "])
def test_a_model_that_repeats_itself_holds_up_nobody(scenario: Scenario, again: str) -> None:
    telling = audit(scenario)
    telling.invented((again * 20_000)[:20_000])


def test_without_a_conversation_the_task_itself_is_to_be_told(scenario: Scenario) -> None:
    telling = audit(scenario, "Please enrol Ada Cole on 8 March.")
    telling.invented("Please enrol Ada Cole.")
    assert telling.untold() == ["8 March"]
