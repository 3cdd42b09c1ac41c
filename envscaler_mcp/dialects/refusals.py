"""How a dialect says that something was not done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envscaler_mcp.dialects.axes import Axes
from envscaler_mcp.dialects.layouts import Layout

_CODES = {
    "invalid": ("INVALID_ARGUMENT", 400),
    "missing": ("NOT_FOUND", 404),
    "refused": ("FAILED_PRECONDITION", 409),
    "limited": ("LIMIT_EXCEEDED", 413),
}


class Refusals:
    """The errors of one dialect."""

    def __init__(self, axes: Axes, layout: Layout) -> None:
        self.in_band = axes.errors == "in_band"
        """Whether an answer that is an error does not say so in the protocol."""
        self._word: Callable[..., str] = layout.word
        self._style = axes.errors
        self._as_text = layout.as_text

    def body(self, kind: str, sentence: str) -> Any:
        """The answer for a sentence; `kind` is that of the outcome, or `missing`."""
        code, status = _CODES[kind]
        word = self._word
        if self._as_text and self._style == "sentence":
            return f"Error: {sentence}"
        if self._as_text:
            return f"Error {code}: {sentence}" if self._style == "code" else f"Error {status}: {sentence}"
        match self._style:
            case "sentence":
                return {word("error"): sentence}
            case "code":
                return {word("error"): {word("code"): code, word("message"): sentence}}
            case "status":
                title = code.replace("_", " ").capitalize()
                return {word("status"): status, word("title"): title, word("details"): [sentence]}
            case "in_band":
                return {word("ok"): False, word("error"): sentence}
