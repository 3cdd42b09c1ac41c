"""Lists as models read and are told them."""

from __future__ import annotations

from collections.abc import Iterable


def bullets(lines: Iterable[object]) -> str:
    """One line for each, and a word where there is none."""
    return "\n".join(f"* {line}" for line in lines) or "* none"
