"""Whether a user kept to what they know: every value that they gave must come from somewhere, told by rule alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.speech import Speech
from envscaler_mcp.episode.user import STOP

_MOST_READ = 8_000
"""Letters that are read of one thing that the agent says."""
Value = tuple[str, str]
"""Its kind, and itself in one spelling."""


class UserAudit:
    """What a user may know, which grows with what the agent tells them, and what they have told."""

    def __init__(self, scenario: Scenario) -> None:
        self._known = _Known(_facts_of(scenario))
        self._to_tell = _to_tell(scenario)
        self._told = _Known(())
        self._was_closed = False

    def heard(self, said: str) -> None:
        """The agent said something, which the user knows from here on, and need not tell."""
        # More of it is shown to no model that plays a user, and reading it all would hold up other episodes.
        said = said[:_MOST_READ]
        for reading in (said, _otherwise(said)):
            self._known.add(reading)
            self._told.add(reading)
        speech = Speech.of(said)
        self._was_closed = speech.refuses or speech.closes

    def invented(self, reply: str) -> list[str]:
        """The values in a reply that the user cannot know; each is told once."""
        reply = reply.replace(STOP, " ")
        unknown = [written for value, written in _values(reply) if not self._known.holds(value)]
        self._known.add(reply)
        self._told.add(reply)
        return list(dict.fromkeys(unknown))

    def untold(self) -> list[str]:
        """What the task needs of the user, and the agent was never told, though it had neither refused to go on nor said that all is done."""
        if self._was_closed:
            return []
        missing = [written for value, written in self._to_tell if not self._told.holds(value)]
        return list(dict.fromkeys(missing))


def _facts_of(scenario: Scenario) -> Iterator[str]:
    yield scenario.task
    if scenario.conversation is None:
        return
    yield scenario.conversation.first
    # "All three are done" is no invention.
    yield str(len(scenario.conversation.goals))
    for goal in scenario.conversation.goals:
        yield goal.ask
        yield goal.request
        for fact in goal.facts:
            yield fact.name.replace("_", " ")
            yield fact.says
            if isinstance(fact.value, str | int | float):
                yield str(fact.value)


def _to_tell(scenario: Scenario) -> list[tuple[Value, str]]:
    if scenario.conversation is None:
        return list(_values(scenario.task))
    facts = [fact for goal in scenario.conversation.goals for fact in goal.facts if not fact.findable]
    return [value for fact in facts for value in _values(f"It is {fact.says}.")]


class _Known:
    """Texts, and what can be known from them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = ""
        self._glued: set[str] = set()
        """Up to three words that follow each other, written as one: `102 A`, `BOOK 7`."""
        self._words: set[str] = set()
        self._values: set[Value] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        plain = _plain(text)
        self._text += f" {plain} "
        words = _PARTS.split(plain)
        parts = [glued for word in words for part in word.split("-") if (glued := _glued(part))]
        self._glued |= {_glued(word) for word in words}
        for many in (1, 2, 3):
            self._glued |= {"".join(parts[at : at + many]) for at in range(len(parts) - many + 1)}
        for word in _WORD.findall(plain):
            self._words |= {_stem(word), *map(_stem, word.split("-"))}
            if word in _NUMBER_WORDS:
                self._values.add(("number", str(_NUMBER_WORDS[word])))
        # What stands in quotes is known without its sentence, too.
        for form in {text, _MARKS.sub(" ", text)}:
            for value, _ in _values(form):
                self._add(value)

    def _add(self, value: Value) -> None:
        kind, spelled = value
        self._values.add(value)
        if kind == "date":
            for date in filter(None, spelled.split("/")):
                month, day = date.split("-")
                self._values |= {("date", date), ("day", day)}
                self._words |= {_MONTHS[int(month) - 1], _LONG_MONTHS[int(month) - 1]}
        elif kind == "time":
            # At nine, of a clock with twelve hours or with twenty-four.
            hour = int(spelled.split(":")[0])
            self._values |= {("number", str(hour)), ("number", str(hour + 12))}
        elif kind == "number":
            self._values.add(("day", spelled))

    def holds(self, value: Value) -> bool:
        kind, spelled = value
        if kind == "quote":
            return spelled in self._text
        if kind == "id":
            return value in self._values or _glued(spelled) in self._glued
        if kind == "date":
            return any(("date", date) in self._values for date in spelled.split("/"))
        return spelled in self._words if kind == "name" else value in self._values


