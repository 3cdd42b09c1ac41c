"""An agent that guesses: real tools, arguments of the right kind, ids and words that it has seen."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing

_CALLS = (3, 20)
_KEPT = 400


class RandomAgent:
    """The same briefing gives the same guesses."""

    def __init__(self, briefing: Briefing) -> None:
        self._tools = briefing.tools
        # Guessing needs no secrets, it needs to be repeated.
        self._chance = random.Random(f"{briefing.seed} {briefing.task}")  # noqa: S311
        self._left = self._chance.randint(*_CALLS)
        self._seen: list[tuple[str, str]] = [("", word) for word in re.findall(r"[\w@.:-]+", briefing.task)]

    def act(self, observation: str) -> Action:
        """Some call that could be one."""
        self._seen += _texts_in(observation)
        del self._seen[:-_KEPT]
        if self._left == 0 or not self._tools:
            return Action(text=COMPLETED)
        self._left -= 1
        tool = self._chance.choice(self._tools)
        required = set(tool.input_schema.get("required", ()))
        arguments = {
            name: self._value(name, schema)
            for name, schema in tool.input_schema.get("properties", {}).items()
            if name in required or self._chance.random() < 0.3
        }
        return Action(tool=tool.name, arguments=arguments)

    def _value(self, name: str, schema: dict[str, Any]) -> Any:
        chance = self._chance
        if "anyOf" in schema:
            return self._value(name, chance.choice(schema["anyOf"]))
        if "enum" in schema:
            return chance.choice(schema["enum"])
        kind = schema.get("type")
        if kind in ("integer", "number"):
            least = int(schema.get("minimum", 0))
            return chance.randint(least, int(schema.get("maximum", least + 100)))
        if kind == "boolean":
            return chance.random() < 0.5
        if kind == "array":
            return [self._value(name, schema.get("items", {})) for _ in range(chance.randint(1, 2))]
        if kind == "object":
            return {key: self._value(key, inner) for key, inner in schema.get("properties", {}).items()}
        return None if kind == "null" else self._text(name, schema.get("format"))

    def _text(self, name: str, format_: str | None) -> str:
        if format_ == "date":
            return f"2026-03-{self._chance.randint(1, 28):02d}"
        if format_ == "date-time":
            return f"2026-03-{self._chance.randint(1, 28):02d}T{self._chance.randint(8, 17):02d}:00"
        if format_ == "time":
            return f"{self._chance.randint(8, 17):02d}:00"
        noun = name.removesuffix("_id").upper()
        fitting = [text for key, text in self._seen if key == name or text.startswith(f"{noun}-")]
        words = fitting or [text for _, text in self._seen]
        return self._chance.choice(words) if words else "something"


def _texts_in(observation: str) -> list[tuple[str, str]]:
    """Texts of an answer, each with the name of the field it stands in."""
    try:
        return list(_walk("", json.loads(observation)))
    except ValueError:
        return []


def _walk(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(name, inner)
