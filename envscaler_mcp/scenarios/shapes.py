"""What a state without a blueprint shows: its containers, and how people tell their records apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from envscaler_mcp.language.text import singular, words
from envscaler_mcp.sampling.offers import containers

Part = tuple[str, Any]
"""A field and its value."""

_NAMES = re.compile(r"(^|_)(name|title|label|subject|headline)$")
_PASSING = re.compile(
    r"(^|_)(status|state|notes?|description|comment|log|severity|type|category|priority|level|tier|kind|genre)$"
)
_WORD = re.compile(r"[\w.\-/@]*\w")
_LONGEST = 60


class Shapes:
    """The records of one state."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.containers = containers(state)
        self.home: dict[str, str] = {}
        """Id to the first container that has it."""
        for container, records in self.containers.items():
            for key in records:
                self.home.setdefault(key, container)
        self._own = {container: self._repeats(records) for container, records in self.containers.items()}
        self._told: dict[tuple[str, str], tuple[Part, ...]] = {}

    def own(self, container: str) -> str:
        """The field in which its records repeat their ids, or nothing."""
        return self._own.get(container, "")

    def noun(self, container: str) -> str:
        """What one of its records is called."""
        return words(singular(container))

    def has(self, container: str, key: object) -> bool:
        """Whether there is such a record."""
        return key in self.containers.get(container, ())

    def ids_in(self, value: Any) -> list[str]:
        """The ids of records that occur in a value, each once."""
        return list(dict.fromkeys(leaf for leaf in leaves(value) if isinstance(leaf, str) and leaf in self.home))

    def description(self, container: str, key: str) -> tuple[Part, ...]:
        """Values that only this record of its container has; nothing where it is told by its id alone."""
        place = (container, key)
        if place not in self._told:
            self._told[place] = next(self._unique(container, key), ())
        return self._told[place]

    def _unique(self, container: str, key: str) -> Iterator[tuple[Part, ...]]:
        records = self.containers[container]
        parts = sorted(self._sayable(container, key), key=lambda part: not _NAMES.search(part[0]))
        for size in (1, 2):
            for chosen in combinations(parts, size):
                if all(_PASSING.search(field) for field, _ in chosen):
                    continue
                alone = size == 1 and not _NAMES.search(chosen[0][0])
                if alone and len({str(record.get(chosen[0][0])) for record in records.values()}) * 2 < len(records):
                    # A value that happens to be rare is no name.
                    continue
                if sum(all(record.get(field) == value for field, value in chosen) for record in records.values()) == 1:
                    yield chosen

    def _sayable(self, container: str, key: str) -> Iterator[Part]:
        for field, value in self.containers[container][key].items():
            text = isinstance(value, str) and 1 < len(value) <= _LONGEST
            if text and value not in self.home and not re.match(r"\d{4}-\d\d", value):
                yield field, value

    def _repeats(self, records: Mapping[str, Mapping[str, Any]]) -> str:
        fields = [field for field, value in next(iter(records.values())).items() if isinstance(value, str)]
        return next((f for f in fields if all(record.get(f) == key for key, record in records.items())), "")


def leaves(value: Any) -> Iterator[Any]:
    """Every plain value in it, in the order of its keys."""
    if isinstance(value, dict):
        for _, inner in sorted(value.items()):
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif value is not None:
        yield value


def shown_in(payload: Any) -> set[str]:
    """Everything that a reader of an answer has seen written out: values, names of entries, words of sentences."""
    texts: set[str] = set()
    for value in _visible(payload):
        texts.add(value)
        if " " in value:
            texts.update(_WORD.findall(value))
    return texts


def records_in(payload: Any) -> Iterator[set[str]]:
    """What each record in an answer shows of itself, with the name it is listed under."""
    if isinstance(payload, dict):
        for name, value in payload.items():
            if isinstance(value, dict):
                yield {name, *_plain(value)}
            yield from records_in(value)
        yield _plain(payload)
    elif isinstance(payload, list):
        for value in payload:
            yield from records_in(value)


def _plain(record: Mapping[str, Any]) -> set[str]:
    return {str(value) for value in record.values() if not isinstance(value, dict | list | type(None))}


def _visible(payload: Any) -> Iterable[str]:
    if isinstance(payload, dict):
        for name, value in payload.items():
            yield str(name)
            yield from _visible(value)
    elif isinstance(payload, list):
        for value in payload:
            yield from _visible(value)
    elif payload is not None:
        yield str(payload)
