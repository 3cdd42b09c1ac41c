"""Tools that stand beside those of a world and have nothing to do with it, as real servers have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.dialects.spelling import Schema

_TEXT: Schema = {"type": "string", "maxLength": 1000}
_NUMBER: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000}


@dataclass(frozen=True, slots=True)
class FurtherTool:
    """One of them."""

    words: tuple[str, ...]
    about: str
    properties: Mapping[str, Schema]
    answer: Callable[[Mapping[str, Any]], dict[str, Any]]


FURTHER = (
    FurtherTool(("whoami",), "The account that this connection uses.", {}, lambda _: {"account": "agent"}),
    FurtherTool(("health", "check"), "Whether the service is up.", {}, lambda _: {"status": "ok"}),
    FurtherTool(("server", "version"), "The version of this server.", {}, lambda _: {"version": "1.0"}),
    FurtherTool(
        ("count", "words"),
        "Count the words of a text.",
        {"text": _TEXT},
        lambda given: {"words": len(given["text"].split())},
    ),
    FurtherTool(
        ("add", "numbers"),
        "Add two whole numbers.",
        {"first": _NUMBER, "second": _NUMBER},
        lambda given: {"sum": given["first"] + given["second"]},
    ),
    FurtherTool(("echo",), "Say a text again.", {"text": _TEXT}, lambda given: {"text": given["text"]}),
)


def some_of(number: int, chance: int) -> list[FurtherTool]:
    """So many of them, in an order that follows from the chance."""
    begin = chance % len(FURTHER)
    return [FURTHER[(begin + place) % len(FURTHER)] for place in range(number)]
