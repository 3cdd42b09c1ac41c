"""Numbers of things, as a sentence has them."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 task`, `2,100 tasks`; a plural that does not end in s is given."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def are(number: int) -> str:
    """The verb that goes with so many."""
    return "is" if number == 1 else "are"


def have(number: int) -> str:
    """The same of what they have."""
    return "has" if number == 1 else "have"
