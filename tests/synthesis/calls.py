"""Arguments that a signature allows and a trade may not: ids that are and are not there, ends of ranges, edges of the calendar."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from envscaler_mcp.language.analysis import day_filter
from envscaler_mcp.language.column_types.numbers import IntType, MoneyType
from envscaler_mcp.language.interpreter.reads import derived_reads
from envscaler_mcp.language.model import Entity, Model, Operation, Parameter, Query
from envscaler_mcp.language.types import Type

State = dict[str, Any]

_EDGES = ("2024-02-29", "2026-01-31", "2025-12-31", "1970-01-01", "0001-01-01", "9999-12-31")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(T|$)")
_TIMES = ("00:00", "08:30", "09:00", "12:15", "18:00", "23:59")
_WORDS = ("blue", "north wing", 'O\'Brien "the quick"', "a {brace} %s", "Ärger", "x")


class Calls:
    """Draws calls of every tool of a model."""

    def __init__(self, model: Model, random: Random) -> None:
        self.model, self.random = model, random
        self.reads = derived_reads(model)

    def any(self, state: State) -> tuple[str, dict[str, Any]]:
        tools = [*self.model.operations, *self.model.operations, *self.model.queries, *self.reads, self.model.clock]
        tool = self.random.choice(tools)
        return tool, self.arguments(tool, state)

    def arguments(self, tool: str, state: State) -> dict[str, Any]:
        asked: Operation | Query | None = self.model.operations.get(tool) or self.model.queries.get(tool)
        if tool == self.model.clock:
            return {}
        if asked is None:
            return self.read(*self.reads[tool], state)
        found = self.given(asked.params, state)
        if isinstance(asked, Query) and asked.variable and asked.limit is None and self.random.random() < 0.2:
            found["offset"] = self.random.choice((0, 1, 7, 1000))
        return found

    def given(self, params: tuple[Parameter, ...], state: State) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for param in params:
            if not (param.omissible and self.random.random() < 0.5):
                found[param.argument] = self.value(param.type, state)
            elif param.type.optional and self.random.random() < 0.2:
                found[param.argument] = None
        return found

    def read(self, entity: Entity, read: str, state: State) -> dict[str, Any]:
        if read == "get":
            return {f"{entity.noun}_id": self.id_of(entity, state)}
        rows = list(state[entity.container].values())
        label = "id" if entity.label == "id" else entity.label
        part = str(self.random.choice(rows)[label]) if rows else "x"
        part = self.random.choice((part, part.upper(), part[: len(part) // 2 + 1], "zzz"))
        found: dict[str, Any] = {}
        if read == "find":
            found[f"{entity.noun}_id" if label == "id" else label] = part
        else:
            if label != "id" and self.random.random() < 0.3:
                found[label] = part
            for attribute in entity.stored:
                if attribute.type.kind in ("ref", "one_of", "bool") and self.random.random() < 0.4:
                    found[attribute.key] = self.value(attribute.type.certain, state)
            days = day_filter(entity, self.model)
            for argument in (days.first, days.last) if days is not None else ():
                if self.random.random() < 0.3:
                    found[argument] = self.day(state)
        if read != "count" and self.random.random() < 0.2:
            found["offset"] = self.random.choice((0, 1, 50))
        return found

    def id_of(self, entity: Entity, state: State) -> str:
        ids: list[str] = list(state[entity.container])
        if not ids or self.random.random() < 0.03:
            return self.random.choice((f"{entity.prefix}-99999", "no 'such' \"one\"", f"{entity.prefix.lower()}-00001"))
        return self.random.choice(ids[-6:] if self.random.random() < 0.4 else ids)

    def value(self, type_: Type, state: State) -> Any:
        if type_.optional and self.random.random() < 0.2:
            return None
        draw: dict[str, Callable[[Type, State], Any]] = {
            "int": self.number,
            "money": self.number,
            "bool": lambda *_: self.random.random() < 0.5,
            "one_of": lambda type_, _: self.random.choice(type_.options),
            "ref": lambda type_, state: self.id_of(self.model.entities[type_.entity], state),
            "date": lambda _, state: self.day(state),
            "time": lambda *_: self.random.choice(_TIMES),
            "datetime": lambda _, state: f"{self.day(state)}T{self.random.choice(_TIMES)}",
            "list": self.several,
            "struct": self.entry,
        }
        return draw[type_.kind](type_, state) if type_.kind in draw else self.words(state)

    def number(self, type_: Type, state: State) -> int:
        widest = (MoneyType if type_.kind == "money" else IntType).widest
        low = -widest if type_.low is None else type_.low
        high = widest if type_.high is None else type_.high
        near = [n for n in (low, high, 0, 1, -1, 2, 3, 5, 10, 100, 999, 5000, low + 1, high - 1) if low <= n <= high]
        return self.random.choice([*near, self.random.randint(low, min(high, low + 100_000))])

    def day(self, state: State) -> str:
        if self.random.random() < 0.05:
            return self.random.choice(_EDGES)
        if self.random.random() < 0.3 and (days := self.seen(state)):
            return self.random.choice(days)[:10]
        today = date.fromisoformat(state["now"][:10])
        return (today + timedelta(days=self.random.choice((0, 0, 1, -1, 2, 3, 7, -7, 14, 30, -30, 200)))).isoformat()

    def seen(self, state: State) -> list[str]:
        """Dates that stand in the state."""
        values = [
            v
            for rows in state.values()
            if isinstance(rows, dict)
            for row in rows.values()
            if isinstance(row, dict)
            for v in row.values()
        ]
        return [v for v in values if isinstance(v, str) and _DATED.match(v)]

    def words(self, state: State) -> str:
        rows = [
            row for rows in state.values() if isinstance(rows, dict) for row in rows.values() if isinstance(row, dict)
        ]
        if rows and self.random.random() < 0.5:
            texts = [v for v in self.random.choice(rows).values() if isinstance(v, str)]
            return self.random.choice(texts) or "x"
        return self.random.choice(_WORDS)

    def several(self, type_: Type, state: State) -> list[Any]:
        assert type_.of is not None
        return [self.value(type_.of, state) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 5)))]

    def entry(self, type_: Type, state: State) -> dict[str, Any]:
        found = {}
        for name, inner in type_.fields:
            if inner.optional and self.random.random() < 0.4:
                continue
            found[f"{name}_id" if inner.kind == "ref" else name] = self.value(inner, state)
        return found
