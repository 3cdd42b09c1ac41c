"""How much of what an agent does is recorded. Past that the episode ends as the agent's failure, and the record says why.

A record stands in one line of a journal. What an agent sends must not make a line, or a run, that no reader opens again.
"""

from __future__ import annotations

import json

from envscaler_mcp.artifacts import Step

MAX_CALLS = 1_000
"""Calls of one move."""
MAX_WORDS = 1 << 20
"""Bytes of what is said and thought in one move, as JSON."""
MAX_MOVE = 4 << 20
"""Bytes of the steps of one move, with answers and changes, as JSON. The step that passes it is the last, and recorded whole."""
MAX_EPISODE = 16 << 20
"""Bytes of all steps. Messages repeat most of them, so that a record is somewhat more than twice as long."""
_SHOWN = 20_000
"""Letters that are recorded of words that are too long."""
_TO_JSON = Step.__pydantic_serializer__.to_json


class RecordFullError(Exception):
    """An agent did more than is recorded of an episode."""


class RecordBounds:
    """What the steps of one episode have taken so far."""

    def __init__(self) -> None:
        self._move = 0
        self._episode = 0

    def begin_move(self) -> None:
        """What comes now belongs to another move."""
        self._move = 0

    def add(self, step: Step) -> str:
        """Count a step that was recorded; why it was the last, or nothing."""
        size = len(_TO_JSON(step))
        self._move += size
        self._episode += size
        if self._move > MAX_MOVE:
            return f"the record of one move may have {MAX_MOVE:,} bytes, and the agent's has {self._move:,}"
        if self._episode > MAX_EPISODE:
            return f"the record of an episode may have {MAX_EPISODE:,} bytes, and the agent's has {self._episode:,}"
        return ""


def too_much(text: str, reasoning: str, calls: int) -> str:
    """Why a move is neither made nor recorded whole, or nothing."""
    if calls > MAX_CALLS:
        return f"one move may have {MAX_CALLS:,} calls, and the agent's had {calls:,}"
    # JSON makes six bytes of a letter at most, so most moves need not be encoded.
    if 6 * (len(text) + len(reasoning)) + 4 <= MAX_WORDS:
        return ""
    size = encoded_size(text) + encoded_size(reasoning)
    if size > MAX_WORDS:
        return (
            f"what is said and thought in one move may have {MAX_WORDS:,} bytes, and the agent's had {size:,} or more"
        )
    return ""


def encoded_size(text: str) -> int:
    """The bytes of a text as JSON; of a text that is too long in any case, its letters."""
    return len(text) if len(text) > MAX_WORDS else len(json.dumps(text, ensure_ascii=False).encode())


def cut(text: str) -> str:
    """The beginning of a text, and how much of it is not there."""
    left_out = len(text) - _SHOWN
    return text if left_out <= 0 else f"{text[:_SHOWN]} … ({left_out:,} letters are left out)"
