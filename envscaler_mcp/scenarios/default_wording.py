"""Honest default words for a change: what its tool says of itself, with the records and values it is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import Any

from envscaler_mcp.artifacts import Call, Span, Tool, canonical_json
from envscaler_mcp.language.column_types.moments import spoken_day
from envscaler_mcp.language.text import singular, words
from envscaler_mcp.scenarios.routes import ReadRoute
from envscaler_mcp.scenarios.shapes import Shapes

_NAME = re.compile(r"(^|_)(name|title|label|subject|headline)$")
_NOT_A_VERB = ("this", "the", "a", "an", "method", "function", "tool", "allows", "used", "it")
_BEGINNINGS = ("Please ", "Could you ", "I need you to ")
_LATER = ("Then ", "After that, ", "Once that is done, ")


class Telling:
    """Tells changes of one environment at one start."""

    def __init__(self, tools: Collection[Tool], shapes: Shapes, today: str) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.shapes, self.today = shapes, today

    def sentence(self, call: Call, routes: Mapping[str, ReadRoute], new: Mapping[str, str], first: str) -> list[Span]:
        """One change in one sentence, by what its records are known; `new` are ids made before it, and their containers."""
        text = self._ask(self.tools[call.tool])
        spans: list[Span] = [Span(text=text)]
        rest: list[tuple[str, Any]] = []
        for name, value in call.arguments.items():
            placed = self._placed(spans, name, value, routes, new)
            if placed is None:
                rest.append((name, value))
            else:
                spans = placed
        question = first.startswith("Could")
        return [
            Span(text=first),
            *spans,
            *self._with(rest, text, routes, new),
            Span(text="?" if question else "."),
        ]

    def beginnings(self, again: bool) -> tuple[str, ...]:
        """How a sentence may begin that is the first, or is not."""
        return _LATER if again else _BEGINNINGS

    def _ask(self, tool: Tool) -> str:
        """What the tool does, as something that is asked for."""
        sentence = re.split(r"(?<=[a-z)])\.(?:\s|$)|\n", tool.description)[0].partition(";")[0].strip().rstrip(".")
        sentence = re.sub(r"\s*\([^()]*\)", "", sentence)
        verb, _, rest = sentence.partition(" ")
        named = tool.name.split("_")[0]
        if verb.lower() in (f"{named}s", f"{named}es"):
            sentence = f"{named} {rest}"
        if not sentence or verb.lower().rstrip(",") in _NOT_A_VERB or not rest:
            return words(tool.name)
        return sentence[0].lower() + sentence[1:] if not verb.isupper() else sentence

    def _placed(
        self, spans: list[Span], name: str, value: Any, routes: Mapping[str, ReadRoute], new: Mapping[str, str]
    ) -> list[Span] | None:
        """The sentence with the record in the place of its noun; nothing where the sentence has no such noun."""
        if isinstance(value, dict | list):
            return None
        if not isinstance(value, str) or (value not in new and value not in self.shapes.home):
            return self._placed_value(spans, name, value)
        container = new.get(value) or self.shapes.home[value]
        stem = words(re.sub(r"_?ids?$", "", name))
        for noun in dict.fromkeys((stem, self.shapes.noun(container), stem.split()[-1] if stem else "")):
            if not noun:
                continue
            pattern = re.compile(
                rf"\b(?:an?|the|another|one|its|their|some)\s+(?:(?!(?:to|of|for|from|with|in|at|by|on)\s)[\w-]+\s+){{0,3}}{re.escape(noun)}\b(?!\s+(?:id|ids)\b)"
            )
            for place, span in enumerate(spans):
                match = pattern.search(span.text) if not span.fact else None
                if match is not None:
                    said = self._record(value, noun, routes, new)
                    parts = [Span(text=span.text[: match.start()]), *said, Span(text=span.text[match.end() :])]
                    return [*spans[:place], *(part for part in parts if part.text), *spans[place + 1 :]]
        return None

    def _placed_value(self, spans: list[Span], name: str, value: Any) -> list[Span] | None:
        """The same for a plain value: `another shelf` becomes `shelf “C”`."""
        field = words(re.sub(r"^(new|target)_", "", name))
        pattern = re.compile(rf"\b(?:another|an?\s+new|an?\s+other)\s+{re.escape(field)}\b")
        for place, span in enumerate(spans):
            match = pattern.search(span.text) if not span.fact else None
            if match is not None:
                said = Span(text=f"{field} {self._plain(value)}", fact=_fact(name, value))
                parts = [Span(text=span.text[: match.start()]), said, Span(text=span.text[match.end() :])]
                return [*spans[:place], *(part for part in parts if part.text), *spans[place + 1 :]]
        return None

    def _record(self, key: str, noun: str, routes: Mapping[str, ReadRoute], new: Mapping[str, str]) -> list[Span]:
        if key in new:
            return [Span(text=f"that {noun}")]
        container = self.shapes.home[key]
        return [Span(text=f"the {noun} "), *self._label(container, key, routes.get(key))]

    def _label(self, container: str, key: str, route: ReadRoute | None) -> Iterator[Span]:
        """What the record is told by, and what else a user must know to find it."""
        parts = self.shapes.description(container, key)
        if not parts:
            yield Span(text=key, fact=_fact(f"{container} {key}", key))
        named = [part for part in parts if _NAME.search(part[0])]
        for field, value in named:
            yield Span(text=f"“{value}”", fact=_fact(f"{container} {key} {field}", value))
        others = [part for part in parts if part not in named]
        further = [part for part in (route.values if route else ()) if part not in parts]
        through = route.through if route else ()
        if not named and others:
            field, value = others.pop(0)
            lead = "" if field.endswith("_by") else "with "
            yield Span(text=f"{lead}{words(field)} “{value}”", fact=_fact(f"{container} {key} {field}", value))
        pieces = [
            [Span(text=f"{words(field)} {self._plain(value)}", fact=_fact(f"{container} {key} {field}", value))]
            for field, value in (*others, *further)
        ]
        for home, other in through:
            pieces.append([Span(text=f"{self.shapes.noun(home)} "), *self._label(home, other, None)])
        for place, piece in enumerate(pieces):
            yield Span(text=" (" if not place else ", ")
            yield from piece
        if pieces:
            yield Span(text=")")

    def _with(
        self, rest: list[tuple[str, Any]], asked: str, routes: Mapping[str, ReadRoute], new: Mapping[str, str]
    ) -> Iterator[Span]:
        rest = list(rest)
        for name, value in rest:
            # "Set the status of the device … to faulty", where the sentence speaks of what is new.
            plain = not isinstance(value, dict | list) and value not in new and value not in self.shapes.home
            if plain and name.startswith(("new_", "target_")) and words(name).split()[-1] in asked:
                yield Span(text=" to ")
                yield Span(text=self._plain(value), fact=_fact(name, value))
                rest.remove((name, value))
                break
        for place, (name, value) in enumerate(rest):
            lead = ", with " if not place else " and " if place == len(rest) - 1 else ", "
            yield Span(text=lead)
            yield from self._argument(name, value, routes, new)

    def _argument(
        self, name: str, value: Any, routes: Mapping[str, ReadRoute], new: Mapping[str, str]
    ) -> Iterator[Span]:
        if isinstance(value, str) and (value in new or value in self.shapes.home):
            stem = words(re.sub(r"_?ids?$", "", name)) or "record"
            yield from self._record(value, stem, routes, new)
        elif isinstance(value, list):
            yield Span(text=f"{words(name)} ")
            for place, item in enumerate(value):
                yield Span(text="" if not place else " and " if place == len(value) - 1 else ", ")
                yield from self._item(singular(name), item, routes, new)
            if not value:
                yield Span(text="none")
        elif isinstance(value, dict):
            for place, (inner, item) in enumerate(value.items()):
                yield Span(text="" if not place else ", ")
                yield from self._argument(inner, item, routes, new)
        else:
            yield Span(text=f"{words(name)} {self._plain(value)}", fact=_fact(name, value))

    def _item(self, name: str, value: Any, routes: Mapping[str, ReadRoute], new: Mapping[str, str]) -> Iterator[Span]:
        if isinstance(value, dict) or (isinstance(value, str) and (value in new or value in self.shapes.home)):
            yield from self._argument(name, value, routes, new)
        else:
            yield Span(text=self._plain(value), fact=_fact(name, value))

    def _plain(self, value: Any) -> str:
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return f"{value:.2f}".removesuffix(".00")
        if isinstance(value, str):
            if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                try:
                    return spoken_day(value, self.today or date.min.isoformat())
                except ValueError:
                    return value
            return value.replace("_", " ") if re.fullmatch(r"[a-z]+(_[a-z]+)*", value) else f"“{value}”"
        return str(value)


def _fact(what: str, value: Any) -> str:
    return f"{what} = {canonical_json(value)}"
