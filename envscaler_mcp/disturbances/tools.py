"""The tools of a disturbed interface: described in other words, beside others that mislead, with arguments renamed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.disturbances.failures import DRIFT, RATE, renamed_argument
from envscaler_mcp.disturbances.kinds import Disturbances
from envscaler_mcp.disturbances.wording import of_arguments, of_tool

ADDED = 0.5
"""The share of tools beside which another one is put, where a kind is on that does so."""
_LONGEST = 60
"""Letters of a name; chat endpoints take 64."""
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_ANYTHING: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


class OfferedTools:
    """What is offered in the place of an interface's tools."""

    def __init__(self, tools: Sequence[Tool], drawn: Disturbances) -> None:
        self._drawn = drawn
        self._drifted = {tool.name: drift for tool in tools if (drift := _drift_of(tool, drawn)) is not None}
        texts = tuple(self._worded(tool) for tool in tools)
        self.renamed: dict[str, str] = {}
        """Names of real tools that are offered under another."""
        self.added: set[str] = set()
        """Names of tools that do nothing."""
        kinds = (*drawn.of("action"), *drawn.of("metadata"))
        self.tools = tuple(self._with_others(texts, kinds)) if kinds and texts else texts
        self._real = {offered: real for real, offered in self.renamed.items()}

    def name_of(self, real: str) -> str:
        """The name under which a real tool is offered."""
        return self.renamed.get(real, real)

    def real_name(self, offered: str) -> str:
        """The real tool that is offered under a name."""
        return self._real.get(offered, offered)

    def arguments(self, offered: str, given: Any) -> Any:
        """The arguments as the tool takes them, or what is answered to names that have changed."""
        drift = self._drifted.get(self.real_name(offered))
        if drift is None or type(given) is not dict:
            return given
        old, new = drift
        if old in given:
            return renamed_argument(old, new)
        return {old if name == new else name: value for name, value in given.items()}

    def _worded(self, tool: Tool) -> Tool:
        changes: dict[str, Any] = {}
        if "tool-texts" in self._drawn.kinds:
            changes["description"] = of_tool(tool, self._drawn)
        if "argument-texts" in self._drawn.kinds:
            changes["input_schema"] = of_arguments(tool, self._drawn)
        return tool.model_copy(update=changes) if changes else tool

    def _with_others(self, tools: Sequence[Tool], kinds: Sequence[str]) -> Iterator[Tool]:
        """Each tool, and beside about half of them one that is not it. At least one tool has such a neighbour."""
        sure = self._drawn.number("sure to have a neighbour") % len(tools)
        taken = _Taken({tool.name for tool in tools})
        for place, tool in enumerate(tools):
            if place != sure and not self._drawn.happens(ADDED, f"neighbour of {tool.name}"):
                yield tool
                continue
            kind = self._drawn.choice(kinds, f"kind of neighbour of {tool.name}")
            neighbours = _Neighbours(tool, tools, place, self._drawn, taken)
            real, other = neighbours.of(kind)
            if real.name != tool.name:
                self.renamed[tool.name] = real.name
            self.added.add(other.name)
            yield from (other, real) if self._drawn.number(f"order at {tool.name}") % 2 else (real, other)


