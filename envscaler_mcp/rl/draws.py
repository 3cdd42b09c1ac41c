"""Tasks by chance: every environment is as likely as another, and then every task of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.rl.errors import UsageError


def draw_task(
    environments: Iterable[str], tasks: Callable[[str], Sequence[Scenario]], below: Callable[[int], int]
) -> Scenario:
    """One of the tasks that the environments have; `below` draws a number below another."""
    names = list(environments)
    while names:
        name = names.pop(below(len(names)))
        if own := tasks(name):
            return own[below(len(own))]
    raise UsageError("None of the environments has tasks of this level and split.")
