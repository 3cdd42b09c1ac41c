"""registry.json: which servers there are; read, searched, and saved whole."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path

from envscaler_mcp.artifacts import Registry, RegistryEntry
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.errors import ArtifactError, RegistryError
from envscaler_mcp.serving.suggestion import nearest_name


def read_registry(path: Path) -> Registry:
    """The registry in a file."""
    if not has_member(path.parent, path.name):
        raise RegistryError(f"There is no registry at {str(path)!r}; `envscaler build --all` makes the shipped servers")
    try:
        return Registry.read_in(path.parent, path.name)
    except ArtifactError as cause:
        raise RegistryError(f"{cause}; `envscaler build --all` makes it anew") from cause


def with_entries(registry: Registry, entries: Iterable[RegistryEntry]) -> Registry:
    """The registry with these entries added, each in place of an older one of its id."""
    by_id = {entry.id: entry for entry in (*registry.entries, *entries)}
    return Registry(entries=tuple(by_id[id_] for id_ in sorted(by_id)), provenance=registry.provenance)


def without_entry(registry: Registry, env_id: str) -> Registry:
    """The registry without one entry, which must have been there."""
    gone = find_entry(registry, env_id)
    return Registry(entries=tuple(e for e in registry.entries if e is not gone), provenance=registry.provenance)


def find_entry(registry: Registry, env_id: str) -> RegistryEntry:
    """The entry of that id; a near miss is told what it may have meant."""
    ids = [entry.id for entry in registry.entries]
    if env_id in ids:
        return registry.entries[ids.index(env_id)]
    near = nearest_name(env_id, ids)
    hint = (
        f"did you mean {near!r}?"
        if near
        else "`envscaler list` shows which there are, `--search WORDS` those that fit."
    )
    raise RegistryError(f"There is no environment {env_id!r}; {hint}")


def search(registry: Registry, words: str) -> tuple[tuple[RegistryEntry, int], ...]:
    """Entries in which any of the words occurs, each with how many do: the most first, and of those the best match.

    All of them when there are no words.
    """
    return SearchIndex(registry.entries).ranked(words)


_EXACT, _PREFIX = 2, 1
"""What a match is worth: the word itself or its plural, and a word that only begins with it."""


class SearchIndex:
    """Entries by their words, each read once, so that a search takes no longer than its words have matches.

    A word counts where another begins with it, and more in an id or title than in the text or among the tools.
    """

    def __init__(self, entries: Sequence[RegistryEntry]) -> None:
        self._entries = tuple(entries)
        self._weights: dict[str, dict[int, int]] = {}
        """Of each word, in which entries it stands and how much it counts there."""
        for position, entry in enumerate(self._entries):
            for weight, text in _fields(entry):
                for word in _words_of(text):
                    weights = self._weights.setdefault(word, {})
                    weights[position] = max(weight, weights.get(position, 0))
        self._words = sorted(self._weights)

    def search(self, words: str) -> tuple[RegistryEntry, ...]:
        """Entries in which every word occurs, the best match first; all of them when there are no words."""
        wanted = len(set(_words_of(words)))
        return tuple(entry for entry, matching in self.ranked(words) if matching == wanted)

    def ranked(self, words: str) -> tuple[tuple[RegistryEntry, int], ...]:
        """Entries in which any word occurs, with how many do: the most first, then the best match; all without words."""
        wanted = set(_words_of(words))
        scores: dict[int, list[int]] = {} if wanted else {place: [] for place in range(len(self._entries))}
        for word in wanted:
            for place, score in self._matches(word).items():
                scores.setdefault(place, []).append(score)
        order = sorted(scores, key=lambda place: (-len(scores[place]), -sum(scores[place]), self._entries[place].id))
        return tuple((self._entries[place], len(scores[place])) for place in order)

    def _matches(self, word: str) -> dict[int, int]:
        """The entries in which a word occurs, each with the best that it is worth there."""
        best: dict[int, int] = {}
        exact = [word, f"{word}s", *([word[:-1]] if word.endswith("s") else [])]
        begun = self._words[bisect_left(self._words, word) : bisect_left(self._words, word + _LAST)]
        for worth, others in ((_EXACT, exact), (_PREFIX, begun)):
            for other in others:
                for place, weight in self._weights.get(other, {}).items():
                    best[place] = max(best.get(place, 0), worth * weight)
        return best


_LAST = chr(sys.maxunicode)


def _fields(entry: RegistryEntry) -> tuple[tuple[int, str], ...]:
    return (8, f"{entry.id} {entry.title}"), (4, entry.sector), (2, entry.about), (1, " ".join(entry.tools))


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())
