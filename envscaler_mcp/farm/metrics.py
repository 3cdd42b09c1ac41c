"""What a farm counts, as JSON between its processes and as Prometheus reads it."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from envscaler_mcp.farm.http1 import Answer, json_answer
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.sandbox.limits import resident

_ABOUT = {
    "worlds": ("gauge", "Worlds that are open."),
    "visitors": ("gauge", "Worlds that people opened by going to an address."),
    "connections": ("gauge", "Open connections."),
    "resident_bytes": ("gauge", "Memory of the farm's own processes, workers left out."),
    "processes": ("gauge", "Processes that answer."),
    "worlds_opened_total": ("counter", "Worlds opened."),
    "worlds_closed_total": ("counter", "Worlds closed, for whatever reason."),
    "worlds_reaped_total": ("counter", "Worlds closed because their lease ended."),
    "worlds_crashed_total": ("counter", "Worlds whose worker ended by itself."),
    "worlds_ended_for_memory_total": ("counter", "Worlds ended because all together held too much memory."),
    "worlds_slowed_total": ("counter", "Worlds whose calls kept a processor busy for long."),
    "calls_total": ("counter", "Tool calls answered."),
    "requests_total": ("counter", "Requests by status."),
}
_PREFIX = "envscaler_"
FIGURES = "/figures?own"
"""Where a process tells its own."""
KEPT_SECONDS = 1.0


class Figures:
    """The counts of one process, and of all together."""

    def __init__(self, worlds: Worlds, siblings: Siblings, connections: Callable[[], int]) -> None:
        self.statuses: Counter[int] = Counter()
        self._worlds = worlds
        self._siblings = siblings
        self._connections = connections
        self._known: asyncio.Task[dict[str, float]] | None = None
        self._known_until = 0.0

    def own(self) -> dict[str, float]:
        """By name; those of several processes can be added."""
        counts = self._worlds.counts
        found: dict[str, float] = {
            "worlds": len(self._worlds),
            "visitors": self._worlds.visitors,
            "connections": self._connections(),
            "resident_bytes": resident(os.getpid()),
            "processes": 1,
            "worlds_opened_total": counts.opened,
            "worlds_closed_total": counts.closed,
            "worlds_reaped_total": counts.reaped,
            "worlds_crashed_total": counts.crashed,
            "worlds_ended_for_memory_total": counts.ended_for_memory,
            "worlds_slowed_total": counts.slowed,
            "calls_total": counts.calls,
        }
        for status, count in sorted(self.statuses.items()):
            found[f'requests_total{{status="{status}"}}'] = count
        return found

    async def as_json(self, *, alone: bool) -> Answer:
        """For the other processes, or of all of them."""
        return json_answer(**(self.own() if alone else await self._all()))

    async def as_metrics(self) -> Answer:
        """For Prometheus."""
        return Answer(200, as_prometheus(await self._all()).encode(), "text/plain; version=0.0.4")

    async def _all(self) -> dict[str, float]:
        """Asked of every process once a second at most, however often and by how many it is wanted."""
        loop = asyncio.get_running_loop()
        if self._known is None or loop.time() > self._known_until:
            self._known = loop.create_task(self._ask_all())
            self._known_until = loop.time() + KEPT_SECONDS
        return await asyncio.shield(self._known)

    async def _ask_all(self) -> dict[str, float]:
        return added([self.own(), *await self._siblings.ask_all(FIGURES)])


def added(all_figures: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The figures of all processes together."""
    total: Counter[str] = Counter()
    for figures in all_figures:
        total.update({name: int(value) for name, value in figures.items()})
    return dict(total)


def as_prometheus(figures: Mapping[str, float]) -> str:
    """The text that Prometheus scrapes."""
    lines = []
    for name, (kind, about) in _ABOUT.items():
        lines += [f"# HELP {_PREFIX}{name} {about}", f"# TYPE {_PREFIX}{name} {kind}"]
        lines += [
            f"{_PREFIX}{key} {value:g}" if value < 1e6 else f"{_PREFIX}{key} {value:.0f}"
            for key, value in figures.items()
            if key.partition("{")[0] == name
        ]
    return "\n".join(lines) + "\n"
