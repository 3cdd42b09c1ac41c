"""Texts as weighted words, and how near they are to each other."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Vector = Mapping[str, float]

_STOP = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "against",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "during",
        "each",
        "few",
        "for",
        "from",
        "further",
        "get",
        "give",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "know",
        "let",
        "like",
        "ll",
        "many",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "must",
        "my",
        "need",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "s",
        "same",
        "she",
        "should",
        "show",
        "so",
        "some",
        "such",
        "t",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "two",
        "under",
        "until",
        "up",
        "us",
        "use",
        "used",
        "using",
        "very",
        "want",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("s", ""), ("ing", ""), ("ed", ""), ("e", ""))


def stems_of(text: str) -> list[str]:
    """The words that carry meaning, without their endings."""
    return [stem(word) for word in re.findall(r"[a-z]+", text.lower().replace("_", " ")) if word not in _STOP]


def stem(word: str) -> str:
    """A word without plain English endings and doubled letters before them; near enough for counting."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)] + instead
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


class Weights:
    """How telling each word is among some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        stems = [set(stems_of(text)) for text in texts]
        often = Counter(word for words in stems for word in words)
        self._rare = {word: math.log((1 + len(stems)) / (1 + times)) + 1 for word, times in often.items()}
        self._unknown = math.log(1 + len(stems)) + 1

    def vector(self, text: str) -> Vector:
        """The text as a vector of length one."""
        counts = Counter(stems_of(text))
        weighted = {word: (1 + math.log(times)) * self._rare.get(word, self._unknown) for word, times in counts.items()}
        return _of_length_one(weighted)


def unit_vector(dense: Sequence[float]) -> Vector:
    """A vector of a model, with length one; its words are its places."""
    return _of_length_one({str(place): value for place, value in enumerate(dense)})


def _of_length_one(vector: Vector) -> Vector:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


def cosine(first: Vector, other: Vector) -> float:
    """1 for the same words in the same shares, 0 where no word is in both."""
    few, many = (first, other) if len(first) < len(other) else (other, first)
    return sum(value * many.get(word, 0.0) for word, value in few.items())
