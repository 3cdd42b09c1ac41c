"""Names as a dialect spells them: of tools, of arguments and of what answers hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.dialects.axes import Axes

LONGEST = 60
"""Letters of a tool's name; chat endpoints take 64."""

_STYLES: Mapping[str, Callable[[list[str]], str]] = {
    "snake": "_".join,
    "camel": lambda words: words[0] + "".join(map(str.capitalize, words[1:])),
    "pascal": lambda words: "".join(map(str.capitalize, words)),
    "kebab": "-".join,
}
_TOOL_STYLE = {"noun_first": "snake", "prefixed": "kebab", "http": "kebab"}


def styled(words: Iterable[str], style: str) -> str:
    """A name of these words."""
    parts = [word for word in words if word]
    return _STYLES[style](parts) if parts else ""


_PART = re.compile(r"[A-Z][a-z0-9]*")
_LONGEST_CACHED = 64
_MOST_CACHED = 5_000


def words_of_entity(name: str) -> list[str]:
    """The words of an entity's name, such as `GuestRoom`."""
    return _PART.findall(name) or [name]


class Names:
    """The names of one dialect."""

    def __init__(self, environment: Environment, axes: Axes) -> None:
        self._axes = axes
        self._product = environment.id.split("_")[0]
        self._keys: dict[str, str] = {}
        self._fields = _fields_of(environment)

    def key(self, name: str) -> str:
        """What an argument or an entry of an answer is called."""
        spoken = self._keys.get(name)
        if spoken is None:
            spoken = styled(self._words_of_key(name), self._axes.keys)
            # Unread code may answer any names, and a dialect is shared by many worlds.
            if len(name) <= _LONGEST_CACHED and len(self._keys) < _MOST_CACHED:
                self._keys[name] = spoken
        return spoken

    def plain_key(self, name: str) -> str:
        """The same with the canonical words, where two names would be alike."""
        return styled(name.split("_"), self._axes.keys)

    def keys(self, names: Iterable[str]) -> dict[str, str]:
        """The keys of one object, no two alike."""
        listed = list(names)
        spoken = {name: self.key(name) for name in listed}
        return spoken if len({*spoken.values()}) == len(listed) else {name: self.plain_key(name) for name in listed}

    def in_sentence(self, sentence: str, own: Mapping[str, str], left: Collection[str]) -> str:
        """A sentence with the names of fields in it spelled: `own` by this table, and none that is in `left`."""

        def spelled(word: re.Match[str]) -> str:
            name = word[0]
            if name in left or (name not in own and name not in self._fields):
                return name
            return own[name] if name in own else self.key(name)

        return _NAME_IN_SENTENCE.sub(spelled, sentence)

    def _words_of_key(self, name: str) -> list[str]:
        words = name.split("_")
        if words[-1] not in ("id", "ids"):
            return words
        many = words[-1] == "ids"
        if len(words) == 1:
            return [*words]
        match self._axes.id_names:
            case "bare":
                return [*words[:-1], "list"] if many else words[:-1]
            case "ref":
                return [*words[:-1], "refs" if many else "ref"]
            case "key":
                return [*words[:-1], "keys" if many else "key"]
            case "id":
                return words

    def tool(self, words: list[str], *, reads: bool) -> str:
        """What a tool of these words is called; the first is its verb."""
        style = self._axes.tools
        if style == "noun_first":
            words = [*words[1:], words[0]]
        elif style == "prefixed":
            words = [self._product, *words]
        elif style == "http":
            words = ["API", "get" if reads else "post", *words]
        return styled(words, _TOOL_STYLE.get(style, style))[:LONGEST].rstrip("-_")

    def words_of(self, tool: Tool) -> list[str]:
        """The words of a tool, with the verb that this dialect lists by."""
        words = tool.name.split("_")
        if words[0] != "list" or tool.effect != "reads" or len(words) == 1:
            return words
        if self._axes.tools == "http":
            return words[1:]
        return [*self._axes.listing.split("_"), *words[1:]]


_NAME_IN_SENTENCE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_FIELD = re.compile(r"(?<![a-z0-9_])([a-z0-9_]+)\??:")
"""What stands before is looked at, so that a long word is gone through once."""


def _fields_of(environment: Environment) -> frozenset[str]:
    """The names of arguments and of what answers hold that are no words of everyday language."""
    answers = environment.answers
    shapes = [] if answers is None else [*answers.records.values(), *answers.data.values()]
    names = {name for shape in shapes for name in _FIELD.findall(shape)}
    return frozenset(names.union(*(tool.input_schema.get("properties", ()) for tool in environment.tools)))


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names in their order, numbered where one comes again."""
    seen, made = {*taken}, []
    for name in names:
        candidate, number = name, 1
        while candidate in seen:
            number += 1
            candidate = f"{name}{number}"
        seen.add(candidate)
        made.append(candidate)
    return made
