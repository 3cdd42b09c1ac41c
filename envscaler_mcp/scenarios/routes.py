"""Which reads show a record to an agent that knows only what a task says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from envscaler_mcp.artifacts import Call, Tool
from envscaler_mcp.sampling.offers import Offers, plain, told_options
from envscaler_mcp.scenarios.shapes import Part, Shapes, leaves, records_in, shown_in
from envscaler_mcp.serving.world import World

_CALLS = 60
"""How many calls of one query are looked at."""
_CHOICES = 40
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class ReadRoute:
    """Reads in their order, and what the task must say for them to be possible."""

    calls: tuple[Call, ...]
    values: tuple[Part, ...] = ()
    """Further fields of the record itself."""
    through: tuple[tuple[str, str], ...] = ()
    """Other records, by which it is found."""


@dataclass(frozen=True, slots=True)
class _Answer:
    call: Call
    needs: tuple[str, ...]
    """Ids that the call names."""
    says: tuple[Any, ...]
    """Values in the call that no description of its arguments lists."""
    records: tuple[set[str], ...]

    def shows(self, key: str, parts: tuple[Part, ...]) -> bool:
        """Whether one record in the answer has the id and all the values."""
        wanted = {key, *(str(value) for _, value in parts)}
        return any(wanted <= record for record in self.records)


class Routes:
    """What all queries of an environment show at the start of a world."""

    def __init__(self, tools: tuple[Tool, ...], world: World, shapes: Shapes) -> None:
        self.shapes = shapes
        self._offers = Offers(world.state(), {})
        self._showing: dict[str, list[_Answer]] = {}
        self._reads: list[Call] = []
        for tool in tools:
            if tool.effect == "reads":
                for arguments in islice(self._arguments(tool), _CALLS):
                    self._look(world, tool, arguments)
        self._found: dict[tuple[str, str], ReadRoute | None] = {}

    def _look(self, world: World, tool: Tool, arguments: dict[str, Any]) -> None:
        outcome = world.call(tool.name, arguments)
        if outcome.kind != "done":
            return
        call = Call(tool=tool.name, arguments=arguments)
        data = outcome.payload.get("data", outcome.payload)
        schemas = tool.input_schema.get("properties", {})
        says = tuple(
            value
            for name, value in arguments.items()
            if value not in self.shapes.home and not isinstance(value, bool) and value not in _listed(schemas[name])
        )
        answer = _Answer(call, tuple(self.shapes.ids_in(arguments)), says, tuple(records_in(data)))
        self._reads.append(call)
        for token in shown_in(data):
            if token in self.shapes.home:
                self._showing.setdefault(token, []).append(answer)

    def _arguments(self, tool: Tool) -> Iterator[dict[str, Any]]:
        schema = tool.input_schema
        needed = [name for name in schema.get("required", ()) if name in schema.get("properties", {})]
        choices = [self._choices(tool.name, name, schema["properties"][name]) for name in needed]
        most = {0: 1, 1: _CHOICES, 2: _CHOICES}.get(len(choices), 8)
        choices = [values[:most] for values in choices]
        # Diagonally, so that a few calls already differ in every argument.
        pairs = sorted(
            product(*(list(enumerate(values)) for values in choices)), key=lambda row: sum(at for at, _ in row)
        )
        for row in pairs:
            yield {name: value for name, (_, value) in zip(needed, row, strict=True)}

    def _choices(self, tool: str, name: str, schema: Mapping[str, Any]) -> list[Any]:
        plain_schema = plain(schema)
        container = self._offers.container(tool, name)
        if container:
            return list(self.shapes.containers.get(container, ()))[:_CHOICES]
        listed = _listed(plain_schema)
        if listed:
            return list(listed)
        if plain_schema.get("type") == "string":
            texts = [value for value in self._offers.stored_values(name) if isinstance(value, str) and value]
            texts += [value for value in self._items(name) if isinstance(value, str)]
            return list(dict.fromkeys(texts))[:_CHOICES]
        return [offer.value for offer in self._offers.of(tool, name, plain_schema)][:4]

    def _items(self, name: str) -> Iterator[Any]:
        """Entries of lists that records keep under the plural of the name."""
        for records in self.shapes.containers.values():
            for record in records.values():
                for field, value in record.items():
                    if isinstance(value, list) and field.startswith(name.rstrip("y")):
                        yield from (entry for entry in value if not isinstance(entry, dict | list))

    def route(self, container: str, key: str) -> ReadRoute | None:
        """The shortest way to see the record's id beside what the task says of it, or nothing where there is none."""
        place = (container, key)
        if place not in self._found:
            self._found[place] = None
            routes = sorted(self._routes(container, key, 0), key=_length)
            self._found[place] = routes[0] if routes else None
        return self._found[place]

    def _routes(self, container: str, key: str, depth: int) -> Iterator[ReadRoute]:
        parts = self.shapes.description(container, key)
        showing = self._showing.get(key, ())
        for answer in showing:
            if answer.shows(key, parts):
                yield from self._reached(container, key, answer, parts, depth)

    def _reached(
        self, container: str, key: str, answer: _Answer, parts: tuple[Part, ...], depth: int
    ) -> Iterator[ReadRoute]:
        """The ways to make this very read."""
        values = self._said(container, key, answer)
        if values is None:
            return
        others = [need for need in answer.needs if need != key]
        record = set(map(str, leaves(self.shapes.containers[container][key])))
        if others and (depth >= _DEPTH or any(other not in record for other in others)):
            return
        before: list[Call] = []
        through: list[tuple[str, str]] = []
        for other in others:
            home = self.shapes.home[other]
            routes = sorted(self._routes(home, other, depth + 1), key=_length)
            if not routes:
                return
            before += [call for call in routes[0].calls if call not in before]
            through += [(home, other), *routes[0].through]
            if routes[0].values:
                return
        if key in answer.needs and parts:
            # The id must be seen somewhere before it can be asked for.
            for hint in self._showing.get(key, ()):
                if not hint.needs:
                    hinted = self._said(container, key, hint)
                    if hinted is not None:
                        both = tuple(dict.fromkeys((*hinted, *values)))
                        yield ReadRoute((*before, hint.call, answer.call), both, tuple(through))
            return
        yield ReadRoute((*before, answer.call), values, tuple(through))

    def _said(self, container: str, key: str, answer: _Answer) -> tuple[Part, ...] | None:
        """What the task must say of the record so that an agent would make this read."""
        record = self.shapes.containers[container][key]
        said: list[Part] = []
        for value in answer.says:
            field = next(
                (
                    name
                    for name, stored in record.items()
                    if stored == value or (isinstance(stored, list) and value in stored)
                ),
                None,
            )
            if field is None:
                return None
            said.append((field, value))
        return tuple(said)

    def echo(self, key: str) -> Call | None:
        """The read that shows the one record of this id."""
        for answer in self._showing.get(key, ()):
            if answer.needs == (key,) and not answer.says and any(key in record for record in answer.records):
                return answer.call
        return None

    def seen_after(self, world: World, key: str, known: set[str]) -> Call | None:
        """A read that shows a new record's id as things are now, to an agent that knows these ids."""
        for call in self._reads:
            if all(need in known for need in self.shapes.ids_in(call.arguments)):
                outcome = world.call(call.tool, call.arguments)
                if outcome.kind == "done" and key in shown_in(outcome.payload.get("data", outcome.payload)):
                    return call
        return None


def _listed(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    plain_schema = plain(schema)
    return tuple(plain_schema["enum"]) if "enum" in plain_schema else told_options(schema) or told_options(plain_schema)


def _length(route: ReadRoute) -> tuple[int, int, str]:
    return len(route.calls), len(route.values) + len(route.through), str(route.calls)
