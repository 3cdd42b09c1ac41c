"""The manual of the language: the pages that people read, and that models are given."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

ManualPage = Literal["blueprints", "stories"]

# The wheel carries the pages here (tools/build_hook.py); a checkout has them in docs/.
_INSTALLED = Path(__file__).parents[1] / "documentation"
_CHECKOUT = Path(__file__).parents[2] / "docs"


@cache
def manual(*pages: ManualPage) -> str:
    """These pages, whole, one after the other."""
    return "\n".join(_page(f"{name}.md") for name in pages)


def _page(name: str) -> str:
    installed = _INSTALLED / name
    return (installed if installed.is_file() else _CHECKOUT / name).read_text(encoding="utf-8")
