"""Validated tool calls with the result as sent, in this process and in hardened workers."""

from __future__ import annotations

import copy
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Self

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import Job, Place, places
from benchmarks.timing import by_turns, per_call, typical
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving import LocalWorld, World


def measure(scale: Scale) -> list[Figure]:
    """Calls in a second: looking up one record where a tool does, and the changes of an environment, each in its turn."""
    found = [_of(place, scale) for place in places(scale.environments)]
    middle = {name: median(1 / one[name] for one in found if name in one) for name in found[0]}
    slowest = min(1 / one["change"] for one in found)
    echo = Peer("an echo of another process", middle["echo"])
    return [
        Figure(
            "look up a record, in process",
            middle["lookup"],
            "calls/s",
            Peer("the method and json.dumps", middle["bare lookup"]),
            Budget("at least", 100_000),
        ),
        Figure(
            "change something, in process",
            middle["change"],
            "calls/s",
            Peer("the method between two copies of the state", middle["copying change"]),
            Budget("at least", 100_000),
            f"in the slowest environment {slowest:,.0f} calls/s",
        ),
        Figure("look up a record, in a worker", middle["worker lookup"], "calls/s", echo, Budget("at least", 10_000)),
        Figure("change something, in a worker", middle["worker change"], "calls/s", echo, Budget("at least", 10_000)),
    ]


def _of(place: Place, scale: Scale) -> dict[str, float]:
    """Seconds for one call, by what is called where."""
    few = max(3, scale.calls // 20)
    here, there = place.open(), open_isolated(place.code, place.content, place.seed)
    changes = [job for job in place.jobs if job.writes and not job.first]
    text = here.call(place.change.tool, {}).text.encode()
    with _Echo() as echo:
        sides: dict[str, Callable[[], float]] = {
            "change": lambda: median(_changing(here, job, few) for job in changes),
            "copying change": lambda: median(_copying(place, job, max(2, few // 50)) for job in changes),
            "worker change": lambda: median(_changing(there, job, max(2, few // 4)) for job in changes),
            "echo": lambda: per_call(lambda: echo.ask(text), few),
        }
        if place.lookup is not None:
            sides |= _looking_up(here, there, place.lookup, scale.calls)
        found = by_turns(sides, scale.rounds)
    there.close()
    return found


def _looking_up(here: LocalWorld, there: World, job: Job, calls: int) -> dict[str, Callable[[], float]]:
    return {
        "lookup": lambda: per_call(lambda: here.call(job.tool, job.arguments), calls),
        "bare lookup": lambda: _bare(here, job, calls),
        "worker lookup": lambda: per_call(lambda: there.call(job.tool, job.arguments), max(2, calls // 10)),
    }


def _changing(world: World, job: Job, calls: int) -> float:
    """A change and then, not counted, back to where it is possible again."""
    mark = world.snapshot()
    taken = typical(lambda: world.call(job.tool, job.arguments), calls, lambda: world.restore(mark))
    job.on(world)
    world.restore(mark)
    return taken


def _bare(world: LocalWorld, job: Job, calls: int) -> float:
    method = getattr(world._env, job.tool)  # type: ignore[attr-defined]
    return per_call(lambda: json.dumps(method(**job.arguments), ensure_ascii=False, separators=(",", ":")), calls)


def _copying(place: Place, job: Job, calls: int) -> float:
    """The way of a runtime that learns what changed by comparing the state before and after."""
    world = place.open()
    mark = world.snapshot()
    env = world._env  # type: ignore[attr-defined]
    method = getattr(env, job.tool)

    def public() -> object:
        return copy.deepcopy({name: value for name, value in vars(env).items() if not name.startswith("_")})

    def act() -> None:
        before = public()
        json.dumps(method(**job.arguments))
        assert before != public()

    def back() -> None:
        env._undo(env._journal)
        env._journal = []

    taken = typical(act, calls, back)
    world.restore(mark)
    return taken


class _Echo:
    """The floor under any worker: bytes to another process through a socket, and back."""

    def __enter__(self) -> Self:
        self._ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen([sys.executable, "-c", _ANSWER, str(number)], pass_fds=(number,))
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._process.wait()

    def ask(self, text: bytes) -> bytes:
        self._ours.sendall(text)
        held = self._ours.recv(len(text))
        while len(held) < len(text):
            held += self._ours.recv(len(text) - len(held))
        return held


_ANSWER = """
import socket, sys
stream = socket.socket(fileno=int(sys.argv[1]))
while text := stream.recv(1 << 18):
    stream.sendall(text)
"""


BENCHMARK = Benchmark("calls", "validated tool calls in a second, in process and in a worker", measure)
