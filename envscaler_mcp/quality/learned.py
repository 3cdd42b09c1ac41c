"""What a class without a blueprint must keep to in any case: references that lead somewhere, records under their own ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envscaler_mcp.language.text import plural, singular
from envscaler_mcp.quality.judge import Finding, changes_in_words
from envscaler_mcp.quality.probe_worlds import Tried
from envscaler_mcp.sampling.offers import containers

_QUESTION = re.compile(r"(get|list|find|search|count|view|show|read|lookup|query|retrieve|fetch|is|has)_")


class InferredInvariants:
    """Learned from states in which all is well."""

    def __init__(self, states: Sequence[Mapping[str, Any]]) -> None:
        self._refers: dict[tuple[str, str], str] = {}
        """Container and field to the container its values are ids of."""
        self._own: dict[str, str] = {}
        """Container to the field in which its records repeat their id."""
        for state in states:
            self._learn(containers(state))

    def _learn(self, stored: Mapping[str, Mapping[str, Any]]) -> None:
        for container, records in stored.items():
            for name in {name: None for record in records.values() for name in record}:
                values = [
                    (key, record[name]) for key, record in records.items() if record.get(name) not in (None, "", [])
                ]
                if values and all(key == value for key, value in values):
                    self._own.setdefault(container, name)
                elif target := self._target(name, [value for _, value in values], stored):
                    self._refers.setdefault((container, name), target)

    def _target(self, name: str, values: list[Any], stored: Mapping[str, Mapping[str, Any]]) -> str:
        ids = [item for value in values for item in (value if isinstance(value, list) else [value])]
        if not ids or not all(isinstance(item, str) for item in ids):
            return ""
        stem = re.sub(r"_?ids?$", "", name)
        for container, records in stored.items():
            if all(id_ in records for id_ in ids) and (
                len(set(ids)) > 1 or container in (plural(stem), stem, plural(singular(stem)))
            ):
                return container
        return ""

    def faults(self, tool: str, tried: Tried) -> Iterator[Finding]:
        """Questions that change something, references that lead nowhere, and records under another's id."""
        if _QUESTION.match(tool):
            yield "fail", f"it only reads, by its name, and changed {changes_in_words(tried.diff)}"
        dangling = set(self._dangling(tried.before))
        for place in self._dangling(tried.after):
            if place not in dangling:
                container, key, name, id_ = place
                yield "fail", f"{container} {key} refers by {name} to {id_!r}, and there is no such record"
        for container, records in tried.diff.created.items():
            own = self._own.get(container)
            for key, record in records.items():
                if own and record.get(own) != key:
                    yield (
                        "fail",
                        f"the new record of {container} lies under {key!r} and calls itself {record.get(own)!r}",
                    )

    def _dangling(self, state: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
        for (container, name), target in self._refers.items():
            goals = state.get(target)
            records = state.get(container)
            if not isinstance(goals, dict) or not isinstance(records, dict):
                continue
            for key, record in records.items():
                value = record.get(name) if isinstance(record, dict) else None
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, str) and item and item not in goals:
                        yield container, key, name, item
