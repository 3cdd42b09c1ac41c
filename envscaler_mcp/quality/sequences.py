"""What only several calls show: ids that are given twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.quality.probe_worlds import Bench
from envscaler_mcp.serving.state_diff import diff_of_states

Call = tuple[str, dict[str, Any]]


def reused_ids(bench: Bench, done: Sequence[tuple[Call, StateDiff]]) -> Iterator[tuple[Call, str, str]]:
    """Calls that gave a new record the id of another one: what was made before, and what is wrong, in words."""
    reported: set[str] = set()
    for call, diff in done:
        for container in diff.created:
            if call[0] in reported:
                break
            others = [other for other, _ in done if other[0] == call[0] and other != call]
            enders = [(other, gone) for other, gone in done if container in gone.deleted and other[0] != call[0]]
            for between in ([], *_betweens(bench, call, container, enders[:2])):
                wrong = _wrong(bench, call, between, [*others[:1], call], container)
                if wrong:
                    reported.add(call[0])
                    yield call, " then ".join([call[0], *(tool for tool, _ in between), call[0]]), wrong
                    break


def _betweens(
    bench: Bench, call: Call, container: str, enders: Sequence[tuple[Call, StateDiff]]
) -> Iterator[list[Call]]:
    """What may be done in between: end an older record, or the very record that was made."""
    for (tool, arguments), gone in enders:
        yield [(tool, arguments)]
        made = bench.history([call])
        new = _new(bench.state, made[0][1], container) if made else []
        if new:
            ended = next(iter(gone.deleted[container]))
            yield [(tool, {name: new[0] if value == ended else value for name, value in arguments.items()})]


def _wrong(bench: Bench, call: Call, between: list[Call], again: Sequence[Call], container: str) -> str:
    """Make a record, perhaps end one, make another: each id is new."""
    compiled = bench.code.environment.origin == "compiled"
    for last in again:
        played = bench.history([call, *between, last])
        if len(played) < 2 or any(outcome.kind != "done" for outcome, _ in played):
            continue
        first = _new(bench.state, played[0][1], container)
        before, after = played[-2][1], played[-1][1]
        new = _new(before, after, container)
        known = {*bench.state.get(container, {}), *first}
        for id_ in new:
            if id_ in known:
                return f"it gave a new record of {container} the id {id_!r}, which another record had before"
        for id_, fields in diff_of_states(before, after).changed.get(container, {}).items():
            # A record that is added to changes in a field or two; one that is written over changes altogether. What was
            # compiled makes a record or changes one as its blueprint says: to put a value under a key may be either.
            if not compiled and first and not new and 2 * len(fields) > len(before[container][id_]) - 1:
                return f"it wrote over {container} {id_!r} where it should have made a new record"
    return ""


def _new(before: dict[str, Any], after: dict[str, Any], container: str) -> list[str]:
    return [id_ for id_ in after.get(container, {}) if id_ not in before.get(container, {})]
