"""The checks after the effects of one operation: only those that its writes call for, asked only of what they can have touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.python_code import quoted
from envscaler_mcp.language.text import a, words
from envscaler_mcp.synthesis.compile.expressions import Writer, label_of
from envscaler_mcp.synthesis.compile.python import Lines
from envscaler_mcp.synthesis.compile.rules import Hop, Question, Route, Whole
from envscaler_mcp.synthesis.compile.sites import Site, refers


@dataclass(frozen=True, slots=True)
class _Way:
    """How far a route has been followed: a record by its key or its name, or several."""

    code: str = ""
    key: str = ""
    entity: str = ""
    many: bool = False
    loose: bool = False
    """There may be no such record."""


class Checks:
    """Writes the checks of one operation."""

    def __init__(
        self,
        model: Model,
        writer: Writer,
        questions: list[Question | Whole],
        methods: dict[int, str],
        sites: list[Site],
        names: set[str],
        fresh: Callable[..., str],
        lines: Lines,
    ) -> None:
        self.model, self.writer, self.questions, self.methods = model, writer, questions, methods
        self.sites, self.names, self.fresh, self.lines = sites, names, fresh, lines
        self.deleting = {site.entity for site in sites if site.deletes}

    def write(self) -> None:
        self._unique()
        self._dangling()
        for number, question in enumerate(self.questions):
            if isinstance(question, Whole):
                if any((site.entity, name) in question.reads for site in self.sites for name in site.attributes):
                    self.lines.add(f"if self.{self.methods[number]}():")
                    self.lines.add(f"    return self._take_back(RULES[{question.rule.number - 1}])")
            else:
                self._ask(question, self.methods[number])

    def _unique(self) -> None:
        for site in self.sites:
            entity = self.model.entities[site.entity]
            for attribute in entity.stored:
                if site.deletes or not attribute.unique or not ({"*", attribute.name} & site.attributes):
                    continue
                index = self.writer.indexes.on(entity.name, (attribute.name,))
                record = self.fresh(f"one_{entity.noun}") if site.many else site.record
                if site.many:
                    self.lines.add(f"for {record} in {site.record}:")
                    self.lines.depth += 1
                stored = f'{record}["{attribute.key}"]'
                present = f"{stored} is not None and " if attribute.type.optional else ""
                self.lines.add(f"if {present}len(self.{index.name}.get({stored}, {{}})) > 1:")
                inner = stored.replace('"', "'")
                noun = words(entity.noun)
                self.lines.add(
                    f'    return self._take_back(f"There is already {a(noun)} with the {words(attribute.name)} {{{inner}!r}}.")'
                )
                if site.many:
                    self.lines.depth -= 1

    def _dangling(self) -> None:
        for site in self.sites:
            if not site.deletes:
                continue
            target = self.model.entities[site.entity]
            users = [
                (entity, attribute)
                for entity in self.model.entities.values()
                for attribute in entity.stored
                if refers(attribute, target.name)
            ]
            if not users:
                continue
            record = self.fresh(f"one_{target.noun}") if site.many else site.record
            if site.many:
                self.lines.add(f"for {record} in {site.record}:")
                self.lines.depth += 1
            for entity, attribute in users:
                self._used_by(entity, attribute, target, record)
            if site.many:
                self.lines.depth -= 1

    def _used_by(self, entity: Entity, attribute: Attribute, target: Entity, record: str) -> None:
        users = self.fresh("users")
        index = self.writer.indexes.on(entity.name, (attribute.name,))
        self.lines.add(f'{users} = len(self.{index.name}.get({record}["id"], {{}}))')
        label = label_of(self.model, target.name, record).replace('"', "'")
        single, many = words(entity.noun), words(entity.container)
        self.lines.add(f"if {users}:")
        self.lines.add(
            f'    return self._take_back(f"{words(target.noun).capitalize()} {{{label}}} is still used by '
            f"{{{users}}} {{'{single}' if {users} == 1 else '{many}'}}.\")"
        )
        self.names.discard(users)

    def _ask(self, question: Question, method: str) -> None:
        """Ask every record that the writes of this method could have made break the rule."""
        single: list[str] = []
        lists: list[str] = []
        scan = False
        for site in self.sites:
            # A record that goes takes everything along that others reached through it.
            gone = {a.name for a in self.model.entities[site.entity].stored} if site.deletes else set()
            for name in sorted(site.attributes | gone):
                key = (site.entity, name)
                if key not in question.routes:
                    continue
                routes = question.routes[key]
                if routes is None or any(self._cannot_follow(hop) for route in routes for hop in route):
                    scan = True
                    continue
                for route in routes:
                    if site.deletes and not route:
                        continue
                    self._candidates(site, name, route, question, single, lists)
        if not (single or lists or scan):
            return
        entity = self.model.entities[question.entity]
        refuse = f"return self._take_back(RULES[{question.rule.number - 1}])"
        if scan:
            record = self.fresh(f"one_{entity.noun}")
            self.lines.add(f"if any(self.{method}({record}) for {record} in self.{entity.container}.values()):")
            self.lines.add(f"    {refuse}")
            self.names.discard(record)
            return
        single = list(dict.fromkeys(single))
        lists = list(dict.fromkeys(lists))
        alive = entity.name in self.deleting
        if not lists and not alive and len(single) <= 2 and all(".get(" not in code for code in single):
            for code in single:
                self.lines.add(f"if self.{method}({code}):")
                self.lines.add(f"    {refuse}")
            return
        record = self.fresh(f"one_{entity.noun}")
        if len(lists) == 1 and not single:
            source = f"_distinct({lists[0]})"
        else:
            source = f"_distinct([{', '.join([*single, *(f'*{code}' for code in lists)])}])"
        self.lines.add(f"for {record} in {source}:")
        still = f'{record}["id"] in self.{entity.container} and ' if alive else ""
        self.lines.add(f"    if {still}self.{method}({record}):")
        self.lines.add(f"        {refuse}")
        self.names.discard(record)

    def _candidates(
        self, site: Site, attribute: str, route: Route, question: Question, single: list[str], lists: list[str]
    ) -> None:
        """The records at the end of a route, from the record as it is and from what it referred to before."""
        start = _Way(many=True, code=site.record) if site.many else _Way(code=site.record)
        self._follow(start, route, question, single, lists)
        if attribute in site.before and route and route[0].attribute == attribute and route[0].leaves_trace:
            declared = self.model.entities[site.entity].attributes[attribute]
            goal = declared.type.of if declared.type.kind == "list" else declared.type
            assert goal is not None
            former = site.before[attribute]
            several = site.many or declared.type.kind == "list"
            loose = declared.type.optional or goal.entity in self.deleting
            start = _Way(key=former, entity=goal.entity, loose=loose)
            if several:
                container = self.model.entities[goal.entity].container
                start = _Way(many=True, code=f"[self.{container}.get(key) for key in {former}]", loose=True)
            self._follow(start, route[1:], question, single, lists)
            if route[0].way == "above":
                self._follow(start, route, question, single, lists)

    def _cannot_follow(self, hop: Hop) -> bool:
        """Whether the way leads past records that this operation may have deleted."""
        return hop.way in ("above", "below") and hop.entity in self.deleting

    def _follow(self, way: _Way, route: Route, question: Question, single: list[str], lists: list[str]) -> None:
        for number, hop in enumerate(route, start=1):
            way = self._hop(way, hop, question.only if number == len(route) else {})
        (lists if way.many else single).append(self._code(way))

    def _code(self, way: _Way) -> str:
        """The record or records that a way has come to."""
        if way.code:
            return way.code
        container = self.model.entities[way.entity].container
        return f"self.{container}.get({way.key})" if way.loose else f"self.{container}[{way.key}]"

    def _hop(self, way: _Way, hop: Hop, only: dict[str, str]) -> _Way:
        """One step on; several records are each called `one` on the way. Of the last ones, `only` some matter."""
        attribute = self.model.entities[hop.entity].attributes[hop.attribute]
        record = "one" if way.many or way.loose else self._code(way)
        skip = " if one is not None" if way.loose else ""
        through = f"for one in {self._code(way) if way.many else f'[{self._code(way)}]'}{skip}"
        if hop.way in ("above", "below"):
            code = f'_above(self.{self.model.entities[hop.entity].container}, {record}, "{attribute.key}")'
            if hop.way == "below":
                code = f"_below(self.{self.writer.indexes.on(hop.entity, (hop.attribute,)).name}, {record})"
            return _Way(many=True, code=f"[user {through} for user in {code}]" if record == "one" else code)
        if hop.way == "back":
            only = {} if attribute.type.kind == "list" else only
            index = self.writer.indexes.on(hop.entity, (hop.attribute, *only))
            target_key = way.key or f'{record}["id"]'
            values = {hop.attribute: target_key, **{name: quoted(value) for name, value in only.items()}}
            parts = [values[name] for name in index.attributes]
            key = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
            users = f"self.{index.name}.get({key}, {{}}).values()"
            return _Way(many=True, code=f"[user {through} for user in {users}]" if record == "one" else users)
        goal = attribute.type.of if hop.way == "each" else attribute.type
        assert goal is not None
        loose = attribute.type.optional or goal.entity in self.deleting
        stored = f'{record}["{attribute.key}"]'
        container = self.model.entities[goal.entity].container

        def lookup(key: str) -> str:
            return f"self.{container}.get({key})" if loose else f"self.{container}[{key}]"

        if hop.way == "each":
            loops = f"{through} for key in {stored}" if record == "one" else f"for key in {stored}"
            return _Way(many=True, code=f"[{lookup('key')} {loops}]", loose=loose)
        if record == "one":
            return _Way(many=True, code=f"[{lookup(stored)} {through}]", loose=loose)
        return _Way(key=stored, entity=goal.entity, loose=loose)
