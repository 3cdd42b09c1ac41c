"""Texts of published files in a form that every file and terminal can hold."""

from __future__ import annotations

import json
from typing import Any


def text_of(value: object) -> str:
    """The value as a text; half a character, which JSON may hold and UTF-8 may not, becomes its escape."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def json_of(document: Any, indent: int) -> str:
    """The document as it is stored; read again it is what it was."""
    return text_of(json.dumps(document, ensure_ascii=False, indent=indent)) + "\n"


def name_in(item: Any, key: str) -> str:
    """The name under a key; nothing where there is none."""
    value = item.get(key) if isinstance(item, dict) else None
    return text_of(value) if isinstance(value, (str, int)) else ""
