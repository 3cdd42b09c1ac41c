"""How a compiled class keeps its records: ids, writes that are noted, indexes, and taking writes back."""

from __future__ import annotations

import re

from envscaler_mcp.language.model import Model
from envscaler_mcp.synthesis.compile.indexes import Indexes
from envscaler_mcp.synthesis.compile.python import Lines


def keeping_records(model: Model, indexes: Indexes, deletes: bool) -> list[str]:
    """The private methods through which operations write."""
    methods = [_NEW_ID, _ADD, _PUT, *([_REMOVE] if deletes else []), _CHANGES, _TAKE_BACK, _UNDO]
    if indexed(model, indexes):
        methods += [_link(model, indexes), _unlink(model, indexes)]
    else:
        methods = [_without_indexes(method) for method in methods]
    return ["\n".join("    " + line if line else "" for line in m.strip("\n").splitlines()) + "\n" for m in methods]


def indexed(model: Model, indexes: Indexes) -> list[tuple[str, str]]:
    """Container and key of every attribute that an index is made of."""
    return sorted({(e.container, key) for e in model.entities.values() for i in indexes.of(e.name) for key in i.keys})


def _link(model: Model, indexes: Indexes) -> str:
    lines = Lines()
    lines.add("def _link(self, container: str, record: Any) -> None:")
    lines.depth = 1
    lines.doc(["Enter a record where it can be found by its attributes."])
    lines.add("match container:")
    for entity in model.entities.values():
        own_indexes = indexes.of(entity.name)
        if own_indexes:
            lines.add(f'    case "{entity.container}":')
            for index in own_indexes:
                key = "key" if index.of_members else _key(index.key_of("record"))
                if index.of_members:
                    lines.add(f"        for key in {index.key_of('record')}:")
                entered = f'self.{index.name}.setdefault({key}, {{}})[record["id"]] = record'
                lines.add(f"{'            ' if index.of_members else '        '}{entered}")
    return lines.text()


def _unlink(model: Model, indexes: Indexes) -> str:
    lines = Lines()
    lines.add("def _unlink(self, container: str, record: Any) -> None:")
    lines.depth = 1
    lines.doc(["Take a record out again, before it changes or goes."])
    lines.add("match container:")
    for entity in model.entities.values():
        own_indexes = indexes.of(entity.name)
        if own_indexes:
            lines.add(f'    case "{entity.container}":')
            for index in own_indexes:
                if index.of_members:
                    lines.add(f"        for key in {index.key_of('record')}:")
                    lines.add(f'            self.{index.name}[key].pop(record["id"], None)')
                else:
                    lines.add(f'        del self.{index.name}[{index.key_of("record")}][record["id"]]')
    return lines.text()


def _key(code: str) -> str:
    return f"({code})" if ", " in code else code


_NEW_ID = '''
def _new_id(self, noun: str, prefix: str, records: dict[str, Any]) -> str:
    """The next id; numbers are never used twice."""
    self._journal.append(("scalar", "counters", noun, self.counters.get(noun)))
    number = self.counters.get(noun, 0) + 1
    while f"{prefix}-{number:05d}" in records:
        number += 1
    self.counters[noun] = number
    return f"{prefix}-{number:05d}"
'''
_ADD = '''
def _add(self, container: str, record: Any) -> None:
    """Keep a new record."""
    self._journal.append(("new", container, record["id"]))
    getattr(self, container)[record["id"]] = record
    self._link(container, record)
'''
_PUT = '''
def _put(self, container: str, record: Any, field: str, value: Any) -> None:
    """Change one attribute of a record."""
    self._journal.append(("put", container, record["id"], field, record[field]))
    if (container, field) in INDEXED:
        self._unlink(container, record)
        record[field] = value
        self._link(container, record)
    else:
        record[field] = value
'''
_REMOVE = '''
def _remove(self, container: str, record: Any) -> None:
    """Let a record go."""
    self._journal.append(("delete", container, record["id"], record))
    del getattr(self, container)[record["id"]]
    self._unlink(container, record)
'''
_CHANGES = '''
def _changes(self) -> dict[str, Any]:
    """What this call has done: new records, what is new of others, and which are gone; at most twenty records."""
    before: dict[tuple[str, str], dict[str, Any] | None] = {}
    for kind, container, key, *rest in self._journal:
        if kind == "new":
            before[container, key] = None
        elif kind != "scalar":
            known = before.setdefault((container, key), {})
            if kind == "put" and known is not None:
                known.setdefault(rest[0], rest[1])
    changed: dict[str, list[Any]] = {}
    deleted: dict[str, list[str]] = {}
    told = 0
    for (container, key), fields in before.items():
        record = getattr(self, container).get(key)
        if record is None:
            shown = None
        elif fields is None:
            shown = {name: value for name, value in record.items() if value is not None}
        else:
            shown = {name: record[name] for name, value in fields.items() if record[name] != value}
            if not shown:
                continue
            shown = {"id": key, **{name: record[name] for name in LABELS[container]}, **shown}
        if record is None and fields is None:
            continue
        told += 1
        if told > 20:
            continue
        if shown is None:
            deleted.setdefault(container, []).append(key)
        else:
            changed.setdefault(container, []).append(shown)
    answer: dict[str, Any] = {"changed": changed} if changed else {}
    if deleted:
        answer["deleted"] = deleted
    if told > 20:
        answer["more"] = told - 20
    return answer
'''
_TAKE_BACK = '''
def _take_back(self, error: str) -> Result:
    """Undo what this call has written so far, and refuse it."""
    journal, self._journal = self._journal, []
    self._undo(journal)
    return _refused(error)
'''
_UNDO = '''
def _undo(self, journal: list[tuple[Any, ...]]) -> None:
    """Take writes back, the latest first."""
    for kind, container, key, *rest in reversed(journal):
        records = getattr(self, container)
        if kind == "new":
            self._unlink(container, records.pop(key))
        elif kind == "put":
            field, value = rest
            self._unlink(container, records[key])
            records[key][field] = value
            self._link(container, records[key])
        elif kind == "delete":
            self._link(container, rest[0])
            setattr(self, container, dict(sorted({**records, key: rest[0]}.items(), key=lambda pair: _age(pair[1]))))
        elif key is None:
            setattr(self, container, rest[0])
        elif rest[0] is None:
            del records[key]
        else:
            records[key] = rest[0]
'''


def _without_indexes(method: str) -> str:
    """The method for an environment in which nothing is looked up by its attributes."""
    method = method.replace("self._unlink(container, records.pop(key))", "del records[key]")
    method = re.sub(
        r"\n    if \(container, field\) in INDEXED:\n(.*\n)*    else:\n        record", "\n    record", method
    )
    return "\n".join(line for line in method.split("\n") if "self._link(" not in line and "self._unlink(" not in line)
