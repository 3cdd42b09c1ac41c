"""Changes that really succeed, found by trying calls with arguments taken from the state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.artifacts import Call, StateDiff, Tool
from envscaler_mcp.language.text import singular
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.offers import Offers, containers, next_id, nullable, plain, told_options
from envscaler_mcp.sampling.vocabulary import sample_text
from envscaler_mcp.scenarios.key_order import in_order_of_making
from envscaler_mcp.scenarios.replay import added_ids, content_form, with_new_ids
from envscaler_mcp.scenarios.shapes import Shapes
from envscaler_mcp.serving.world import World

_DRAWS = 30
_TOOLS = 8
_NOTES = (
    "as agreed on the phone",
    "asked for by the front desk",
    "please see the message of this morning",
    "urgent",
    "checked on site",
    "for the monthly report",
)
_NOTE = re.compile(r"(^|_)(notes?|comments?|reasons?|descriptions?|remarks?|message|details|resolution|summary)$")
_TITLE = re.compile(r"(^|_)(name|title|label|subject)$")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SECOND = ("II", "2", "B", "Extra", "South")
_PERSON = re.compile(r"^(full_|first_|last_|contact_)?name$|_by$")
_PEOPLE = re.compile(
    r"user|member|customer|patient|employee|student|technician|guest|client|reader|person|staff|contact"
)


@dataclass(frozen=True, slots=True)
class TriedChange:
    """A change that succeeded, and the ids that it created."""

    call: Call
    created: tuple[str, ...]


@dataclass(slots=True)
class Chain:
    """Changes one after the other, where each but the first could not be made, or would not be the same, without another."""

    steps: list[TriedChange] = field(default_factory=list)
    diff: StateDiff = field(default_factory=StateDiff)

    @property
    def calls(self) -> list[Call]:
        return [step.call for step in self.steps]

    @property
    def made(self) -> set[str]:
        """Ids of all new records."""
        return {key for step in self.steps for key in step.created}

    @property
    def given(self) -> set[str]:
        """Those that the call which made them named itself."""
        return {key for step in self.steps for key in step.created if key in _texts(step.call.arguments)}


class Guesses:
    """Arguments for changes, drawn from a state by name and type."""

    def __init__(self, tools: Collection[Tool], chance: Chance) -> None:
        self.tools = [tool for tool in tools if tool.effect == "writes"]
        self.chance = chance

    def any(self, state: Mapping[str, Any]) -> Call | None:
        """Any change that may be permitted in a state."""
        tool = self.chance.pick(self.tools)
        arguments = self.arguments(tool, Offers(state, {}), state)
        return None if arguments is None else Call(tool=tool.name, arguments=arguments)

    def arguments(
        self, tool: Tool, offers: Offers, state: Mapping[str, Any], preferred: Collection[str] = ()
    ) -> dict[str, Any] | None:
        """Arguments for a tool, those in which preferred ids occur more often; nothing where one cannot be thought of."""
        schema = tool.input_schema
        needed = schema.get("required", ())
        arguments: dict[str, Any] = {}
        for name, property_schema in schema.get("properties", {}).items():
            if name in needed or self.chance.of(35):
                values = self._values(tool, name, property_schema, offers, state)
                if values:
                    liked = [value for value in values if isinstance(value, str) and value in preferred]
                    arguments[name] = self.chance.pick(liked if liked and self.chance.of(75) else values)
                elif name in needed:
                    return None
        return arguments

    def _values(
        self, tool: Tool, name: str, schema: Mapping[str, Any], offers: Offers, state: Mapping[str, Any]
    ) -> list[Any]:
        plain_schema = plain(schema)
        container = offers.container(tool.name, name)
        if plain_schema.get("type") == "string" and "enum" not in plain_schema:
            if container:
                ids = list(containers(state).get(container, ()))
                # Half the ids of tools that make something are ids of what is to be made.
                return [*ids, next_id(ids)] if ids else []
            if told_options(schema):
                return list(told_options(schema))
            sentences = [] if plain_schema.get("format") else self._sentences(tool, name, offers)
            if sentences:
                return sentences
        if plain_schema.get("type") in ("integer", "number"):
            return self._numbers(name, plain_schema, offers)
        values = [
            value for value in _offered(offers, tool, name, plain_schema) if value is not None or nullable(schema)
        ]
        # What people ask for lies ahead, as a rule.
        ahead = [
            value for value in values if isinstance(value, str) and _DAY.match(value) and value[:10] >= offers.today
        ]
        return ahead or values

    def _sentences(self, tool: Tool, name: str, offers: Offers) -> list[Any]:
        if _NOTE.search(name):
            return list(_NOTES)
        texts = [value for value in offers.stored_values(name) if isinstance(value, str) and value]
        if texts and re.fullmatch(r"\S+@\S+\.\w+", texts[0]):
            return [sample_text("email", self.chance)]
        if texts and re.fullmatch(r"\d{4}-\d\d-\d\d.*|\d\d:\d\d|\S+@\S+", texts[0]):
            return []
        if _PERSON.search(name) and (_PEOPLE.search(tool.name) or name.endswith("_by")):
            return [sample_text("person", self.chance)]
        if _TITLE.search(name):
            own = [value for value in self._of_its_kind(tool, name, offers) if isinstance(value, str)] or texts
            return [*own, *(f"{value} {self.chance.pick(_SECOND)}" for value in own)]
        return texts

    def _of_its_kind(self, tool: Tool, name: str, offers: Offers) -> Iterator[Any]:
        """What records keep under the name whose kind the tool's name speaks of."""
        for container, records in containers(offers.state).items():
            if singular(container) in tool.name:
                yield from (record[name] for record in records.values() if name in record)

    def _numbers(self, name: str, schema: Mapping[str, Any], offers: Offers) -> list[Any]:
        """Numbers like those that are there, and a little beside them."""
        low, high = schema.get("minimum"), schema.get("maximum")
        numbers = [value for value in offers.stored_values(name) if type(value) in (int, float)][:6]
        near = [value + step for value in numbers for step in (0, 1, -1, 5)] or [1, 2, 3, 5, 10, 20]
        near = [1, 2, *near]
        whole = schema.get("type") == "integer"
        fit = [v for v in near if (low is None or v >= low) and (high is None or v <= high) and v >= 0]
        return list(dict.fromkeys(int(v) if whole else round(float(v), 2) for v in fit))


