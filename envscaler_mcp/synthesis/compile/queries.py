"""Questions: those that follow from the entities, and those that the author wrote."""

from __future__ import annotations

import re

from envscaler_mcp.language.analysis import day_filter
from envscaler_mcp.language.expressions import Expr, Loop
from envscaler_mcp.language.model import Attribute, Entity, Filter, Let, Model, Query
from envscaler_mcp.language.pointing import Pointer, pointers_of_query, pointers_of_record, shown_key
from envscaler_mcp.language.python_code import AND, NOT, OR, quoted
from envscaler_mcp.language.text import a, plural, words
from envscaler_mcp.language.types import DATE
from envscaler_mcp.synthesis.compile.expressions import Writer
from envscaler_mcp.synthesis.compile.names import derived_method, fresh, record_name, type_name
from envscaler_mcp.synthesis.compile.python import Lines
from envscaler_mcp.synthesis.compile.signatures import Signatures, references

_OFFSET = 'offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0'
_OFFSET_DOC = "    offset (int): How many to skip; fifty are returned at a time. Default: 0."

_BEFORE_A_NOUN = {
    "about",
    "after",
    "at",
    "before",
    "below",
    "by",
    "for",
    "from",
    "in",
    "inside",
    "of",
    "on",
    "to",
    "under",
    "with",
    "within",
}


_NO_NOUNS = {*_BEFORE_A_NOUN, "at least", "only", "what", "when", "where", "who", "why"}
_PARTICIPLE = r"(?<!pass)ed$|[ai]ble$|(brok|froz|stol|giv|tak)en$|drawn$|paid$"
"""Names of yes-or-no attributes after which `that are` is English, as far as an ending tells."""
_ADJECTIVES = {
    "active",
    "bulky",
    "critical",
    "dangerous",
    "essential",
    "explicit",
    "fragile",
    "infectious",
    "large",
    "open",
    "organic",
    "private",
    "public",
    "quiet",
    "ready",
    "secret",
    "secure",
    "senior",
    "serious",
    "severe",
    "shut",
    "steep",
    "unsafe",
    "urgent",
    "vegetarian",
    "wide",
}
"""The same, where no ending tells."""


def show_method(entity: Entity) -> str:
    """The private method that answers with a record."""
    return f"_show_{entity.noun}"


def needs_show(entity: Entity) -> bool:
    """Whether a record is answered with more than it stores."""
    return bool(entity.derived) or any(attribute.type.kind == "list" for attribute in entity.stored)


def write_show(entity: Entity, model: Model) -> str:
    """A record as an answer holds it: its attributes, stored and derived, and lists of their own."""
    lines = Lines()
    lines.depth = 1
    record = record_name(entity)
    lines.add(f"def {show_method(entity)}(self, {record}: {type_name(entity)}) -> dict[str, Any]:")
    lines.depth += 1
    lines.doc([f"The {words(entity.noun)} as an answer shows it."])
    parts = [f"**{record}"]
    lists = [attribute.key for attribute in entity.stored if attribute.type.kind == "list"]
    parts.extend(f'"{key}": [*{record}["{key}"]]' for key in lists)
    for attribute in entity.derived:
        call = f"self.{derived_method(model, entity.name, attribute.name)}({record})"
        parts.append(f'"{shown_key(attribute.name, attribute.type)}": {_as_answer(attribute, call)}')
    lines.add(f"return {{{', '.join(parts)}}}")
    return lines.text()


def names_method(entity: Entity) -> str:
    """The private method that says what the records are called that records point to."""
    return f"_names_of_{entity.container}"


def write_names(entity: Entity, model: Model) -> str:
    """What people call the records that shown records of the entity point to."""
    lines = Lines()
    lines.depth = 1
    lines.add(f"def {names_method(entity)}(self, shown: list[Any]) -> dict[str, str]:")
    lines.depth += 1
    lines.doc([f"What people call the records that {words(entity.container)} point to."])
    lines.add(f"return {_names(pointers_of_record(entity, model), 'shown')}")
    return lines.text()


