"""What a user wants done, in a model's words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from envscaler_mcp.artifacts import Environment, Span, State
from envscaler_mcp.llm import Author, MisfitError, bullets
from envscaler_mcp.scenarios.rewording import tools_named
from envscaler_mcp.scenarios.variety import TOO_ALIKE, alike, grams

_FEWEST_WORDS = 50
"""As published pipelines ask for."""
_REMEMBERED = 3
"""Of how many that failed the author is reminded."""


async def write_task(
    author: Author, card: Environment, state: State, others: Sequence[str], failed: Sequence[tuple[str, str]]
) -> str:
    """A task in the state that is none of the others; those that failed, and why, are there to be learned from."""

    def read(answer: str) -> str:
        text = answer.strip().strip("`").strip()
        wrong = list(_wrong_with(text, card, others))
        if wrong:
            raise MisfitError(bullets(wrong))
        return text

    return await author.ask_for(
        "write_task",
        read,
        introduction=card.introduction,
        rules=bullets(card.rules),
        tools=bullets(f"{tool.name}: {tool.description.partition(chr(10))[0]}" for tool in card.tools),
        state=json.dumps(state.content, ensure_ascii=False, indent=1),
        number=str(len(others) + len(failed) + 1),
        others="\n\n".join(others) or "There is none yet.",
        failed="\n\n".join(f"{task}\n({reason})" for task, reason in failed[-_REMEMBERED:]) or "There is none.",
    )


def _wrong_with(text: str, card: Environment, others: Sequence[str]) -> Iterator[str]:
    words = len(text.split())
    if words < _FEWEST_WORDS:
        yield f"It has {words} words; {_FEWEST_WORDS} is the fewest."
    yield from tools_named(text, card)
    if any(alike(_grams(text), _grams(other)) >= TOO_ALIKE for other in others):
        yield "It is nearly the same as one that there is."


def _grams(text: str) -> frozenset[tuple[str, ...]]:
    # What stands before the third span is taken for a heading.
    return grams((Span(text=""), Span(text=""), Span(text=text)))
