"""Where agents part that did the same task: the first call that is not the same, and what stands beside what."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

CallKey = tuple[str, str]
"""A call that can be compared: its tool, and its arguments as JSON."""


def call_key(tool: str, arguments: Any) -> CallKey:
    """Equal for two calls that ask for the same."""
    return tool, json.dumps(arguments, sort_keys=True, default=str)


def parting(sequences: Sequence[Sequence[Hashable]], *, ended: bool = False) -> int:
    """The first place, counted from 1, at which two differ; 0 where there is none.

    One that is shorter may still go on, unless they have `ended`.
    """
    for place, at in enumerate(zip_longest(*sequences), start=1):
        there = {entry for entry in at if entry is not None}
        if len(there) > 1 or (ended and None in at):
            return place
    return 0


def side_by_side(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int, bool]]:
    """Places of both, counted from 1, that belong together, and whether they are equal; 0 where one side has none."""
    rows: list[tuple[int, int, bool]] = []
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        places = zip_longest(range(a + 1, b + 1), range(c + 1, d + 1), fillvalue=0)
        rows += [(one_side, other, kind == "equal") for one_side, other in places]
    return rows
