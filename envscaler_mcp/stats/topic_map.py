"""A plane on which environments that speak of similar things lie near each other."""

from __future__ import annotations

import math
from collections.abc import Mapping

from envscaler_mcp.synthesis.topics.vectors import Weights, cosine

_STEPS = 80


def topic_map(texts: Mapping[str, str]) -> dict[str, tuple[float, float]]:
    """A place between 0 and 1 for each text; distances on the plane follow those between the texts as well as they can."""
    names = sorted(texts)
    if len(names) < 2:
        return dict.fromkeys(names, (0.5, 0.5))
    weights = Weights(texts.values())
    vectors = [weights.vector(texts[name]) for name in names]
    wanted = [[1.0 - cosine(name, other) for other in vectors] for name in vectors]
    # A spiral to begin with: no two in one place, and the same on every machine.
    golden = math.pi * (3 - math.sqrt(5))
    places = [
        (math.sqrt(n / len(names)) * math.cos(n * golden), math.sqrt(n / len(names)) * math.sin(n * golden))
        for n in range(len(names))
    ]
    for _ in range(_STEPS):
        places = [_pulled(number, places, wanted[number]) for number in range(len(names))]
    return dict(zip(names, _into_unit(places), strict=True))


def _pulled(number: int, places: list[tuple[float, float]], wanted: list[float]) -> tuple[float, float]:
    """Where a point would be if each of the others had it at the distance it wants (majorization of the stress)."""
    x, y = places[number]
    across = down = total = 0.0
    for other, (ox, oy) in enumerate(places):
        if other == number:
            continue
        dx, dy = x - ox, y - oy
        distance = math.sqrt(dx * dx + dy * dy) or 1e-9
        # Who speaks of similar things matters more than how far apart strangers are.
        weight = 1.0 / (wanted[other] ** 4 + 0.02)
        across += weight * (ox + wanted[other] * dx / distance)
        down += weight * (oy + wanted[other] * dy / distance)
        total += weight
    return across / total, down / total


def _into_unit(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    columns = list(zip(*places, strict=True))
    low = [min(column) for column in columns]
    span = [max(column) - least or 1.0 for column, least in zip(columns, low, strict=True)]
    return [(round((x - low[0]) / span[0], 4), round((y - low[1]) / span[1], 4)) for x, y in places]
