"""Python expressions as text, with no more brackets than needed."""

from __future__ import annotations

from typing import NamedTuple

CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(9)
"""How tightly an expression holds together, loosest first."""


class Code(NamedTuple):
    """An expression as text, and how tightly it holds together."""

    text: str
    level: int = ATOM

    def __str__(self) -> str:
        return self.text

    def at(self, level: int) -> str:
        """The text, in brackets where the surroundings bind tighter."""
        return self.text if self.level >= level else f"({self.text})"


def quoted(text: str) -> str:
    """A string literal in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def within_fstring(text: str) -> str:
    """Literal words as they stand inside a double-quoted f-string."""
    return quoted(text)[1:-1].replace("{", "{{").replace("}", "}}")
