"""What only several calls show: ids that are given twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.quality.bench import Bench
from envscaler_mcp.serving.difference import diff_of_states

Call = tuple[str, dict[str, Any]]


def reused_ids(bench: Bench, done: Sequence[tuple[Call, StateDiff]]) -> Iterator[tuple[Call, str, str]]:
    """Calls that gave a new record the id of another one: what was made before, and what is wrong, in words."""
    for call, diff in done:
        for container in diff.created:
            enders = [(other, gone) for other, gone in done if container in gone.deleted]
            for ender, gone in [*enders[:2], (call, None)]:
                between = [ender] if gone is not None else []
                wrong = _wrong(bench, call, between, container, gone)
                if wrong:
                    yield call, f"{call[0]} again{f' after {ender[0]}' if between else ''}", wrong
                    break


def _wrong(bench: Bench, call: Call, between: list[Call], container: str, gone: StateDiff | None) -> str:
    """Make a record, end one, make another: each id is new."""
    made = bench.history([call])
    if not made or made[0][0].kind != "done":
        return ""
    first = _new(bench.state, made[0][1], container)
    if gone is not None and first:
        ended = next(iter(gone.deleted[container]))
        aimed = [(tool, _aimed(arguments, ended, first[0])) for tool, arguments in between]
        played = bench.history([call, *aimed])
        if len(played) == 2 and played[1][0].kind == "done" and first[0] not in played[1][1].get(container, {}):
            between = aimed
    played = bench.history([call, *between, call])
    if len(played) < 2 or any(outcome.kind != "done" for outcome, _ in played):
        return ""
    before, after = played[-2][1], played[-1][1]
    new = _new(before, after, container)
    known = {*bench.state.get(container, {}), *first}
    again = [id_ for id_ in new if id_ in known]
    if again:
        return f"it gave a new record of {container} the id {again[0]!r}, which another record had before"
    for id_, fields in diff_of_states(before, after).changed.get(container, {}).items():
        # A record that is added to changes in a field or two; one that is written over changes altogether.
        if first and not new and 2 * len(fields) > len(before[container][id_]) - 1:
            return f"it wrote over {container} {id_!r} where it should have made a new record"
    return ""


def _new(before: dict[str, Any], after: dict[str, Any], container: str) -> list[str]:
    return [id_ for id_ in after.get(container, {}) if id_ not in before.get(container, {})]


def _aimed(arguments: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {name: new if value == old else value for name, value in arguments.items()}
