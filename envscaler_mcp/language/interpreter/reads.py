"""Questions: those that follow from the entities, and those that the author wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envscaler_mcp.language import calendar
from envscaler_mcp.language.analysis import day_filter
from envscaler_mcp.language.interpreter.effects import CallRefused
from envscaler_mcp.language.interpreter.evaluation import Evaluator, Names
from envscaler_mcp.language.interpreter.store import Ref, as_stored
from envscaler_mcp.language.model import Entity, Model, Query
from envscaler_mcp.language.pointing import Pointer, pointers_of_query, pointers_of_record, shown_key
from envscaler_mcp.language.text import plural, words
from envscaler_mcp.language.types import Type

PAGE = 50
FILTERS = ("ref", "one_of", "bool")


def derived_reads(model: Model) -> dict[str, tuple[Entity, str]]:
    """Tool to the entity it reads and how."""
    by_tool: dict[str, tuple[Entity, str]] = {}
    for name, reads in model.derive.items():
        entity = model.entities[name]
        for read in reads:
            by_tool[f"get_{entity.noun}" if read == "get" else f"{read}_{plural(entity.noun)}"] = (entity, read)
    return by_tool


class Reads:
    """Answers over the records of one store."""

    def __init__(self, evaluation: Evaluator) -> None:
        self.evaluation, self.store, self.model = evaluation, evaluation.store, evaluation.model

    def record(self, ref: Ref) -> dict[str, Any]:
        """A record with what is derived for it."""
        shown = {key: as_stored(value) for key, value in self.store.row(ref).items()}
        for attribute in self.store.entity(ref).derived:
            assert attribute.derived is not None
            key = shown_key(attribute.name, attribute.type)
            shown[key] = as_stored(self.evaluation.value(attribute.derived, {"self": ref}))
        return {key: list(value) if isinstance(value, list) else value for key, value in shown.items()}

    def answer(self, data: Any, pointers: Iterable[Pointer], rows: list[Any]) -> dict[str, Any]:
        """An answer, and what people call the records to which its rows point."""
        names = {
            ref.id: self.store.label(ref)
            for pointer in pointers
            for row in rows
            for ref in _refs(pointer, row[pointer.key])
        }
        return {"data": data, "names": names} if names else {"data": data}

    def clock(self) -> dict[str, Any]:
        now = self.store.clock()
        return {"now": now, "weekday": calendar.DAYS[calendar.weekday(now[:10]) - 1]}

    # What follows from an entity

    def derived(self, entity: Entity, read: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        pointers = pointers_of_record(entity, self.model)
        if read == "get":
            record = self.record(self.known(entity, arguments[f"{entity.noun}_id"]))
            return self.answer(record, pointers, [record])
        refs = self.containing(entity, arguments) if read == "find" else self.filtered(entity, arguments)
        if read == "count":
            return {"data": {"total": len(refs)}}
        rows = [self.record(ref) for ref in page_of(refs, arguments)]
        return self.answer({"total": len(refs), entity.container: rows}, pointers, rows)

    def known(self, entity: Entity, id_: str) -> Ref:
        if not self.store.exists(entity.name, id_):
            raise CallRefused(f"There is no {words(entity.noun)} {id_!r}.")
        return Ref(entity.name, id_)

    def containing(self, entity: Entity, arguments: Mapping[str, Any]) -> list[Ref]:
        """Those whose label contains a text; upper and lower case are the same."""
        label = f"{entity.noun}_id" if entity.label == "id" else entity.label
        part = arguments.get(label)
        refs = self.store.all(entity.name)
        return refs if part is None else [ref for ref in refs if part.casefold() in self.store.label(ref).casefold()]

    def filtered(self, entity: Entity, arguments: Mapping[str, Any]) -> list[Ref]:
        refs = self.store.all(entity.name) if entity.label == "id" else self.containing(entity, arguments)
        for attribute in entity.stored:
            wanted = arguments.get(attribute.key)
            if wanted is None or attribute.type.kind not in FILTERS:
                continue
            if attribute.type.kind == "ref":
                self.known(self.model.entities[attribute.type.entity], wanted)
            refs = [ref for ref in refs if self.store.row(ref)[attribute.key] == wanted]
        days = day_filter(entity, self.model)
        if days is not None:
            first, last = arguments.get(days.first), arguments.get(days.last)
            if first is not None or last is not None:
                refs = [ref for ref in refs if _between(first, self.store.row(ref)[days.attribute.key], last)]
        return refs

    # What the author wrote

    def own(self, query: Query, arguments: Mapping[str, Any], names: Names) -> dict[str, Any]:
        pointers = pointers_of_query(query, self.model)
        if query.answer:
            answer = {key: as_stored(self.evaluation.value(expr, names)) for key, expr in query.answer.items()}
            return self.answer(answer, pointers, [answer])
        assert query.source is not None
        assert query.element is not None
        elements = []
        for element in self.evaluation.elements(query.source, names):
            inside = {**names, query.variable: element}
            lines = [w.test for w in query.where if all(names[name] is not None for name in w.skipped_without)]
            if all(self.evaluation.value(test, inside) for test in lines):
                elements.append(element)
        elements = self.evaluation.ordered(elements, query.variable, query.by, names)
        some = page_of(elements, arguments) if query.limit is None else elements[: query.limit]
        rows = [self.row(query, element, {**names, query.variable: element}) for element in some]
        return self.answer({"total": len(elements), self.title(query.element): rows}, pointers, rows)

    def row(self, query: Query, element: Any, names: Names) -> Any:
        if query.show:
            return {key: as_stored(self.evaluation.value(expr, names)) for key, expr in query.show.items()}
        return self.record(element) if isinstance(element, Ref) else element

    def title(self, element: Type) -> str:
        return self.model.entities[element.entity].container if element.kind == "ref" else "found"


def _between(first: str | None, moment: str | None, last: str | None) -> bool:
    """Whether it is on one of the days; what has no day yet is on none."""
    if moment is None:
        return False
    return (first is None or moment[:10] >= first) and (last is None or moment[:10] <= last)


def _refs(pointer: Pointer, value: Any) -> list[Ref]:
    """The records whose ids an entry holds."""
    ids = value or () if pointer.many else (value,)
    return [Ref(pointer.entity.name, id_) for id_ in ids if id_ is not None]


def page_of(refs: list[Ref], arguments: Mapping[str, Any]) -> list[Ref]:
    offset = arguments.get("offset", 0)
    return refs[offset : offset + PAGE]
