"""Workers that have loaded an environment's code and hold no world: each world is a fork of one of them.

Loading costs ten times as much as forking, and worlds of one environment share the memory of what was loaded. Such a
worker never hears of a session, so it has nothing to pass on from one to the next.

The next world of an environment is forked ahead of time, and loads the code once without a world (`rehearse`): a fork
shares its memory until it writes to it, and the first load in it takes several times as long as the second. What waits
there was never told a state, and becomes one world and no other.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from queue import Queue
from weakref import WeakValueDictionary

from envscaler_mcp.errors import SandboxError, WorkerEndedError, WorldError
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits, resident
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving.code import EnvironmentCode

_KEPT = 64
_MOST_SPARES = 16
"""For how many environments the next world is forked ahead; each holds one to three MiB."""

Key = tuple[str, int, Limits, Layers]
"""Source and card; the card by identity, because to digest it takes longer than to fork."""


@dataclass(slots=True)
class _Loaded:
    line: WorkerHandle
    code: EnvironmentCode
    """What it was loaded from, which keeps the card's identity its own."""
    spare: WorkerHandle | None = None
    """A fork of the line that has rehearsed, and waits to become a world."""
    rehearses: bool = True
    """Whether its code can be loaded a second time; where it cannot, no fork is made ahead."""

    def close(self) -> None:
        for line in (self.spare, self.line):
            if line is not None:
                line.close()


class LoadedWorkers:
    """The most recently used environments; the others are loaded again when they are needed."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[Key, _Loaded] = OrderedDict()
        self._loading: WeakValueDictionary[Key, threading.Lock] = WeakValueDictionary()
        """Held by the threads that load or wait for it; what fails to load is not remembered."""
        self._lock = threading.Lock()
        self._wanted: Queue[Key] = Queue()
        """Environments whose next world is to be forked ahead."""
        self._stocked_by: int | None = None
        """The process whose thread does that; a fork of this process has no such thread."""

    def line_for(self, code: EnvironmentCode, limits: Limits, layers: Layers) -> WorkerHandle:
        """A worker of its own that has the code loaded."""
        key = (code.source, id(code.environment), limits, layers)
        with self._lock:
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:
            known = self._known(key)
            if known is not None:
                world = self._world_of(key, known)
                if world is not None:
                    return world
            line = _load(code, limits, layers)
            if not line.forks:
                return _rehearsed(line)
            known = self._keep(key, _Loaded(line, code))
            world = _next_world(line)
        self._stock_later(key)
        return world

    def _world_of(self, key: Key, known: _Loaded) -> WorkerHandle | None:
        """A world of what was loaded before; None where that was ended from outside, and has to be loaded again."""
        world = self._spare_of(known)
        if world is None:
            try:
                world = _next_world(known.line)
            except WorkerEndedError as cause:
                if cause.reason not in ("crash", "closed"):
                    raise
                self._drop(key, known)
                return None
        self._stock_later(key)
        return world

    def _drop(self, key: Key, known: _Loaded) -> None:
        with self._lock:
            if self._loaded.get(key) is known:
                del self._loaded[key]
        known.close()

    def memory(self) -> int:
        """Bytes that these workers hold for themselves."""
        with self._lock:
            lines = [line for known in self._loaded.values() for line in (known.line, known.spare) if line is not None]
        return sum(line.own_memory for line in lines)

    def _known(self, key: Key) -> _Loaded | None:
        with self._lock:
            known = self._loaded.get(key)
            if known is None or not known.line.usable:
                self._loaded.pop(key, None)
                return None
            self._loaded.move_to_end(key)
            return known

    def _keep(self, key: Key, known: _Loaded) -> _Loaded:
        with self._lock:
            self._loaded[key] = known
            if len(self._loaded) > _KEPT:
                _, dropped = self._loaded.popitem(last=False)
                dropped.close()
        return known

    def _spare_of(self, known: _Loaded) -> WorkerHandle | None:
        with self._lock:
            spare, known.spare = known.spare, None
        if spare is not None and not spare.waits:
            # Ended from outside, or by its own code; that is no fault of the world that is to be opened.
            spare.close()
            return None
        return spare

    def _stock_later(self, key: Key) -> None:
        with self._lock:
            if self._stocked_by != os.getpid():
                # Not waited for when the process ends: the code may rehearse for seconds, and the zygote ends its workers.
                with suppress(RuntimeError):
                    threading.Thread(target=self._stock_each, name="spare worlds", daemon=True).start()
                    self._stocked_by = os.getpid()
        self._wanted.put(key)

    def _stock_each(self) -> None:
        while True:
            key = self._wanted.get()
            with self._lock:
                known = self._loaded.get(key)
            if known is not None and known.spare is None and known.rehearses and known.line.usable:
                self._stock(key, known)
            self._wanted.task_done()

    def _stock(self, key: Key, known: _Loaded) -> None:
        try:
            spare = _next_world(known.line)
        except (SandboxError, WorldError):
            # The caller that opens the next world is told why.
            known.rehearses = False
            return
        with self._lock:
            if self._loaded.get(key) is not known:
                spare.close()
                return
            known.spare = spare
            holding = [loaded for loaded in self._loaded.values() if loaded.spare is not None]
            unused = holding[0] if len(holding) > _MOST_SPARES else None
        dropped = None if unused is None else self._spare_of(unused)
        if dropped is not None:
            dropped.close()


@lru_cache(maxsize=1)
def loaded_workers() -> LoadedWorkers:
    """Those of this process."""
    return LoadedWorkers()


def _next_world(line: WorkerHandle) -> WorkerHandle:
    """A fork that has rehearsed: every world has loaded the code as often, and finds what that may leave behind."""
    world = line.fork()
    # What was loaded is shared by all worlds of the environment.
    world.inherited = resident(line.pid)
    return _rehearsed(world)


def _rehearsed(line: WorkerHandle) -> WorkerHandle:
    try:
        line.ask("rehearse", line.limits.open_seconds)
    except BaseException:
        line.close()
        raise
    return line


def _load(code: EnvironmentCode, limits: Limits, layers: Layers) -> WorkerHandle:
    line = WorkerHandle.start(zygote(), limits, layers)
    try:
        environment = code.environment.model_dump(mode="json")
        line.ask("load", limits.open_seconds, environment=environment, source=code.source)
    except BaseException:
        line.close()
        raise
    return line
