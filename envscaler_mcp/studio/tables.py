"""A state as tables: which fields there are, what they hold, which records they name, and what each record is called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from envscaler_mcp.language.text import singular, words
from envscaler_mcp.sampling.offers import containers
from envscaler_mcp.studio.schemas import Column, RecordTable, TablesAnswer

MOST_RECORDS = 2_000
"""Of one table in an answer."""
MOST_COLUMNS = 200
MOST_TABLES = 200
_NAMES = ("name", "title", "label", "subject", "headline", "number", "code")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MINUTE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")
_ID_ENDING = re.compile(r"_ids?$")
_MOST_CHOICES = 12
_LONGEST_LABEL = 80
_LONGEST_NAME = 40
_MOST_NAMES = 8
_DEPTH = 3
"""Of references that a label is made through."""


def tables_of(state: Mapping[str, Any]) -> TablesAnswer:
    """Tables of what maps ids to records; everything else, and what is beyond so many tables, is a scalar."""
    held = dict(list(containers(state).items())[:MOST_TABLES])
    empty = [name for name, value in state.items() if value == {} and name != "counters"][: MOST_TABLES - len(held)]
    homes = _homes(held)
    nouns = {singular(name): name for name in held}
    columns = {name: tuple(_columns(records, homes, nouns)) for name, records in held.items()}
    labels = _Labels(held, columns)
    tables = [_table(name, held.get(name, {}), columns.get(name, ()), labels) for name in (*held, *empty)]
    now = state.get("now")
    scalars = {name: value for name, value in state.items() if name not in held and name not in empty}
    return TablesAnswer(now=now if isinstance(now, str) else None, tables=tuple(tables), scalars=scalars)


def _table(name: str, records: Mapping[str, Any], columns: tuple[Column, ...], labels: _Labels) -> RecordTable:
    first = dict(list(records.items())[:MOST_RECORDS])
    return RecordTable(
        name=name,
        title=words(name).capitalize(),
        noun=words(singular(name)),
        label=labels.field(name),
        columns=columns,
        records=first,
        labels={key: labels.of(name, key) for key in first},
        total=len(records),
    )


def _homes(held: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Id to its table, for ids that only one table has."""
    homes: dict[str, str] = {}
    for name, records in held.items():
        for key in records:
            homes[key] = "" if key in homes else name
    return homes


def _columns(
    records: Mapping[str, Mapping[str, Any]], homes: Mapping[str, str], nouns: Mapping[str, str]
) -> Iterable[Column]:
    values: dict[str, list[Any]] = {}
    own_ids: Counter[str] = Counter()
    for key, record in records.items():
        for name, value in record.items():
            if name not in values and len(values) >= MOST_COLUMNS:
                continue
            listed = values.setdefault(name, [])
            if value is not None:
                listed.append(value)
            own_ids[name] += value == key
    for name, listed in values.items():
        own_id = own_ids[name] == len(records)
        refers = "" if own_id else _table_named(listed, homes) if listed else nouns.get(_ID_ENDING.sub("", name), "")
        title = words(_ID_ENDING.sub("", name) if refers else name).capitalize() or name
        yield Column(name=name, title="Id" if own_id else title, type=_type(listed, refers), refers=refers)


def _table_named(values: Iterable[Any], homes: Mapping[str, str]) -> str:
    """The table whose records all values name; nothing where they name none, or those of several."""
    flat = [entry for value in values for entry in (value if isinstance(value, list) else [value])]
    tables = {homes.get(entry, "") if isinstance(entry, str) else "" for entry in flat}
    return tables.pop() if len(tables) == 1 else ""


def _type(values: list[Any], refers: str) -> Any:
    if refers:
        return "records" if any(isinstance(value, list) for value in values) else "record"
    if not values:
        return "text"
    if all(isinstance(value, bool) for value in values):
        return "yes_no"
    if all(isinstance(value, int | float) for value in values):
        return "number"
    if not all(isinstance(value, str) for value in values):
        return "other"
    if all(_DATE.fullmatch(value) for value in values):
        return "date"
    if all(_MINUTE.fullmatch(value) for value in values):
        return "minute"
    distinct = set(values)
    few = len(values) > len(distinct) and len(distinct) <= _MOST_CHOICES
    return "choice" if few and all(_WORD.fullmatch(value) for value in distinct) else "text"


class _Labels:
    """What records are called: by their own name, else by those of the records that they name, else by their id."""

    def __init__(self, held: Mapping[str, Mapping[str, Any]], columns: Mapping[str, tuple[Column, ...]]) -> None:
        self._held = held
        self._fields = {name: _label_field(records, columns[name]) for name, records in held.items()}
        self._named = {
            name: {
                column.name: (place, column.refers)
                for place, column in enumerate(columns[name])
                if column.type == "record"
            }
            for name in held
        }
        """By table, the fields that name a record: their place, and where the record lies."""
        self._known: dict[tuple[str, str], str] = {}

    def field(self, table: str) -> str:
        return self._fields.get(table, "")

    def of(self, table: str, key: str, depth: int = _DEPTH) -> str:
        place = table, key
        if place not in self._known:
            self._known[place] = self._made(table, key, depth)[:_LONGEST_LABEL]
        return self._known[place]

    def _made(self, table: str, key: str, depth: int) -> str:
        record = self._held.get(table, {}).get(key)
        field = self._fields.get(table, "")
        if record is None or not depth:
            return key
        if field and isinstance(record.get(field), str) and record[field]:
            return str(record[field])
        # A table may have many columns of which its records have few.
        fields = self._named[table]
        named = sorted((fields[field], other) for field, other in record.items() if field in fields and other)[:2]
        labels = [(self.of(refers, other, depth - 1), other) for (_, refers), other in named]
        # The id of another record would read as that of this one.
        parts = [label for label, other in labels if label != other]
        return " · ".join(parts) if parts else key


def _label_field(records: Mapping[str, Any], columns: Iterable[Column]) -> str:
    """A field like a name whose values tell most records apart, else one of short texts that tells all apart."""
    plain = [column.name for column in columns if column.type == "text" and column.title != "Id"]
    named = [name for word in _NAMES for name in plain if name == word or name.endswith(f"_{word}")]
    for name in named[:_MOST_NAMES]:
        values = [record.get(name) for record in records.values()]
        if len({str(value) for value in values}) * 2 > len(values):
            return name
    for name in plain[:_MOST_NAMES]:
        texts = [value for record in records.values() if isinstance(value := record.get(name), str) and value]
        if len(set(texts)) == len(records) > 1 and max(map(len, texts)) <= _LONGEST_NAME:
            return name
    return ""
