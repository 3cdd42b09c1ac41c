"""The message in which a task is asked for: an opening, what is wanted, a closing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts import Span
from envscaler_mcp.artifacts.blueprint import WordsSpec
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.phrases import heading, polished
from envscaler_mcp.scenarios.threads import Thread

_OPENINGS = {
    1: ("", "One for you:", "Could you take care of this?"),
    2: ("Two things, please.", "Could you see to the following?"),
    3: ("A few things for today.", "Here is what has come up.", "I need a hand with the following."),
}
"""Said where the blueprint has no openings of its own."""
_LINKS = ("Also, ", "Then there is this: ", "And one more: ", "", "", "", "")
_LOWERS = """
    A After All An Any As At Before Both Can Could Each Either Every Everybody Everyone Everything For From How If In It It's
    Let Make No Nobody None Of On Once One Only Our Out Please Put Since Some Somebody Someone Take That The Their Then There
    There's These They They've This Those To Two Until We We'd We'll We're We've What Whatever When Where Whichever Who
    Whoever Whose With You"""
_LOWERED = frozenset(_LOWERS.split())
"""First words of a sentence that lose their capital within one; another word may be a name."""
_SENTENCE = re.compile(r"[.!?:](?=[\s”’)]|$)")


@dataclass(frozen=True, slots=True)
class TaskMessage:
    """A task in words."""

    spans: tuple[Span, ...]
    opening: str
    sentences: int
    stock: int
    """How many of the sentences no author of the trade has written."""

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


def message(
    words: WordsSpec, threads: Sequence[Thread], now: str, chance: Chance, openings: Sequence[str] = ()
) -> TaskMessage:
    """What is asked for in the threads, in one message; one of the openings, if there are any, fits its occasion."""
    own = tuple(openings) or words.openings
    opening = chance.pick(own or _OPENINGS[min(len(threads), 3)])
    if own and len(threads) == 1 and chance.of(40):
        opening = ""
    closing = chance.pick([*words.closings, *[""] * (len(words.closings) + 2)])
    spans = tuple(polished(_spans(threads, now, chance, opening, closing)))
    said = "".join(span.text for span in spans[1:])
    stock = 0 if own else len(_SENTENCE.findall(opening))
    return TaskMessage(spans, opening, len(_SENTENCE.findall(said)), stock)


def _spans(threads: Sequence[Thread], now: str, chance: Chance, opening: str, closing: str) -> Iterator[Span]:
    many = len(threads)
    yield Span(text=heading(now), fact="now")
    yield Span(text="\n\n")
    as_list = many > 2 and chance.of(50)
    if opening:
        yield Span(text=opening if as_list else f"{opening} ")
    for place, thread in enumerate(threads):
        if as_list:
            yield Span(text="\n- ")
        elif place:
            yield Span(text="\n\n" if many > 2 or chance.of(40) else " ")
        yield from _joined(thread.spans, chance, linked=not as_list and 1 < place == many - 1)
    if closing:
        yield Span(text=f"\n\n{closing}" if as_list else f" {closing}")


def _joined(spans: tuple[Span, ...], chance: Chance, *, linked: bool) -> Iterator[Span]:
    link = chance.pick(_LINKS) if linked else ""
    head = spans[0]
    first = head.text.partition(" ")[0]
    if link and not head.fact and (first in _LOWERED or link.endswith(": ")):
        yield Span(text=link)
        if first in _LOWERED:
            head = head.model_copy(update={"text": head.text[0].lower() + head.text[1:]})
        yield head
        yield from spans[1:]
        return
    yield from spans
