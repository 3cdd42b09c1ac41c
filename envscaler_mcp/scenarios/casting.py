"""Who and what a story is about: records and values for its roles, as the state offers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Chosen, Drawn, Role, Story, Worked
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.values import HIDDEN_NONE, drawn, read, values_of

_TRIES = 12


class Casting:
    """Casts the stories of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        said = model.blueprint.start.values
        self.values = {name: values_of(name, said) for name in (*model.operations, *model.entities)}
        self.dry = 0
        """The place of the role that the last cast came to and had nothing for."""

    def cast(self, story: Story, evaluation: SteadyEvaluator, chance: Chance, taken: set[Ref]) -> Names | None:
        """Names for every role, or None where no record of the state fits one; records taken by others are left out."""
        self.dry = 0
        return self._fill(list(story.cast), {}, evaluation, chance, taken)

    def why(self, story: Story) -> str:
        """What the last cast of the story that came to nothing had no record or value for."""
        role, line = story.cast[self.dry], self.model.blueprint.stories[story.name].cast[self.dry]
        return f"{'nothing comes of' if isinstance(role, Worked) else 'no record fits'} {' '.join(line.split())!r}"

    def _fill(
        self, roles: list[Role], names: Names, evaluation: SteadyEvaluator, chance: Chance, taken: set[Ref]
    ) -> Names | None:
        if not roles:
            return names
        role, rest = roles[0], roles[1:]
        self.dry = max(self.dry, len(names))
        for value in self._candidates(role, names, evaluation, chance):
            if isinstance(value, Ref) and isinstance(role, Drawn) and value in taken:
                continue
            filled = self._fill(rest, {**names, role.name: value}, evaluation, chance, taken)
            if filled is not None:
                return filled
        return None

    def _candidates(self, role: Role, names: Names, evaluation: SteadyEvaluator, chance: Chance) -> Iterator[Any]:
        """Values for a role, each worked out only when the one before it did not do."""
        if isinstance(role, Worked):
            value = evaluation.value(role.value, names)
            if value is not None and value != []:
                yield value
            return
        if isinstance(role, Chosen):
            yield self._choice(role, evaluation.store.clock()[:10], chance)
            return
        everyone = evaluation.records(role.entity)
        left = _TRIES
        for record in chance.some(everyone, len(everyone)):
            if role.test is None or evaluation.value(role.test, {**names, role.name: record}):
                yield record
                left -= 1
                if not left:
                    return

    def _choice(self, role: Chosen, today: str, chance: Chance) -> Any:
        alternatives = role.alternatives or self.values[role.operation].single.get(role.parameter, ())
        alternatives = tuple(text for text in alternatives if text != HIDDEN_NONE)
        if alternatives:
            return read(role.type, chance.pick(alternatives), chance, today, role.source)
        return drawn(role.type, (), chance, today, role.source)


def drawn_records(story: Story, names: Names) -> set[Ref]:
    """The records that a cast has drawn, and those it worked out."""
    records: set[Ref] = set()
    for role in story.cast:
        value = names.get(role.name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Ref):
                records.add(item)
    return records
