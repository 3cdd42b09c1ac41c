"""What lies between two moments of a world: from a journal of writes, or from two states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.serving.plain_json import json_copy

Write = tuple[Any, ...]
"""One write of a compiled class: ("new", container, id), ("put", container, id, field, before),
("delete", container, id, record) or ("scalar", attribute, key or None, before)."""

_ABSENT = object()


def diff_of_journal(journal: Iterable[Write], now: Mapping[str, Any]) -> StateDiff:
    """What the writes, oldest first, made of the state; a write that was taken back is no change."""
    records: dict[tuple[str, str], Any] = {}
    fields: dict[tuple[str, str], dict[str, Any]] = {}
    scalars: dict[tuple[str, str | None], Any] = {}
    for write in journal:
        if write[0] == "scalar":
            scalars.setdefault((write[1], write[2]), write[3])
            continue
        record_key = (write[1], write[2])
        if write[0] == "put":
            if record_key not in records:
                fields.setdefault(record_key, {}).setdefault(write[3], write[4])
        elif record_key not in records:
            records[record_key] = _ABSENT if write[0] == "new" else {**write[3], **fields.pop(record_key, {})}
    return _assembled(records, fields, scalars, now)


def _assembled(
    records: Mapping[tuple[str, str], Any],
    fields: Mapping[tuple[str, str], Mapping[str, Any]],
    scalars: Mapping[tuple[str, str | None], Any],
    now: Mapping[str, Any],
) -> StateDiff:
    diff = _Diff()
    for (container, key), before in records.items():
        diff.record(container, key, before, now[container].get(key, _ABSENT))
    for (container, key), before in fields.items():
        record = now[container][key]
        diff.fields(container, key, before, {name: record.get(name) for name in before})
    for (attribute, entry), before in scalars.items():
        value = now.get(attribute)
        after = value if entry is None else value.get(entry) if isinstance(value, dict) else None
        diff.scalar(attribute if entry is None else f"{attribute}.{entry}", before, after)
    return diff.made()


def diff_of_states(before: Mapping[str, Any], after: Mapping[str, Any]) -> StateDiff:
    """What is different between two states."""
    diff = _Diff()
    for attribute in {**before, **after}:
        old, new = before.get(attribute, _ABSENT), after.get(attribute, _ABSENT)
        if old is new:
            continue
        if _is_container(old) and _is_container(new):
            for key in {**old, **new}:
                diff.record(attribute, key, old.get(key, _ABSENT), new.get(key, _ABSENT))
        elif isinstance(old, dict) and isinstance(new, dict):
            for entry in {**old, **new}:
                diff.scalar(f"{attribute}.{entry}", old.get(entry, _ABSENT), new.get(entry, _ABSENT))
        else:
            diff.scalar(attribute, old, new)
    return diff.made()


def sharing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The state after, in its order, with the records of the state before wherever they are equal."""
    return {name: _sharing(before.get(name), value) for name, value in after.items()}


def _sharing(before: Any, after: Any) -> Any:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {
        key: before[key] if key in before and isinstance(value, dict) and _same(before[key], value) else value
        for key, value in after.items()
    }


def _is_container(value: object) -> TypeGuard[dict[str, dict[str, Any]]]:
    return isinstance(value, dict) and all(isinstance(record, dict) for record in value.values())


def _same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values."""
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if issubclass(kind, dict):
        return len(left) == len(right) and _same_entries(left, right)
    if issubclass(kind, list):
        return len(left) == len(right) and all(map(_same, left, right))
    # Zero and minus zero are equal, and are not written alike.
    return bool(left == right) and (kind is not float or left != 0.0 or repr(left) == repr(right))


def _same_entries(left: dict[str, Any], right: dict[str, Any]) -> bool:
    for name, item in left.items():
        other = right.get(name, _ABSENT)
        # Most values of two states are one object, or equal texts: a call for each of them would be most of the work.
        if item is not other and not (type(item) is type(other) is str and item == other) and not _same(item, other):
            return False
    return True


def _told(value: Any) -> Any:
    """A value of a change. What is absent is told as null: the change itself says that it was there on one side only."""
    return None if value is _ABSENT else json_copy(value)


class _Diff:
    def __init__(self) -> None:
        self._created: dict[str, dict[str, Any]] = {}
        self._deleted: dict[str, dict[str, Any]] = {}
        self._changed: dict[str, dict[str, Any]] = {}
        self._scalars: dict[str, Any] = {}

    def record(self, container: str, key: str, before: Any, after: Any) -> None:
        if before is _ABSENT:
            if after is not _ABSENT:
                self._created.setdefault(container, {})[key] = json_copy(after)
        elif after is _ABSENT:
            self._deleted.setdefault(container, {})[key] = json_copy(before)
        elif not _same(before, after):
            self.fields(container, key, before, after)

    def fields(self, container: str, key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        for name in {**before, **after}:
            old, new = before.get(name, _ABSENT), after.get(name, _ABSENT)
            if not _same(old, new):
                self._changed.setdefault(container, {}).setdefault(key, {})[name] = _told(old), _told(new)

    def scalar(self, path: str, before: Any, after: Any) -> None:
        if not _same(before, after):
            self._scalars[path] = _told(before), _told(after)

    def made(self) -> StateDiff:
        return StateDiff(created=self._created, deleted=self._deleted, changed=self._changed, scalars=self._scalars)
