"""From what a task changed to its checks and its frame.

A new record has no id that anybody could ask for: it is found by its content, and a reference to it by the content of what it
refers to.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from envscaler_mcp.artifacts import Check, Frame, StateDiff
from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.text import a, words
from envscaler_mcp.scenarios.spoken import spoken

_FREE = ("counters",)


def checks_and_frame(model: Model, diff: StateDiff, initial: dict[str, Any]) -> tuple[tuple[Check, ...], Frame]:
    """One check per changed fact, and what may change at all."""
    return tuple(_Facts(model, diff, initial).all()), frame_of(diff)


def frame_of(diff: StateDiff) -> Frame:
    """What may change: what did."""
    return Frame(
        created={container: len(records) for container, records in sorted(diff.created.items())},
        deleted={container: tuple(sorted(records)) for container, records in sorted(diff.deleted.items())},
        changed={
            container: {key: tuple(sorted(fields)) for key, fields in sorted(records.items())}
            for container, records in sorted(diff.changed.items())
        },
        scalars=_FREE,
    )


class _Facts:
    def __init__(self, model: Model, diff: StateDiff, initial: dict[str, Any]) -> None:
        self.model, self.diff, self.initial = model, diff, initial
        self.entities = {entity.container: entity for entity in model.entities.values()}
        self.new = {key: container for container, records in diff.created.items() for key in records}

    def all(self) -> list[Check]:
        found: list[Check] = []
        for container, records in sorted(self.diff.changed.items()):
            for key, fields in sorted(records.items()):
                found.extend(
                    self._changed(self.entities[container], key, field, after)
                    for field, (_, after) in sorted(fields.items())
                )
        for container, created in sorted(self.diff.created.items()):
            found.extend(self._created(self.entities[container], created))
        for container, deleted in sorted(self.diff.deleted.items()):
            found.extend(self._deleted(self.entities[container], key) for key in sorted(deleted))
        return found

    def _attribute(self, entity: Entity, key: str) -> Attribute:
        return next(attribute for attribute in entity.stored if attribute.key == key)

    def _called(self, entity: Entity, key: str) -> str:
        record = self.initial[entity.container].get(key) or self.diff.created.get(entity.container, {}).get(key, {})
        label = entity.attributes[entity.label].key if entity.label != "id" else "id"
        return f"{words(entity.noun)} {record.get(label, key)}"

    def _changed(self, entity: Entity, key: str, field: str, after: Any) -> Check:
        attribute = self._attribute(entity, field)
        lines = [
            f'    record = final_state["{entity.container}"].get({key!r})',
            f"    return record is not None and {self._equals(f'record[{field!r}]', attribute, after)}",
        ]
        said = "nothing" if after is None else self._said(attribute, after)
        item = f"Has the {words(attribute.name)} of {self._called(entity, key)} become {said}?"
        return Check(check_item=item, check_func=_source(lines))

    def _said(self, attribute: Attribute, value: Any) -> str:
        if attribute.type.kind == "ref":
            target = self.model.entities[attribute.type.entity]
            return f"a new {words(target.noun)}" if value in self.new else self._called(target, value)
        if isinstance(value, list):
            return f"{len(value)} entries"
        return spoken(value, attribute.type, "number", self.initial["now"][:10])

    def _created(self, entity: Entity, created: dict[str, dict[str, Any]]) -> list[Check]:
        """Equal new records are counted together."""
        tests = {key: self._content(entity, record) for key, record in created.items()}
        alike = Counter(tests.values())
        found: list[Check] = []
        for test, number in alike.items():
            key = next(key for key, one in tests.items() if one == test)
            lines = [
                f"    new = {_new_records(entity.container)}",
                f"    return sum(1 for record in new if {test}) == {number}",
            ]
            what = f"{number} such {words(entity.container)}" if number > 1 else a(words(entity.noun))
            item = f"Has {what} been entered with {self._summary(entity, created[key])}?"
            found.append(Check(check_item=item, check_func=_source(lines)))
        return found

    def _summary(self, entity: Entity, record: dict[str, Any]) -> str:
        parts = [
            f"{words(attribute.name)} {self._said(attribute, record[attribute.key])}"
            for attribute in entity.stored
            if record[attribute.key] not in (None, [])
        ]
        return ", ".join(parts)

    def _content(self, entity: Entity, record: dict[str, Any], depth: int = 0) -> str:
        """The test that a record has this content, as code about `record`."""
        return " and ".join(
            self._equals(f"record[{attribute.key!r}]", attribute, record[attribute.key], depth)
            for attribute in entity.stored
        )

    def _equals(self, code: str, attribute: Attribute, value: Any, depth: int = 0) -> str:
        if isinstance(value, str) and value in self.new and attribute.type.kind == "ref":
            return f"{code} in {self._ids_like(value, depth)}"
        if isinstance(value, list) and any(isinstance(one, str) and one in self.new for one in value):
            kept = [one for one in value if one not in self.new]
            return f"len({code}) == {len(value)} and all(one in {code} for one in {kept!r})"
        if isinstance(value, list) and len(value) > 1:
            return f"sorted({code}) == {sorted(value)!r}"
        return f"{code} == {value!r}"

    def _ids_like(self, key: str, depth: int) -> str:
        """The ids of new records with the content of this one; deeper than three references any new one will do."""
        container = self.new[key]
        entity = self.entities[container]
        test = "True" if depth >= 3 else self._content(entity, self.diff.created[container][key], depth + 1)
        return f"[record['id'] for record in {_new_records(container)} if {test}]"

    def _deleted(self, entity: Entity, key: str) -> Check:
        lines = [f'    return {key!r} not in final_state["{entity.container}"]']
        return Check(check_item=f"Has {self._called(entity, key)} been removed?", check_func=_source(lines))


def _new_records(container: str) -> str:
    return f'[one for key, one in final_state["{container}"].items() if key not in initial_state["{container}"]]'


def _source(lines: list[str]) -> str:
    return "\n".join(["def check_func(final_state):", *lines]) + "\n"
