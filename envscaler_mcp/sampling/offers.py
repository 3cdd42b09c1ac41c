"""Values for an argument, taken from the state by name and type: for classes without a blueprint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from envscaler_mcp.language.column_types import format_named, formats
from envscaler_mcp.language.text import plural, singular, words

_MOST = 40
"""Of how many records one argument may be offered."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A value and what it is."""

    value: Any
    words: str


def plain(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a value that is there."""
    given = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    return plain(given[0]) if given else schema


def nullable(schema: Mapping[str, Any]) -> bool:
    """Whether null is a value too."""
    return any(option.get("type") == "null" for option in schema.get("anyOf", ()))


def containers(state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What of a state maps ids to records."""
    return {
        name: value
        for name, value in state.items()
        if isinstance(value, dict) and value and all(isinstance(record, dict) for record in value.values())
    }


class Offers:
    """What the arguments of one environment's tools may be, in one state."""

    def __init__(self, state: Mapping[str, Any], refers: Mapping[tuple[str, str], str]) -> None:
        self.state, self._refers = state, refers
        self._containers = containers(state)
        self._known: dict[tuple[str, str], tuple[Offer, ...]] = {}
        now = state.get("now")
        self.today = now[:10] if isinstance(now, str) and re.match(r"\d{4}-\d\d-\d\d", now) else self._latest()

    def of(self, tool: str, name: str, schema: Mapping[str, Any]) -> tuple[Offer, ...]:
        """Values of the right type, the likeliest first."""
        if (tool, name) not in self._known:
            offers: list[Offer] = []
            for offer in self._made(tool, name, plain(schema)):
                if all(offer.value != other.value or type(offer.value) is not type(other.value) for other in offers):
                    offers.append(offer)
            self._known[tool, name] = tuple(offers)
        return self._known[tool, name]

    def container(self, tool: str, name: str) -> str:
        """The container whose ids the argument names, or nothing."""
        container = self._refers.get((tool, name)) or self._refers.get((tool, name.removesuffix("[]")))
        if container is not None:
            return container
        last = name.rpartition(".")[2].removesuffix("[]")
        stem = re.sub(r"_?ids?$", "", last)
        for candidate in (plural(stem), stem, last, plural(singular(stem))):
            if candidate in self._containers:
                return candidate
        named = [known for known in self._containers if singular(known).split("_")[-1] == stem.split("_")[-1]]
        return named[0] if len(named) == 1 and stem != last else ""

    def _made(self, tool: str, name: str, schema: Mapping[str, Any]) -> Iterator[Offer]:
        if "enum" in schema:
            yield from (Offer(value, f"{words(name)} {value}") for value in schema["enum"])
            return
        match schema.get("type"):
            case "string":
                yield from self._texts(tool, name, schema)
            case "integer" | "number":
                yield from self._numbers(name, schema)
            case "boolean":
                yield from (Offer(value, f"{words(name)} {str(value).lower()}") for value in (True, False))
            case "array":
                yield from self._lists(tool, name, schema)
            case "object":
                yield from self._objects(tool, name, schema)
            case _:
                yield Offer("anything", "a text")

    def _texts(self, tool: str, name: str, schema: Mapping[str, Any]) -> Iterator[Offer]:
        container = self.container(tool, name)
        if container:
            ids = list(self._containers.get(container, ()))
            spread = ids if len(ids) <= _MOST else [ids[k * (len(ids) - 1) // (_MOST - 1)] for k in range(_MOST)]
            yield from (Offer(id_, f"{words(singular(container))} {id_}") for id_ in spread)
            return
        options = told_options(schema)
        if options:
            yield from (Offer(value, f"{words(name)} {value}") for value in options)
            return
        form = format_named(schema.get("format") or self._form(name))
        if form is not None:
            yield from (Offer(*offered) for offered in form.offered(self.today, words(name)))
        else:
            known = [value for value in self.stored_values(name) if isinstance(value, str) and value]
            yield from (Offer(value, f"{words(name)} {value!r}") for value in known[:_MOST])
            yield Offer(f"Another {words(name)}", f"a {words(name)} that is new")

    def _numbers(self, name: str, schema: Mapping[str, Any]) -> Iterator[Offer]:
        low, high = schema.get("minimum"), schema.get("maximum")
        known = [value for value in self.stored_values(name) if type(value) in (int, float)]
        whole = schema["type"] == "integer"
        for value in (1, *known[:4], 2, 10, 0, low, high):
            if value is not None and (low is None or value >= low) and (high is None or value <= high):
                edge = {low: "the least ", high: "the greatest "}.get(value, "")
                yield Offer(int(value) if whole else float(value), f"{edge}{words(name)} {value}")

    def _lists(self, tool: str, name: str, schema: Mapping[str, Any]) -> Iterator[Offer]:
        inner = tuple(islice(self._made(tool, f"{name}[]", plain(schema.get("items", {}))), _MOST))
        yield from (Offer([offer.value], f"only {offer.words}") for offer in inner[:6])
        if len(inner) > 1:
            yield Offer([inner[0].value, inner[1].value], f"{inner[0].words} and {inner[1].words}")
        if inner and schema.get("maxItems", 2) > 1:
            yield Offer([inner[0].value, inner[0].value], f"{inner[0].words} twice")
        if schema.get("minItems", 0) == 0:
            yield Offer([], f"no {words(name)}")

    def _objects(self, tool: str, name: str, schema: Mapping[str, Any]) -> Iterator[Offer]:
        fields: Mapping[str, Any] = schema.get("properties", {})
        needed = schema.get("required", ())
        offers = {field: self.of(tool, f"{name}.{field}", value) for field, value in fields.items() if field in needed}
        if not all(offers.values()):
            return
        for turn in range(max((len(values) for values in offers.values()), default=1)):
            yield Offer(
                {field: values[turn % len(values)].value for field, values in offers.items()},
                f"{words(name)} {turn + 1}",
            )

    def stored_values(self, name: str) -> Iterator[Any]:
        """Values that records or the state keep under that name."""
        last = name.rpartition(".")[2].removesuffix("[]")
        bare = _PREFIX.sub("", last)
        for field in dict.fromkeys((last, bare)):
            if not isinstance(self.state.get(field), dict | list | type(None)):
                yield self.state[field]
            for container, records in self._containers.items():
                # `location_type` is the type of a location.
                own = field.removeprefix(f"{singular(container)}_")
                for record in islice(records.values(), 2 * _MOST):
                    if field in record or own in record:
                        yield record[field] if field in record else record[own]

    def _form(self, name: str) -> str:
        """What a text must look like, by its name and by what is kept under it."""
        for value in self.stored_values(name):
            if isinstance(value, str) and value:
                return next((form.name for form in formats() if re.fullmatch(form.pattern, value)), "")
        return "date" if re.search(r"(^|_)(date|day|on|until|since)$", name) else "email" if "email" in name else ""

    def _latest(self) -> str:
        """The last day that anything in the state speaks of."""
        days = re.findall(r"\b20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b", str(self.state)[:100_000])
        return max(days, default="2026-03-02")


_PREFIX = re.compile(r"^(new|updated|target|initial|desired|changed)_")

_OPTION = re.compile(r"['\"]?([A-Za-z][\w-]*)['\"]?")


def told_options(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The values that an argument's description names: `One of low, high.`; `open, closed or lost`; `'a' or 'b'`."""
    text = str(schema.get("description", "")).strip().rstrip(".")
    head, one_of, rest = re.sub(r"(?i)\beither\b", "one of", text).partition("one of" if "one of" in text else "One of")
    said = rest if one_of else head
    inner = re.search(r"\(([^()]*)\)", said)
    for part in (said.lstrip(": "), inner[1] if inner else "", said.rpartition(":")[2]):
        pieces = [piece.strip() for piece in re.split(r",\s*(?:or\s|and\s)?|\s+or\s+|/|\|", part.strip(" ()[]{}"))]
        values = [match[1] for piece in pieces if (match := _OPTION.fullmatch(piece))]
        sure = one_of or all(piece[:1] in "'\"" for piece in pieces)
        if len(values) == len(pieces) and len(values) >= (2 if sure else 3) and "e.g" not in part:
            return tuple(values)
    return ()


def next_id(ids: Iterable[str]) -> str:
    """An id like these that none of them is: the greatest one counted on."""
    known = set(ids)
    last = max(known, key=lambda key: (len(key), key))
    match = re.fullmatch(r"(.*?)(\d+)(\D*)", last)
    if match is None:
        return f"{last}-2"
    number = int(match[2])
    while True:
        number += 1
        made = f"{match[1]}{number:0{len(match[2])}d}{match[3]}"
        if made not in known:
            return made


def offered(schema: Mapping[str, Any], offers: Mapping[str, tuple[Offer, ...]]) -> Iterator[dict[str, Any]]:
    """Whole arguments made of offers: first the likeliest of each, then others, with and without what may be left out."""
    needed = schema.get("required", ())
    names = [name for name in schema.get("properties", {}) if offers.get(name)]
    if any(not offers.get(name) for name in needed):
        return
    longest = max((len(offers[name]) for name in names), default=1)
    for turn in range(max(longest * 3, 8)):
        yield {
            name: offers[name][(turn * (2 * place + 1) + turn // longest * place) % len(offers[name])].value
            for place, name in enumerate(names)
            if name in needed or turn % 3 == 1
        }
