"""From what a task changed to its checks, where there is no blueprint."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.artifacts import Check, StateDiff
from envscaler_mcp.language.text import words
from envscaler_mcp.scenarios.facts import Facts, source
from envscaler_mcp.scenarios.intended_effects import Wishes
from envscaler_mcp.scenarios.shapes import Shapes, leaves


class PlainFacts(Facts):
    """Facts of any JSON: containers of records by id, and plain values beside them."""

    def __init__(self, wishes: Wishes, diff: StateDiff, initial: dict[str, Any]) -> None:
        super().__init__(wishes.of_diff(diff), initial)
        self.given = wishes.given
        self.shapes = Shapes(initial)
        self.own = Shapes({**initial, **_with_new(initial, diff)})
        self.new = {key: container for key, container in self.new.items() if key not in self.given}

    def all(self) -> list[Check]:
        """One check per fact; those about plain values last."""
        return [*super().all(), *(self._plain(path, after) for path, (_, after) in sorted(self.diff.scalars.items()))]

    def _noun(self, container: str) -> str:
        return self.shapes.noun(container)

    def _called(self, container: str, key: str) -> str:
        parts = self.shapes.description(container, key) if self.shapes.has(container, key) else ()
        description = " ".join(str(value) for _, value in parts)
        return f"{self._noun(container)} {description or key}"

    def _field(self, _container: str, field: str) -> str:
        return words(field.removesuffix("_id"))

    def _said(self, _container: str, _field: str, value: Any) -> str:
        if isinstance(value, dict | list):
            return f"{len(value)} entries"
        if isinstance(value, str) and value in self.new:
            return f"a new {self._noun(self.new[value])}"
        if isinstance(value, str) and value in self.shapes.home:
            return self._called(self.shapes.home[value], value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value) if value != "" else "empty"

    def _summary(self, container: str, record: dict[str, Any]) -> str:
        own = self.own.own(container)
        parts = [
            f"{self._field(container, name) if name != own else words(name)} {self._said(container, name, value)}"
            for name, value in record.items()
            if value not in (None, "", [], {}) and (name != own or value in self.given)
        ]
        return ", ".join(parts) or "any content"

    def _new(self, container: str) -> tuple[str, str, str]:
        start, final = f'initial_state["{container}"]', f'final_state["{container}"]'
        return f"[(key, one) for key, one in {final}.items() if key not in {start}]", "key, record", "key"

    def _content(self, container: str, key: str, depth: int = 0) -> str:
        record = self.diff.created[container][key]
        tests = [f"key == {key!r}"] if key in self.given else []
        for name, value in record.items():
            own = value == key and key not in self.given
            tests.append(f"record.get({name!r}) == key" if own else self._equals(container, name, value, depth))
        return " and ".join(tests) or "True"

    def _equals(self, _container: str, field: str, value: Any, depth: int = 0) -> str:
        return self._same(f"record.get({field!r})", value, depth)

    def _same(self, code: str, value: Any, depth: int) -> str:
        """The test that a piece of code comes to this value; it answers whatever the piece comes to."""
        if isinstance(value, str) and value in self.new:
            return f"{code} in {self._ids_like(value, depth)}"
        if value is None or isinstance(value, bool):
            return f"{code} is {value}"
        fresh = any(isinstance(leaf, str) and leaf in self.new for leaf in leaves(value))
        if isinstance(value, dict) and fresh:
            inner = [self._same(f"{code}.get({name!r})", entry, depth) for name, entry in value.items()]
            return " and ".join([f"isinstance({code}, dict)", f"len({code}) == {len(value)}", *inner])
        if isinstance(value, list) and fresh:
            known = [
                item for item in value if not any(leaf in self.new for leaf in leaves(item) if isinstance(leaf, str))
            ]
            inner_test = f"all(one in {code} for one in {known!r})"
            return f"isinstance({code}, list) and len({code}) == {len(value)} and {inner_test}{self._has_new(code, value, depth)}"
        if isinstance(value, list) and len(value) > 1 and not any(isinstance(item, dict | list) for item in value):
            ordered = sorted(str(item) for item in value)
            return f"isinstance({code}, list) and sorted(str(one) for one in {code}) == {ordered!r}"
        return f"{code} == {value!r}"

    def _plain(self, path: str, after: Any) -> Check:
        name, _, entry = path.partition(".")
        place = f"final_state.get({name!r})"
        code = f"{place}.get({entry!r})" if entry else place
        guard = f"isinstance({place}, dict) and " if entry else ""
        lines = [f"    return {guard}{self._same(code, after, 0)}"]
        subject = f"{words(name)} of {entry}" if entry else words(name)
        item = f"Has the {subject} become {'nothing' if after is None else self._said('', name, after)}?"
        return Check(check_item=item, check_func=source(lines))


def _with_new(initial: dict[str, Any], diff: StateDiff) -> dict[str, Any]:
    """The containers as they are with their new records."""
    return {container: {**initial.get(container, {}), **records} for container, records in diff.created.items()}
