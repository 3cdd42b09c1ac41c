"""Whether a telling is unambiguous: it reads otherwise wherever something else would be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.column_types import Nearby, other_values
from envscaler_mcp.language.expressions import And, Compare, Expr, Local, walk
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, as_stored, as_value
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Chosen, Drawn, Said, Story, Telling, Worked
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.values import HIDDEN_NONE, read, values_of
from envscaler_mcp.scenarios.wording import Wording

_BROKEN = (KeyError, TypeError, AttributeError, IndexError, ValueError, ZeroDivisionError)
"""What working out words raises for values that their author did not think of."""


@dataclass(frozen=True, slots=True)
class WordedStory:
    """One telling of a story with its cast, for a reader who knows the cast only from the words."""

    model: Model
    story: Story
    telling: Telling
    names: Names
    evaluation: SteadyEvaluator
    """On the state at the start."""

    def ambiguities(self) -> Iterator[str]:
        """What the plan relies on and the words leave open, one sentence for the author each."""
        words = self._form(self.names)
        mentioned = {inner.name for part in self._parts for inner in walk(part.value) if isinstance(inner, Local)}
        for role in self.story.cast:
            if isinstance(role, Chosen) and role.name not in mentioned:
                yield f"{role.name} is not said"
            elif isinstance(role, Chosen):
                yield from self._chosen(role, words)
            elif isinstance(role, Drawn) and self._mistaken(role, words):
                yield f"{role.name} is not said so that no other fits"

    @property
    def _parts(self) -> list[Said]:
        return [part for part in self.telling if isinstance(part, Said)]

    @property
    def state(self) -> dict[str, Any]:
        return self.evaluation.store.state

    def _chosen(self, role: Chosen, words: tuple[object, ...]) -> Iterator[str]:
        """The first other value of the role that the words would not tell from this one."""
        for other in self._others(role):
            twin = self._reworked({**self.names, role.name: other}, role.name)
            if self._relied_on(twin) and self._form(twin) == words:
                mine, its = as_stored(self.names[role.name]), as_stored(other)
                yield f"{role.name} is not said: the text is the same for {mine!r} and for {its!r}"
                return

    def _others(self, role: Chosen) -> Iterator[Any]:
        mine = as_stored(self.names[role.name])
        nearby = Nearby(str(self.state["now"])[:10], self._ids)
        written = (other for other in self._alternatives(role) if other != mine)
        for other in chain(other_values(mine, role.type, nearby), written):
            yield as_value(other, role.type)

    def _ids(self, entity: str) -> list[str]:
        return list(self.state[self.model.entities[entity].container])

    def _alternatives(self, role: Chosen) -> Iterator[Any]:
        """Values that the author names for the role."""
        said = values_of(role.operation, self.model.blueprint.start.values).single.get(role.parameter, ())
        today, chance = str(self.state["now"])[:10], Chance(0, role.source)
        for text in role.alternatives or said:
            if text != HIDDEN_NONE:
                try:
                    yield read(role.type, text, chance, today, role.source)
                except GrowthError:
                    continue

    def _mistaken(self, role: Drawn, words: tuple[object, ...]) -> bool:
        """Whether another record would be told in the same words and have something else done."""
        if any(isinstance(part.value, Local) and part.value.name == role.name for part in self._parts):
            return False
        for other in self.evaluation.records(role.entity):
            twin = self._recast(role, other)
            if twin is not None and self._relied_on(twin) and self._form(twin) == words:
                return True
        return False

    def _recast(self, role: Drawn, other: Ref) -> Names | None:
        """The names with everything that follows from them, or None where they do not fit."""
        names: Names = {**self.names, role.name: other}
        evaluation, place = self.evaluation, self.story.cast.index(role)
        for follower in self.story.cast[place:]:
            if isinstance(follower, Drawn) and follower.test is not None and not evaluation.value(follower.test, names):
                return None
            if isinstance(follower, Worked):
                value = evaluation.value(follower.value, names)
                if value is None or value == []:
                    return None
                names = {**names, follower.name: value}
        return names

    def _reworked(self, names: Names, other: str) -> Names:
        """The names with what is worked out from the one that is another; what cannot be worked out stays."""
        evaluation, changed = self.evaluation, {other}
        for role in self.story.cast:
            if isinstance(role, Worked) and changed & self.story.follows[role.name]:
                changed.add(role.name)
                try:
                    value = evaluation.value(role.value, names)
                except _BROKEN:
                    continue
                names = names if value is None or value == [] else {**names, role.name: value}
        return names

    def _relied_on(self, twin: Names) -> bool:
        """Whether the plan would be another one with these names."""
        other = {name for name, value in self.names.items() if twin[name] != value}
        return any(self._differs(expr, names, other, twin) for expr, names in self.story.plan)

    def _differs(self, expr: Expr, names: frozenset[str], other: set[str], twin: Names) -> bool:
        """Whether an expression of the plan comes to something else; one about what is not there yet may always."""
        if not names & other:
            return False
        if not names <= self.names.keys():
            return True
        evaluation = self.evaluation
        try:
            return bool(evaluation.value(expr, twin) != evaluation.value(expr, self.names))
        except _BROKEN:
            return True

    def _form(self, names: Names) -> tuple[object, ...]:
        """What a reader can tell apart: the words of plain values, and which records are named."""
        evaluation = self.evaluation
        wording = Wording(self.model.blueprint.words.values, str(self.state["now"])[:10])
        return tuple(self._in_words(part, names, evaluation, wording) for part in self._parts)

    def _in_words(self, part: Said, names: Names, evaluation: SteadyEvaluator, wording: Wording) -> object:
        try:
            value = evaluation.value(part.value, names)
            if isinstance(value, Ref) or (isinstance(value, list) and value and isinstance(value[0], Ref)):
                return value
            return None if value is None or value == [] else wording.of(self.story, self.telling, part, value)
        except _BROKEN:
            return None


def named_roles(story: Story, telling: Telling) -> frozenset[str]:
    """The roles that a telling names, and those that must be the same record as one of these: `who in Eater if who == cook`."""
    named = {part.value.name for part in telling if isinstance(part, Said) and isinstance(part.value, Local)}
    for role in story.cast:
        test = role.test if isinstance(role, Drawn) and role.name in named else None
        for part in test.parts if isinstance(test, And) else (test,):
            if isinstance(part, Compare) and part.op == "==":
                sides = [side.name for side in (part.left, part.right) if isinstance(side, Local)]
                named |= set(sides) if len(sides) == 2 and role.name in sides else set()
    return frozenset(named)


def used_names(story: Story) -> set[str]:
    """The roles that its calls speak of."""
    return {name for _, names in story.plan for name in names}
