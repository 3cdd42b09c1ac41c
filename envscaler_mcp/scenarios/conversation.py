"""What a person who wants a task done knows of it, goal by goal, for the simulated user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.artifacts import Conversation, Fact, Goal, Span
from envscaler_mcp.language.interpreter.store import Ref, as_stored
from envscaler_mcp.language.stories import Chosen, Drawn, Said, Telling
from envscaler_mcp.scenarios.phrases import polished
from envscaler_mcp.scenarios.threads import Thread


def conversation(threads: Sequence[Thread], opening: str) -> Conversation:
    """Goals in their order, with what is said first of all."""
    goals = tuple(_goal(thread) for thread in threads)
    return Conversation(first=f"{opening} {goals[0].ask}".strip(), goals=goals)


def _goal(thread: Thread) -> Goal:
    request = _text(thread.spans)
    return Goal(
        story=thread.story.name,
        ask=_text(thread.ask) or _first_sentence(request),
        request=request,
        facts=tuple(_facts(thread)),
        telling=thread.telling,
    )


def _facts(thread: Thread) -> Iterator[Fact]:
    """One for each role: what only the person can tell, and what follows from it or can be read."""
    telling = thread.story.tell[thread.telling]
    for role in thread.story.cast:
        said = _said(thread, telling, role.name)
        findable = not isinstance(role, Chosen) and not (isinstance(role, Drawn) and said)
        yield Fact(name=role.name, value=_plain(thread.names[role.name]), says=said, findable=findable)


def _said(thread: Thread, telling: Telling, name: str) -> str:
    """How the request says the role; empty where it does not."""
    for part in telling:
        if isinstance(part, Said) and (part.source == name or part.source.startswith(f"{name}.")):
            if part.source != name:
                continue
            phrase = next((candidate for candidate in thread.phrases if candidate.ref == thread.names[name]), None)
            if phrase is not None:
                return phrase.text
            return next((span.text for span in thread.spans if span.fact == name), "")
    return ""


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.id if isinstance(value, Ref) else as_stored(value)


def _text(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in polished(spans)).strip()


def _first_sentence(text: str) -> str:
    for place, sign in enumerate(text):
        if sign in ".?!" and text[place + 1 : place + 2] in ("", " "):
            return text[: place + 1]
    return text
