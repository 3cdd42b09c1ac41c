"""An environment as a blueprint: its logic in one answer, its words and stories in another, each mended by the compiler's words."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.language.manual import manual
from envscaler_mcp.llm import Author, MisfitError, block_in, bullets

Check = Callable[[str], Awaitable[list[str]]]
"""What is wrong with the text of a blueprint, in the words that its author is told; nothing where it can be used."""

_SPOKEN = ("words", "stories")
_LANGUAGES = ("yaml", "yml")


async def write_blueprint(author: Author, topic: Topic, example: str, check: Check) -> str:
    """The logic of a topic, as the text of a blueprint that can be used."""
    return await author.ask_for(
        "write_blueprint",
        _reading(check),
        manual=manual("blueprints"),
        example=without(example, _SPOKEN),
        topic=topic.text,
    )


async def repair_blueprint(author: Author, text: str, findings: Sequence[str], check: Check) -> str:
    """The blueprint anew, by what was found when its operations were tried."""
    return await author.ask_for(
        "repair_blueprint",
        _reading(check),
        manual=manual("blueprints"),
        blueprint=text,
        findings=bullets(findings),
    )


async def write_stories(author: Author, text: str, example: str, check: Check) -> str:
    """The blueprint with words and stories, from which its tasks are made."""
    logic = without(text, _SPOKEN)

    async def read(answer: str) -> str:
        spoken = block_in(answer, *_LANGUAGES)
        parts = set(re.findall(r"(?m)^(\w+):", spoken))
        if not {"stories"} <= parts <= set(_SPOKEN):
            raise MisfitError(f"`words:` and `stories:` are wanted at the top of the block; there are {sorted(parts)}.")
        return await _usable(f"{logic.rstrip()}\n{spoken}", check)

    pages = manual("blueprints", "stories")
    return await author.ask_for("write_stories", read, manual=pages, example=only(example, _SPOKEN), blueprint=logic)


def _reading(check: Check) -> Callable[[str], Awaitable[str]]:
    async def read(answer: str) -> str:
        return await _usable(block_in(answer, *_LANGUAGES), check)

    return read


async def _usable(text: str, check: Check) -> str:
    wrong = await check(text)
    if wrong:
        raise MisfitError(bullets(wrong))
    return text


def without(text: str, parts: Sequence[str]) -> str:
    """A blueprint's text without some of its parts."""
    return "".join(piece for name, piece in _pieces(text) if name not in parts)


def only(text: str, parts: Sequence[str]) -> str:
    """Some parts of a blueprint's text."""
    return "".join(piece for name, piece in _pieces(text) if name in parts)


def _pieces(text: str) -> list[tuple[str, str]]:
    """The parts at the top level, each with its lines; comments before the first belong to none."""
    starts = [(match.start(), match[1]) for match in re.finditer(r"(?m)^(\w+):", text)]
    ends = [*(start for start, _ in starts[1:]), len(text)]
    head = [("", text[: starts[0][0]])] if starts else [("", text)]
    return [*head, *((name, text[start:end]) for (start, name), end in zip(starts, ends, strict=True))]
