"""Which operations of a world are offered as one tool, and under which action."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.dialects.wording import words_of_entity

_LISTED = re.compile(r"\[([A-Z]\w*)\]|^([A-Z]\w*)$")


def entity_of(tool: Tool, environment: Environment) -> str:
    """The words of the kind of record that a tool is about, joined by underscores; nothing where none is known."""
    answers = environment.answers
    if answers is None:
        return ""
    listed = _LISTED.search(answers.data.get(tool.name, ""))
    if listed is not None:
        return _noun(listed[1] or listed[2])
    nouns = sorted(map(_noun, answers.records), key=len, reverse=True)
    named = next((noun for noun in nouns if _stands_in(noun, tool.name)), "")
    if named:
        return named
    ids = (name.removesuffix("_id") for name in tool.input_schema.get("properties", {}) if name.endswith("_id"))
    return next((name for name in ids if name in nouns), "")


def _noun(name: str) -> str:
    return "_".join(words_of_entity(name)).lower()


def _stands_in(noun: str, tool: str) -> bool:
    return re.search(rf"(?:^|_){re.escape(noun)}(?:s|es)?(?:_|$)", tool) is not None


def actions_of(entity: str, tools: Sequence[Tool]) -> Mapping[str, str]:
    """What each tool of an entity is called among its actions, by the tool's name."""
    short = {tool.name: _without(entity, tool.name) for tool in tools}
    taken = list(short.values())
    return {name: action if taken.count(action) == 1 else name for name, action in short.items()}


def _without(entity: str, tool: str) -> str:
    rest = re.sub(rf"(?:^|_){re.escape(entity)}(?:s|es)?(?=_|$)", "", tool).strip("_") if entity else tool
    return rest or "get"
