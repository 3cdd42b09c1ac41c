"""What was told before, so that the next task is another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from envscaler_mcp.artifacts import Span
from envscaler_mcp.scenarios.threads import Thread

TOO_ALIKE = 0.6
"""Tasks that have so much in common, once names and values are replaced, are near-duplicates."""

Grams = frozenset[tuple[str, ...]]


def grams(spans: Sequence[Span]) -> Grams:
    """The 3-grams of a text in which every fact is a blank; its heading is left out."""
    blank = "".join(" # " if span.fact else span.text for span in spans[2:])
    words = re.findall(r"#|[a-z']+", re.sub(r"[0-9]+", "#", blank.lower()))
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def alike(first: Grams, other: Grams) -> float:
    """What they have in common, by what they have together."""
    return len(first & other) / len(first | other) if first or other else 1.0


class DescribedTask:
    """The stories, tellings and branches of one environment's tasks so far."""

    def __init__(self) -> None:
        self.stories: Counter[str] = Counter()
        self.tellings: Counter[tuple[str, int]] = Counter()
        self.branches: Counter[tuple[str, int, bool]] = Counter()
        """Story, place of the branch in it, and whether its test held."""
        self._texts: list[Grams] = []

    def known(self, spans: Sequence[Span]) -> bool:
        """Whether an earlier task is nearly the same."""
        new = grams(spans)
        return any(alike(new, old) >= TOO_ALIKE for old in self._texts)

    def note(self, threads: Iterable[Thread], spans: Sequence[Span]) -> None:
        """A task that will ship."""
        for thread in threads:
            self.stories[thread.story.name] += 1
            self.tellings[thread.story.name, thread.telling] += 1
            self.branches.update({(thread.story.name, place, held) for place, held in thread.forks})
        self._texts.append(grams(spans))

    def lopsided(self, thread: Thread) -> bool:
        """Whether a branch would be taken again that was taken more often than the other one."""
        name = thread.story.name
        return any(
            self.branches[name, place, held] > self.branches[name, place, not held] for place, held in thread.forks
        )
