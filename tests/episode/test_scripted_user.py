"""A user without a model knows its goals and their facts, and is of use to whoever talks as models do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Conversation, Fact, Goal, Scenario
from envscaler_mcp.episode.asked_facts import asked_facts
from envscaler_mcp.episode.audit import UserAudit
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.scripted_user import PATIENCE, ROUNDS, ScriptedUser, scripted_user
from envscaler_mcp.episode.speech import Speech
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.serving.tasks import load_scenarios
from tests.episode.voices import conversing
from tests.library_sample import turns
from tests.runs.home import write_home

ENROL = Goal(
    story="joining",
    ask="Somebody wants to join.",
    request="Enrol Ada Cole from 8 March, in the group of Bo Lind.",
    facts=(
        Fact(name="name", value="Ada Cole", says="Ada Cole"),
        Fact(name="from", value="2026-03-08", says="8 March"),
        Fact(name="other", value="GROUP-00007", says="the group of Bo Lind"),
        Fact(name="fee", value=12, findable=True),
    ),
)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    return conversing(write_home(tmp_path_factory.mktemp("home")) / "generated_servers")


def goals(many: int) -> tuple[Goal, ...]:
    return tuple(Goal(story=f"s{n}", ask=f"Ask-{n}.", request=f"Do-{n}.") for n in range(many))


class Talk:
    """A user, and a state that is a list of which checks hold: one for each goal, unless told otherwise."""

    def __init__(self, wanted: Sequence[Goal], checks: Sequence[frozenset[int]] | None = None) -> None:
        owned = tuple(checks) if checks is not None else tuple(frozenset({n}) for n in range(len(wanted)))
        self.holds = [False] * (1 + max((one for some in owned for one in some), default=0))
        conversation = Conversation(first=wanted[0].ask, goals=tuple(wanted))
        self.user = ScriptedUser(conversation, GoalProgress(owned, lambda state: state["checks"]))

    def hears(self, said: str, *now: int) -> str:
        """What the user says to it, after these checks came to hold, or no longer to."""
        return anyio.run(self.heard, said, now)

    async def heard(self, said: str, now: Sequence[int]) -> str:
        for one in now:
            self.holds[one] = not self.holds[one]

        async def look() -> Mapping[str, Any]:
            return {"checks": self.holds}

        return await self.user.reply(said, look)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("What is their name?", "Name: Ada Cole."),
        ("Sure! Could you tell me the name, and when it starts?", "Name: Ada Cole. From: 8 March."),
        ("Could you also tell me the start date?", "From: 8 March."),
        ("Which day shall I take?", "From: 8 March."),
        ("Please provide:\n- the name\n- the group", "Name: Ada Cole. Other: the group of Bo Lind."),
        ("And the name?", "Name: Ada Cole."),
        ("Which group?", "Other: the group of Bo Lind."),
    ],
)
def test_a_fact_that_is_asked_for_is_told_and_no_other(said: str, told: str) -> None:
    assert Talk([ENROL]).hears(said) == f"{told} There is more to it than that."


@pytest.mark.parametrize(
    "said",
    ["Hello! I'd be happy to help.", "What exactly is to be done?", "How much is the fee?", "Is it urgent?", "Hm."],
)
def test_who_asks_for_nothing_that_is_known_is_told_all_of_the_goal(said: str) -> None:
    talk = Talk([ENROL])
    assert talk.hears(said) == ENROL.request
    assert talk.hears("What is the fee?") == f"I can't tell you more than this: {ENROL.request}"
    assert talk.hears("And what is the name again?") == "Name: Ada Cole."


def test_a_question_that_brings_nothing_new_is_answered_with_all_of_the_goal() -> None:
    talk = Talk([ENROL])
    asked = "What is their name?"
    assert talk.hears(asked) == "Name: Ada Cole. There is more to it than that."
    assert talk.hears(asked) == f"Name: Ada Cole. {ENROL.request}"
    assert talk.hears(asked) == "Name: Ada Cole."


COW = Goal(
    story="calving",
    ask="Bella has calved.",
    request="Bella calved on 19 May; her dam is Lotte, the vet was paid $94.60. Who was it: Kim, for two hours.",
    facts=(
        Fact(name="who", value="COW-00007", says="Bella"),
        Fact(name="seen", value="2026-05-19", says="19 May"),
        Fact(name="dam", value="COW-00003", says="Lotte"),
        Fact(name="total", value=9460, says="$94.60"),
        Fact(name="hours", value=2, says="two hours"),
        Fact(name="account", value="ACCOUNT-00001", says="the joint account"),
        Fact(name="account_owner", value="Kim", says="Kim"),
        Fact(name="rest", value=62),
    ),
)


@pytest.mark.parametrize(
    "said",
    [
        "On which day was she covered?",
        "When was she covered?",
        "When exactly did you buy her?",
        "What time did she calve?",
        "Who is the vet?",
        "Which bull is the sire?",
        "What is the chip of the dam?",
        "Which cow is it?",
        "How much milk does she give?",
        "How many calves?",
        "How much?",
        "What's the account number of the vet?",
        "Please give me the total weight of the calf.",
        "Which account holder?",
        "What is the rest?",
        "What is the date of birth?",
    ],
)
def test_a_question_about_something_else_is_never_answered_with_another_fact(said: str) -> None:
    assert Talk([COW]).hears(said) == COW.request


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("On which day was she seen?", "Seen: 19 May."),
        ("Which day?", "Seen: 19 May."),
        ("When was that?", "Seen: 19 May."),
        ("What is the dam?", "Dam: Lotte."),
        ("What's the total?", "Total: $94.60."),
        ("How many hours?", "Hours: two hours."),
        ("Which account?", "Account: the joint account."),
        ("Who is the account owner?", "Account owner: Kim."),
        ("I need the following:\n1. the dam\n2. the total\n3. the sire", "Dam: Lotte. Total: $94.60."),
    ],
)
def test_a_question_about_a_fact_is_answered_with_it(said: str, told: str) -> None:
    assert Talk([COW]).hears(said) == f"{told} There is more to it than that."


@pytest.mark.parametrize("world", turns(path.stem for path in blueprint_files().values()))
def test_no_question_about_one_fact_of_the_library_brings_another(world: str) -> None:
    for goal in goals_of(world):
        for fact in goal.facts:
            words = fact.name.replace("_", " ")
            for asked in ("What is the {}?", "Which {} is it?", "Could you tell me the {}, please?", "I need the {}."):
                found = asked_facts(Speech.of(asked.format(words)).clauses, goal.facts)
                assert [one.name for one in found] in ([], [fact.name])
            if {"who", "when", "sold"} & set(words.split()):
                # "Who sold the by when?" is no question.
                continue
            for other in ("On which day was the {} inspected?", "When did the {} last change?", "Who sold the {}?"):
                assert asked_facts(Speech.of(other.format(words)).clauses, goal.facts) == []


def goals_of(world: str) -> tuple[Goal, ...]:
    folder = Path(__file__).parent.parent.parent / "generated_servers" / world
    return tuple(
        goal for one in load_scenarios(folder) if one.conversation is not None for goal in one.conversation.goals
    )


@pytest.mark.parametrize(
    "said",
    [
        "Would you like me to cancel her account?",
        "Shall I enrol her?",
        "I could also book a room. Should I go ahead?",
        "Is it OK to delete the old group?",
        "If you like, I can tell you which groups are free.",
        "Done. Do you want me to remove the name?",
    ],
)
def test_an_offer_is_never_agreed_to_and_is_answered_with_what_was_wanted(said: str) -> None:
    assert Talk([ENROL]).hears(said) == f"Please do just this: {ENROL.request}"


def test_an_offer_after_all_is_done_is_refused() -> None:
    talk = Talk(goals(2))
    assert talk.hears("Which one?") == "Do-0."
    assert talk.hears("Done. Would you like me to cancel the account as well?", 0) == "No, thank you. Ask-1."


@pytest.mark.parametrize("said", ["Done. Can I help you with anything else?", "It's done.", "All set. What else?"])
def test_who_says_too_early_that_it_is_done_is_told_so_and_after_a_while_the_next_goal_comes(said: str) -> None:
    talk = Talk(goals(2))
    replies = [talk.hears(said) for _ in range(PATIENCE + 1)]
    assert replies == ["That isn't done yet. Do-0."] * PATIENCE + ["Leave it, then. Ask-1."]
    assert [talk.hears(said) for _ in range(PATIENCE + 1)][-1] == f"Leave it, then. That's all. {STOP}"


def test_who_comes_nearer_with_each_turn_is_not_given_up() -> None:
    talk = Talk(goals(1), [frozenset(range(3 * PATIENCE))])
    for number in range(3 * PATIENCE - 1):
        assert talk.hears("That is another one.", number).endswith("Do-0.")
    assert STOP in talk.hears("The last one.", 3 * PATIENCE - 1)


def test_what_came_undone_is_asked_for_once_more_and_nothing_that_is_done() -> None:
    talk = Talk(goals(3))
    assert [talk.hears("Well?"), talk.hears("Done.", 0)] == ["Do-0.", "Thank you. Ask-1."]
    assert [talk.hears("Well?"), talk.hears("Done.", 1)] == ["Do-1.", "Thank you. Ask-2."]
    assert [talk.hears("Well?"), talk.hears("Done.", 2, 0)] == ["Do-2.", "Thank you. There is still this: Do-0."]
    assert talk.hears("Done.", 0) == f"Thank you. That's all. {STOP}"


def test_what_was_given_up_is_not_asked_for_again() -> None:
    talk = Talk(goals(2))
    while not (reply := talk.hears("Hm.")).startswith("Leave it"):
        assert "Do-0." in reply
    assert [talk.hears("Well?"), talk.hears("Done.", 1)] == ["Do-1.", f"Thank you. That's all. {STOP}"]


def test_a_goal_that_no_state_tells_is_over_when_the_agent_says_so_and_not_when_it_asks() -> None:
    talk = Talk(goals(2), [frozenset(), frozenset({0})])
    assert [talk.hears("For which day?"), talk.hears("And for whom?")] == [
        "Do-0.",
        "I can't tell you more than this: Do-0.",
    ]
    assert talk.hears("Shall I do it?") == "Please do just this: Do-0."
    assert talk.hears("Done. Is there anything else?") == "Thank you. Ask-1."


def test_where_nobody_wrote_a_conversation_the_task_is_the_one_goal(scenario: Scenario) -> None:
    progress = GoalProgress((frozenset(),), lambda _: ())
    bare = scenario.model_copy(update={"task": "Book a room.", "conversation": None})

    async def look() -> Mapping[str, Any]:
        return {}

    async def talk() -> list[str]:
        user = scripted_user(bare, progress)
        opening = await user.opening()
        return [opening, *[await user.reply(said, look) for said in ("Hello, for when?", "For which day?", "Booked.")]]

    cannot = "I can't tell you more than this: Book a room."
    assert anyio.run(talk) == ["Book a room.", cannot, cannot, f"Thank you. That's all. {STOP}"]


SAYINGS = (
    "What is the name?",
    "When?",
    "Which group shall I take, and may I delete the old one?",
    "Shall I enrol her?",
    "I can do that for you. Would you like me to remove Zora, too?",
    "Done. Anything else?",
    "I have done it.",
    "I can't do that.",
    "Hello!",
    "?",
)
CHECKS = st.lists(st.frozensets(st.integers(0, 5), max_size=3), min_size=1, max_size=4)
TURNS = st.lists(
    st.tuples(st.sampled_from(SAYINGS) | st.text(max_size=20), st.lists(st.integers(0, 5), max_size=2)), max_size=30
)


@settings(deadline=None, max_examples=15)
@given(CHECKS, TURNS)
def test_whatever_is_said_and_done_it_comes_to_an_end_agrees_to_nothing_and_invents_nothing(
    scenario: Scenario, checks: list[frozenset[int]], turns: list[tuple[str, list[int]]]
) -> None:
    wanted = [ENROL, *goals(4)][: len(checks)]
    task = " ".join(goal.request for goal in wanted)
    conversation = Conversation(first=wanted[0].ask, goals=tuple(wanted))
    audit = UserAudit(scenario.model_copy(update={"task": task, "conversation": conversation}))
    # Each round of a goal may hear of each fact and of the request, come nearer for each check, and wait.
    most = len(wanted) * ROUNDS * PATIENCE * (len(ENROL.facts) + 1 + 6)

    async def talk() -> None:
        talk = Talk(wanted, checks)
        talk.holds = [False] * 6
        told = wanted[0].ask
        for number in range(most):
            said, now = turns[number] if number < len(turns) else ("Well?", [])
            reply = await talk.heard(said, now)
            done = [bool(some) and all(talk.holds[one] for one in some) for some in checks]
            assert not reply.lower().startswith(("yes", "ok", "sure"))
            assert audit.invented(reply) == []
            told += reply
            if STOP in reply:
                assert all(over or goal.ask in told for over, goal in zip(done, wanted, strict=True))
                return
            assert not any(over and reply.endswith(f" {goal.ask}") for over, goal in zip(done, wanted, strict=True))
        pytest.fail("the user never stops")

    anyio.run(talk)
