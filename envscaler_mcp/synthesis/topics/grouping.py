"""Requests in groups that speak of the same things."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envscaler_mcp.synthesis.topics.vectors import Vector

TOGETHER = 0.24
"""How near a request must be to the middle of a group to belong to it."""
_WORDS = 6


@dataclass(slots=True)
class Group:
    """Requests, by their places, and the words that they have in common."""

    members: list[int] = field(default_factory=list)
    total: dict[str, float] = field(default_factory=dict)

    @property
    def middle(self) -> Vector:
        length = math.sqrt(sum(value * value for value in self.total.values()))
        return {word: value / length for word, value in self.total.items()} if length else {}

    @property
    def words(self) -> tuple[str, ...]:
        """What the group is about, the most telling word first."""
        return tuple(word for word, _ in sorted(self.total.items(), key=lambda pair: (-pair[1], pair[0]))[:_WORDS])

    def take(self, place: int, vector: Vector) -> None:
        """One more request."""
        self.members.append(place)
        for word, value in vector.items():
            self.total[word] = self.total.get(word, 0.0) + value


def grouped_topics(vectors: Sequence[Vector], together: float = TOGETHER, rounds: int = 3) -> list[Group]:
    """Each request with the group whose middle is nearest, or in a new one; the largest group first."""
    groups: list[Group] = []
    for number in range(rounds):
        middles = [group.middle for group in groups]
        groups = [Group() for _ in middles]
        index = _index(middles)
        for place, vector in enumerate(vectors):
            best, near = _nearest(vector, index)
            if best is None or near < together:
                groups.append(Group())
                middles.append(vector)
                best = len(groups) - 1
                for word, value in vector.items():
                    index[word].append((best, value))
            elif number == 0:
                # In the first round a group moves as it grows; later ones only ask where each belongs.
                for word, value in vector.items():
                    index[word].append((best, value / (len(groups[best].members) + 1)))
            groups[best].take(place, vector)
        groups = [group for group in groups if group.members]
    return sorted(groups, key=lambda group: (-len(group.members), group.members[0]))


def _index(middles: Sequence[Vector]) -> dict[str, list[tuple[int, float]]]:
    index: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, middle in enumerate(middles):
        for word, value in middle.items():
            index[word].append((number, value))
    return index


def _nearest(vector: Vector, index: Mapping[str, list[tuple[int, float]]]) -> tuple[int | None, float]:
    scores: dict[int, float] = defaultdict(float)
    for word, value in vector.items():
        for number, weight in index.get(word, ()):
            scores[number] += value * weight
    if not scores:
        return None, 0.0
    best = min(scores, key=lambda number: (-scores[number], number))
    return best, scores[best]
