"""Playing recorded calls again: in another order, without some of them, on a world whose new ids are others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envscaler_mcp.artifacts import Call, canonical_json
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


def content_form(initial: dict[str, Any], final: dict[str, Any]) -> str:
    """The final state with its new records known by their content alone: two ends that nobody could tell apart are equal."""
    containers = [name for name, value in final.items() if isinstance(value, dict) and name != "counters"]
    fresh = {key: name for name in containers for key in final[name] if key not in initial.get(name, {})}
    cache: dict[str, str] = {}

    def content(key: str, depth: int) -> str:
        if key not in cache or depth:
            record = final[fresh[key]][key]
            inner = {field: known(value, depth + 1) for field, value in record.items() if field != "id"}
            text = canonical_json([fresh[key], inner])
            if depth:
                return text
            cache[key] = text
        return cache[key]

    def known(value: Any, depth: int) -> Any:
        if isinstance(value, str) and value in fresh:
            return f"<{content(value, depth)}>" if depth < 4 else f"<{fresh[value]}>"
        if isinstance(value, list):
            return sorted((known(one, depth) for one in value), key=canonical_json)
        return value

    kept = {
        name: {
            key: {field: known(v, 0) for field, v in row.items()}
            for key, row in final[name].items()
            if key not in fresh
        }
        for name in containers
    }
    scalars = {name: value for name, value in final.items() if name not in containers and name != "counters"}
    return canonical_json([kept, sorted(content(key, 0) for key in fresh), scalars])
