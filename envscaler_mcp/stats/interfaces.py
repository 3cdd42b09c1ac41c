"""How tools look to an agent: beside those of real servers, in the worlds' own interface and in dialects of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, pstdev
from typing import Any

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.stats.reading import Holding
from envscaler_mcp.stats.statistic import Measured, MeasuredTable, Progress, Statistic

DIALECTS = 4
"""How many dialects of each environment are measured where no number is given."""
_MOST_DIALECTS = 100

REAL: Mapping[str, float] = {
    "tools": 161,
    "arguments a tool": 3.75,
    "arguments that are objects, %": 9.1,
    "arguments that are lists, %": 11.8,
    "names with _, %": 64,
    "names with -, %": 35,
    "the most frequent first word, %": 16,
    "words in a description": 24.6,
    "their standard deviation": 32.9,
    "arguments that are ids, %": 16,
    "arguments without a description, %": 20,
}
"""161 tools of ten public MCP servers (filesystem, memory, everything, GitHub, Slack, Notion, Airtable, Linear, HubSpot, Playwright),
counted in November 2026. One whose names are single words is counted with those that have a `_`."""


REAL_RANGES: Mapping[str, tuple[float, float]] = {
    "arguments a tool": (1.2, 6.1),
    "arguments that are objects, %": (0, 24),
    "arguments that are lists, %": (0, 48),
    "arguments without a description, %": (0, 67),
}
"""The least and the most of one of the ten servers, where that was counted."""
_SHARE = 0.05
"""How many interfaces lie outside of a range at either end."""


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    schema: Mapping[str, Any]


def look_of(toolsets: Sequence[Sequence[Tool]]) -> dict[str, float]:
    """What is counted of the tools of some interfaces."""
    tools = [tool for toolset in toolsets for tool in toolset]
    arguments = [argument for tool in tools for argument in _arguments(tool)]
    kinds = Counter(_kind(argument.schema) for argument in arguments)
    words = [len(tool.description.split()) for tool in tools]
    first = Counter(_first_word(tool.name) for tool in tools)
    undescribed = sum(not argument.schema.get("description") for argument in arguments)
    return {
        "tools": len(tools),
        "arguments a tool": len(arguments) / max(1, len(tools)),
        "arguments that are objects, %": _percent(kinds["object"], len(arguments)),
        "arguments that are lists, %": _percent(kinds["array"], len(arguments)),
        "names with _, %": _percent(sum("_" in tool.name for tool in tools), len(tools)),
        "names with -, %": _percent(sum("-" in tool.name for tool in tools), len(tools)),
        "the most frequent first word, %": _percent(max(first.values(), default=0), len(tools)),
        "words in a description": mean(words) if words else 0.0,
        "their standard deviation": pstdev(words) if words else 0.0,
        "arguments that are ids, %": _percent(sum(map(_is_id, arguments)), len(arguments)),
        "arguments without a description, %": _percent(undescribed, len(arguments)),
        "letters of a world's tools": mean(map(_letters, toolsets)) if toolsets else 0.0,
    }


def _measure(holdings: Sequence[Holding], subject: str, progress: Progress) -> Measured:
    many = _number(subject)
    native: list[Sequence[Tool]] = []
    train: list[Sequence[Tool]] = []
    held_out: list[Sequence[Tool]] = []
    for number, holding in enumerate(holdings, 1):
        environment = holding.environment
        native.append(environment.tools)
        if environment.answers is not None:
            train += _spoken(environment, many, held_out=False)
            held_out += _spoken(environment, many, held_out=True)
        progress(environment.id, number, len(holdings))
    toolsets = {"native": native, "dialects": train, "held-out dialects": held_out}
    looks = {name: look_of(each) for name, each in toolsets.items()}
    ranges = {name: ranges_of(each) for name, each in toolsets.items()}
    head = ("", "ten real servers", *looks)
    names = list(looks["native"])
    rows = [
        (
            name,
            _cell(REAL.get(name), REAL_RANGES.get(name)),
            *(_cell(look[name], ranges[kind].get(name)) for kind, look in looks.items()),
        )
        for name in names
    ]
    caption = (
        f"What an agent sees of the tools; {many} dialects and {many} held-out ones of each environment. "
        "In brackets: of nine in ten interfaces; of the real servers, of all."
    )
    document = {"real": dict(REAL), **looks, "ranges": {"real": dict(REAL_RANGES), **ranges}}
    return Measured(document, (MeasuredTable(head, tuple(rows), caption),))


def ranges_of(toolsets: Sequence[Sequence[Tool]]) -> dict[str, tuple[float, float]]:
    """Between which counts nine in ten interfaces lie, by what is counted of each."""
    each = [look_of([toolset]) for toolset in toolsets]
    names = [name for name in each[0] if name != "tools"] if each else []
    return {name: _range(sorted(look[name] for look in each)) for name in names}


def _range(ordered: Sequence[float]) -> tuple[float, float]:
    outside = int(len(ordered) * _SHARE)
    return ordered[outside], ordered[-1 - outside]


def _cell(count: float | None, between: tuple[float, float] | None) -> str:
    if count is None:
        return ""
    return f"{count:,.1f}" + (f" ({between[0]:,.1f} to {between[1]:,.1f})" if between is not None else "")


def _number(subject: str) -> int:
    if not subject:
        return DIALECTS
    if not re.fullmatch(r"[0-9]{1,3}", subject) or not 0 < int(subject) <= _MOST_DIALECTS:
        raise EnvScalerError(f"{subject[:20]!r} is no number of dialects; write 1 to {_MOST_DIALECTS}.")
    return int(subject)


def _spoken(environment: Environment, many: int, *, held_out: bool) -> Iterator[Sequence[Tool]]:
    for number in range(many):
        yield Dialect(environment, DialectName(number, held_out)).tools()


def _arguments(tool: Tool) -> Iterator[_Argument]:
    """All arguments, those inside of objects too."""
    yield from _inside(tool.input_schema)


def _inside(schema: Mapping[str, Any]) -> Iterator[_Argument]:
    for name, inner in schema.get("properties", {}).items():
        yield _Argument(name, inner)
        if inner.get("type") == "object":
            yield from _inside(inner)


def _kind(schema: Mapping[str, Any]) -> str:
    options: Iterable[Mapping[str, Any]] = schema.get("anyOf", [schema])
    return next((str(option["type"]) for option in options if option.get("type") not in (None, "null")), "any")


_ID = re.compile(r"(?:.*(?:_|-|(?<=[a-z])(?=[IKR])))?(?:id|ids|key|keys|ref|refs)", re.IGNORECASE)


def _is_id(argument: _Argument) -> bool:
    """Whether it is named as ids are; those that bear the name of what they point to are not counted."""
    return _ID.fullmatch(argument.name) is not None


def _first_word(name: str) -> str:
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    return words[0].lower() if words else name


def _letters(tools: Sequence[Tool]) -> int:
    return len(json.dumps([tool.function for tool in tools], ensure_ascii=False))


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


INTERFACES = Statistic("how tools look to an agent, in dialects and beside real servers", _measure)
