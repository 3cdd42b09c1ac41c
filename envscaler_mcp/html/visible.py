"""Text from a record as it can be shown: what would steer a terminal, or turn the reading direction, is named instead."""

from __future__ import annotations

import json
import re

UNSEEN = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""First and last of the control characters, but for tab and newline, and of what is not seen but changes what is.

What emoji are put together with is not among them.
"""
_CLASS = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSEEN)
_UNSEEN = re.compile(f"[{_CLASS}]")
_IN_A_LINE = re.compile(f"[\t\n{_CLASS}]")


def visible(text: str) -> str:
    """The text with its unseen characters told by number."""
    return _UNSEEN.sub(_told, text)


def on_one_line(text: str) -> str:
    """The same where a line has a meaning of its own: tabs and newlines are told too."""
    return _IN_A_LINE.sub(_told, text)


def escaped(json_text: str) -> str:
    """JSON with the same signs as escapes: what it says is the same, and nothing that reads it as text is steered."""
    return _UNSEEN.sub(_escape, json_text)


def _escape(match: re.Match[str]) -> str:
    # Only inside texts of a JSON document can such signs stand; those beyond four digits are written as two halves.
    return json.dumps(match[0])[1:-1]


def _told(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"
