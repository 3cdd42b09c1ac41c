"""What a loop runs over, as code: all records, those that an index keeps under some values, or those of some ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from envscaler_mcp.language.expressions import Expr, Local, Loop, Records, Scan
from envscaler_mcp.language.python_code import OR, Code
from envscaler_mcp.synthesis.compile.indexes import Index
from envscaler_mcp.synthesis.compile.narrowing import Branch, named_as_written
from envscaler_mcp.synthesis.compile.ways import Way, Ways

if TYPE_CHECKING:
    from envscaler_mcp.synthesis.compile.expressions import Writer


@dataclass(frozen=True, slots=True)
class LoopSources:
    """Writes what loops over records run over; the indexes that it names are kept from then on."""

    writer: Writer

    def of(self, loop: Loop, ordered: bool) -> tuple[Code, list[Expr]]:
        """The records of a loop, and the tests that the way there does not answer."""
        assert isinstance(loop.source, Records)
        way = Ways(self.writer.indexes).of(loop)
        match way.kind:
            case "all":
                return Code(f"self.{self._container(loop)}.values()"), list(loop.tests)
            case "key":
                assert way.index is not None
                values = {name: str(self.writer.key(value)) for name, value in way.values.items()}
                source = self._bucket(way.index, values)
            case "path":
                source = self._along(way, loop)
            case "either":
                pairs = zip(way.others, way.keys, strict=True)
                buckets = [
                    f"*{self._bucket(index, {index.attributes[0]: str(self.writer.key(key))})}" for index, key in pairs
                ]
                source = f"_distinct([{', '.join(buckets)}])"
            case "among":
                source = self._among(way.branches, loop)
        in_order = source.startswith("_those(")
        return Code(f"sorted({source}, key=_age)" if ordered and not in_order else source), way.rest(loop)

    def _container(self, loop: Loop) -> str:
        assert isinstance(loop.source, Records)
        return self.writer.model.entities[loop.source.entity].container

    def _bucket(self, index: Index, values: dict[str, str]) -> str:
        """The records that an index keeps under these values."""
        index = self.writer.indexes.on(index.entity.name, index.attributes, lowered=index.lowered)
        keys = ", ".join(values[name] for name in index.attributes)
        return f"self.{index.name}.get({keys if len(index.attributes) == 1 else f'({keys})'}, {{}}).values()"

    def _along(self, way: Way, loop: Loop) -> str:
        """Every step of a path backwards, from what lies at its end."""
        assert way.index is not None
        key = str(self.writer.key(way.values[way.first]))
        parts: list[str] = []
        for index in reversed(way.others):
            name = f"_{index.entity.noun}"
            parts.append(f"for {name} in {self._bucket(index, {index.attributes[0]: key})}")
            key = f'{name}["id"]'
        values = {name: str(self.writer.key(value)) for name, value in way.values.items()} | {way.first: key}
        parts.append(f"for {loop.name} in {self._bucket(way.index, values)}")
        return f"[{loop.name} {' '.join(parts)}]"

    def _among(self, branches: tuple[Branch, ...], loop: Loop) -> str:
        """The records to which some ids lead."""
        if len(branches) > 1:
            return f"_distinct([{', '.join(f'*{self._branch(branch, loop)[0]}' for branch in branches)}])"
        code, repeats = self._branch(branches[0], loop)
        return f"_distinct({code})" if repeats else code

    def _branch(self, branch: Branch, loop: Loop) -> tuple[str, bool]:
        """Every step backwards from these ids, and whether a record may be met twice."""
        keys = tuple(named_as_written(key, {*self.writer.given, loop.name}) for key in branch.keys)
        if not branch.steps:
            return f"_those(self.{self._container(loop)}, {self._ids(keys)})", False
        several = len(keys) > 1 or keys[0].type.kind == "list"
        parts = [f"for key in {self._ids(keys)}"] if several else []
        key, source, name = "key" if several else str(self.writer.key(keys[0])), "", ""
        for number, (entity, attribute) in reversed([*enumerate(branch.steps)]):
            index = self.writer.indexes.candidate(entity, (attribute,))
            several = several or index.of_members
            name = f"_{index.entity.noun}" if number else loop.name
            source = self._bucket(index, {attribute: key})
            parts.append(f"for {name} in {source}")
            key = f'{name}["id"]'
        return source if len(parts) == 1 else f"[{name} {' '.join(parts)}]", several

    def _ids(self, keys: tuple[Expr, ...]) -> str:
        """The ids of some records and lists of records, as a list."""
        if len(keys) == 1 and keys[0].type.kind == "list":
            return self._ids_of(keys[0])
        each = [f"*{self._ids_of(key)}" if key.type.kind == "list" else self.writer.key(key).at(OR) for key in keys]
        return f"[{', '.join(each)}]"

    def _ids_of(self, expr: Expr) -> str:
        """The ids of a list."""
        if raw := self.writer.raw_ids(expr):
            return raw
        if not isinstance(expr, Scan) or expr.gather != "list":
            return str(self.writer.stored(expr))
        last = expr.loops[-1]
        raw = self.writer.raw_ids(last.source) if not isinstance(last.source, Records) else ""
        if raw and not last.tests and isinstance(expr.element, Local) and expr.element.name == last.name:
            return f"[key {self.writer.loops(expr.loops[:-1], False)} for key in {raw}]"
        return f"[{self.writer.key(expr.element)} {self.writer.loops(expr.loops, False)}]"


def going_through(name: str, source: Code) -> str:
    """`for name in source`; a list that only puts loops together is written as these loops."""
    text = source.at(OR)
    if text.startswith(f"[{name} for ") and text.endswith("]"):
        return text[len(name) + 2 : -1]
    return f"for {name} in {text}"
