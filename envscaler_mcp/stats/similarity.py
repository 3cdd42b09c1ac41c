"""How alike the environments of a farm are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envscaler_mcp.stats.reading import Holding
from envscaler_mcp.stats.statistic import Histogram, Measured, MeasuredTable, Progress, Statistic
from envscaler_mcp.stats.structure import Structure, structure_of

REFUSED = 0.55
"""A pair as alike as this is one environment under two names."""
LOOKED_AT = 0.40
"""A pair as alike as this wants a look."""
_SHOWN = 12
NEIGHBOURS = 0.35
"""The mean over all environments of how alike the nearest other one is stays below this."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two environments."""

    first: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Similarities:
    """Every environment beside every other one."""

    pairs: tuple[Pair, ...]
    """The most alike first."""

    @property
    def refused(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.similarity >= REFUSED)

    @property
    def looked_at(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if LOOKED_AT <= pair.similarity < REFUSED)

    @property
    def nearest(self) -> dict[str, Pair]:
        """For each environment the pair with its nearest neighbour."""
        nearest: dict[str, Pair] = {}
        for pair in self.pairs:
            nearest.setdefault(pair.first, pair)
            nearest.setdefault(pair.other, pair)
        return dict(sorted(nearest.items()))

    @property
    def mean_nearest(self) -> float:
        nearest = self.nearest.values()
        return sum(pair.similarity for pair in nearest) / len(nearest) if nearest else 0.0

    @property
    def diverse(self) -> bool:
        """Whether no pair is too alike, nor all of them on the whole."""
        return not self.refused and self.mean_nearest < NEIGHBOURS

    @property
    def document(self) -> dict[str, object]:
        """The figures for programs."""
        return {
            "mean_nearest": self.mean_nearest,
            "refused": [[pair.first, pair.other, pair.similarity] for pair in self.refused],
            "looked_at": [[pair.first, pair.other, pair.similarity] for pair in self.looked_at],
            "nearest": {
                name: [pair.other if pair.first == name else pair.first, pair.similarity]
                for name, pair in self.nearest.items()
            },
        }


def similarities(structures: Mapping[str, Structure]) -> Similarities:
    """Every pair; found by way of the surroundings that two have in common, since most occur in few."""
    names = sorted(structures)
    total: dict[tuple[int, int], float] = defaultdict(float)
    rounds = len(structures[names[0]].rounds) if names else 0
    for number in range(rounds):
        sizes = [structures[name].rounds[number].total() for name in names]
        holders: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, name in enumerate(names):
            for colour, times in structures[name].rounds[number].items():
                holders[colour].append((place, times))
        both: dict[tuple[int, int], int] = defaultdict(int)
        for having in holders.values():
            for at, (first, times) in enumerate(having):
                for other, others in having[at + 1 :]:
                    both[first, other] += min(others, times)
        for (first, other), shared in both.items():
            total[first, other] += shared / (sizes[first] + sizes[other] - shared) / rounds
    pairs = [Pair(names[first], names[other], value) for (first, other), value in total.items()]
    return Similarities(tuple(sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.other))))


def _measured(holdings: Sequence[Holding], _subject: str, _progress: Progress) -> Measured:
    alike = similarities({each.environment.id: structure_of(each.model) for each in holdings if each.model is not None})
    caption = (
        f"Structure, names forgotten: nearest neighbour {alike.mean_nearest:.3f} on average; {len(alike.refused)} pairs "
        f"are refused ({REFUSED:.2f} and above), {len(alike.looked_at)} want a look ({LOOKED_AT:.2f} and above)."
    )
    rows = tuple((f"{pair.similarity:.3f}", pair.first, pair.other) for pair in alike.pairs[:_SHOWN])
    nearest = tuple(round(100 * pair.similarity) for pair in alike.nearest.values())
    return Measured(
        alike.document,
        (MeasuredTable(("alike", "environment", "and"), rows, caption),),
        (Histogram("similarity of the nearest neighbour (%)", nearest, step=2),),
        passed=alike.diverse,
    )


SIMILARITY = Statistic("the structure of environments compared; exit 1 if a pair is too similar", _measured)
