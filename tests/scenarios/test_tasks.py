"""Tasks are made of stories that leave each other alone, as many calls long as their level says, and the same from the same seed."""

from __future__ import annotations

from functools import cache

import pytest

from envscaler_mcp.artifacts import LEVELS, Level, Scenario, Span
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.scenarios.phrases import heading, polished
from envscaler_mcp.scenarios.tasks import BANDS
from tests.scenarios.lending import STORIES, Lending, lending, story


@cache
def made(seed: int) -> tuple[Scenario, ...]:
    maker = lending().maker(seed)
    return tuple(
        maker.scenario(lending().named_state(), level, number) for number, level in enumerate((*LEVELS, *LEVELS))
    )


def all_made() -> list[Scenario]:
    return [scenario for seed in (1, 2, 3) for scenario in made(seed)]


def test_a_task_makes_as_many_calls_as_its_level_says() -> None:
    for scenario in all_made():
        low, high = BANDS[scenario.level]
        assert low <= len(scenario.oracle) <= high
        features = scenario.features
        assert features["calls"] == features["reads"] + features["changes"] == len(scenario.oracle)
        assert features["threads"] == len(scenario.threads)


def test_equal_seeds_make_equal_bytes_and_other_seeds_other_tasks() -> None:
    again = lending().maker(1)
    levels = (*LEVELS, *LEVELS)
    texts = [again.scenario(lending().named_state(), level, number).to_text() for number, level in enumerate(levels)]
    assert texts == [scenario.to_text() for scenario in made(1)]
    assert len({scenario.task for scenario in all_made()}) == len(all_made())


def test_no_two_threads_of_a_task_touch_the_same_record() -> None:
    several = [scenario for scenario in all_made() if len(scenario.threads) > 1]
    assert several
    for scenario in several:
        touched: list[set[str]] = []
        for thread in scenario.threads:
            world = lending().world()
            start = world.snapshot()
            for place in thread:
                outcome = world.call(scenario.oracle[place].tool, scenario.oracle[place].arguments)
                assert outcome.kind in ("done", "refused")
            diff = world.diff_since(start)
            touched.append({key for records in (*diff.changed.values(), *diff.deleted.values()) for key in records})
        assert sum(map(len, touched)) == len(set().union(*touched))


def test_the_calls_of_the_threads_are_all_calls_and_each_stands_once() -> None:
    for scenario in all_made():
        assert sorted(place for thread in scenario.threads for place in thread) == list(range(len(scenario.oracle)))


def test_a_message_is_dated_and_is_what_its_spans_say() -> None:
    for scenario in all_made():
        assert scenario.task == "".join(span.text for span in scenario.spans)
        assert scenario.task.startswith(f"{heading('2026-03-02T09:00')}\n\n")
        assert heading("2026-03-02T09:00") == "Monday, 2 March 2026"
        assert not any(tool.name in scenario.task for tool in lending().environment.tools if "_" in tool.name)
        assert all(f"{entity.prefix}-0" not in scenario.task for entity in lending().model.entities.values())


def test_stories_and_tellings_have_their_turns() -> None:
    place = lending()
    maker = place.maker(4)
    for number in range(6):
        maker.scenario(place.named_state(), "medium", number)
    times = [maker.uses.stories[name] for name in place.speech.stories]
    assert min(times) > 0
    assert max(times) - min(times) <= 3


def test_stories_that_end_otherwise_in_another_order_make_no_task() -> None:
    moves = """\
  onto:
    cast:
      - b in Book if b.title == 'Dracula'
      - s in Shelf if s.code == 'A1'
    do:
      - move_book(book=b, shelf=s)
    tell:
      - "{b} belongs on {s}."
  away:
    cast:
      - one = first(s for s in Shelf if s.code == 'A1')
      - other = first(s for s in Shelf if s.code == 'B1')
    do:
      - for b in Book if b.shelf == one:
          - move_book(book=b, shelf=other)
    tell:
      - "What stands on {one} belongs on {other}."
"""
    place = lending(moves)
    maker = place.maker()
    with pytest.raises(GrowthError):
        maker.scenario(place.named_state(), "medium", 1)
    ends = "onto+away: its threads end otherwise in another order"
    assert maker.reasons.counts[ends] > 10
    assert set(maker.reasons.counts) == {ends, "onto: no record fits \"s in Shelf if s.code == 'A1'\""}


@pytest.mark.parametrize(
    ("level", "stories", "reason"),
    [
        ("hard", story("r in Reader if r.blocked", "unblock(reader=r)", "Unblock {r}."), "no hard task could be made"),
        (
            "easy",
            story("r in Reader if r.holds > 5", "block(reader=r)", "Block {r}."),
            "it: no record fits .r in Reader if r.holds > 5.",
        ),
        (
            "easy",
            story("r in Reader if r.blocked", "block(reader=r)", "{r}."),
            "it: block is refused: Bob Cole is blocked",
        ),
        (
            "easy",
            story("c in Claim", "drop_claim(claim=c); claim(loan=c.loan, total=100)", "{c.loan.reader} owes another."),
            "it: it reads a record that is gone by then",
        ),
        (
            "easy",
            story("c in Claim", "drop_claim(claim=c); if c.total > 0:; X", "{c.loan.reader} owes nothing.").replace(
                "      - X", "          - block(reader=c.loan.reader)"
            ),
            "it: it reads a record that is gone by then",
        ),
    ],
    ids=["too short", "nobody", "refused", "gone", "gone before a branch"],
)
def test_a_level_that_no_story_reaches_is_told_with_the_reasons(level: Level, stories: str, reason: str) -> None:
    place: Lending = lending(stories)
    with pytest.raises(GrowthError, match=reason):
        place.maker().scenario(place.named_state(), level, 1)


def test_a_world_without_stories_makes_no_tasks() -> None:
    silent = lending(STORIES, words="")
    speech = type(silent.speech)()
    with pytest.raises(GrowthError, match="lending tells no stories"):
        type(silent.maker())(silent.model, speech, silent.environment, silent.code, 1)


def test_a_sentence_begins_with_a_capital_in_whatever_span_the_one_before_it_ended() -> None:
    spans = [
        Span(text="It rains."),
        Span(text=" "),
        Span(text="shelf "),
        Span(text="a1", fact="x"),
        Span(text=" is wet"),
    ]
    assert "".join(span.text for span in polished(spans)) == "It rains. Shelf a1 is wet"
    named = [Span(text="It rains. "), Span(text="eBook 3", fact="x"), Span(text=" is a "), Span(text="old", fact="y")]
    assert "".join(span.text for span in polished(named)) == "It rains. eBook 3 is an old"