# Each of these reads a text of any length in one go: a model that repeats itself must not hold up other episodes.
_QUOTE = re.compile(
    r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|\"([^\"]+)\"|(?<!\w)[‘']([^‘’']+)[’'](?!\w)",
)
_MARKS = re.compile(r"[“”„«»\"‘]|(?<!\w)'|['’](?!\w)")
_LONG_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = tuple(month[:3] for month in _LONG_MONTHS)
_MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
_ISO = re.compile(r"\b\d{4}-(0[1-9]|1[0-2])-(\d{2})")
_POINTED = re.compile(r"\b(\d{1,2})([./])(\d{1,2})\2\d{4}\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH}\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE)
_TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?: ?[ap]m)?\b", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w.-]*\w")
_COUNTED = re.compile(r"(?<![\w.,-])(\d++(?:[.,]\d++)*+)(?:-?(?:[a-z]{1,3}|[AP]M)|(?:-[a-z]++)++)(?![\w-])")
"""`5pm`, `30min`, `10-year-old`: a number and its unit, no id."""
_ID = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w[\w-]*\w\b|(?<![\w.,:-])0\d++(?![\w.,:-]*\d)")
"""With letters and digits, or with a nought in front, which no amount has."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ITEM = re.compile(r"^[^\w\n]*\d{1,2}[*_]*[.)][*_]* \S", re.MULTILINE)
"""The number of a point in a list."""
_PARTS = re.compile(r"[\s/,;:()\[\]]+")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NAME = re.compile(r"(?<=[\w'’] )[^\W\d_][\w'’-]*")
"""Not what a sentence begins with, nor what follows a comma or a symbol: any word may be written large there."""
_WEEKDAYS = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        [
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        3,
    )
} | {"one": 1, "two": 2, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_NO_NAMES = _WEEKDAYS | frozenset(
    [
        "i'm", "i'd", "i'll", "i've", "ok", "okay", "mr", "mrs", "ms", "dr", "am", "pm", "not", "all", "only", "no",
        "yes", "and", "or", "please", "thanks", "thank", "agent", "assistant",
    ]
)  # fmt: skip


def _values(text: str) -> Iterator[tuple[Value, str]]:
    """Quoted texts, dates, times, ids, numbers and names, each with how it was written."""
    text = re.sub(r"[^\S\n]+", " ", text)
    rest = _ITEM.sub(lambda match: " " * (len(match[0]) - 1) + match[0][-1], text)
    for pattern, kind in _KINDS:
        for match in pattern.finditer(rest):
            yield (kind, _spelled(kind, match)), match[0]
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    # From the text itself: what stood before may have been taken out.
    for match in _NAME.finditer(text):
        word, plain = match[0], _plain(match[0])
        taken = rest[match.start() : match.end()] != word
        if word[0].isupper() and not (taken or word.isupper() or plain in _NO_NAMES or plain in _NUMBER_WORDS):
            yield ("name", _stem(plain)), word
    for match in _WORD.finditer(rest):
        if _NUMBER_WORDS.get(_plain(match[0]), 0) > 2:
            yield ("number", str(_NUMBER_WORDS[_plain(match[0])])), match[0]


_KINDS = (
    (_QUOTE, "quote"), (_ISO, "date"), (_POINTED, "date"), (_DAY_MONTH, "date"), (_MONTH_DAY, "date"), (_TIME, "time"),
    (_DAY, "day"), (_ADDRESS, "id"), (_COUNTED, "number"), (_ID, "id"), (_NUMBER, "number"),
)  # fmt: skip
"""In the order in which they are looked for: what was found is no part of anything else."""


def _spelled(kind: str, match: re.Match[str]) -> str:
    """The same for all ways to write the same."""
    if kind == "quote":
        return _plain(next(group for group in match.groups() if group)).strip(" .,;:!?")
    if kind == "date":
        return _date(match)
    if kind == "time":
        return f"{int(match[1]) % 12}:{match[2]}"
    if kind == "day":
        return str(int(match[1]))
    return _plain(match[0]) if kind == "id" else _number(match[1] if match.re is _COUNTED else match[0])


def _date(match: re.Match[str]) -> str:
    """Month and day, for the year is seldom told; both readings of `3/8/2026`, none of `13/14/2026`."""
    if match.re is _ISO:
        return f"{int(match[1])}-{int(match[2])}"
    if match.re is _DAY_MONTH:
        return f"{_month(match[2])}-{int(match[1])}"
    if match.re is _MONTH_DAY:
        return f"{_month(match[1])}-{int(match[2])}"
    first, second = int(match[1]), int(match[3])
    readings = [(second, first)] if match[2] == "." else [(second, first), (first, second)]
    return "/".join(f"{month}-{day}" for month, day in readings if 0 < month <= 12)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _number(written: str) -> str:
    text = written.rstrip(".,")
    text = re.sub(r",(?=\d{3}(\D|$))", "", text)
    try:
        number = Decimal(text.replace(",", "."))
    except ArithmeticError:
        return text
    return format(number.normalize(), "f")


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _stem(word: str) -> str:
    """Without the ending of a possessive or a plural."""
    word = word.replace("’", "'").removesuffix("'").removesuffix("'s")
    return word.removesuffix("s") if len(word) > 3 else word


def _glued(text: str) -> str:
    return re.sub(r"[^\w@]", "", text)


def _otherwise(said: str) -> str:
    """The same in the audit's own spellings: agents write days, hours and numbers as they like, and users repeat them."""
    text = "".join(_LATIN.get(letter, letter) for letter in unicodedata.normalize("NFKC", said))
    text = _HIDDEN.sub("", text)
    text = _YEAR_FIRST.sub(lambda at: f" {at[1]}-{int(at[2]):02}-{int(at[3]):02} ", text)
    text = _DASHED.sub(r"\1/\2/\3", text)
    text = _HALF.sub(lambda at: f" {_clock(at[1], at[2], at[3])} ", text)
    text = _HOUR.sub(r"\1:\2", text)
    text = _ORDINAL.sub(lambda at: f"{_TENS.get((at[1] or '').lower(), 0) + _ORDINALS[at[2].lower()]}th", text)
    text = _TWO_WORDS.sub(lambda at: str(_TENS[at[1].lower()] + _UNITS.index(at[2].lower())), text)
    text = re.sub(r"\bdozen\b", "12", text, flags=re.IGNORECASE)
    text = _GROUPED.sub(lambda at: re.sub(r"[ '’]", "", at[0]), text)
    return _POINTS.sub(lambda at: at[0].replace(".", "").replace(",", "."), text)


