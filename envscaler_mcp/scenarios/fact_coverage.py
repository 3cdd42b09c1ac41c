"""Whether a text says every fact that it was made to say."""

from __future__ import annotations

from collections.abc import Sequence

from envscaler_mcp.artifacts import Span, VariantCounts


def text_mutants(task: str, spans: Sequence[Span]) -> VariantCounts:
    """Every spoken fact left out or changed in turn: the lint must miss it."""
    facts = [span for span in spans if span.fact]
    caught = 0
    made = 0
    for place, span in enumerate(spans):
        if not span.fact:
            continue
        for other in ("", "something else"):
            made += 1
            mutated = "".join(other if number == place else part.text for number, part in enumerate(spans))
            caught += bool(missing_facts(mutated, facts))
    return VariantCounts(made=made, right=caught) if not missing_facts(task, facts) else VariantCounts(made=made)


def missing_facts(text: str, spans: Sequence[Span]) -> list[str]:
    """The facts that a text does not say as often as they were said."""
    wanted: dict[str, int] = {}
    for span in spans:
        if not span.fact:
            continue
        wanted[span.text] = wanted.get(span.text, 0) + 1
    return [words for words, times in wanted.items() if text.count(words) < times]
