"""What answers have shown, and when that tells a value: plans of which no story is known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Call, Scenario, Span, canonical_json
from envscaler_mcp.errors import Unproven
from envscaler_mcp.language.text import singular, words
from envscaler_mcp.scenarios.replay import CallRecording
from envscaler_mcp.scenarios.shapes import leaves, shown_in
from envscaler_mcp.serving.world import World

_SMALL = 20
"""Whole numbers up to this say too little to be told by any field but their own."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """One record as an answer showed it."""

    ids: frozenset[str]
    """Its id, and the ids that it holds."""
    fields: tuple[tuple[str, str], ...]
    """Field and value, as JSON."""


class Heard:
    """The answers so far, to a reader who looks values up and does not guess."""

    def __init__(self, ids: Collection[str] = ()) -> None:
        self._ids = set(ids)
        self._texts: set[str] = set()
        self._records: list[_Shown] = []

    def hear(self, payload: Any, new_ids: Collection[str] = ()) -> None:
        """Keep what an answer shows."""
        self._ids |= set(new_ids)
        self._texts |= shown_in(payload)
        self._records.extend(self._shown(payload, ""))

    def shows_id(self, id_: str) -> bool:
        """Whether an answer has named it: an id is like no other text."""
        return id_ in self._texts

    def tells(self, value: Any, name: str, about: Collection[str]) -> bool:
        """Whether a record that the plan names has the value: in any field, or, if others often have it too, in its own."""
        wanted, named = canonical_json(value), set(about)
        fields = [field for shown in self._records if shown.ids & named for field in shown.fields]
        if says_little(value):
            return any(json == wanted and _same_field(field, name) for field, json in fields)
        return any(json == wanted for _, json in fields)

    def _shown(self, payload: Any, key: str) -> Iterator[_Shown]:
        if isinstance(payload, Mapping):
            fields = [(str(name), entry) for name, value in payload.items() for entry in _plain(value)]
            ids = {entry for _, entry in fields if isinstance(entry, str) and entry in self._ids} | ({key} & self._ids)
            yield _Shown(frozenset(ids), tuple((name, canonical_json(entry)) for name, entry in fields))
            for name, value in payload.items():
                yield from self._shown(value, str(name))
        elif isinstance(payload, list):
            for value in payload:
                yield from self._shown(value, "")


def _plain(value: Any) -> Iterator[Any]:
    """A plain value, or the plain entries of a list."""
    if isinstance(value, list):
        yield from (entry for entry in value if not isinstance(entry, dict | list | type(None)))
    elif not isinstance(value, dict | type(None)):
        yield value


def says_little(value: Any) -> bool:
    """Whether a value is so short that it is met by chance: yes or no, a small number, one word."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return abs(value) <= _SMALL
    return isinstance(value, str) and " " not in value and not any(sign.isdigit() for sign in value)


def _same_field(field: str, name: str) -> bool:
    """Whether a field and an argument are called the same: `status` and `new_status`."""
    return field == name or field.rpartition("_")[2] == name.rpartition("_")[2]


def in_words(spans: Iterable[Span], names: Collection[str], value: Any) -> bool:
    """Whether a text is marked to say the value; one that others often have too must be said of the argument itself."""
    for span in spans:
        what, equals, json = span.fact.partition(" = ")
        if equals and json == canonical_json(value):
            said_of = what.rpartition(", ")[2]
            if not says_little(value) or said_of in {*names, *map(words, names)}:
                return True
    return False


def named_leaves(name: str, value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every plain value of an argument, with the names it goes by: those of the argument, of its entries, of a field."""
    if isinstance(value, dict):
        for field, entry in sorted(value.items()):
            yield from (((name, *names), leaf) for names, leaf in named_leaves(field, entry))
    elif isinstance(value, list):
        for entry in value:
            yield from (((name, *names), leaf) for names, leaf in named_leaves(singular(name), entry))
    else:
        yield (name,), value


class PlainFlow:
    """Where the arguments of a plan are known from, when all that is known of its purpose is a text with marks."""

    def __init__(
        self,
        scenario: Scenario,
        effects: Mapping[str, str],
        ids: Collection[str],
        named: Collection[str] = (),
        listed: Callable[[str, str], Collection[Any]] = lambda _tool, _name: (),
    ) -> None:
        """`named` are ids of new records that the task itself gives; `listed` what a tool's description says of an argument."""
        self.spans, self.effects, self._listed = scenario.spans, effects, listed
        self.ids, self.named = set(ids), set(named)
        self.made: set[str] = set()
        self.heard = Heard(self.ids)

    def lines(self, recording: CallRecording, world: World) -> Iterator[str]:
        """One for each value of each change; the world is played to the plan's end."""
        about: set[str] = set()
        for number, call in enumerate(recording.calls):
            about |= {leaf for leaf in leaves(call.arguments) if isinstance(leaf, str) and leaf in self.ids | self.made}
            for argument, value in sorted(call.arguments.items()):
                for names, leaf in named_leaves(argument, value):
                    source = self._source(call, names, leaf, about)
                    if source is None:
                        raise Unproven(_missing(call, argument, leaf, id_=self._is_id(leaf)))
                    if self.effects[call.tool] == "writes":
                        yield f"{number + 1}. {call.tool}.{argument}: {source}"
            made = recording.created[number]
            self.made |= set(made)
            self.heard.hear(world.call(call.tool, call.arguments).payload, made)

    def _is_id(self, leaf: Any) -> bool:
        return isinstance(leaf, str) and leaf in self.ids | (self.made - self.named)

    def _source(self, call: Call, names: tuple[str, ...], leaf: Any, about: Collection[str]) -> str | None:
        if in_words(self.spans, names, leaf) and not (isinstance(leaf, str) and leaf in self.made - self.named):
            return "the words"
        if self._is_id(leaf):
            return "an answer" if self.heard.shows_id(leaf) else None
        if self.heard.tells(leaf, names[-1], about):
            return "an answer"
        # A question may be asked of anything; what is changed may not be guessed.
        if self.effects[call.tool] == "reads" and (
            not isinstance(leaf, str) or leaf in self._listed(call.tool, names[0])
        ):
            return "the tool's description"
        return None


def _missing(call: Call, argument: str, leaf: Any, *, id_: bool) -> str:
    if id_:
        return f"{call.tool} needs {leaf}, which no answer showed"
    return f"{call.tool} needs {leaf!r} as {argument}, which no answer told and no word says"
