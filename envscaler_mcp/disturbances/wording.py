"""Texts in other words that mean the same, and words as people mistype them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.disturbances.kinds import Disturbances

MISTYPED = 0.2
"""The share of a request's longer words in which a typing error is made."""
_SHORTEST = 5
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\S")
_IS_PLAIN = re.compile(r"[a-z]+")
_OTHER_WORDS = frozenset(
    [
        "there",
        "three",
        "quite",
        "quiet",
        "trail",
        "trial",
        "angel",
        "angle",
        "diary",
        "dairy",
        "loose",
        "lose",
        "chose",
        "choose",
        "sever",
    ]
)
"""Words that a slip makes of others: what is mistyped must not say anything else."""


class Untouched:
    """The parts of a text that stay as they are: names, numbers, what is quoted, and what matters to the task."""

    def __init__(self, parts: Iterable[str]) -> None:
        # A task may come from anywhere: what is looked for at every place of it is bounded.
        known_parts = {part for part in islice(parts, _MOST_PARTS) if part.strip() and len(part) <= _LONGEST_PART}
        texts = sorted(known_parts, key=lambda part: (-len(part), part))
        known = "|".join(rf"(?<!\w){re.escape(part)}(?!\w)" for part in texts)
        self._pattern = re.compile(f"{known}{'|' if known else ''}{_QUOTED}", re.IGNORECASE)

    def except_in(self, text: str, change: Callable[[str], str]) -> str:
        """The text with the change made everywhere else."""
        pieces, begin = [], 0
        for match in self._pattern.finditer(text):
            pieces += [change(text[begin : match.start()]), match[0]]
            begin = match.end()
        return "".join([*pieces, change(text[begin:])])


_QUOTED = r"“[^“”]*”|\"[^\"]*\"|(?<!\S)\S{0,60}\d\S*"
_MOST_PARTS, _LONGEST_PART = 1_000, 200


def mistyped(text: str, untouched: Untouched, drawn: Disturbances) -> str:
    """The text with slips of the fingers, never in a name, a number or a quotation."""
    number = 0

    def slipped(match: re.Match[str]) -> str:
        nonlocal number
        word = match[0]
        if len(word) < _SHORTEST or not _IS_PLAIN.fullmatch(word):
            return word
        number += 1
        # The first may slip always, so that no request of a disturbed episode is without an error.
        if number > 1 and not drawn.happens(MISTYPED, f"slip {number}"):
            return word
        return _slip(word, drawn.number(f"kind of slip {number}"))

    return untouched.except_in(text, lambda piece: _WORD.sub(slipped, piece))


def _slip(word: str, chance: int) -> str:
    place = 1 + chance // 3 % (len(word) - 3)
    match chance % 3:
        case 0:
            made = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        case 1:
            made = word[:place] + word[place + 1 :]
        case _:
            made = word[: place + 1] + word[place:]
    return word if made in _OTHER_WORDS else made


_SAME: Mapping[str, str] = {
    "can't": "cannot",
    "won't": "will not",
    "don't": "do not",
    "doesn't": "does not",
    "didn't": "did not",
    "isn't": "is not",
    "aren't": "are not",
    "wasn't": "was not",
    "weren't": "were not",
    "hasn't": "has not",
    "haven't": "have not",
    "couldn't": "could not",
    "it's been": "it has been",
    "i'll": "I will",
    "i've": "I have",
    "i'm": "I am",
    "we'll": "we will",
    "we've": "we have",
    "we're": "we are",
    "they'll": "they will",
    "they've": "they have",
    "they're": "they are",
    "i'd like": "I would like",
    "should be": "ought to be",
    "should have": "ought to have",
    "because of": "owing to",
    "because": "as",
    "exactly": "precisely",
    "wants to": "would like to",
    "i want to": "I would like to",
    "we want to": "we would like to",
    "needs to": "has to",
    "need to": "have to",
    "has to": "must",
    "have to": "need to",
    "can you": "could you",
    "can we": "could we",
    "could you": "would you",
    "make sure": "see to it",
    "let me know": "tell me",
    "instead of": "in place of",
    "as well as": "and also",
    "as soon as": "once",
    "straight away": "immediately",
    "right now": "at the moment",
    "by mistake": "in error",
    "if left out,": "without it,",
    "are returned at a time": "come at a time",
}
_PHRASE = re.compile(
    r"(?<![\w’'])(?:" + "|".join(re.escape(phrase) for phrase in sorted(_SAME, key=len, reverse=True)) + r")(?![\w’'])",
    re.IGNORECASE,
)


def in_other_words(text: str) -> str:
    """The text with expressions replaced that have another of the same meaning."""

    def other(match: re.Match[str]) -> str:
        words = _SAME[match[0].lower()]
        return words[0].upper() + words[1:] if match[0][0].isupper() else words

    return _PHRASE.sub(other, text.replace("’", "'") if "’" in text else text)


def of_tool(tool: Tool, drawn: Disturbances) -> str:
    """The description of a tool in other words; what has none goes without."""
    text = tool.description
    if not text:
        return text
    if "\n" in text:
        return f"Several things can be done here.\n{text}"
    if text.startswith("List "):
        return in_other_words(drawn.choice(_LISTING, f"words of {tool.name}") + text.removeprefix("List "))
    frames = _DOING if tool.effect == "writes" else _TELLING
    return in_other_words(drawn.choice(frames, f"words of {tool.name}") + _continued(text))


_LISTING = ("Gives a list of ", "Looks up ", "Shows ")
_DOING = ("Use this tool to do the following: ", "What a call does: ", "For this purpose: ")
_TELLING = ("A call answers with the following: ", "Look up here: ", "What it tells: ")
_ABOUT: Mapping[str, tuple[str, ...]] = {
    "Id of ": ("The identifier of ", "States by its id "),
    "Only ": ("Restricts the answer to ", "Leaves out all but "),
    "Whether ": ("Says whether ", "True or false: whether "),
}
_EXPECTED = ("Expected here: ", "To be given: ", "What belongs here: ")


def of_arguments(tool: Tool, drawn: Disturbances) -> dict[str, Any]:
    """The schema of a tool's arguments with their descriptions in other words."""

    def schema_of(schema: Mapping[str, Any], path: str) -> dict[str, Any]:
        made = dict(schema)
        if isinstance(made.get("description"), str) and path:
            made["description"] = _of_argument(made["description"], drawn, f"{tool.name} {path}")
        if isinstance(made.get("properties"), dict):
            made["properties"] = {
                name: schema_of(inner, f"{path}.{name}") if isinstance(inner, dict) else inner
                for name, inner in made["properties"].items()
            }
        return made

    return schema_of(tool.input_schema, "")


def _of_argument(text: str, drawn: Disturbances, purpose: str) -> str:
    begin = next((begin for begin in _ABOUT if text.startswith(begin)), "")
    other = drawn.choice(_ABOUT.get(begin, _EXPECTED), f"words of {purpose}")
    return in_other_words(other + (text.removeprefix(begin) if begin else _continued(text)))


def _continued(text: str) -> str:
    """A sentence as it goes on after a colon."""
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
