"""A record in words that fit no other: a logical form, from which come the words, the records it fits, and the reads that decide it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.artifacts import Call, Span
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref
from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.stories import Description, Mark, Storybook
from envscaler_mcp.language.text import words
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.knowledge import Library
from envscaler_mcp.scenarios.phrases import spoken

_DEEPEST = 7


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description of one record in one state."""

    ref: Ref
    spans: tuple[Span, ...]
    reads: tuple[Call, ...]
    distractors: int
    """Records that fit all but one of its marks."""
    form: Description = ()

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(slots=True)
class Describer:
    """Describes records of one state."""

    model: Model
    speech: Storybook
    library: Library
    evaluation: SteadyEvaluator
    chance: Chance
    values: dict[str, str] = field(default_factory=dict)
    named: set[Ref] = field(default_factory=set)
    """Who has been named in the text so far."""

    @property
    def state(self) -> dict[str, Any]:
        return self.evaluation.store.state

    def describe(self, ref: Ref, depth: int = 0) -> Phrase | None:
        """The first way, in an order drawn by chance, that fits this record alone."""
        if depth > _DEEPEST:
            return None
        ways = self.speech.descriptions.get(ref.entity, ())
        for way in self.chance.some(ways, len(ways)):
            if self.fitting(way, ref) == [ref]:
                phrase = self._phrase(way, ref, depth)
                if phrase is not None:
                    return phrase
        return None

    def fitting(self, way: Description, ref: Ref) -> list[Ref]:
        """The records of the state that the description of this record fits."""
        marks = [part for part in way if isinstance(part, Mark)]
        return [
            other
            for other in self.evaluation.records(ref.entity)
            if all(self._fits(mark, other, ref) for mark in marks)
        ]

    def _fits(self, mark: Mark, other: Ref, ref: Ref) -> bool:
        mine = self._value(other, mark)
        if mark.value is not None:
            return str(mine).lower() == mark.value
        wanted = self._value(ref, mark)
        if mark.format == "short":
            return str(mine).split()[:1] == str(wanted).split()[:1]
        type_ = self.model.entities[other.entity].attributes[mark.attribute].type
        return column_of(type_).said_alike(mine, wanted, mark.format)

    def _value(self, ref: Ref, mark: Mark) -> Any:
        derived = self.model.entities[ref.entity].attributes[mark.attribute].derived
        if derived is None:
            return self.evaluation.attribute(ref, mark.attribute)
        return self.evaluation.derived(ref.entity, mark.attribute, ref)

    def _phrase(self, way: Description, ref: Ref, depth: int) -> Phrase | None:
        entity = self.model.entities[ref.entity]
        spans: list[Span] = []
        reads: list[Call] = []
        filters: dict[str, Any] = {}
        for place, part in enumerate(way):
            if isinstance(part, str):
                owned = _owns(part) and bool(spans) and spans[-1].text == "their"
                spans.append(Span(text=part[2:] if owned else part))
                continue
            attribute = entity.attributes[part.attribute]
            value = self._value(ref, part)
            if value is None:
                return None
            if isinstance(value, Ref):
                inner = self.describe(value, depth + 1)
                if inner is None:
                    return None
                spans.extend(self._named_again(value, inner, *_around(way, place)))
                reads.extend(inner.reads)
                filters[attribute.key] = value.id
                continue
            if attribute.derived is None:
                filters[attribute.key] = value
            said = part.said if part.value is not None else self._said(entity, attribute, value, part.format)
            if said:
                spans.append(Span(text=said, fact=f"{ref.id}.{attribute.name}"))
        call = self.library.several(entity, filters)
        if call is None:
            return None
        return Phrase(ref, tuple(spans), (*reads, call), self._near(way, ref), way)

    def _named_again(self, ref: Ref, phrase: Phrase, before: str, after: str) -> tuple[Span, ...]:
        """What was named before is not named in full again, where it only says in what or of what something is."""
        owns = _owns(after)
        # What goes on without a space, such as a path, needs the whole name.
        goes_on = bool(after) and not after[0].isspace() and after[0] not in ",.;:!?)”"
        if ref not in self.named or not (owns or (before.endswith((" in ", " of ", " on ", " from ")) and not goes_on)):
            return phrase.spans
        if is_person(self.model, ref):
            people = [other for other in self.named if is_person(self.model, other)]
            return (Span(text="their"),) if owns and people == [ref] else phrase.spans
        alike = [other for other in self.named if other.entity == ref.entity]
        return (Span(text=f"the {words(self.model.entities[ref.entity].noun)}"),) if alike == [ref] else phrase.spans

    def _said(self, entity: Entity, attribute: Attribute, value: Any, form: str) -> str:
        if isinstance(value, list):
            return ", ".join(str(item) for item in value)
        said = self.values.get(f"{entity.name}.{attribute.name}.{value}")
        return said or spoken(value, attribute.type, form, self.state["now"][:10])

    def _near(self, way: Description, ref: Ref) -> int:
        """How many other records fit all marks but one, or share a word of its name."""
        marks = [part for part in way if isinstance(part, Mark)]
        others = [other for other in self.evaluation.records(ref.entity) if other != ref]
        near = 0
        for other in others:
            misses = [mark for mark in marks if not self._fits(mark, other, ref)]
            near += len(misses) == 1 and (len(marks) > 1 or self._alike(other, ref, misses[0]))
        return near

    def _alike(self, other: Ref, ref: Ref, mark: Mark) -> bool:
        mine, wanted = str(self._value(other, mark)), str(self._value(ref, mark))
        return bool(set(mine.lower().split()) & set(wanted.lower().split()))


def _around(way: Description, place: int) -> tuple[str, str]:
    """The words directly before and after a mark."""
    before = way[place - 1] if place else ""
    after = way[place + 1] if place + 1 < len(way) else ""
    return before if isinstance(before, str) else "", after if isinstance(after, str) else ""


def _owns(words: str) -> bool:
    """Whether words continue a possessive: "Ann's", "their"."""
    return words == "'s" or words.startswith("'s ")


def is_person(model: Model, ref: Ref) -> bool:
    """Whether people call the record by the name of a person."""
    entity = model.entities[ref.entity]
    return entity.label != "id" and entity.attributes[entity.label].type.shape in ("person", "name")
