"""Workers that have loaded an environment's code and hold no world: each world is forked from one of them.

Loading costs ten times as much as forking, and worlds of one environment share the memory of what was loaded. Such a
worker never hears of a session, so it has nothing to pass on from one to the next.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import lru_cache

from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits, resident
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving.code import EnvironmentCode

_KEPT = 64

Key = tuple[str, int, Limits, Layers]
"""Source and card; the card by identity, because to digest it takes longer than to fork."""


class LoadedWorkers:
    """The most recently used environments; the others are loaded again when they are needed."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Key, tuple[WorkerHandle, EnvironmentCode]] = OrderedDict()
        """Each with the code it was loaded from, which keeps the card's identity its own."""
        self._loading: dict[Key, threading.Lock] = {}
        self._lock = threading.Lock()

    def line_for(self, code: EnvironmentCode, limits: Limits, layers: Layers) -> WorkerHandle:
        """A worker of its own that has the code loaded."""
        key = (code.source, id(code.environment), limits, layers)
        with self._lock:
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:
            line = self._known(key)
            if line is None:
                line = _load(code, limits, layers)
                if not line.forks:
                    return line
                self._keep(key, line, code)
        world = line.fork()
        # What was loaded is shared by all worlds of the environment.
        world.inherited = resident(line.pid)
        return world

    def memory(self) -> int:
        """Bytes that these workers hold for themselves."""
        with self._lock:
            lines = [line for line, _ in self._lines.values()]
        return sum(line.own_memory for line in lines)

    def _known(self, key: Key) -> WorkerHandle | None:
        with self._lock:
            line, _ = self._lines.get(key, (None, None))
            if line is None or not line.usable:
                self._lines.pop(key, None)
                return None
            self._lines.move_to_end(key)
            return line

    def _keep(self, key: Key, line: WorkerHandle, code: EnvironmentCode) -> None:
        with self._lock:
            self._lines[key] = line, code
            if len(self._lines) > _KEPT:
                oldest, (dropped, _) = self._lines.popitem(last=False)
                self._loading.pop(oldest, None)
                dropped.close()


@lru_cache(maxsize=1)
def loaded_workers() -> LoadedWorkers:
    """Those of this process."""
    return LoadedWorkers()


def _load(code: EnvironmentCode, limits: Limits, layers: Layers) -> WorkerHandle:
    line = WorkerHandle.start(zygote(), limits, layers)
    try:
        environment = code.environment.model_dump(mode="json")
        line.ask("load", limits.open_seconds, environment=environment, source=code.source)
    except BaseException:
        line.close()
        raise
    return line
