"""Whether a message in other words can still mean the same, told by rule alone; where it is not sure, it says no.

Seen are figures, dates, names and quoted texts that are gone or new; words that turn a clause (negations, only, except,
unless, before, after, until, comparisons, conditions, quantities) that are gone, new, or in a clause about something else;
`from` for `to` before a name; and opposites such as *open* for *close*.

Not seen are: who does what to whom where no such word stands between them ("Ada pays Ben" for "Ben pays Ada"), verbs and
nouns of another meaning that are no listed opposites, the order of things told without words for it, and what a pronoun
means. What is seen is a cheap sieve in front of the proof, not a proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_TURNS: dict[str, str] = {
    "not": r"not|n't|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|refuse[sd]?|refrain|avoid|stop|leave out|skip",
    "instead": r"instead(?: of)?|rather than|in place of",
    "only": r"only|just|solely|alone|merely|nothing but|no more than|no other",
    "except": r"except(?: for)?|apart from|other than|but for|save for|besides|excluding|bar",
    "unless": r"unless",
    "if": r"if|when|whenever|in case|provided|as long as",
    "else": r"otherwise|or else|else|failing that|if not",
    "before": r"before|prior to|ahead of|earlier than|by the time",
    "after": r"after|afterwards|following|later than|once",
    "until": r"until|till|up to",
    "since": r"since",
    "least": r"at least|no fewer than|no less than|minimum",
    "most": r"at most|not more than|maximum|up to and including",
    "more": r"more(?: than)?|over|above|exceed(?:s|ing)?|beyond|greater|higher|larger|longer|later|dearer|bigger|older",
    "less": r"less(?: than)?|fewer|under|below|smaller|lower|shorter|earlier|cheaper|younger|newer",
    "top": r"most|highest|largest|longest|latest|last|dearest|biggest|oldest|best|maximal",
    "bottom": r"least|lowest|smallest|shortest|earliest|first|cheapest|youngest|newest|worst|minimal",
    "all": r"all|every|each|everything|everyone|both|whole|entire",
    "some": r"some|any|several|one of|either|half|part of",
}
"""Words that turn the meaning of a clause, by what they turn it to; several of one meaning may stand for each other."""
_ORDER = ("instead", "except", "least", "most", "else", "only", "not")
"""Longer wordings come before the words that they are made of."""
_TURN = {name: re.compile(rf"(?<![\w])(?:{words})(?![\w])", re.IGNORECASE) for name, words in _TURNS.items()}
_SHORT_NOT = re.compile(r"(?<=\w)n['’]t\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;:!?\n,()–—]+|\b(?:but|and|while|whereas|though|although|then)\b", re.IGNORECASE)
_ALL_BUT = re.compile(
    r"\b(every|all|each|none|nobody|nothing|anything|any|no)\b([^,.;:\n]{0,40}?\b)but\b(?! (?:not|never)\b)",
    re.IGNORECASE,
)
"""All but one: no new clause begins there."""
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|„([^“]+)“|«([^»]+)»")
_MONTH = (
    r"January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
)
_DATE = re.compile(rf"\b(?:{_MONTH})\b|\b(?:today|tomorrow|yesterday|tonight|noon|midnight)\b")
_NUMBER = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|twice|double|half|quarter|third|second)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:\n]\s)(?<!^)(?<!\n)(?<![\w“\"])[A-Z][\w'’-]*[a-z]\w*(?: (?:[A-Z][\w'’-]*|\d+\b))*")
_WORD = re.compile(r"[^\W\d_]{4,}")
_TOWARDS = re.compile(
    r"\b(from|to|into|onto|out of|off|for|by|against|than|with)\s+(?:the\s+|a\s+|an\s+)?$", re.IGNORECASE
)
_OPPOSITE_WAYS = (
    ({"from", "out of", "off"}, {"to", "into", "onto", "for"}),
    ({"for", "with"}, {"against"}),
)
_OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in [
        "open/close",
        "add/remove",
        "increase/decrease",
        "raise/lower",
        "accept/reject",
        "accept/decline",
        "approve/decline",
        "approve/reject",
        "start/end",
        "begin/end",
        "start/stop",
        "buy/sell",
        "lend/borrow",
        "lock/unlock",
        "allow/forbid",
        "enable/disable",
        "include/exclude",
        "grant/revoke",
        "assign/unassign",
        "pay/refund",
        "credit/debit",
        "attach/detach",
        "hire/dismiss",
        "keep/delete",
        "keep/cancel",
        "book/cancel",
        "confirm/cancel",
        "hold/release",
        "block/release",
        "admit/discharge",
        "send/receive",
        "arrive/leave",
        "early/late",
        "cheap/dear",
        "new/old",
        "left/right",
        "inside/outside",
        "upper/lower",
        "front/rear",
        "public/private",
        "full/empty",
    ]
)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    turns: frozenset[str]
    words: frozenset[str]


def changed_meaning(before: str, after: str) -> Iterator[str]:
    """What is wrong with the second text as the first one in other words, for its author."""
    yield from _other_values(before, after)
    first, second = _clauses(before), _clauses(after)
    yield from _other_turns(first, second)
    yield from _other_ways(before, after)
    yield from _opposites(before, after)


def _other_values(before: str, after: str) -> Iterator[str]:
    for noun, values_in in (("figure", _figures), ("date", _dates), ("name", _names), ("quoted text", _quoted)):
        had, has = values_in(before), values_in(after)
        for value in sorted(had - has):
            if not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", after, re.IGNORECASE):
                yield f"The {noun} {value!r} must stand in it."
        for value in sorted(has - had):
            if not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", before, re.IGNORECASE):
                yield f"The {noun} {value!r} is not in the original."


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text)) | {number.lower() for number in _NUMBER.findall(text)}


def _dates(text: str) -> set[str]:
    return set(_DATE.findall(text))


def _quoted(text: str) -> set[str]:
    return {next(filter(None, groups)) for groups in _QUOTED.findall(text)}


def _names(text: str) -> set[str]:
    """Words with a capital inside a sentence."""
    return {name.removesuffix("'s").removesuffix("’s") for name in _NAME.findall(text)} - {
        "I",
        "I'm",
        "I'd",
        "I'll",
        "I've",
    }


def _clauses(text: str) -> list[_Clause]:
    clauses = []
    text = _ALL_BUT.sub(r"\1\2except", _SHORT_NOT.sub(" not", text))
    for part in _CLAUSE.split(text):
        if part.strip():
            turns, rest = _turns(part)
            clauses.append(_Clause(part.strip(), frozenset(turns), _words(rest)))
    return clauses


def _turns(part: str) -> tuple[list[str], str]:
    """What turns the clause, and the clause without it."""
    turns: list[str] = []
    for name in (*_ORDER, *(other for other in _TURN if other not in _ORDER)):
        matches = _TURN[name].findall(part)
        turns += [name] * len(matches)
        part = _TURN[name].sub(" ", part)
    return turns, part


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(text.lower())) | set(_FIGURE.findall(text))


def _stem(word: str) -> str:
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _other_turns(first: list[_Clause], second: list[_Clause]) -> Iterator[str]:
    had, has = (Counter(turn for clause in clauses for turn in clause.turns) for clauses in (first, second))
    for turn in sorted(had.keys() | has.keys()):
        if had[turn] != has[turn]:
            yield f"{_shown(turn)} stands in {had[turn]} clauses of the original, and in {has[turn]} of yours."
    for own, other, whose in ((first, second, "the original"), (second, first, "yours")):
        for clause in own:
            if clause.turns and not any(_alike(clause, candidate) for candidate in other):
                yield f"{clause.text!r} in {whose} has no clause beside it that is turned alike and is about the same."
    for word in sorted(_all_words(first) & _all_words(second)):
        had_turns, has_turns = _turned(first, word), _turned(second, word)
        # What is said besides, with no word that turns it, says nothing else of it.
        if not had_turns <= has_turns or has_turns - had_turns - {frozenset()}:
            yield f"What is said of {word!r} is turned otherwise than in the original."


def _alike(clause: _Clause, other: _Clause) -> bool:
    return clause.turns == other.turns and (
        bool(clause.words & other.words) or clause.text.lower() == other.text.lower()
    )


def _all_words(clauses: list[_Clause]) -> frozenset[str]:
    return frozenset(word for clause in clauses for word in clause.words)


def _turned(clauses: list[_Clause], word: str) -> set[frozenset[str]]:
    return {clause.turns for clause in clauses if word in clause.words}


def _shown(turn: str) -> str:
    return repr(turn if turn != "top" else "most")


def _other_ways(before: str, after: str) -> Iterator[str]:
    """A name with `to` before it that had `from`."""
    for name in sorted((_names(before) & _names(after)) | (_figures(before) & _figures(after))):
        had, has = _ways(before, name), _ways(after, name)
        for way, other in _OPPOSITE_WAYS:
            if (had & way and has & other and not had & other) or (had & other and has & way and not had & way):
                yield f"{name!r} has {'/'.join(sorted(has))!r} before it, and {'/'.join(sorted(had))!r} in the original."


def _ways(text: str, name: str) -> set[str]:
    places = (match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return {match[1].lower() for place in places if (match := _TOWARDS.search(text[:place])) is not None}


def _opposites(before: str, after: str) -> Iterator[str]:
    had, has = ({_stem(word) for word in _WORD.findall(text.lower())} for text in (before, after))
    for pair in _OPPOSITES:
        first, other = (_stem(word) for word in pair)
        for gone, new, words in ((first, other, pair), (other, first, pair[::-1])):
            if gone in had and gone not in has and new in has and new not in had:
                yield f"It says {words[1]!r} where the original says {words[0]!r}."
