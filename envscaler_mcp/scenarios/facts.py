"""From what a task changed to its checks and its frame.

A new record has no id that a task could name: it is found by its content, and a reference to it by the content of what it
refers to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

from envscaler_mcp.artifacts import Check, Frame, StateDiff
from envscaler_mcp.language.model import Attribute, Model
from envscaler_mcp.language.text import a, words
from envscaler_mcp.scenarios.phrases import spoken

_FREE = ("counters",)


def checks_and_frame(model: Model, diff: StateDiff, initial: dict[str, Any]) -> tuple[tuple[Check, ...], Frame]:
    """One check per changed fact, and what may change at all."""
    return tuple(_ModelFacts(model, diff, initial).all()), frame_of(diff)


def frame_of(diff: StateDiff, scalars: tuple[str, ...] = _FREE) -> Frame:
    """What may change: what did, and of what lies outside containers what is named."""
    return Frame(
        created={container: len(records) for container, records in sorted(diff.created.items())},
        deleted={container: tuple(sorted(records)) for container, records in sorted(diff.deleted.items())},
        changed={
            container: {key: tuple(sorted(fields)) for key, fields in sorted(records.items())}
            for container, records in sorted(diff.changed.items())
        },
        scalars=scalars,
    )


class Facts(ABC):
    """The checks of one difference; what a record is and how it is told is for those who know the environment."""

    def __init__(self, diff: StateDiff, initial: dict[str, Any]) -> None:
        self.diff, self.initial = diff, initial
        self.new = {key: container for container, records in diff.created.items() for key in records}

    def all(self) -> list[Check]:
        """One check per fact, records that were there before first."""
        checks: list[Check] = []
        for container, records in sorted(self.diff.changed.items()):
            for key, fields in sorted(records.items()):
                checks.extend(
                    self._changed(container, key, field, after) for field, (_, after) in sorted(fields.items())
                )
        for container, created in sorted(self.diff.created.items()):
            checks.extend(self._created(container, created))
        for container, deleted in sorted(self.diff.deleted.items()):
            checks.extend(self._deleted(container, key) for key in sorted(deleted))
        return checks

    @abstractmethod
    def _noun(self, container: str) -> str:
        """What one record of it is called."""

    @abstractmethod
    def _called(self, container: str, key: str) -> str:
        """A record, as a question names it."""

    @abstractmethod
    def _field(self, container: str, field: str) -> str:
        """A field, as a question names it."""

    @abstractmethod
    def _said(self, container: str, field: str, value: Any) -> str:
        """A value, as a question says it."""

    @abstractmethod
    def _summary(self, container: str, record: dict[str, Any]) -> str:
        """A new record's content in words."""

    @abstractmethod
    def _content(self, container: str, key: str, depth: int = 0) -> str:
        """The test that a record has the content of this new one, as code about `record`."""

    @abstractmethod
    def _equals(self, container: str, field: str, value: Any, depth: int = 0) -> str:
        """The test that a field of `record` has this value."""

    def _new(self, container: str) -> tuple[str, str, str]:
        """Code: all new records, one of them, and its id."""
        start, final = f'initial_state["{container}"]', f'final_state["{container}"]'
        return f"[one for key, one in {final}.items() if key not in {start}]", "record", "record['id']"

    def _changed(self, container: str, key: str, field: str, after: Any) -> Check:
        lines = [
            f'    record = final_state["{container}"].get({key!r})',
            f"    return record is not None and {self._equals(container, field, after)}",
        ]
        said = "nothing" if after is None else self._said(container, field, after)
        item = f"Has the {self._field(container, field)} of {self._called(container, key)} become {said}?"
        return Check(check_item=item, check_func=source(lines))

    def _created(self, container: str, created: dict[str, dict[str, Any]]) -> list[Check]:
        """Equal new records are counted together."""
        tests = {key: self._content(container, key) for key in created}
        alike = Counter(tests.values())
        checks: list[Check] = []
        new, each, _ = self._new(container)
        for test, number in alike.items():
            key = next(key for key, other in tests.items() if other == test)
            lines = [f"    new = {new}", f"    return sum(1 for {each} in new if {test}) == {number}"]
            what = f"{number} such {words(container)}" if number > 1 else a(self._noun(container))
            item = f"Has {what} been entered with {self._summary(container, created[key])}?"
            checks.append(Check(check_item=item, check_func=source(lines)))
        return checks

    def _ids_like(self, key: str, depth: int) -> str:
        """The ids of new records with the content of this one; deeper than three references any new one will do."""
        container = self.new[key]
        new, each, its_id = self._new(container)
        test = "True" if depth >= 3 else self._content(container, key, depth + 1)
        return f"[{its_id} for {each} in {new} if {test}]"

    def _has_new(self, code: str, value: list[Any], depth: int) -> str:
        """The test that a list names new records with the content of those that this one names."""
        alike = Counter(self._ids_like(item, depth) for item in value if isinstance(item, str) and item in self.new)
        return "".join(f" and sum(1 for one in {code} if one in {ids}) >= {many}" for ids, many in alike.items())

    def _deleted(self, container: str, key: str) -> Check:
        lines = [f'    return {key!r} not in final_state["{container}"]']
        return Check(check_item=f"Has {self._called(container, key)} been removed?", check_func=source(lines))