def _names(pointers: tuple[Pointer, ...], rows: str) -> str:
    """Code that gives the names of the records to which rows point."""
    return f"_names({', '.join(_pointed(pointer, rows) for pointer in pointers)})"


def _pointed(pointer: Pointer, rows: str) -> str:
    entity, value = pointer.entity, f"row[{quoted(pointer.key)}]"
    if pointer.many:
        several = f"({value} or ())" if pointer.optional else value
        ids = f"[each for row in {rows} for each in {several}]"
    else:
        ids = f"[{value} for row in {rows}]"
    return f"(self.{entity.container}, {quoted(entity.attributes[entity.label].key)}, {ids})"


def _answer(lines: Lines, data: str, names: str) -> None:
    """Emit the end of a question."""
    lines.add(f"return _found({data}{f', {names}' if names else ''})")


def _as_answer(attribute: Attribute, call: str) -> str:
    if attribute.type.kind == "ref":
        return f"_id_of({call})"
    if attribute.type.kind == "list" and attribute.type.of is not None and attribute.type.of.kind == "ref":
        return f'[record["id"] for record in {call}]'
    return call


def write_clock(name: str) -> str:
    """The read that tells the day and the hour."""
    lines = Lines()
    lines.depth = 1
    lines.add(f"def {name}(self) -> Result:")
    lines.depth += 1
    answer = '{"now": "YYYY-MM-DDTHH:MM", "weekday": its name}'
    lines.doc(["Tell the day and the hour.", f'Returns:\n    dict: {{"success": True, "data": {answer}}}'])
    lines.add("return _found(_clock(self.now))")
    return lines.text()


def shown(entity: Entity, record: str) -> str:
    """Code that gives a record as an answer holds it."""
    return f"self.{show_method(entity)}({record})" if needs_show(entity) else f"{{**{record}}}"


