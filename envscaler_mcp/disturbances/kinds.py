"""The kinds of disturbances, how they are named, and the chance that decides where each of them appears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

from envscaler_mcp.config.choices import ALL_DISTURBANCES, DISTURBANCES
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value

T = TypeVar("T")

KINDS = tuple(kind for group in DISTURBANCES.values() for kind in group)
"""All of them, in the order in which records name them."""


def read_disturbances(text: str) -> tuple[str, ...]:
    """The kinds that a list of kinds and groups names, each once, in the order of `KINDS`; none for an empty text."""
    wanted: set[str] = set()
    for name in filter(None, map(str.strip, text.split(","))):
        if name == ALL_DISTURBANCES:
            wanted.update(KINDS)
        elif name in DISTURBANCES:
            wanted.update(DISTURBANCES[name])
        elif name in KINDS:
            wanted.add(name)
        else:
            known = (*KINDS, *DISTURBANCES, ALL_DISTURBANCES)
            raise WorldError(
                f"There is no disturbance {quote_value(name)}{did_you_mean(name, known)} "
                f"Name kinds ({', '.join(KINDS)}), groups ({', '.join(DISTURBANCES)}) or {ALL_DISTURBANCES}."
            )
    return tuple(kind for kind in KINDS if kind in wanted)


@dataclass(frozen=True, slots=True)
class Disturbances:
    """The kinds that are on, and what all chance of them follows from."""

    kinds: tuple[str, ...]
    task: str
    """The scenario's id; the environment's where a world begins at no scenario."""
    seed: int

    def of(self, group: str) -> tuple[str, ...]:
        """Those of a group that are on."""
        return tuple(kind for kind in DISTURBANCES[group] if kind in self.kinds)

    def number(self, purpose: str) -> int:
        """A number of 64 bits that follows from task, seed and purpose alone, on every machine."""
        text = f"{self.task}/{self.seed}/{purpose}"
        return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big")

    def happens(self, rate: float, purpose: str) -> bool:
        """Whether something happens that happens at this rate."""
        return self.number(purpose) < rate * 2**64

    def choice(self, options: Sequence[T], purpose: str) -> T:
        """One of several."""
        return options[self.number(purpose) % len(options)]