class _Taken:
    """Names that are in use."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def free(self, wanted: str) -> str:
        """The name, or the nearest one that is free; it is in use from now on."""
        name, number = wanted[:_LONGEST], 2
        while name in self._names:
            name, number = f"{wanted[: _LONGEST - 4]}_{number}", number + 1
        self._names.add(name)
        return name


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """A tool, and what can be put beside it."""

    tool: Tool
    tools: Sequence[Tool]
    place: int
    drawn: Disturbances
    taken: _Taken

    def of(self, kind: str) -> tuple[Tool, Tool]:
        """The real tool as it is offered, and its neighbour."""
        if kind.startswith("same-name-"):
            return self._same_name(kind.removeprefix("same-name-"))
        if kind == "redundant":
            name = f"{self.tool.name}_{self.drawn.choice(('basic', 'lite', 'v1'), f'redundant {self.tool.name}')}"
            text = f"{self.tool.description} A simpler way to do the same.".strip()
            return self.tool, self._other(name, text, self.tool.input_schema)
        return self._biased(*kind.split("-"))

    def _same_name(self, sort: str) -> tuple[Tool, Tool]:
        """As hosts list two tools of one name from two servers: one of them has a number, which may be the real one."""
        other_text, other_schema = self._elsewhere(1).description, self._wrong_schema()
        own = self.tool.description
        text, schema = {
            "bare": ("", _NOTHING),
            "described": (own, _NOTHING),
            "arguments": ("", other_schema),
            "copy": (own, other_schema),
            "mixed": (other_text, other_schema),
        }[sort]
        numbered = self.taken.free(f"{self.tool.name}_2")
        if self.drawn.number(f"numbered {self.tool.name}") % 2:
            return self.tool, self._named(numbered, text, schema)
        return self.tool.model_copy(update={"name": numbered}), self._named(self.tool.name, text, schema)

    def _biased(self, what: str, naming: str) -> tuple[Tool, Tool]:
        """The neighbour claims to be the better choice."""
        own, better, suffix = _CLAIMS[what]
        real = self.tool.model_copy(update={"description": f"{self.tool.description} {own}".strip()})
        text = f"{self.tool.description} {better}".strip()
        if naming == "suffix":
            return real, self._other(f"{self.tool.name}_{suffix}", text, self.tool.input_schema)
        other = self._other(f"{self.tool.name}_1", text, self.tool.input_schema)
        if naming == "short":
            real = real.model_copy(update={"name": self.taken.free(_shortened(self.tool.name))})
        return real, other

    def _other(self, name: str, text: str, schema: Mapping[str, Any]) -> Tool:
        return self._named(self.taken.free(name), text, schema)

    def _named(self, name: str, text: str, schema: Mapping[str, Any]) -> Tool:
        return Tool(name=name, description=text, effect=self.tool.effect, input_schema=dict(schema))

    def _elsewhere(self, step: int) -> Tool:
        return self.tools[(self.place + step) % len(self.tools)]

    def _wrong_schema(self) -> Mapping[str, Any]:
        """The arguments of another tool, which are others."""
        own = set(self.tool.input_schema.get("properties", {}))
        for step in range(2, len(self.tools) + 1):
            schema = self._elsewhere(step).input_schema
            if set(schema.get("properties", {})) - own:
                return schema
        return _ANYTHING


_CLAIMS: Mapping[str, tuple[str, str, str]] = {
    "cost": ("A call costs 0.50.", "A call costs 0.01.", "budget"),
    "time": ("It usually answers within 8 seconds.", "It usually answers within 20 milliseconds.", "fast"),
}
_VOWEL = re.compile(r"(?<=[A-Za-z])[aeiou]")


def _shortened(name: str) -> str:
    """A name without its vowels, except where a word begins."""
    return _VOWEL.sub("", name)


def _drift_of(tool: Tool, drawn: Disturbances) -> tuple[str, str] | None:
    """The argument that is called otherwise than the tool's schema says, and how; only of some tools."""
    names = sorted(tool.input_schema.get("properties", {}))
    needed = [name for name in names if name in tool.input_schema.get("required", ())]
    if DRIFT not in drawn.kinds or not names or not drawn.happens(RATE, f"drift of {tool.name}"):
        return None
    old = drawn.choice(needed or names, f"drifted argument of {tool.name}")
    new = next(restyled for restyle in _RESTYLED if (restyled := restyle(old)) not in names)
    return old, new


def _camel(name: str) -> str:
    first, *rest = re.split(r"[_-]", name)
    return first + "".join(map(str.capitalize, rest))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


_RESTYLED: Sequence[Callable[[str], str]] = (
    _camel,
    _snake,
    lambda name: f"{name}Value",
    lambda name: f"{name}Value_",
)
