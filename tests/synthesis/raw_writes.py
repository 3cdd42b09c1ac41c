"""The same entities and rules with operations that guard nothing: every attribute can be written, every record made and deleted.

Only the checks after the effects stand between such a call and a broken rule, so this is where a check that looks at too few
records shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from envscaler_mcp.language.declarations import wire_name
from envscaler_mcp.language.expressions import Local, Loop
from envscaler_mcp.language.model import (
    Attribute,
    Delete,
    Entity,
    For,
    If,
    Model,
    New,
    Operation,
    Parameter,
    Put,
    Sentence,
    Statement,
)
from envscaler_mcp.language.types import BOOL, list_of, ref
from tests.synthesis.calls import Calls, State

COMBINED = 60


@dataclass
class Piece:
    """Statements with the parameters they need."""

    params: list[Parameter] = field(default_factory=list)
    effect: list[Statement] = field(default_factory=list)


@dataclass
class Raw:
    """A model of raw writes, and which attribute each argument is kept in."""

    model: Model
    kept: dict[tuple[str, str], tuple[Entity, Attribute]]


class _Maker:
    def __init__(self, model: Model, random: Random) -> None:
        entities = {name: _free(entity) for name, entity in model.entities.items()}
        self.model = replace(model, entities=entities, queries={}, derive={})
        self.random = random
        self.kept: dict[tuple[str, str], tuple[Entity, Attribute]] = {}
        self.operations: dict[str, Operation] = {}

    def make(self) -> Raw:
        for entity in self.model.entities.values():
            for attribute in entity.stored:
                self.operation(f"put_{entity.noun}_{attribute.name}", [self.put(entity, attribute, 1)])
                self.operation(
                    f"each_{entity.noun}_{attribute.name}", [self.each(self.put(entity, attribute, 1), entity)]
                )
            self.operation(f"add_{entity.noun}", [self.add(entity, 1)])
            self.operation(f"drop_{entity.noun}", [self.drop(entity, 1)])
            self.operation(f"drop_each_{entity.noun}", [self.each(self.drop(entity, 1), entity)])
        for number in range(COMBINED):
            pieces = [self.piece(place) for place in range(1, self.random.choice((3, 3, 4)))]
            self.operation(f"combined_{number}", pieces)
        return Raw(replace(self.model, operations=self.operations), self.kept)

    def operation(self, name: str, pieces: list[Piece]) -> None:
        params = tuple(param for piece in pieces for param in piece.params)
        effect = tuple(statement for piece in pieces for statement in piece.effect)
        self.operations[name] = Operation(name, "Write.", params, (), effect, Sentence(("write it",)))
        for param in params:
            if (name_ := param.name.partition("_of_")[2]) and param.name.startswith("given_"):
                entity, _, attribute = name_.partition("_and_")
                declared = next(e for e in self.model.entities.values() if e.noun == entity)
                self.kept[name, param.name] = (declared, declared.attributes[attribute])

    def piece(self, place: int) -> Piece:
        entity = self.random.choice(list(self.model.entities.values()))
        chosen = self.random.random()
        if chosen < 0.15:
            return self.add(entity, place)
        if chosen < 0.3:
            return self.drop(entity, place)
        piece = self.put(entity, self.random.choice(entity.stored), place)
        return self.perhaps(piece, place) if chosen < 0.5 else piece

    def put(self, entity: Entity, attribute: Attribute, place: int) -> Piece:
        goal = Parameter(f"goal_{place}", f"goal_{place}_id", ref(entity.name))
        given = self.given(entity, attribute, place)
        value = Local(attribute.type, given.name)
        return Piece([goal, given], [Put(Local(goal.type, goal.name), entity.name, attribute.name, value)])

    def add(self, entity: Entity, place: int) -> Piece:
        params = [self.given(entity, attribute, place) for attribute in entity.stored]
        values = {a.name: Local(a.type, p.name) for a, p in zip(entity.stored, params, strict=True)}
        return Piece(params, [New(None, entity.name, dict(values))])

    def drop(self, entity: Entity, place: int) -> Piece:
        goal = Parameter(f"goal_{place}", f"goal_{place}_id", ref(entity.name))
        return Piece([goal], [Delete(Local(goal.type, goal.name), entity.name)])

    def given(self, entity: Entity, attribute: Attribute, place: int) -> Parameter:
        name = f"given_{place}_of_{entity.noun}_and_{attribute.name}"
        return Parameter(name, wire_name(name, attribute.type), attribute.type)

    def each(self, piece: Piece, entity: Entity) -> Piece:
        """The same for every record of a list."""
        goals = Parameter("goals", "goal_ids", list_of(ref(entity.name)))
        loop = Loop("goal_1", ref(entity.name), Local(goals.type, "goals"), ())
        return Piece([goals, *piece.params[1:]], [For(loop, (), None, tuple(piece.effect))])

    def perhaps(self, piece: Piece, place: int) -> Piece:
        """The same, or nothing."""
        asked = Parameter(f"asked_{place}", f"asked_{place}", BOOL)
        return Piece([*piece.params, asked], [If(Local(BOOL, asked.name), tuple(piece.effect), ())])


def _free(entity: Entity) -> Entity:
    """The entity without what keeps a value from being written."""
    freed = {name: replace(attribute, fixed=False, moves=None) for name, attribute in entity.attributes.items()}
    return replace(entity, attributes=freed)


def raw_writes(model: Model, seed: int) -> Raw:
    """Every write alone, in a loop, and with others."""
    return _Maker(model, Random(seed)).make()


class RawCalls(Calls):
    """Draws values that other records have, so that many writes leave the rules whole."""

    def __init__(self, raw: Raw, random: Random) -> None:
        super().__init__(raw.model, random)
        self.raw = raw

    def arguments(self, tool: str, state: State) -> dict[str, Any]:
        found = {}
        like: dict[str, Any] = {}
        for param in self.model.operations[tool].params:
            entity, attribute = self.raw.kept.get((tool, param.name), (None, None))
            found[param.argument] = self.value(param.type, state)
            if entity is None or attribute is None:
                continue
            rows = list(state[entity.container].values())
            if rows and self.random.random() < 0.75:
                # Mostly one record is the model for all, which keeps values together that belong together.
                row = like.setdefault(entity.name, self.random.choice(rows))
                row = row if self.random.random() < 0.8 else self.random.choice(rows)
                found[param.argument] = row[attribute.key]
            worded = attribute.type.kind == "text" and isinstance(found[param.argument], str)
            if attribute.unique and worded and self.random.random() < 0.8:
                found[param.argument] += f" {self.random.randrange(10**6)}"
        return found
