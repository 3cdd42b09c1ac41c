"""Thoughts that a model wrote into its answer, told apart from the answer."""

from __future__ import annotations

import re

_OPEN, _CLOSE = r"<\s*(?:think|thinking|reasoning)\s*>", r"<\s*/\s*(?:think|thinking|reasoning)\s*>"
_WHOLE = re.compile(rf"^\s*{_OPEN}(.*?){_CLOSE}", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(rf"^(?:(?!{_OPEN}).)*?{_CLOSE}", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(rf"^\s*{_OPEN}(.*)$", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> tuple[str, str]:
    """The answer and the thoughts before it.

    Templates that open the thoughts in the prompt leave only their end in the answer; an answer that was cut off may
    never have come to their end.
    """
    whole = _WHOLE.match(text)
    if whole:
        return text[whole.end() :].strip(), whole[1].strip()
    unopened = _UNOPENED.match(text)
    if unopened:
        return text[unopened.end() :].strip(), re.sub(_CLOSE, "", unopened[0], flags=re.IGNORECASE).strip()
    unclosed = _UNCLOSED.match(text)
    if unclosed:
        return "", unclosed[1].strip()
    return text, ""