def _clock(part: str, side: str, hour: str) -> str:
    named = int(hour) if hour.isdecimal() else _NUMBER_WORDS[hour.lower()]
    minutes = 30 if part.lower() == "half" else 15
    return f"{named}:{minutes}" if side.lower() == "past" else f"{(named - 1) or 12}:{60 - minutes}"


_LATIN = dict(zip("аеорсухкмтіѕАВЕКМНОРСТУХІЅ", "aeopcyxkmtisABEKMHOPCTYXIS", strict=True))
"""Letters of the Cyrillic alphabet that look like these."""
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)")
_DASHED = re.compile(r"(?<![\d-])(\d{1,2})-(\d{1,2})-(\d{4})(?![\d-])")
_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        [
            "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
            "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
            "twentieth",
        ],
        1,
    )
} | {"thirtieth": 30}  # fmt: skip
_ORDINAL = re.compile(rf"\b(?:({'|'.join(_TENS)})[- ])?({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_TWO_WORDS = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_UNITS[1:])})\b", re.IGNORECASE)
_TWELVE = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HALF = re.compile(rf"\b(half|quarter) (past|to) (\d{{1,2}}|{_TWELVE})\b", re.IGNORECASE)
_HOUR = re.compile(r"(?<!\d)(\d{1,2}) ?[hH](\d{2})(?!\d)")
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:[ '’]\d{3})+")
_POINTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?:,\d{1,2}\b)?")
