"""How single values are spelled: both ways for arguments, and one way for answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from envscaler_mcp.dialects.axes import Choices, Dates
from envscaler_mcp.dialects.ids import IdMemory

Schema = dict[str, Any]


class UnreadableError(Exception):
    """A value means nothing in this dialect; the rest of a sentence that begins with its name."""

    def __init__(self, why: str, *, missing: bool = False) -> None:
        super().__init__(why)
        self.missing = missing
        """Whether it names a record that the agent was never told of."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One argument's values."""

    schema: Schema
    encode: Callable[[Any], Any]
    """From the canonical value."""
    decode: Callable[[Any, IdMemory], Any]
    """Back; UnreadableError where it means nothing. None stands for itself before either is asked."""
    hint: str = ""
    """What must be said of it, however few words the dialect makes."""


def as_it_is(schema: Schema) -> Spelling:
    """Values that are spelled as they are."""
    return Spelling(schema, lambda value: value, lambda value, _memory: value)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = date(1970, 1, 1)
_START = datetime(1970, 1, 1)  # noqa: DTZ001 - worlds have no time zones
_DAY_FIRST = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})( [0-9]{2}:[0-9]{2})?")
_NAMED = re.compile(rf"({'|'.join(_MONTHS)}) ([0-9]{{1,2}}), ([0-9]{{4}})( [0-9]{{2}}:[0-9]{{2}})?")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2})?")


def say_moment(text: str, style: Dates) -> str | int:
    """A canonical day or minute in the style of a dialect."""
    year, month, day, clock = text[:4], text[5:7], text[8:10], text[11:]
    if style == "day_first":
        return f"{day}/{month}/{year}{' ' + clock if clock else ''}"
    if style == "named_month":
        return f"{_MONTHS[int(month) - 1]} {int(day)}, {year}{' ' + clock if clock else ''}"
    if style == "epoch":
        if clock:
            return round((datetime.fromisoformat(text) - _START).total_seconds())
        return (date.fromisoformat(text) - _EPOCH).days * 86_400
    return text


def is_moment(text: str) -> bool:
    """Whether a text is a canonical day or minute."""
    return len(text) in (10, 16) and text[4] == "-" and _ISO.fullmatch(text) is not None and _exists(text)


_IN_SENTENCE = re.compile(r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2})?(?![\w-])")
_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")


def say_moments_in(sentence: str, style: Dates, words: Iterable[Any]) -> str:
    """A sentence with its days and minutes spelled; what it quotes, and what stands in these words of the agent, stays as it is."""
    if style == "iso" or _IN_SENTENCE.search(sentence) is None:
        return sentence
    own = [text for text in _texts_in(words) if not is_moment(text)]

    def said(moment: re.Match[str]) -> str:
        text = moment[0].replace(" ", "T")
        written = any(moment[0] in word for word in own)
        return moment[0] if written or not is_moment(text) else str(say_moment(text, style))

    parts = _QUOTED.split(sentence)
    return "".join(part if number % 2 else _IN_SENTENCE.sub(said, part) for number, part in enumerate(parts))


