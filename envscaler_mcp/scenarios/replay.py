"""Playing recorded calls again: in another order, without some of them, on a world whose new ids are others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envscaler_mcp.artifacts import Call, StateDiff, canonical_json
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.world import World


class Recording:
    """Calls as they were made once, and the ids that each of them created then."""

    def __init__(self, calls: Sequence[Call], outcomes: Sequence[Outcome]) -> None:
        self.calls = tuple(calls)
        self.created = [_ids(outcome) for outcome in outcomes]

    def play(self, world: World, order: Sequence[int]) -> list[Outcome]:
        """The answers in the given order; an id that a call created then is the one that it creates now."""
        now: dict[str, str] = {}
        outcomes: list[Outcome] = []
        for place in order:
            call = self.calls[place]
            outcome = world.call(call.tool, renamed(call.arguments, now))
            outcomes.append(outcome)
            now.update(zip(self.created[place], _ids(outcome), strict=False))
        return outcomes


def record(world: World, calls: Sequence[Call]) -> Recording:
    """Play the calls once, and keep what they created."""
    return Recording(calls, [world.call(call.tool, call.arguments) for call in calls])


def _ids(outcome: Outcome) -> list[str]:
    data = outcome.payload.get("data")
    if outcome.kind != "done" or "message" not in outcome.payload or not isinstance(data, dict):
        return []
    return [value for value in data.values() if isinstance(value, str)]


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The value with every id called as it is called now."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    if isinstance(value, dict):
        return {key: renamed(one, names) for key, one in value.items()}
    return value


def content_form(diff: StateDiff) -> str:
    """A difference with its new records known by their content alone: two ends that nobody could tell apart are equal."""
    return _Contents(diff).form()


class _Contents:
    def __init__(self, diff: StateDiff) -> None:
        self.diff = diff
        self.fresh = {key: container for container, records in diff.created.items() for key in records}

    def form(self) -> str:
        changed = {
            container: {
                key: {field: self._known(after, 0) for field, (_, after) in fields.items()}
                for key, fields in records.items()
            }
            for container, records in self.diff.changed.items()
        }
        deleted = {container: sorted(records) for container, records in self.diff.deleted.items()}
        scalars = {path: after for path, (_, after) in self.diff.scalars.items() if not path.startswith("counters")}
        return canonical_json([changed, deleted, sorted(self._content(key, 0) for key in self.fresh), scalars])

    def _content(self, key: str, depth: int) -> str:
        container = self.fresh[key]
        record = self.diff.created[container][key]
        inner = {field: self._known(value, depth + 1) for field, value in record.items() if field != "id"}
        return canonical_json([container, inner])

    def _known(self, value: Any, depth: int) -> Any:
        """A value with references to new records replaced by their content, three references deep."""
        if isinstance(value, str) and value in self.fresh:
            return f"<{self._content(value, depth)}>" if depth < 4 else f"<{self.fresh[value]}>"
        if isinstance(value, list):
            return sorted((self._known(one, depth) for one in value), key=canonical_json)
        return value