class _ModelFacts(Facts):
    """Facts of an environment whose blueprint is known."""

    def __init__(self, model: Model, diff: StateDiff, initial: dict[str, Any]) -> None:
        super().__init__(diff, initial)
        self.model = model
        self.entities = {entity.container: entity for entity in model.entities.values()}

    def _attribute(self, container: str, key: str) -> Attribute:
        return next(attribute for attribute in self.entities[container].stored if attribute.key == key)

    def _noun(self, container: str) -> str:
        return words(self.entities[container].noun)

    def _called(self, container: str, key: str) -> str:
        entity = self.entities[container]
        record = self.initial[container].get(key) or self.diff.created.get(container, {}).get(key, {})
        label = entity.attributes[entity.label].key if entity.label != "id" else "id"
        return f"{words(entity.noun)} {record.get(label, key)}"

    def _field(self, container: str, field: str) -> str:
        return words(self._attribute(container, field).name)

    def _said(self, container: str, field: str, value: Any) -> str:
        attribute = self._attribute(container, field)
        if attribute.type.kind == "ref":
            target = self.model.entities[attribute.type.entity]
            return f"a new {words(target.noun)}" if value in self.new else self._called(target.container, value)
        if isinstance(value, list):
            return f"{len(value)} entries"
        return spoken(value, attribute.type, "number", self.initial["now"][:10])

    def _summary(self, container: str, record: dict[str, Any]) -> str:
        parts = [
            f"{words(attribute.name)} {self._said(container, attribute.key, record[attribute.key])}"
            for attribute in self.entities[container].stored
            if record[attribute.key] not in (None, [])
        ]
        return ", ".join(parts)

    def _content(self, container: str, key: str, depth: int = 0) -> str:
        record = self.diff.created[container][key]
        return " and ".join(
            self._equals(container, attribute.key, record[attribute.key], depth)
            for attribute in self.entities[container].stored
        )

    def _equals(self, container: str, field: str, value: Any, depth: int = 0) -> str:
        code = f"record[{field!r}]"
        if isinstance(value, str) and value in self.new and self._attribute(container, field).type.kind == "ref":
            return f"{code} in {self._ids_like(value, depth)}"
        if isinstance(value, list) and any(isinstance(item, str) and item in self.new for item in value):
            known = [item for item in value if item not in self.new]
            return f"len({code}) == {len(value)} and all(one in {code} for one in {known!r}){self._has_new(code, value, depth)}"
        if isinstance(value, list) and len(value) > 1:
            return f"sorted({code}) == {sorted(value)!r}"
        return f"{code} == {value!r}"


def source(lines: list[str]) -> str:
    """A check function of these lines."""
    return "\n".join(["def check_func(final_state):", *lines]) + "\n"
