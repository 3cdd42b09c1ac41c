"""Who and what a story is about: records and values for its roles, as the state offers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.drawing.chance import Chance
from envscaler_mcp.drawing.values import HIDDEN_NONE, drawn, read, values_of
from envscaler_mcp.language.expressions import Expr, Local, walk
from envscaler_mcp.language.interpreter.evaluation import Evaluation, Names
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Chosen, Drawn, Role, Story, Worked, expressions_of

_TRIES = 12


class Casting:
    """Casts the stories of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        said = model.blueprint.start.values
        self.values = {name: values_of(name, said) for name in (*model.operations, *model.entities)}

    def cast(self, story: Story, state: dict[str, Any], chance: Chance, taken: set[Ref]) -> Names | None:
        """Names for every role, or None where the state has nobody for one; records taken by others are left out."""
        store = Store(self.model, state)
        return self._fill(list(story.cast), {}, Evaluation(store), chance, taken)

    def _fill(
        self, roles: list[Role], names: Names, evaluation: Evaluation, chance: Chance, taken: set[Ref]
    ) -> Names | None:
        if not roles:
            return names
        role, rest = roles[0], roles[1:]
        for value in self._candidates(role, names, evaluation, chance):
            if isinstance(value, Ref) and isinstance(role, Drawn) and value in taken:
                continue
            found = self._fill(rest, {**names, role.name: value}, evaluation, chance, taken)
            if found is not None:
                return found
        return None

    def _candidates(self, role: Role, names: Names, evaluation: Evaluation, chance: Chance) -> Iterator[Any]:
        """Values for a role, each worked out only when the one before it did not do."""
        if isinstance(role, Worked):
            value = evaluation.value(role.value, names)
            if value is not None and value != []:
                yield value
            return
        if isinstance(role, Chosen):
            yield self._choice(role, evaluation.store.clock()[:10], chance)
            return
        everyone = evaluation.store.all(role.entity)
        left = _TRIES
        for one in chance.some(everyone, len(everyone)):
            if role.test is None or evaluation.value(role.test, {**names, role.name: one}):
                yield one
                left -= 1
                if not left:
                    return

    def _choice(self, role: Chosen, today: str, chance: Chance) -> Any:
        alternatives = role.alternatives or self.values[role.operation].single.get(role.parameter, ())
        alternatives = tuple(one for one in alternatives if one != HIDDEN_NONE)
        if alternatives:
            return read(role.type, chance.pick(alternatives), chance, today, role.source)
        return drawn(role.type, (), chance, today, role.source)


def mistakable(story: Story, names: Names, said: Sequence[Expr], evaluation: Evaluation) -> str:
    """A role in which another record would be told in the same words and have something else done; empty if there is none."""
    used = used_names(story)
    told = [evaluation.value(expr, names) for expr in said]
    itself = {expr.name for expr in said if isinstance(expr, Local)}
    for place, role in enumerate(story.cast):
        if not isinstance(role, Drawn) or role.name in itself:
            continue
        for other in evaluation.store.all(role.entity):
            twin = _recast(story.cast[place:], {**names, role.name: other}, evaluation)
            if twin is None or all(twin[name] == names[name] for name in used & names.keys()):
                continue
            if [evaluation.value(expr, twin) for expr in said] == told:
                return role.name
    return ""


def used_names(story: Story) -> set[str]:
    """The roles that its calls speak of."""
    return {inner.name for expr in expressions_of(story.do) for inner in walk(expr) if isinstance(inner, Local)}


def _recast(roles: Sequence[Role], names: Names, evaluation: Evaluation) -> Names | None:
    """The names with everything that follows from them, or None where they do not fit."""
    for role in roles:
        if isinstance(role, Drawn) and role.test is not None and not evaluation.value(role.test, names):
            return None
        if isinstance(role, Worked):
            value = evaluation.value(role.value, names)
            if value is None or value == []:
                return None
            names = {**names, role.name: value}
    return names


def drawn_records(story: Story, names: Names) -> set[Ref]:
    """The records that a cast has drawn, and those it worked out."""
    found: set[Ref] = set()
    for role in story.cast:
        value = names.get(role.name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Ref):
                found.add(one)
    return found
