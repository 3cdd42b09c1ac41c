"""Which operations of a world are offered as one tool, and under which action."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.dialects.wording import words_of_entity

_MOST_WORDS = 20
"""Of a tool's name, whose runs of words are looked up."""
_LISTED = re.compile(r"\[([A-Z]\w*)\]|^([A-Z]\w*)$")


def entities_of(environment: Environment) -> dict[str, str]:
    """The words of the kind of record that each tool is about, joined by underscores; nothing where none is known."""
    answers = environment.answers
    if answers is None:
        return dict.fromkeys((tool.name for tool in environment.tools), "")
    nouns = frozenset(map(_noun, answers.records))
    return {tool.name: _entity_of(tool, answers.data.get(tool.name, ""), nouns) for tool in environment.tools}


def _entity_of(tool: Tool, answered: str, nouns: Collection[str]) -> str:
    listed = _LISTED.search(answered)
    if listed is not None:
        return _noun(listed[1] or listed[2])
    named = [noun for noun in _runs_of_words(tool.name) if noun in nouns]
    if named:
        return max(named, key=len)
    ids = (name.removesuffix("_id") for name in tool.input_schema.get("properties", {}) if name.endswith("_id"))
    return next((name for name in ids if name in nouns), "")


def _noun(name: str) -> str:
    return "_".join(words_of_entity(name)).lower()


def _runs_of_words(tool: str) -> Iterator[str]:
    """Every run of words in a name, without a plural's ending too."""
    words = tool.split("_")[:_MOST_WORDS]
    for start, end in combinations(range(len(words) + 1), 2):
        run = "_".join(words[start:end])
        yield from (run, run.removesuffix("s"), run.removesuffix("es"))


def actions_of(entity: str, tools: Sequence[Tool]) -> Mapping[str, str]:
    """What each tool of an entity is called among its actions, by the tool's name."""
    short = {tool.name: _without(entity, tool.name) for tool in tools}
    taken = Counter(short.values())
    return {name: action if taken[action] == 1 else name for name, action in short.items()}


def _without(entity: str, tool: str) -> str:
    rest = re.sub(rf"(?:^|_){re.escape(entity)}(?:s|es)?(?=_|$)", "", tool).strip("_") if entity else tool
    return rest or "get"
