"""A prompt is a file whose places are all filled, and with nothing that it has no place for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envscaler_mcp.errors import ModelError
from envscaler_mcp.prompts import PROMPTS, Prompts, prompt_names

CODE = "\n".join(path.read_text(encoding="utf-8") for path in PROMPTS.parent.rglob("*.py"))


def places(name: str) -> set[str]:
    return set(re.findall(r"\{\{\s*(\w+)\s*\}\}", (PROMPTS / f"{name}.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_has_a_heading_and_two_parts_and_is_asked_somewhere(name: str) -> None:
    values = {place: f"<{place}>" for place in places(name)}
    prompt = Prompts().render(name, **values)
    assert len((PROMPTS / f"{name}.md").read_text(encoding="utf-8").splitlines()[0]) > 20
    assert prompt.system
    assert all(value in prompt.system + prompt.user for value in values.values())
    assert "{{" not in prompt.system + prompt.user
    assert f'"{name}"' in CODE


def own(tmp_path: Path, text: str, name: str = "word_task") -> Prompts:
    (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    return Prompts(tmp_path)


WORDS = "Mine.\n<!-- system -->\nYou write.\n<!-- user -->\n{{ introduction }} {{message}} {{facts}}\n"


def test_a_prompt_of_ones_own_takes_the_place_of_the_one_that_ships(tmp_path: Path) -> None:
    mine = own(tmp_path, WORDS)
    prompt = mine.render("word_task", introduction="A", message="B {{facts}}", facts="C")
    assert (prompt.system, prompt.user) == ("You write.", "A B {{facts}} C")
    assert prompt.digest == mine.digest_of("word_task") != Prompts().digest_of("word_task")
    assert mine.digest_of("write_task") == Prompts().digest_of("write_task")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WORDS.replace("{{facts}}", ""), "has no place for 'facts'"),
        (WORDS + "{{mood}}", "has a place for 'mood', which no question fills"),
        ("You write.", "needs a part after `<!-- system -->`"),
        (WORDS.replace("<!-- user -->\n", ""), "needs a part after `<!-- system -->`"),
    ],
)
def test_what_is_wrong_with_a_prompt_of_ones_own_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        own(tmp_path, text).render("word_task", introduction="A", message="B", facts="C")


def test_a_file_that_takes_no_prompts_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"takes the place of no prompt; there are .*word_task"):
        own(tmp_path, WORDS, "word_tasks")
