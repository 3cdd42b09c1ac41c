"""What is wrong with a document, in a sentence."""

from __future__ import annotations

from pydantic import ValidationError

_MOST_LISTED = 100
"""Mistakes of which the first is looked for; they can only be listed all together, and a hostile document has millions."""


def first_mistake(cause: ValidationError, what: str = "") -> str:
    """The first mistake in a sentence, after where it is or, at the top, what it is in."""
    if cause.error_count() > _MOST_LISTED:
        return f"{what}{cause.error_count():,} of its values are wrong or have no place here."
    first = cause.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where + ': ' if where else what}{first['msg']}"
