"""What a type of column is: one class per type, and a registry that every other module asks.

A new type is one subclass of `ColumnType` in the registry. The base class is a type whose values are texts of a
certain form, as a date is; a subclass overrides what is different.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Protocol, TypeVar

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.language.expressions import Expr, Literal
from envscaler_mcp.language.python_code import Code
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import Complaint, Type

T = TypeVar("T")


class RandomSource(Protocol):
    """What a type needs of a source of random numbers; `sampling.chance.Chance` is one."""

    def below(self, bound: int) -> int: ...
    def between(self, low: int, high: int) -> int: ...
    def of(self, percent: int) -> bool: ...
    def pick(self, choices: Sequence[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a value is drawn from."""

    chance: RandomSource
    today: str
    text_of: Callable[[str], str]
    """A text of a known shape: a person, an address, …"""


@dataclass(frozen=True, slots=True)
class Nearby:
    """The world beside a value: what day it is, which records there are, what the same field holds elsewhere."""

    today: str
    records: Callable[[str], Collection[str]]
    """The ids of an entity."""
    observed: tuple[Any, ...] = ()
    """Values of the same field in other records."""

    def beside(self, observed: Iterable[Any]) -> Nearby:
        """The same world, looked at from another field."""
        return Nearby(self.today, self.records, tuple(observed))


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A `format` of JSON Schema, and how values of it are recognised and tried where no blueprint names a type."""

    name: str
    type: Type
    pattern: str
    """The form in which the language writes such a value."""
    unreal: str
    """A text that every check of the format refuses."""
    offered: Callable[[str, str], Iterable[tuple[str, str]]]
    """Values to try, each with its description, from today's date and the words of the argument's name."""
    observed: str = ""
    """The forms in which other code writes such a value, where there are more."""


class NotDrawnError(Exception):
    """A type of whose values a blueprint must give examples."""


class ColumnType:
    """A type of column. Every method takes the `Type`, with its range, its options and the rest, where it needs one."""

    name: ClassVar[str]
    """Its word in a blueprint, and its `Type.kind`."""
    spellings: ClassVar[tuple[str, ...]] = ()
    """Other words for it in a blueprint."""

    # In a blueprint

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        """The type that a word names, with what stands in its brackets; None where it takes no brackets."""
        return Type(self.name) if inner is None else None

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        """The value in `type = text`, `bare` without its quotes; None where the text is none of the type."""
        return Literal(Type(self.name), bare) if self.reads(bare) else None

    def reads(self, text: str) -> bool:
        """Whether a quoted text in an expression is a value of the type."""
        return False

    note: ClassVar[str] = ""
    """What agents are told of how its values are written, where an environment has such columns."""

    # In expressions

    ordered: ClassVar[bool] = False
    """Whether `<` means something."""
    on_a_line: ClassVar[bool] = False
    """Whether min, max and overlap mean something."""
    number: ClassVar[bool] = False
    """Whether it is computed with as a number."""
    unit: ClassVar[str] = ""
    """What a number counts: numbers of different units are not added."""
    step: ClassVar[str] = ""
    """What `value + 1` moves by, in words; nothing where that means nothing."""
    on_a_day: ClassVar[bool] = False
    """Whether a value begins with the day that it lies on, as `YYYY-MM-DD`."""
    has_distance: ClassVar[bool] = False
    """Whether `value - value` is a number."""

    def moved(self, value: Any, steps: int) -> Any:
        """`value + steps`, as the interpreter computes it."""
        raise NotImplementedError(f"{self.name} has no step")

    def distance(self, start: Any, end: Any) -> int:
        """`end - start`, as the interpreter computes it."""
        raise NotImplementedError(f"{self.name} has no distance")

    def answer_text(self, value: Any) -> str:
        """The value in the sentence of an answer, as the interpreter writes it."""
        return str(value)

    # Compiled

    python: ClassVar[str] = "str"
    """The Python type of a stored value."""
    aliases: ClassVar[Mapping[str, str]] = {}
    """Names that its annotations use, and what a compiled module defines them as."""
    helpers: ClassVar[Mapping[str, str]] = {}
    """Functions that its code calls, by name; a compiled module holds those that it uses."""

    @property
    def sorts_by_minus(self) -> bool:
        """Whether `-value` reverses an order."""
        return self.python in ("int", "bool")

    @property
    def says_text(self) -> bool:
        """Whether `answer_code` gives a text."""
        return True

    def annotation(self, type_: Type) -> str:
        """The annotation of an argument, from which its JSON schema is made."""
        return self.python

    def stored_annotation(self, type_: Type) -> str:
        """The annotation of a field of a record."""
        return self.python

    def called(self, what: str) -> str:
        """How an argument is described whose author says nothing of it but its name."""
        return f"The {what}"

    def form(self, type_: Type) -> str:
        """What follows the description of an argument: its unit, its bounds, how it is written."""
        return ""

    def moved_code(self, value: Code, steps: Code, op: str) -> Code:
        """`value + steps` or `value - steps` in Python."""
        raise NotImplementedError(f"{self.name} has no step")

    def distance_code(self, start: Code, end: Code) -> Code:
        """`end - start` in Python."""
        raise NotImplementedError(f"{self.name} has no distance")

    def answer_code(self, value: Code) -> Code:
        """The value in the sentence of an answer, in Python."""
        return value

    # Stored

    def fault(self, value: Any, type_: Type) -> str | None:
        """What is wrong with a stored value, as the end of a sentence; references are checked where the records are."""
        if not isinstance(value, str):
            return f"is {value!r}, which is no text"
        return None if self.reads(value) else f"is {value!r}, which is no {self.name}"

    # Drawn

    usual: ClassVar[tuple[str, str] | None] = None
    """Where the arguments of operations and of queries lie for which a blueprint gives no values."""

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        """A value, where a blueprint says nothing of it."""
        raise NotDrawnError

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        """A value from what `start.values` says; ValueError where the text is none."""
        if not self.reads(text):
            raise ValueError(text)
        return text

    # In words

    forms: ClassVar[tuple[str, ...]] = ()
    """Ways to say it that a story can ask for by name: `{visit.start:day}`."""

    def say(self, value: Any, form: str, today: str) -> str:
        """The value as a task says it."""
        return str(value)

    def said_alike(self, a: Any, b: Any, form: str) -> bool:
        """Whether two values are the same when said in this form."""
        return bool(a == b)

    def leaves_out_the_day(self, form: str) -> bool:
        """Whether a value said in this form is taken for one of today."""
        return False

    # Other values, for the proofs

    formats: ClassVar[tuple[TextFormat, ...]] = ()
    """The formats of JSON Schema that mean this type."""

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        """Whether a stored value is one of the type, in the forms that other code stores too."""
        return isinstance(value, str) and self.reads(value)

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """Other values, nearest first: what a mutant holds instead. Invalid ones are left out later."""
        yield from (entry for entry in nearby.observed if entry != value)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """Values where there is none yet, likeliest first."""
        yield from nearby.observed


COLUMN_TYPES: dict[str, ColumnType] = {}
"""Every type by its name. `column_types/__init__.py` fills it."""


def column_of(type_: Type) -> ColumnType:
    """All that is known of the type of a value."""
    return COLUMN_TYPES[type_.kind]


def type_named(word: str, inner: str | None, text: str, whole: str) -> Type:
    """The type that an author wrote as `word` or `word(inner)`."""
    for column in COLUMN_TYPES.values():
        if word == column.name or word in column.spellings:
            type_ = column.parse(word, inner, whole)
            if type_ is not None:
                return type_
    known = [word for column in COLUMN_TYPES.values() for word in (column.name, *column.spellings)]
    raise Complaint(f"there is no type {text!r}{name_hint(word, known)}")


def forms() -> tuple[str, ...]:
    """Every way to say a value that a story can ask for."""
    return ("", "short", "quoted", *(form for column in COLUMN_TYPES.values() for form in column.forms))


def formats() -> Iterator[TextFormat]:
    """Every format of JSON Schema that means a type."""
    for column in COLUMN_TYPES.values():
        yield from column.formats


def format_named(name: object) -> TextFormat | None:
    """The format of that name, where a type knows it."""
    return next((entry for entry in formats() if entry.name == name), None)


def format_of_texts(texts: Collection[str]) -> TextFormat | None:
    """The format that all these texts have, in any of the forms that other code writes."""
    return next((f for f in formats() if all(re.fullmatch(f.observed or f.pattern, text) for text in texts)), None)


# Other values of a type


def is_valid(value: Any, type_: Type, nearby: Nearby) -> bool:
    """Whether a stored value is one of the type, as far as this world tells."""
    return type_.optional if value is None else column_of(type_).is_valid(value, type_, nearby)


def other_values(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """Valid values of the type that are not this one, those nearest to it first; each once."""
    seen = {canonical_json(value)}
    for other in _candidates(value, type_, nearby):
        text = canonical_json(other)
        if text not in seen and is_valid(other, type_, nearby):
            seen.add(text)
            yield other


def _candidates(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    column = column_of(type_)
    if value is None:
        yield from islice(column.first(type_, nearby), 1)
        return
    yield from column.others(value, type_, nearby)
    if type_.optional:
        yield None
