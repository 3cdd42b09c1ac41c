"""What is not seen but changes what is, is named."""

from __future__ import annotations

import pytest

from envscaler_mcp.html.visible import on_one_line, visible


@pytest.mark.parametrize(
    "letter", ["\x1b", "\x9b", "\r", "\u202e", "\u200b", "\u115f", "\u3164", "\ufe0f\U000e0100", "\U000e01ef", "\ud800"]
)
def test_a_character_that_is_not_seen_is_told_by_number(letter: str) -> None:
    assert visible(f"a{letter}b") == f"a{letter[:-1]}⟨U+{ord(letter[-1]):04X}⟩b"


def test_lines_emoji_and_other_scripts_are_left_alone() -> None:
    text = "one\n\ttwo ☺️ 👩‍🔬 Grüße 日本語 한국어 हिन्दी"
    assert visible(text) == text


def test_where_a_line_has_a_meaning_no_text_makes_one() -> None:
    assert on_one_line("a\n\tb\x1b") == "a⟨U+000A⟩⟨U+0009⟩b⟨U+001B⟩"
