"""A proven task in other words: a model may say everything anew but the facts, and may not turn what is said of them.

Words that may mean something else are refused, and then the task keeps its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from envscaler_mcp.artifacts import Environment, Scenario, Span
from envscaler_mcp.llm import Author, MisfitError, bullets
from envscaler_mcp.scenarios.meaning import changed_meaning

_FEWEST_WORDS = 6


async def reword(author: Author, environment: Environment, scenario: Scenario) -> Scenario:
    """The scenario with its message written anew and without a proof, which it needs again."""
    head = _heading(scenario.spans)
    said = scenario.spans[len(head) :]
    facts = list(dict.fromkeys(span.text for span in said if span.fact))
    message = "".join(span.text for span in said)

    def read(answer: str) -> str:
        text = answer.strip().strip("`").strip()
        wrong = [*_wrong_with(text, facts, environment, scenario), *changed_meaning(message, text)]
        if wrong:
            raise MisfitError(bullets(wrong))
        return text

    text = await author.ask_for(
        "word_task",
        read,
        introduction=environment.introduction,
        message=message,
        facts=bullets(facts),
    )
    spans = (*head, *marked(text, {span.text: span.fact for span in reversed(said) if span.fact}))
    return scenario.model_copy(
        update={
            "task": "".join(span.text for span in spans),
            "spans": spans,
            "proof": None,
            "provenance": author.provenance("word_task").model_copy(
                update={"parents": scenario.provenance.parents, "seed": scenario.provenance.seed}
            ),
        }
    )


def _heading(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The date over the message and the empty line below it."""
    return tuple(spans[:2]) if spans and spans[0].fact == "now" else ()


def _wrong_with(text: str, facts: Sequence[str], environment: Environment, scenario: Scenario) -> Iterator[str]:
    if len(text.split()) < _FEWEST_WORDS:
        yield "It is no message."
    for fact in facts:
        if not positions_of(fact, text):
            yield f"{fact!r} must stand in it exactly so."
    ids = {
        value
        for call in scenario.oracle
        for value in call.arguments.values()
        if isinstance(value, str) and re.fullmatch(r"[A-Z][A-Z_]*-[\w-]+", value)
    }
    for name in sorted(ids - set(facts)):
        if name in text:
            yield f"It names the id {name}, which nobody would say."
    yield from tools_named(text, environment)


def tools_named(text: str, environment: Environment) -> Iterator[str]:
    """What is wrong with a text in which tools are named."""
    for tool in environment.tools:
        if "_" in tool.name and tool.name in text:
            yield f"It names the tool {tool.name}; say what is wanted, not how."


def marked(text: str, meant: Mapping[str, str]) -> Iterator[Span]:
    """The text with the words marked that mean facts; the longest first, so that none is marked within another."""
    marks: list[tuple[int, int, str]] = []
    for fact in sorted(meant, key=len, reverse=True):
        for start, end in positions_of(fact, text):
            if all(end <= first or start >= last for first, last, _ in marks):
                marks.append((start, end, meant[fact]))
    at = 0
    for start, end, fact in sorted(marks):
        if start > at:
            yield Span(text=text[at:start])
        yield Span(text=text[start:end], fact=fact)
        at = end
    if at < len(text):
        yield Span(text=text[at:])


def positions_of(fact: str, text: str) -> list[tuple[int, int]]:
    """Where a fact stands as a word of its own."""
    before = r"(?<!\w)" if fact[:1].isalnum() else ""
    after = r"(?!\w)" if fact[-1:].isalnum() else ""
    return [match.span() for match in re.finditer(f"{before}{re.escape(fact)}{after}", text)]
