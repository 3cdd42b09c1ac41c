"""Checks of single texts and numbers: length, range, pattern, and whether a date is one of the calendar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.suggestion import quote_value

MAX_TEXT = 10_000
MAX_NUMBER = 2**53 - 1
"""Beyond it, whole numbers are not the same in every language that reads JSON."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}")
_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


def is_date(text: str) -> bool:
    """A day of the calendar, written 2026-03-02."""
    return _DATE.fullmatch(text) is not None and _parses(date.fromisoformat, text)


def is_time(text: str) -> bool:
    """A minute of the day, written 09:30."""
    return _TIME.fullmatch(text) is not None and _parses(time.fromisoformat, text)


def is_minute(text: str) -> bool:
    """A minute of the calendar, written 2026-03-02T09:30."""
    return _MINUTE.fullmatch(text) is not None and _parses(datetime.fromisoformat, text)


def is_email(text: str) -> bool:
    """An address with a name, an @ and a domain."""
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None


FORMATS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "date": (is_date, "a real date written like 2026-03-02"),
    "time": (is_time, "a time written like 09:30"),
    "date-time": (is_minute, "a real date and time written like 2026-03-02T09:30"),
    "email": (is_email, "an e-mail address"),
}


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def sendable(text: str) -> bool:
    """Whether a text can be sent: half of a surrogate pair is no character."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def other_kind(value: object) -> str:
    """A value that is neither a number nor true or false, as a refusal quotes it: `the text 'true'` is not true."""
    return f"the text {quote_value(value)}" if type(value) is str else quote_value(value)


def _matches(pattern: str, text: str) -> bool:
    """Whether the text matches somewhere. The pattern is read here, not where a card is loaded: that costs time too."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def check_text(schema: Mapping[str, Any]) -> Callable[[Any], str | None]:
    """The check of a text, made from its schema."""
    least, most = schema.get("minLength", 0), schema.get("maxLength", MAX_TEXT)
    pattern = schema.get("pattern")
    named = schema.get("format")
    if named is not None and named not in FORMATS:
        raise WorldError(f"The format {named!r} is not known; use one of {', '.join(FORMATS)}.")
    is_well_formed, noun = FORMATS[named] if named else (None, "")

    def check(value: Any) -> str | None:
        if type(value) is not str:
            return f" must be {noun or 'a text'}, not {quote_value(value)}."
        if not least <= len(value) <= most:
            if len(value) > most:
                return f" must have at most {most} characters."
            return " must not be empty." if least == 1 else f" must have at least {least} characters."
        if is_well_formed is not None and not is_well_formed(value):
            return f" must be {noun}, not {quote_value(value)}."
        if pattern is not None and not _matches(pattern, value):
            return f" must match {pattern}, not {quote_value(value)}."
        return None if sendable(value) else f" holds half a character and cannot be sent: {quote_value(value)}."

    return check


def check_number(schema: Mapping[str, Any]) -> Callable[[Any], str | None]:
    """The check of a number, made from its schema."""
    whole = schema["type"] == "integer"
    noun = "a whole number" if whole else "a number"
    low, high = schema.get("minimum"), schema.get("maximum")
    least, most = -MAX_NUMBER if low is None else low, MAX_NUMBER if high is None else high
    if low is not None and high is not None:
        bounds = f" must be between {low} and {high}."
    else:
        bounds = f" must be at least {low}." if high is None else f" must be at most {high}."

    def check(value: Any) -> str | None:
        if type(value) is int:
            if least <= value <= most:
                return None
            beyond = low is None if value < least else high is None
            return " is too large a number." if beyond else bounds
        if type(value) is not float or whole:
            return f" must be {noun}, not {other_kind(value)}."
        if not isfinite(value):
            return f" must be a finite number, not {quote_value(value)}."
        outside = (low is not None and value < low) or (high is not None and value > high)
        return bounds if outside else None

    return check
