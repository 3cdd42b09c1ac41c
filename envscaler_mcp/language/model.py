"""A blueprint after checking: what the compiler and the interpreter read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING

from envscaler_mcp.artifacts import Blueprint
from envscaler_mcp.language.expressions import Expr, Loop, Records
from envscaler_mcp.language.types import Type

if TYPE_CHECKING:
    from envscaler_mcp.language.start import StartPlan


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an entity."""

    name: str
    key: str
    """Its key in a stored record: references are stored as `<name>_id`."""
    type: Type
    fixed: bool = False
    unique: bool = False
    default: Expr | None = None
    moves: tuple[tuple[str, str], ...] | None = None
    derived: Expr | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """One kind of record."""

    name: str
    noun: str
    """`purchase_order`"""
    container: str
    """`purchase_orders`"""
    prefix: str
    """What its ids begin with."""
    attributes: dict[str, Attribute]
    label: str
    """The attribute people call a record by, or `id`."""

    @property
    def stored(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes.values() if attribute.derived is None]

    @property
    def derived(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes.values() if attribute.derived is not None]


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words with values in between."""

    parts: tuple[str | Expr, ...]
    clauses: tuple[Clause, ...] = ()
    """What follows where optional parameters are given: `[ to {room}]` at the end of a `say`."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Words that are said only where these parameters are given."""

    needs: tuple[str, ...]
    words: Sentence
    otherwise: Sentence = field(default_factory=lambda: Sentence(()))
    """What is said where they are not: `[ to {room} | to no room]`."""


@dataclass(frozen=True, slots=True)
class Help:
    """What the author says of a parameter; without it, its name and type say what it is."""

    text: str = ""
    omitted: str = ""
    """What leaving it out means."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Of a list of structures: what the author says of each field."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation, query or definition."""

    name: str
    argument: str
    """Its name on the wire: references are passed as `<name>_id`."""
    type: Type
    default: Expr | None = None
    help: Help = Help()

    @property
    def omissible(self) -> bool:
        return self.type.optional or self.default is not None


@dataclass(frozen=True, slots=True)
class Define:
    name: str
    params: tuple[Parameter, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Rule:
    number: int
    text: str
    holds: Expr


@dataclass(frozen=True, slots=True)
class Let:
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Guard:
    """A call is refused with the sentence where the test is false."""

    test: Expr
    sentence: Sentence
    source: str


@dataclass(frozen=True, slots=True)
class SetLocal:
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Put:
    """`record.attribute = value`; `+=` and `-=` are already written out in the value."""

    record: Expr
    entity: str
    attribute: str
    value: Expr


@dataclass(frozen=True, slots=True)
class New:
    name: str | None
    entity: str
    values: dict[str, Expr]
    """Every stored attribute, in the entity's order."""


@dataclass(frozen=True, slots=True)
class Delete:
    record: Expr
    entity: str


@dataclass(frozen=True, slots=True)
class For:
    loop: Loop
    by: tuple[Expr, ...]
    limit: Expr | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


Statement = Let | SetLocal | Put | New | Delete | For | If


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    about: str
    params: tuple[Parameter, ...]
    require: tuple[Let | Guard, ...]
    effect: tuple[Statement, ...]
    say: Sentence

    def new_keys(self, entities: Mapping[str, Entity]) -> list[str]:
        """The keys under which the answer gives the ids of new records, in their order; those made in a loop are not told."""
        taken: list[str] = []
        for new in (statement for statement in self.effect if isinstance(statement, New)):
            noun = entities[new.entity].noun
            again = new.name or f"new_{noun}"
            names = chain((noun, again), (f"{again}_{number}" for number in count(2)))
            taken.append(next(name for name in names if name not in taken))
        return [f"{name}_id" for name in taken]


@dataclass(frozen=True, slots=True)
class Filter:
    """A line of `where`; skipped when the optional parameters it names are omitted."""

    test: Expr
    skipped_without: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    name: str
    about: str
    params: tuple[Parameter, ...]
    require: tuple[Let | Guard, ...]
    variable: str = ""
    element: Type | None = None
    source: Records | Expr | None = None
    where: tuple[Filter, ...] = ()
    by: tuple[Expr, ...] = ()
    limit: int | None = None
    show: dict[str, Expr] = field(default_factory=dict)
    answer: dict[str, Expr] = field(default_factory=dict)


_CLOCK = "current_time"


@dataclass(frozen=True, slots=True)
class Model:
    """One environment, ready to compile."""

    blueprint: Blueprint
    entities: dict[str, Entity]
    defines: dict[str, Define]
    rules: tuple[Rule, ...]
    operations: dict[str, Operation]
    queries: dict[str, Query]
    derive: dict[str, tuple[str, ...]]
    """Which reads follow from each entity."""
    start: StartPlan | None = None
    """How time passes while start states grow, where anything was said of it."""

    @property
    def clock(self) -> str:
        """The read that tells the day and the hour; nothing where the author has a tool of that name."""
        return "" if _CLOCK in self.operations or _CLOCK in self.queries else _CLOCK
