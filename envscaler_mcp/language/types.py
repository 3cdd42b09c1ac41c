"""What a value is: its kind, and the range, options or elements that it has. What a kind means is in `column_types`."""

from __future__ import annotations

from dataclasses import dataclass, replace


class Complaint(Exception):  # noqa: N818
    """What is wrong with one expression or type; the caller adds where it stands."""


@dataclass(frozen=True, slots=True)
class Type:
    """What a value is."""

    kind: str
    """The name of its `ColumnType`."""
    optional: bool = False
    options: tuple[str, ...] = ()
    entity: str = ""
    of: Type | None = None
    """Element of a list; unit (int or money) of a ratio."""
    fields: tuple[tuple[str, Type], ...] = ()
    low: int | None = None
    high: int | None = None
    shape: str = ""
    """The kind of text: person, email, …"""

    @property
    def certain(self) -> Type:
        """The same without None."""
        return replace(self, optional=False) if self.optional else self

    @property
    def maybe(self) -> Type:
        """The same or None."""
        return self if self.optional else replace(self, optional=True)

    def __str__(self) -> str:
        text: str = self.kind
        if self.kind == "ref":
            text = self.entity
        elif self.kind == "list" and self.of is not None:
            text = f"list of {self.of}"
        elif self.kind == "one_of":
            text = "one of " + ", ".join(self.options)
        elif self.kind == "ratio":
            text = "exact ratio"
        return f"{text} or nothing" if self.optional else text


TEXT, INT, MONEY, BOOL = Type("text"), Type("int"), Type("money"), Type("bool")
DATE, TIME, DATETIME, NONE = Type("date"), Type("time"), Type("datetime"), Type("none")


def ref(entity: str) -> Type:
    return Type("ref", entity=entity)


def list_of(element: Type) -> Type:
    return Type("list", of=element)
