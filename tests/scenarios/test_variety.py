"""Tasks of one environment differ: in their words, their branches and their occasions; and what a person knows of them is kept."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Scenario, Span
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.scenarios.splits import environment_split, split_of
from envscaler_mcp.scenarios.variety import TOO_ALIKE, alike, grams
from tests.scenarios.lending import STORIES, WORDS, Lending, lending, story

THEMES = f"""{WORDS}  openings:
    - "From the desk."
  closings:
    - "Thanks, the desk"
  themes:
    flood:
      openings:
        - "The cellar is under water."
      stories: [clears_up, gets_worse, let_in_again]
    fair:
      openings:
        - "The book fair is on."
      stories: [gets_worse, comes_back, let_in_again]
"""


def tasks(place: Lending, many: int, seed: int = 3) -> list[Scenario]:
    maker = place.maker(seed)
    return [maker.scenario(place.named_state(), "medium", number) for number in range(1, many + 1)]


def spans(text: str, *facts: str) -> list[Span]:
    found = [Span(text="Monday", fact="now"), Span(text="\n\n")]
    return [*found, Span(text=text), *(Span(text=fact, fact="x") for fact in facts)]


def test_two_texts_that_differ_in_names_and_numbers_only_are_alike() -> None:
    one = grams(spans("Please take 3 of the old books off the shelf of ", "Ann Ash"))
    other = grams(spans("Please take 12 of the old books off the shelf of ", "Bob Cole"))
    assert alike(one, other) == 1.0
    assert alike(one, grams(spans("The cellar is wet, so everything there has to go upstairs today."))) < 0.1


@given(st.text("abc .", max_size=30), st.text("abc .", max_size=30))
def test_likeness_is_the_same_both_ways_and_between_nothing_and_all(one: str, other: str) -> None:
    a, b = grams(spans(one)), grams(spans(other))
    assert alike(a, b) == alike(b, a)
    assert 0.0 <= alike(a, b) <= 1.0
    assert alike(a, a) == 1.0


def test_no_two_tasks_are_nearly_the_same() -> None:
    found = [grams(task.spans) for task in tasks(lending(STORIES, THEMES), 6)]
    assert max(alike(a, b) for n, a in enumerate(found) for b in found[n + 1 :]) < TOO_ALIKE


def test_both_ways_of_a_branch_have_their_turn() -> None:
    place = lending(story("r in Reader", _TURN, "Turn it round for {r}, who is blocked or is not."))
    maker = place.maker(2)
    held: Counter[bool] = Counter()
    for number in range(1, 5):
        world = place.world()
        maker.at_rest = SteadyEvaluator(Store(place.model, world.state()))
        thread = maker._alone(place.speech.stories["it"], world, set())
        assert thread is not None
        maker.uses.note([thread], spans(f"text number {number * 'x '}"))
        held.update(way for _, way in thread.forks)
    assert held[True] == held[False] == 2


_TURN = "if r.blocked:\n          - unblock(reader=r)\n        else:\n          - block(reader=r)"


def test_the_stories_of_an_occasion_come_under_its_opening() -> None:
    openings = {
        "The cellar is under water.": {"clears_up", "gets_worse", "let_in_again"},
        "The book fair is on.": {"gets_worse", "comes_back", "let_in_again"},
    }
    met: Counter[str] = Counter()
    for seed in (1, 2, 3):
        for task in tasks(lending(STORIES, THEMES), 4, seed):
            assert task.conversation is not None
            told = {goal.story for goal in task.conversation.goals}
            for opening, stories in openings.items():
                if opening in task.task:
                    assert told <= stories
                    met[opening] += 1
    assert len(met) == 2


def test_only_what_authors_wrote_is_said_where_they_wrote_openings() -> None:
    assert {task.features["stock_sentences"] for task in tasks(lending(STORIES, THEMES), 4)} == {0}
    assert sum(task.features["stock_sentences"] for task in tasks(lending(STORIES), 4)) > 0


def test_a_person_knows_what_only_they_can_tell_and_the_agent_finds_the_rest() -> None:
    place = lending(
        STORIES.replace("  gets_worse:\n", '  gets_worse:\n    ask: "{reader} would like a book."\n'), THEMES
    )
    goals = [goal for task in tasks(place, 6) if task.conversation for goal in task.conversation.goals]
    found = next(goal for goal in goals if goal.story == "gets_worse")
    facts = {fact.name: fact for fact in found.facts}
    assert found.ask == f"{facts['reader'].says} would like a book."
    assert {name for name, fact in facts.items() if not fact.findable} == {"reader", "total", "due"}
    assert facts["book"].findable
    assert str(facts["book"].value).startswith("BOOK-")
    assert all(fact.says in found.request for fact in facts.values() if fact.says)


def test_what_is_said_first_is_the_opening_and_the_first_goal() -> None:
    for task in tasks(lending(STORIES, THEMES), 5):
        assert task.conversation is not None
        first = task.conversation.goals[0]
        assert task.conversation.first.endswith(first.ask)
        assert all(
            goal.request.rstrip(".") in task.task or goal.request[0].isupper() for goal in task.conversation.goals
        )


@pytest.mark.parametrize("kind", ["train", "validation", "held_out"])
def test_environments_and_scenarios_are_split_by_their_names_alone(kind: str) -> None:
    names = [f"environment_{number}" for number in range(600)]
    share = sum(environment_split(name) == kind for name in names) / len(names)
    assert share == pytest.approx(0.8 if kind == "train" else 0.1, abs=0.05)
    for name in names[:60]:
        of_scenarios = {split_of(name, f"{name}-easy-{number:02d}") for number in range(60)}
        assert of_scenarios == ({environment_split(name)} if environment_split(name) != "train" else of_scenarios)
        assert kind != "train" or environment_split(name) != "train" or "train" in of_scenarios
