"""What a farm counts, as JSON between its processes and as Prometheus reads it."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.farm.application import json_response
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.sandbox.limits import resident

_ABOUT = {
    "worlds": ("gauge", "Worlds that are open."),
    "visitors": ("gauge", "Worlds that visitors opened at guest links."),
    "connections": ("gauge", "Open connections."),
    "resident_bytes": ("gauge", "Memory of the farm's own processes, workers left out."),
    "processes": ("gauge", "Processes that answer."),
    "worlds_opened_total": ("counter", "Worlds opened."),
    "worlds_closed_total": ("counter", "Worlds closed, for any reason."),
    "worlds_reaped_total": ("counter", "Worlds closed because their lease ended."),
    "worlds_crashed_total": ("counter", "Worlds whose worker ended unexpectedly."),
    "worlds_ended_for_memory_total": ("counter", "Worlds ended because together they held too much memory."),
    "worlds_slowed_total": ("counter", "Worlds whose calls kept a processor busy for long."),
    "calls_total": ("counter", "Tool calls answered."),
    "requests_total": ("counter", "Requests by status."),
}
_PREFIX = "envscaler_"
FIGURES = "/figures"
"""What one process answers to the others."""
KEPT_SECONDS = 1.0


class Figures:
    """The counts of one process, and of all together."""

    def __init__(
        self, worlds: Worlds, siblings: Siblings, connections: Callable[[], int], statuses: Callable[[], Counter[int]]
    ) -> None:
        self._statuses = statuses
        self._worlds = worlds
        self._siblings = siblings
        self._connections = connections
        self._known: asyncio.Task[dict[str, float]] | None = None
        self._known_until = 0.0

    def own(self) -> dict[str, float]:
        """By name; those of several processes can be added."""
        counts = self._worlds.counts
        values: dict[str, float] = {
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
        for status, count in sorted(self._statuses().items()):
            values[f'requests_total{{status="{status}"}}'] = count
        return values

    async def as_json(self, _: Request) -> Response:
        """Of all processes."""
        return json_response(await self._all())

    async def own_as_json(self, _: Request) -> Response:
        """Of this one, for the others."""
        return json_response(self.own())

    async def metrics(self, _: Request) -> Response:
        """For Prometheus."""
        return metrics_response(await self._all())

    async def _all(self) -> dict[str, float]:
        """Collected from every process once a second at most, however many clients ask."""
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


def metrics_response(figures: Mapping[str, float]) -> Response:
    """The answer to Prometheus."""
    return Response(as_prometheus(figures), media_type="text/plain; version=0.0.4")


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
