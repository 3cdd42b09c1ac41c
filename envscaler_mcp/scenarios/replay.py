"""Playing recorded calls again: in another order, without some of them, on a world whose new ids are others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envscaler_mcp.artifacts import Call, StateDiff, canonical_json
from envscaler_mcp.scenarios.key_order import in_order_of_making
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.world import World


class CallRecording:
    """Calls as they were made once, and the ids that each of them created then."""

    def __init__(self, calls: Sequence[Call], created: Sequence[list[str]]) -> None:
        self.calls = tuple(calls)
        self.created = list(created)

    def play(self, world: World, order: Sequence[int], now: dict[str, str] | None = None) -> list[Outcome]:
        """The answers in the given order; an id that a call created then is the one that it creates now.

        `now` is filled with what the ids of then are called.
        """
        now = {} if now is None else now
        outcomes: list[Outcome] = []
        for place in order:
            call = self.calls[place]
            outcome = world.call(call.tool, with_new_ids(call.arguments, now))
            outcomes.append(outcome)
            now.update(zip(self.created[place], added_ids(world, outcome), strict=False))
        return outcomes


def added_ids(world: World, outcome: Outcome) -> list[str]:
    """The ids of the records that were added by the last call, whatever its answer says."""
    if outcome.kind != "done":
        return []
    return [key for _, records in sorted(world.diff().created.items()) for key in in_order_of_making(records)]


def record(world: World, calls: Sequence[Call]) -> CallRecording:
    """Play the calls once, and keep what they created."""
    return CallRecording(calls, [added_ids(world, world.call(call.tool, call.arguments)) for call in calls])


def with_new_ids(value: Any, names: dict[str, str]) -> Any:
    """The value with every id called as it is called now."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [with_new_ids(item, names) for item in value]
    if isinstance(value, dict):
        return {key: with_new_ids(item, names) for key, item in value.items()}
    return value


def content_form(diff: StateDiff, named: frozenset[str] = frozenset()) -> str:
    """A difference with its new records known by their content alone: two ends that no check can tell apart are equal.

    Ids that were asked for by name stay as they are.
    """
    return _Contents(diff, named).form()


class _Contents:
    def __init__(self, diff: StateDiff, named: frozenset[str]) -> None:
        self.diff, self.named = diff, named
        self.new = {key: container for container, records in diff.created.items() for key in records}
        self.fresh = {key: container for key, container in self.new.items() if key not in named}

    def form(self) -> str:
        changed = {
            container: {
                key: {field: self._known(after, 0) for field, (_, after) in fields.items()}
                for key, fields in records.items()
            }
            for container, records in self.diff.changed.items()
        }
        deleted = {container: sorted(records) for container, records in self.diff.deleted.items()}
        scalars = sorted(
            canonical_json([self._path(path), self._known(after, 0)])
            for path, (_, after) in self.diff.scalars.items()
            if not path.startswith("counters")
        )
        return canonical_json([changed, deleted, sorted(self._content(key, 0) for key in self.new), scalars])

    def _path(self, path: str) -> str:
        head, _, entry = path.partition(".")
        return f"{head}.<{self._content(entry, 0)}>" if entry in self.fresh else path

    def _content(self, key: str, depth: int) -> str:
        container = self.new[key]
        record = self.diff.created[container][key]
        # A record's own id is as new as the record.
        inner = {
            field: self._known(value, depth + 1) for field, value in record.items() if value != key or key in self.named
        }
        return canonical_json([container, inner, key if key in self.named else None])

    def _known(self, value: Any, depth: int) -> Any:
        """A value with references to new records replaced by their content, three references deep."""
        if isinstance(value, str) and value in self.fresh:
            return f"<{self._content(value, depth)}>" if depth < 4 else f"<{self.fresh[value]}>"
        if isinstance(value, list):
            return sorted((self._known(item, depth) for item in value), key=canonical_json)
        if isinstance(value, dict):
            return {name: self._known(item, depth) for name, item in value.items()}
        return value
