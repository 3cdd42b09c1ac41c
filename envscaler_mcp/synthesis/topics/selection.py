"""The topics worth an environment: good enough, not there already, and as different as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.synthesis.topics.vectors import Weights, cosine, unit_vector

GOOD_ENOUGH = 7
"""What usefulness and modelability must reach."""
SAME = 0.55
"""From which nearness of their words on two topics are one."""
SAME_VECTORS = 0.9
"""The same for the vectors of models, which are near each other for all texts of one sort."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A topic that gets no environment, and why."""

    topic: Topic
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen, in the order in which it was, and what was not."""

    chosen: tuple[Topic, ...]
    left_out: tuple[LeftOut, ...]


def select_topics(
    topics: Sequence[Topic],
    many: int,
    there: Mapping[str, str],
    vectors: Mapping[str, Sequence[float]] | None = None,
) -> Selection:
    """So many topics, each as far as possible from those chosen before; `there` are the environments there are.

    Nearness comes from vectors of the topics' texts where a model made some, else from their words.
    """
    nearness = _Nearness(topics, there, vectors)
    left_out: list[LeftOut] = []
    rest: list[Topic] = []
    for topic in sorted(topics, key=_merit):
        twin = next((other.id for other in rest if other.id == topic.id or nearness.one_topic(other, topic)), None)
        known = topic.id if topic.id in there else next((n for n in there if nearness.to(n, topic) >= SAME), None)
        if min(topic.usefulness, topic.modelability) < GOOD_ENOUGH:
            marks = f"usefulness {topic.usefulness}, modelability {topic.modelability}"
            left_out.append(LeftOut(topic, f"{marks}; both must reach {GOOD_ENOUGH}"))
        elif known is not None:
            left_out.append(LeftOut(topic, f"there is an environment of it: {known}"))
        elif twin is not None:
            left_out.append(LeftOut(topic, f"the same as {twin}"))
        else:
            rest.append(topic)
    chosen: list[Topic] = []
    while rest and len(chosen) < many:
        best = min(rest, key=lambda topic: (max((nearness.of(topic, c) for c in chosen), default=0.0), _merit(topic)))
        chosen.append(best)
        rest.remove(best)
    left_out += [LeftOut(topic, f"{many} others differ more") for topic in rest]
    return Selection(tuple(chosen), tuple(left_out))


def _merit(topic: Topic) -> tuple[int, int, str]:
    return -(topic.usefulness + topic.modelability), -len(topic.tasks), topic.id


class _Nearness:
    def __init__(
        self, topics: Sequence[Topic], there: Mapping[str, str], vectors: Mapping[str, Sequence[float]] | None
    ) -> None:
        weights = Weights([*there.values(), *(topic.text for topic in topics)])
        self._words = {topic.id: weights.vector(topic.text) for topic in topics}
        self._there = {name: weights.vector(text) for name, text in there.items()}
        self._vectors = None if vectors is None else {name: unit_vector(dense) for name, dense in vectors.items()}

    def of(self, first: Topic, other: Topic) -> float:
        vectors = self._words if self._vectors is None else self._vectors
        return cosine(vectors[first.id], vectors[other.id])

    def one_topic(self, first: Topic, other: Topic) -> bool:
        return self.of(first, other) >= (SAME if self._vectors is None else SAME_VECTORS)

    def to(self, environment: str, topic: Topic) -> float:
        return cosine(self._there[environment], self._words[topic.id])
