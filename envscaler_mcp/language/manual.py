"""The manual of the language: the page that people read, and that models are told from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_INSTALLED = Path(__file__).with_name("manual.md")
_CHECKOUT = Path(__file__).parents[2] / "docs" / "blueprints.md"


@cache
def manual() -> str:
    """The page, whole; an installed package carries it along."""
    return (_INSTALLED if _INSTALLED.is_file() else _CHECKOUT).read_text(encoding="utf-8")
