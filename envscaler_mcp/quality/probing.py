"""Which calls are worth trying in a state: what is permitted, edges of it, and every way to be wrong that can be found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.language.text import singular, words
from envscaler_mcp.quality.bad_arguments import wrong_arguments
from envscaler_mcp.quality.guards import GuardIndex
from envscaler_mcp.quality.judge import Probe
from envscaler_mcp.quality.probe_worlds import Bench
from envscaler_mcp.quality.suggestions import Suggestions
from envscaler_mcp.sampling.offers import Offers, offered, plain
from envscaler_mcp.serving.outcome import Outcome

Arguments = dict[str, Any]

_DRAWS = 40
_NEIGHBOURS = 240
_PERMITTED = 2
_EDGES = 3
_DONE = 20
_REFUSALS = 4
_AMOUNT = re.compile(r"amount|quantity|price|weight|count|size|cost|total|balance|duration|hours|days|age$")


@dataclass(slots=True)
class _Found:
    """What trying one tool has found."""

    tried: int = 0
    permitted: list[Arguments] = field(default_factory=list)
    edges: list[tuple[str, Arguments]] = field(default_factory=list)
    refused: dict[str, Arguments] = field(default_factory=dict)
    """A call for each guard or kind of refusal."""
    done: list[Arguments] = field(default_factory=list)
    """Further calls that are done."""
    broken: list[Arguments] = field(default_factory=list)
    last: Arguments = field(default_factory=dict)
    answer: str = ""


class Probing:
    """Looks for probes in the state of one bench; what other benches have shown already is not looked for again."""

    def __init__(
        self, bench: Bench, suggestions: Suggestions, refers: Mapping[tuple[str, str], str], guards: GuardIndex | None
    ) -> None:
        self.bench, self.suggestions, self.guards = bench, suggestions, guards
        self.offers = Offers(bench.state, refers)
        self._interpreter = None if guards is None else Interpreter(guards.model, bench.state)
        self.searches: dict[str, _Found] = {}

    def probes(self, tool: Tool, known: set[tuple[str, str]], first: bool) -> Iterator[Probe]:
        """Calls of one tool; `known` holds the refusals that were shown, and is added to."""
        search = self.searches[tool.name] = self._search(tool, known)
        for arguments in search.broken:
            yield Probe(tool.name, "positive", "a call taken from the state", arguments)
        for arguments in search.permitted if first else search.permitted[:1]:
            yield self._probe(tool, "a call that is permitted", arguments, "done")
        for tries, arguments in search.edges if first else search.edges[:1]:
            yield self._probe(tool, tries, arguments, "done")
        for shape, arguments in search.refused.items():
            if not first and (tool.name, shape) in known:
                continue
            known.add((tool.name, shape))
            yield self._probe(tool, "a call that is refused", arguments, "refused")
        yield from self._not_refused(tool, search, known)
        if first:
            good = next(iter(search.permitted), search.last)
            yield from self._unknown(tool, good)
            yield from self._doubtful(tool, good)
            if search.permitted and tool.effect == "writes":
                yield self._again(tool, search.permitted[0])
            wrongs = wrong_arguments(tool, good)
            # What is refused before the code is asked says nothing about the code.
            for wrong in wrongs if self.guards is not None else islice(wrongs, 1):
                yield Probe(tool.name, "negative", wrong.tries, wrong.arguments, names=(wrong.names,))

    # Search

    def _search(self, tool: Tool, known: set[tuple[str, str]]) -> _Found:
        search = _Found()
        schema = tool.input_schema
        offers = {name: self.offers.of(tool.name, name, value) for name, value in schema.get("properties", {}).items()}
        wanted = self._wanted(tool.name, known)
        for arguments in self._drawn(tool, offers):
            self._look(tool, arguments, search, wanted)
            if len(search.permitted) >= _PERMITTED and search.tried >= _DRAWS // 2:
                break
        # Two bases: what one guard hides around the first call may show around the second.
        bases = [*search.permitted, search.last][:_PERMITTED]
        around = chain.from_iterable(
            zip_longest(*(islice(_neighbours(base, schema, offers), _NEIGHBOURS) for base in bases))
        )
        varied: set[str] = set()
        for name, tries, arguments in (neighbour for neighbour in around if neighbour is not None):
            if not wanted and (len(varied) == len(offers) or len(search.edges) >= _EDGES):
                break
            if (
                self._look(tool, arguments, search, wanted, edge=True)
                and name not in varied
                and len(search.edges) < _EDGES
            ):
                varied.add(name)
                search.edges.append((tries, arguments))
        return search

    def _drawn(self, tool: Tool, offers: Mapping[str, Any]) -> Iterator[Arguments]:
        yield from islice(self.suggestions.of(tool.name, self.bench.state), _DRAWS)
        yield from islice(offered(tool.input_schema, offers), _DRAWS)

    def _wanted(self, tool: str, known: set[tuple[str, str]]) -> set[str]:
        """Refusals not yet shown; without a blueprint it is not known which there are."""
        if self.guards is None:
            return {"any"}
        numbers = range(1, len(self.guards.of.get(tool, ())) + 1)
        return {str(number) for number in numbers} - {shape for name, shape in known if name == tool}

    def _look(self, tool: Tool, arguments: Arguments, search: _Found, wanted: set[str], edge: bool = False) -> bool:
        """Whether the call is done; what else it shows is noted."""
        outcome = self.bench.peek(tool.name, arguments)
        search.tried += 1
        if outcome.kind == "invalid":
            return False
        search.last, search.answer = arguments, outcome.text
        if outcome.kind == "done":
            if not edge and len(search.permitted) < _PERMITTED and arguments not in search.permitted:
                search.permitted.append(arguments)
            elif len(search.done) < _DONE:
                search.done.append(arguments)
            return True
        if outcome.kind == "failed":
            if len(search.broken) < _PERMITTED:
                search.broken.append(arguments)
            return False
        shape = self._shape(tool.name, outcome)
        if shape not in search.refused and (
            shape in wanted or (shape not in _digits(wanted) and len(search.refused) < _REFUSALS)
        ):
            search.refused[shape] = arguments
            wanted.discard(shape)
        return False

    def _shape(self, tool: str, outcome: Outcome) -> str:
        """What tells one kind of refusal from another."""
        sentence = str(outcome.payload.get("error", ""))
        number = self.guards.number_of(tool, sentence) if self.guards is not None else 0
        return str(number) if number else re.sub(r"'[^']*'|\"[^\"]*\"|\S*\d\S*", "…", sentence)

    # Probes

    def _probe(self, tool: Tool, tries: str, arguments: Arguments, shown: str) -> Probe:
        """The probe with what must come of it: by the blueprint where there is one, else by what was shown."""
        if self.guards is None or self._interpreter is None:
            return Probe(tool.name, "positive" if shown == "done" else "negative", tries, arguments)
        return self._certain(tool, tries, arguments, self._interpreter, shown)

    def _not_refused(self, tool: Tool, search: _Found, known: set[tuple[str, str]]) -> Iterator[Probe]:
        """Calls that are done although a guard should refuse them, which no refusal could show."""
        if self.guards is None or self._interpreter is None or not self._wanted(tool.name, known):
            return
        for arguments in search.done:
            if self.guards.expected(tool.name, arguments, self._interpreter) is not None:
                yield self._certain(tool, "", arguments, self._interpreter, "done")
                return

    def _certain(self, tool: Tool, tries: str, arguments: Arguments, state: Interpreter, shown: str) -> Probe:
        assert self.guards is not None
        expected = self.guards.expected(tool.name, arguments, state)
        if expected is None:
            stated = shown == "refused" and self.guards.number_of(tool.name, self._said(tool, arguments))
            tries = "a call that every guard lets pass" if shown == "refused" else tries
            lenient = shown == "refused" and not stated and tool.name in self.guards.of
            if shown == "refused" and tool.name not in self.guards.of:
                return Probe(tool.name, "negative", "a call that is refused", arguments)
            return Probe(tool.name, "positive", tries, arguments, lenient=lenient)
        number, sentence = expected
        guard = f"guard {number} false: {self.guards.of[tool.name][number - 1].source}" if number else "an unknown id"
        return Probe(tool.name, "negative", guard, arguments, sentence=sentence)

    def _said(self, tool: Tool, arguments: Arguments) -> str:
        return str(self.bench.peek(tool.name, arguments).payload.get("error", ""))

    def _again(self, tool: Tool, arguments: Arguments) -> Probe:
        """The same call once more, after itself."""
        played = self.bench.history([(tool.name, arguments)] * 2)
        earlier = ((tool.name, arguments),)
        if len(played) < 2:
            return Probe(tool.name, "positive", "the same call twice", arguments, earlier)
        state, second = played[0][1], played[1][0]
        shown = "done" if second.kind == "done" else "refused"
        if self.guards is None:
            return Probe(
                tool.name, "positive" if shown == "done" else "negative", "the same call twice", arguments, earlier
            )
        probe = self._certain(tool, "the same call twice", arguments, Interpreter(self.guards.model, state), shown)
        tries = f"the same call twice, {probe.tries}" if probe.kind == "negative" else "the same call twice"
        lenient = shown == "refused" and not self.guards.number_of(tool.name, str(second.payload.get("error", "")))
        return Probe(tool.name, probe.kind, tries, arguments, earlier, probe.sentence, lenient=lenient)

    def _unknown(self, tool: Tool, good: Arguments) -> Iterator[Probe]:
        for name, declared in tool.input_schema.get("properties", {}).items():
            container = self.offers.container(tool.name, name)
            if not container or "enum" in plain(declared):
                continue
            known = next(iter(self.bench.state.get(container) or {"NONE-00001": {}}))
            absent = re.sub(r"\d", "9", known) if re.search(r"\d", known) else f"{known} the Second"
            value: Any = [absent] if plain(declared).get("type") == "array" else absent
            if plain(declared).get("type") not in ("string", "array") or absent in self.bench.state.get(container, {}):
                continue
            lenient = self.guards is None and (tool.effect == "reads" or not re.search(r"ids?$", name))
            names = (absent, words(singular(container)))
            yield Probe(
                tool.name, "negative", f"an unknown {name}", {**good, name: value}, names=names, lenient=lenient
            )

    def _doubtful(self, tool: Tool, good: Arguments) -> Iterator[Probe]:
        """Values that a schema allows and no trade would mean."""
        if self.guards is not None:
            return
        for name, declared in tool.input_schema.get("properties", {}).items():
            schema = plain(declared)
            if schema.get("type") == "string" and not {"enum", "format", "minLength"} & set(schema):
                yield Probe(tool.name, "negative", f"an empty {name}", {**good, name: ""}, names=(name,), lenient=True)
            if schema.get("type") in ("integer", "number") and "minimum" not in schema and _AMOUNT.search(name):
                value = -1 if schema["type"] == "integer" else -1.0
                yield Probe(
                    tool.name, "negative", f"a {name} below zero", {**good, name: value}, names=(name,), lenient=True
                )


def _digits(wanted: set[str]) -> set[str]:
    return {shape for shape in wanted if shape.isdigit()}


def _neighbours(
    base: Arguments, schema: Mapping[str, Any], offers: Mapping[str, Any]
) -> Iterator[tuple[str, str, Arguments]]:
    """Calls that differ from a given one in one argument, or leave out one."""
    needed = schema.get("required", ())
    for name in schema.get("properties", {}):
        if name in base and name not in needed:
            yield name, f"without {name}", {key: value for key, value in base.items() if key != name}
    longest = max((len(values) for values in offers.values()), default=0)
    for turn in range(longest):
        for name, values in offers.items():
            if turn < len(values) and base.get(name) != values[turn].value:
                yield name, values[turn].words, {**base, name: values[turn].value}