class Trials:
    """Looks for changes in one world and takes them back; a second world stays at the start."""

    def __init__(self, tools: Collection[Tool], world: World, start: World, shapes: Shapes, chance: Chance) -> None:
        self.guesses = Guesses(tools, chance)
        self.world, self.start, self.shapes, self.chance = world, start, shapes, chance
        self._mark, self._start_mark = world.snapshot(), start.snapshot()
        self.used: Counter[str] = Counter()
        """How often each tool was part of what was kept."""
        self.tried = 0
        self.changed_anything = False
        """Whether any call changed anything."""

    def chain(self, longest: int, usable: Collection[str]) -> Chain | None:
        """A chain of at most so many changes that names no records but the usable ones; the world is as before."""
        chain = Chain()
        try:
            while len(chain.steps) < longest:
                step = self._next(chain, usable)
                if step is None:
                    break
                chain.steps.append(step)
                diff = self.world.diff_since(self._mark)
                remaining = {key for records in diff.created.values() for key in records}
                # What is made and removed again leaves no trace in the final state.
                if chain.made - remaining or not self._each_matters(chain, diff):
                    chain.steps.pop()
                    break
                chain.diff = diff
        finally:
            self.world.restore(self._mark)
        return chain if chain.steps else None

    def _next(self, chain: Chain, usable: Collection[str]) -> TriedChange | None:
        state = self.world.state()
        offers = Offers(state, {})
        new = chain.made
        involved = {*new, *(key for call in chain.calls for key in self.shapes.ids_in(call.arguments))}
        here = self.world.snapshot()
        order = self.chance.some(self.guesses.tools, len(self.guesses.tools))
        order.sort(key=lambda tool: self.used[tool.name] + sum(call.tool == tool.name for call in chain.calls))
        for tool in order if not chain.steps else order[:_TOOLS]:
            for _ in range(_DRAWS):
                arguments = self.guesses.arguments(tool, offers, state, involved)
                if arguments is None:
                    break
                ids = [text for text in _texts(arguments) if text in self.shapes.home]
                if any(key not in usable and key not in new for key in ids):
                    continue
                if chain.steps and not set(_texts(arguments)) & involved:
                    continue
                call = Call(tool=tool.name, arguments=arguments)
                if call in chain.calls:
                    continue
                step = self._made(call)
                if step is not None and (not chain.steps or self._depends(call, new)):
                    return step
                if step is not None:
                    self.world.restore(here)
        return None

    def _made(self, call: Call) -> TriedChange | None:
        self.tried += 1
        if self.world.call(call.tool, call.arguments).kind != "done":
            return None
        diff = self.world.diff()
        if diff.empty:
            return None
        self.changed_anything = True
        return TriedChange(
            call, tuple(key for _, records in sorted(diff.created.items()) for key in in_order_of_making(records))
        )

    def _depends(self, call: Call, new: set[str]) -> bool:
        """Whether the change needs what was done before it."""
        if set(_texts(call.arguments)) & new:
            return True
        outcome = self.start.call(call.tool, call.arguments)
        self.start.restore(self._start_mark)
        return outcome.kind != "done"

    def _each_matters(self, chain: Chain, diff: StateDiff) -> bool:
        """Whether the end would be another without any one of the changes."""
        end = content_form(diff)
        for left_out in range(len(chain.steps)):
            names: dict[str, str] = {}
            for place, step in enumerate(chain.steps):
                if place != left_out:
                    outcome = self.start.call(step.call.tool, with_new_ids(step.call.arguments, names))
                    made = added_ids(self.start, outcome)
                    names.update(zip(step.created, made, strict=False))
            other = content_form(self.start.diff_since(self._start_mark))
            self.start.restore(self._start_mark)
            if other == end:
                return False
        return True


def touched(diff: StateDiff) -> set[str]:
    """Ids of the records that were there and are another now, and the plain values that are."""
    ids = {key for records in (*diff.changed.values(), *diff.deleted.values()) for key in records}
    return ids | set(diff.scalars)


def _offered(offers: Offers, tool: Tool, name: str, schema: Mapping[str, Any]) -> list[Any]:
    return [offer.value for offer in offers.of(tool.name, name, schema)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
