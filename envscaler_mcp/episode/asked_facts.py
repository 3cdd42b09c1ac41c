"""Which facts of a goal a question asks for, told by rule alone, and rather none than another one.

A question names what it asks for in one place: after "which", "what" or "the", or by "when" and "how many". A fact is asked
for where that is its name, or the kind of thing that it alone is, and where no other word of the question is left that
might point elsewhere: "on which day was she covered?" asks for no day that she was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts.scenario import Fact

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?\Z")
_TIME = re.compile(r"\d{2}:\d{2}\Z")
_ID = re.compile(r"([A-Z_]+)-\d+\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AUXILIARY = _words(
    "is are was were be been am do does did will would can could may might shall should must has have had i'll isn't aren't"
)
_POINTING = _words("the a an your their his her its this that these those my our")
_PERSONS = _words("i you he she it we they me him them us one there")
_BETWEEN = _words(
    "of for to in on at by with about as than so if then also please exactly just and or again still too ok okay sure well "
    "both each all any else now"
)
_ACTING = _words(
    "use take put set enter record choose pick want wants wanted like need needs needed get give tell know let provide "
    "share specify confirm send mean means meant say go make done ask hear see"
)
_FILLING = _AUXILIARY | _POINTING | _PERSONS | (_BETWEEN - {"now"}) | _ACTING
_ASKING = _words("which what whose who whom when where why how much many")
_NAMING = _words("name id identifier code kind type sort title detail details value")
"""Nouns that say nothing without what follows their "of"."""
_MEANINGLESS = _words(
    "a an and any at by fine for gone in is it more most new no of ok old on one other part rest second sure that the there this "
    "to two which what who whose when where enough"
)
"""Names of facts that stand in every second sentence."""
_ELSEWHERE = _words("other another old new previous current last next former")
"""Words after which something else is meant than what was asked for."""
_SAME = {
    "from": _words("from start begin"),
    "until": _words("until end"),
    "to": _words("until end"),
}


@dataclass(frozen=True, slots=True)
class _Known:
    """A fact by the words that may mean it."""

    fact: Fact
    names: frozenset[str]
    kinds: frozenset[str]


def asked_facts(clauses: Sequence[str], facts: Sequence[Fact]) -> list[Fact]:
    """Those of the facts that are asked for and can be said, in their own order."""
    known = [_Known(fact, _names_of(fact), _kinds_of(fact)) for fact in facts]
    asked = {fact.name for clause in clauses for fact in _asked_in(clause, known)}
    return [fact for fact in facts if fact.name in asked and fact.says]


def _asked_in(clause: str, known: Sequence[_Known]) -> Iterator[Fact]:
    words = [_plain(word) for word in _WORD.findall(clause.lower().replace("’", "'"))]
    heads = list(_heads(words))
    if not heads:
        return
    named = {word for head in heads for word in head}
    left = frozenset(words) - named - _FILLING - _ASKING
    for head in heads:
        meant = _meant(frozenset(head), left, known)
        if meant is not None:
            yield meant.fact


def _meant(head: frozenset[str], left: frozenset[str], known: Sequence[_Known]) -> _Known | None:
    """The one fact that the head of a question means; none where it may be another."""
    names = frozenset(name for candidate in known for name in candidate.names) - _ELSEWHERE
    whole = [
        candidate
        for candidate in known
        if candidate.names and candidate.names <= head <= candidate.names | candidate.kinds
    ]
    if len(whole) == 1:
        return whole[0] if left <= names else None
    part = [candidate for candidate in known if head & candidate.names and head <= candidate.names | candidate.kinds]
    if part:
        return part[0] if len(part) == 1 and left <= part[0].names else None
    of_kind = [candidate for candidate in known if head and head <= candidate.kinds]
    fitting = [candidate for candidate in of_kind if left <= candidate.names]
    return fitting[0] if len(fitting) == 1 else None


def _heads(words: Sequence[str]) -> Iterator[list[str]]:
    """What a clause asks for, word for word; a list of things has several."""
    place, begun = 0, False
    # Where there is a question word, what stands behind an article only says more of what is asked.
    questions = any(word in _ASKING for word in words)
    while place < len(words):
        word = words[place]
        if word == "when":
            yield ["when"]
        elif word == "how" and words[place + 1 : place + 2] and words[place + 1] in ("much", "many"):
            amount = words[place + 1]
            noun, place = _noun(words, place + 2)
            yield [amount, *noun]
            continue
        elif _opens_a_head(words, place) or (word in _POINTING and not begun and not questions):
            noun, place = _noun(words, place + 1)
            if noun:
                begun = True
                yield noun
                continue
        elif word in ("and", "or"):
            begun = False
        elif not begun and not questions and word not in _FILLING | _ASKING and _is_bare(words):
            noun, place = _noun(words, place)
            begun = True
            yield noun
            continue
        place += 1


def _opens_a_head(words: Sequence[str], place: int) -> bool:
    """Whether a noun that is asked for follows; "the who" is a noun itself."""
    return words[place] in ("which", "what", "whose", "who") and (place == 0 or words[place - 1] not in _POINTING)


def _is_bare(words: Sequence[str]) -> bool:
    """Whether it is an entry of a list, such as `date of birth`."""
    return len(words) <= 4 and not any(word in _ASKING | _AUXILIARY | _PERSONS for word in words)


def _noun(words: Sequence[str], place: int) -> tuple[list[str], int]:
    """The noun that begins here, with what it is made of; auxiliaries and articles before it are passed over."""
    while place < len(words) and words[place] in _AUXILIARY | _POINTING:
        place += 1
    noun: list[str] = []
    while place < len(words) and words[place] not in _FILLING | _ASKING:
        noun.append(words[place])
        place += 1
    if noun and set(noun) <= _NAMING and words[place : place + 1] == ["of"]:
        inner, place = _noun(words, place + 1)
        return inner, place
    return noun, place


def _plain(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("'")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _names_of(fact: Fact) -> frozenset[str]:
    words = fact.name.lower().split("_")
    meant = {_plain(word) for word in words if word not in _MEANINGLESS}
    return frozenset(meant).union(*(_SAME[word] for word in words if word in _SAME)) if words else frozenset()


def _kinds_of(fact: Fact) -> frozenset[str]:
    value = fact.value
    if isinstance(value, bool):
        return frozenset()
    if isinstance(value, int):
        return _words("much many amount number")
    text = str(value)
    if day := _DAY.match(text):
        return _words("when day date time hour") if day[1] else _words("when day date")
    if _TIME.match(text):
        return _words("when time hour")
    match = _ID.match(text)
    return frozenset(_plain(word) for word in match[1].lower().split("_")) if match else frozenset()
