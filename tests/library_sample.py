"""The fast suite looks at some environments of the library; in the slow one every other has its turn."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import pytest

SAMPLED = 2


def sample(names: Iterable[str], many: int = SAMPLED) -> list[str]:
    """So many of the names; which ones depends on nothing but the names."""
    return sorted(sorted(names, key=lambda name: sha256(name.encode()).hexdigest())[:many])


def turns(names: Iterable[str], many: int = SAMPLED) -> list[Any]:
    """Every name as a parameter; those outside of the sample are slow."""
    known = list(names)
    fast = set(sample(known, many))
    return [name if name in fast else pytest.param(name, marks=pytest.mark.slow) for name in known]
