"""How several requests become one message, and how people are called in it."""

from __future__ import annotations

import pytest

from envscaler_mcp.artifacts import Span
from envscaler_mcp.artifacts.blueprint import WordsSpec
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.message import message
from envscaler_mcp.scenarios.phrases import short
from envscaler_mcp.scenarios.threads import Thread
from tests.scenarios.lending import STORIES, lending

THREE = ("Lina has moved.", "The saw is broken.")


def texts_ending_with(last: str) -> set[str]:
    story = next(iter(lending(STORIES).speech.stories.values()))
    threads = [Thread(story, {}, (Span(text=text),), [], []) for text in (*THREE, last)]
    chance = Chance(5, "links")
    return {message(WordsSpec(), threads, "2026-03-02T10:00", chance).text for _ in range(300)}


def test_a_sentence_after_a_link_begins_small() -> None:
    found = texts_ending_with("The ladder is back.")
    assert any("Also, the ladder is back." in text for text in found)
    assert any("And one more: the ladder is back." in text for text in found)


@pytest.mark.parametrize("name", ["Dr Paul", "May Ling"])
def test_a_name_keeps_its_capital_after_a_link(name: str) -> None:
    text = f"{name} is back."
    found = texts_ending_with(text)
    assert all(text in one for one in found)
    assert any(f"And one more: {text}" in one for one in found)
    assert not any(f"Also, {text}" in one for one in found)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Ada Berg", "Ada"),
        ("Ada", "Ada"),
        ("Dr Paul Weber", "Dr Weber"),
        ("Prof. Weber", "Prof. Weber"),
        ("the north field", "the north field"),
    ],
)
def test_a_short_name_is_what_people_say(name: str, called: str) -> None:
    assert short(name) == called