def _texts_in(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if type(value) is str:
            yield value
        elif isinstance(value, list | dict):
            yield from _texts_in(value.values() if isinstance(value, dict) else value)


def _exists(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_SAMPLES = {
    ("iso", False): "2026-03-02",
    ("iso", True): "2026-03-02T09:30",
    ("epoch", False): "seconds since 1970 at 00:00 of the day, such as 1772409600",
    ("epoch", True): "seconds since 1970, a whole minute, such as 1772443800",
    ("day_first", False): "02/03/2026 (DD/MM/YYYY)",
    ("day_first", True): "02/03/2026 09:30 (DD/MM/YYYY HH:MM)",
    ("named_month", False): "Mar 2, 2026",
    ("named_month", True): "Mar 2, 2026 09:30",
}


def moments(style: Dates, *, minute: bool) -> Spelling:
    """Days, or minutes of a day."""
    how = _SAMPLES[style, minute]
    if style == "iso":
        return as_it_is({"type": "string", "format": "date-time" if minute else "date"})

    def decode(value: Any, _memory: IdMemory) -> str:
        text = _read_moment(value, style, minute=minute)
        if text is None or not _exists(text):
            raise UnreadableError(f" must be a real {'date and time' if minute else 'date'}, written as {how}.")
        return text

    kind = {"type": "integer"} if style == "epoch" else {"type": "string", "maxLength": 40}
    return Spelling(kind, lambda text: say_moment(text, style), decode, f"Written as {how}.")


def _read_moment(value: Any, style: Dates, *, minute: bool) -> str | None:
    if style == "epoch":
        return _read_epoch(value, minute=minute)
    match = (_DAY_FIRST if style == "day_first" else _NAMED).fullmatch(value)
    if match is None or (match[4] is not None) != minute:
        return None
    if style == "day_first":
        day, month, year = match[1], match[2], match[3]
    else:
        day, month, year = f"{int(match[2]):02d}", f"{_MONTHS.index(match[1]) + 1:02d}", match[3]
    return f"{year}-{month}-{day}{'T' + match[4][1:] if minute else ''}"


def _read_epoch(value: int, *, minute: bool) -> str | None:
    if value % (60 if minute else 86_400):
        return None
    try:
        moment = _START + timedelta(seconds=value)
    except OverflowError:
        return None
    return moment.isoformat()[:16] if minute else moment.date().isoformat()


def cents(schema: Schema, style: str) -> Spelling:
    """Amounts of money, which are whole cents in the world."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if style == "cents":
        return as_it_is(schema)
    if style == "parts":
        return _money_parts(low, high)

    def decode(value: str, _memory: IdMemory) -> int:
        try:
            amount = Decimal(value) * 100 if _DECIMAL.fullmatch(value) else None
        except InvalidOperation:
            amount = None
        if amount is None or amount != amount.to_integral_value():
            raise UnreadableError(" must be an amount with at most two decimals, written as 12.50.")
        return _within(int(amount), low, high)

    return Spelling(
        {"type": "string", "maxLength": 24},
        lambda value: f"{'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02d}",
        decode,
        "An amount as a decimal text, such as 12.50; answers and sentences may show cents.",
    )


_DECIMAL = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,2})?")


def _money_parts(low: int | None, high: int | None) -> Spelling:
    parts = {
        "type": "object",
        "properties": {
            "units": {"type": "integer"},
            "cents": {"type": "integer", "minimum": -99, "maximum": 99},
        },
        "required": ["units", "cents"],
        "additionalProperties": False,
    }

    def encode(value: int) -> dict[str, int]:
        sign = -1 if value < 0 else 1
        return {"units": sign * (abs(value) // 100), "cents": sign * (abs(value) % 100)}

    hint = "An amount as whole units and cents; answers show cents alone."
    return Spelling(parts, encode, lambda value, _: _within(value["units"] * 100 + value["cents"], low, high), hint)


def _within(value: int, low: int | None, high: int | None) -> int:
    if (low is not None and value < low) or (high is not None and value > high):
        said = [
            f"at least {low / 100:.2f}" if low is not None else "",
            f"at most {high / 100:.2f}" if high is not None else "",
        ]
        raise UnreadableError(f" must be {' and '.join(part for part in said if part)}.")
    return value


class ChoiceSpelling:
    """The values of enumerations, each spelled alike wherever it stands."""

    def __init__(self, style: Choices, values: set[str], start: int) -> None:
        self._spelled: dict[str, Any] = _spelled_choices(style, sorted(values), start)
        self.numbers = style == "number"

    def spell(self, value: Any) -> Any:
        """How a value is spelled in arguments."""
        return self._spelled.get(value, value)

    def show(self, value: Any) -> Any:
        """The same in an answer, where a number stands with its name."""
        if not self.numbers or value not in self._spelled:
            return self._spelled.get(value, value)
        return {"code": self._spelled[value], "name": value.replace("_", " ")}

    def spelling(self, options: list[str]) -> Spelling:
        """An argument that is one of them."""
        spelled = [self.spell(option) for option in options]
        back = dict(zip(spelled, options, strict=True))
        meaning = ", ".join(f"{self.spell(option)} = {option.replace('_', ' ')}" for option in options)
        return Spelling(
            {"type": "integer" if self.numbers else "string", "enum": spelled},
            self.spell,
            lambda value, _memory: back[value],
            f"{meaning}." if self.numbers else "",
        )


def _spelled_choices(style: Choices, values: list[str], start: int) -> dict[str, Any]:
    spell: Mapping[str, Callable[[str], str]] = {
        "upper": str.upper,
        "title": lambda value: value[:1].upper() + value[1:].replace("_", " "),
        "dashed": lambda value: value.replace("_", "-"),
        "plain": lambda value: value,
    }
    if style == "number":
        return {value: start + number for number, value in enumerate(values)}
    spelled = {value: spell[style](value) for value in values}
    # Where two would become alike all stay as they are.
    return spelled if len({*spelled.values()}) == len(values) else {value: value for value in values}


def choice_start(seed: int) -> int:
    """The first number of a table of codes."""
    return (0, 1, 10, 100)[seed % 4]