class DerivedReads:
    """The reads that follow from an entity."""

    def __init__(self, entity: Entity, signatures: Signatures) -> None:
        self.entity, self.signatures = entity, signatures
        self.pointers = pointers_of_record(entity, signatures.model)

    def write(self, read: str) -> str:
        return {"get": self._get, "list": self._list, "find": self._find, "count": self._count}[read]()

    def _get(self) -> str:
        entity, lines = self.entity, Lines()
        lines.depth = 1
        noun, key = words(entity.noun), f"{entity.noun}_id"
        lines.add(f"def get_{entity.noun}(self, {key}: str) -> Result:")
        lines.depth += 1
        lines.doc(
            [
                f"Look up one {noun} by its id.",
                f"Args:\n    {key} (str): Id of the {noun}, such as {entity.prefix}-00001.",
                'Returns:\n    dict: {"success": True, "data": the record} or {"success": False, "error": why not}',
            ]
        )
        record = record_name(entity)
        lines.add(f"{record} = self.{entity.container}.get({key})")
        lines.add(f"if {record} is None:")
        lines.add(f'    return _refused(f"There is no {noun} {{{key}!r}}.")')
        if self.pointers:
            lines.add(f"shown = {shown(entity, record)}")
        _answer(lines, "shown" if self.pointers else shown(entity, record), self._names("[shown]"))
        return lines.text()

    def _names(self, rows: str) -> str:
        """Code that gives the names of what rows of whole records point to, if they may point to anything."""
        return f"self.{names_method(self.entity)}({rows})" if self.pointers else ""

    def _page(self, lines: Lines, record: str) -> None:
        """Emit the answer with fifty of the records that were found."""
        entity = self.entity
        rows = f"[{shown(entity, record)} for {record} in _page(found, offset)]"
        if self.pointers:
            lines.add(f"shown = {rows}")
            rows = "shown"
        _answer(lines, f'{{"total": len(found), "{entity.container}": {rows}}}', self._names(rows))

    def filters(self) -> list[Attribute]:
        """The attributes that a list can be narrowed by."""
        return [a_ for a_ in self.entity.stored if a_.type.kind in ("ref", "one_of", "bool")]

    def _record(self) -> str:
        label = self._label()
        taken = {attribute.key for attribute in self.filters()} | ({label.key} if label is not None else set())
        return record_name(self.entity, taken)

    def _label(self) -> Attribute | None:
        return self.entity.attributes[self.entity.label] if self.entity.label != "id" else None

    def _signature(self, name: str, offset: bool) -> tuple[Lines, list[str]]:
        lines = Lines()
        lines.depth = 1
        params, docs = ["self"], []
        label, many = self._label(), words(self.entity.container)
        if label is not None:
            params.append(f"{label.key}: Text | None = None")
            docs.append(f"    {label.key} (str, optional): Only {many} whose {words(label.name)} contains this text.")
        for attribute in self.filters():
            annotation = self.signatures.annotation(attribute.type.certain)
            params.append(f"{attribute.key}: {annotation} | None = None")
            docs.append(f"    {attribute.key} ({_wire(attribute)}, optional): {self._which(attribute)}.")
        days = day_filter(self.entity, self.signatures.model)
        if days is not None:
            annotation = self.signatures.annotation(DATE)
            for argument, which in ((days.first, "later"), (days.last, "earlier")):
                params.append(f"{argument}: {annotation} | None = None")
                docs.append(
                    f"    {argument} (str, optional): Only {many} whose `{days.attribute.key}` is on this day or {which}."
                )
        if offset:
            params.append(_OFFSET)
            docs.append(_OFFSET_DOC)
        lines.add(f"def {name}({', '.join(params)}) -> Result:")
        lines.depth += 1
        return lines, docs

    def _which(self, attribute: Attribute) -> str:
        """What a list holds that is narrowed by the attribute."""
        type_, many, what = attribute.type, words(self.entity.container), words(attribute.name)
        if type_.kind == "bool":
            return f"Only {many} {_are(attribute.name)}"
        if type_.kind == "one_of":
            return (
                f"Only {many} with this {what}" if _is_noun(what) else f"Only {many} whose `{attribute.name}` is this"
            )
        noun = words(self.signatures.model.entities[type_.entity].noun)
        if what == noun:
            return f"Only {many} of this {noun}"
        # `waived by`, `within`: the word before the record, where `whose ..` would be no English.
        if what.rpartition(" ")[2] in _BEFORE_A_NOUN:
            return f"Only {many} {what} this {noun}"
        return f"Only {many} whose {what} is this {noun}"

    def _found(self, lines: Lines) -> str:
        """Emit what narrows the records; the name that holds them."""
        entity, record = self.entity, self._record()
        tests: list[str] = []
        label = self._label()
        if label is not None:
            tests.append(f'({label.key} is None or {label.key}.casefold() in {record}["{label.key}"].casefold())')
        for attribute in self.filters():
            tests.append(f'({attribute.key} is None or {record}["{attribute.key}"] == {attribute.key})')
            if attribute.type.kind == "ref":
                target = self.signatures.model.entities[attribute.type.entity]
                lines.add(f"if {attribute.key} is not None and {attribute.key} not in self.{target.container}:")
                lines.add(f'    return _refused(f"There is no {words(target.noun)} {{{attribute.key}!r}}.")')
        tests += self._on_days(record)
        if not tests:
            return f"list(self.{entity.container}.values())"
        return f"[{record} for {record} in self.{entity.container}.values() if {' and '.join(tests)}]"

    def _on_days(self, record: str) -> list[str]:
        """The tests of the first and the last day that were asked for."""
        days = day_filter(self.entity, self.signatures.model)
        if days is None:
            return []
        value, type_ = f"{record}[{quoted(days.attribute.key)}]", days.attribute.type
        day = value if type_.certain == DATE else f"{value}[:10]"
        tests = []
        for argument, sign in ((days.first, ">="), (days.last, "<=")):
            test = f"{day} {sign} {argument}"
            tests.append(f"({argument} is None or {f'({value} is not None and {test})' if type_.optional else test})")
        return tests

    def _list(self) -> str:
        entity = self.entity
        lines, docs = self._signature(f"list_{plural(entity.noun)}", True)
        many = words(entity.container)
        lines.doc(
            [
                f"List the {many}, oldest first, all of them or only some.",
                "Args:\n" + "\n".join(docs),
                f'Returns:\n    dict: {{"success": True, "data": {{"total": int, "{entity.container}": records}}}}',
            ]
        )
        lines.add(f"found = {self._found(lines)}")
        self._page(lines, self._record())
        return lines.text()

    def _count(self) -> str:
        entity = self.entity
        lines, docs = self._signature(f"count_{plural(entity.noun)}", False)
        args = ["Args:\n" + "\n".join(docs)] if docs else []
        lines.doc(
            [
                f"Count the {words(entity.container)}, all of them or only some.",
                *args,
                'Returns:\n    dict: {"success": True, "data": {"total": int}}',
            ]
        )
        lines.add(f"found = {self._found(lines)}")
        lines.add('return _found({"total": len(found)})')
        return lines.text()

    def _find(self) -> str:
        entity, lines = self.entity, Lines()
        lines.depth = 1
        label = self._label()
        key = label.key if label is not None else "id"
        argument = key if key != "id" else f"{entity.noun}_id"
        what = words(label.name) if label is not None else "id"
        lines.add(f"def find_{plural(entity.noun)}(self, {argument}: Text, {_OFFSET}) -> Result:")
        lines.depth += 1
        lines.doc(
            [
                f"Find {words(entity.container)} by {what}; upper and lower case are the same.",
                f"Args:\n    {argument} (str): {a(what).capitalize()} or a part of it.\n{_OFFSET_DOC}",
                f'Returns:\n    dict: {{"success": True, "data": {{"total": int, "{entity.container}": records}}}}',
            ]
        )
        record = record_name(entity, {argument})
        lines.add(
            f"found = [{record} for {record} in self.{entity.container}.values() "
            f'if {argument}.casefold() in {record}["{key}"].casefold()]'
        )
        self._page(lines, record)
        return lines.text()


def records_key(query: Query, model: Model) -> str:
    """The key of the records in the answer of an author's query."""
    element = query.element
    if element is not None and element.kind == "ref":
        return model.entities[element.entity].container
    return "found"


class OwnQuery:
    """A query that the author wrote."""

    def __init__(self, query: Query, model: Model, writer: Writer, signatures: Signatures) -> None:
        self.query, self.model, self.writer, self.signatures = query, model, writer, signatures

    def write(self) -> str:
        query, lines = self.query, Lines()
        self.writer.given = references(query.params)
        lines.depth = 1
        paged = bool(query.variable) and query.limit is None
        params = ["self", *self.signatures.parameters(query.params, query.name), *([_OFFSET] if paged else [])]
        lines.add(f"def {query.name}({', '.join(params)}) -> Result:")
        lines.depth += 1
        docs = [*self.signatures.documentation(query.params), *([_OFFSET_DOC] if paged else [])]
        container = records_key(self.query, self.model)
        answer = f'{{"total": int, "{container}": records}}' if query.variable else f"{{{', '.join(query.answer)}}}"
        returns = f'Returns:\n    dict: {{"success": True, "data": {answer}}} or {{"success": False, "error": why not}}'
        lines.doc([query.about, *(["Args:\n" + "\n".join(docs)] if docs else []), returns])
        self.signatures.resolve(lines, query.params, self._names())
        for line in query.require:
            if isinstance(line, Let):
                lines.add(f"{line.name} = {self.writer.value(line.value)}")
            else:
                lines.add(f"if {self.writer.unless(line.test)}:")
                lines.add(f"    return _refused({self.writer.sentence(line.sentence)})")
        if query.answer:
            parts = ", ".join(f"{quoted(key)}: {self.writer.shown(expr)}" for key, expr in query.answer.items())
            self._one(lines, f"{{{parts}}}")
        else:
            self._records(lines, container, paged)
        return lines.text()

    def _one(self, lines: Lines, answer: str) -> None:
        """Emit an answer that lists nothing."""
        pointers = pointers_of_query(self.query, self.model)
        if not pointers:
            _answer(lines, answer, "")
            return
        name = self._fresh("answer")
        lines.add(f"{name} = {answer}")
        _answer(lines, name, _names(pointers, f"[{name}]"))

    def _fresh(self, wish: str) -> str:
        """A name that is none of the author's."""
        return fresh((wish,), self._names() | {"self", "found", "offset"})

    def _names(self) -> set[str]:
        query = self.query
        names = {query.variable, *(param.name for param in query.params), *(param.argument for param in query.params)}
        return names | {line.name for line in query.require if isinstance(line, Let)}

    def _records(self, lines: Lines, container: str, paged: bool) -> None:
        query = self.query
        assert query.source is not None
        assert query.element is not None
        variable = query.variable
        plain = [line.test for line in query.where if not line.skipped_without]
        loop = Loop(variable, query.element, query.source, tuple(plain))
        source, rest = self.writer.records(loop, not query.by)
        tests = [self._test(line, rest) for line in query.where]
        tests = [test for test in tests if test]
        listed = f"[{variable} for {variable} in {source.at(OR)}"
        listed += f" if {' and '.join(tests)}]" if tests else "]"
        lines.add(f"found = {listed}")
        if query.by:
            keys = [str(self.writer.key(part)) for part in query.by]
            tie = [f"_age({variable})"] if query.element.kind == "ref" else []
            comma = "," if len(keys) + len(tie) == 1 else ""
            lines.add(f"found.sort(key=lambda {variable}: ({', '.join([*keys, *tie])}{comma}))")
        some = "_page(found, offset)" if paged else f"found[:{query.limit}]"
        rows, names = f"[{self._row()} for {variable} in {some}]", ""
        pointers = pointers_of_query(query, self.model)
        if pointers:
            name = self._fresh("shown")
            lines.add(f"{name} = {rows}")
            rows, names = name, self._names_of(pointers, name)
        _answer(lines, f'{{"total": len(found), "{container}": {rows}}}', names)

    def _names_of(self, pointers: tuple[Pointer, ...], rows: str) -> str:
        element = self.query.element
        assert element is not None
        if self.query.show:
            return _names(pointers, rows)
        return f"self.{names_method(self.model.entities[element.entity])}({rows})"

    def _test(self, line: Filter, rest: list[Expr]) -> str:
        """A line of `where`; one that names an omitted parameter is skipped."""
        if not line.skipped_without:
            return self.writer.value(line.test).at(NOT) if any(line.test is other for other in rest) else ""
        arguments = {param.name: param.argument for param in self.query.params}
        skipped = [f"{arguments[name]} is None" for name in line.skipped_without]
        return f"({' or '.join([*skipped, self.writer.value(line.test).at(AND)])})"

    def _row(self) -> str:
        query = self.query
        if query.show:
            parts = ", ".join(f"{quoted(key)}: {self.writer.shown(expr)}" for key, expr in query.show.items())
            return f"{{{parts}}}"
        assert query.element is not None
        if query.element.kind == "ref":
            return shown(self.model.entities[query.element.entity], query.variable)
        return query.variable


def _is_noun(what: str) -> bool:
    """Whether it can be said that something has this; otherwise, say, `by` or `waits for`."""
    last = what.rpartition(" ")[2]
    return last not in _NO_NOUNS and not (last.endswith("s") and not last.endswith(("ss", "us", "is", "species")))


def _are(name: str) -> str:
    """Those for which an attribute is true, or false, as far as its name says how to put it."""
    what = words(name)
    first, _, rest = what.partition(" ")
    if first == "may" and rest:
        return f"that may {rest} (true) or not (false)"
    if first in _BEFORE_A_NOUN or what in _ADJECTIVES or (not rest and re.search(_PARTICIPLE, what)):
        return f"that are {what} (true) or not (false)"
    return f"with this value of `{name}`"


def _wire(attribute: Attribute) -> str:
    return "bool" if attribute.type.kind == "bool" else "str"
