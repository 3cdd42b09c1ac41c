"""Tool calls over standard streams: what the server's processor spends, next to the SDK's own echo."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.messages import ERAS, MARGIN, Era, Served, calling, hello, must_be_done, ours_and_echo
from benchmarks.timing import by_turns, cpu_of


class _Talking:
    def __init__(self, process: subprocess.Popen[bytes], served: Served, era: Era) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to: IO[bytes] = process.stdin
        self._from: IO[bytes] = process.stdout
        self._pid = process.pid
        self._line = calling(served, era)
        for number, line in enumerate(hello(era)):
            self._say(line)
            if number == 0:
                self._from.readline()
        must_be_done(self._call())

    def _say(self, line: bytes) -> None:
        self._to.write(line)
        self._to.flush()

    def _call(self) -> bytes:
        self._say(self._line)
        return self._from.readline()

    def cpu(self, calls: int) -> float:
        """Seconds of the server's processor for one call."""
        start = cpu_of(self._pid)
        for _ in range(calls):
            self._call()
        return (cpu_of(self._pid) - start) / calls


def measure(scale: Scale) -> list[Figure]:
    """Microseconds of server CPU for one call."""
    ours, echo = ours_and_echo()
    return [_era(ours, echo, era, scale) for era in ERAS]


def _era(ours: Served, echo: Served, era: Era, scale: Scale) -> Figure:
    calls = max(2, scale.calls // 2)
    with ExitStack() as stack:
        here, there = (stack.enter_context(_talking(one, era)) for one in (ours, echo))
        found = by_turns({"ours": lambda: here.cpu(calls), "echo": lambda: there.cpu(calls)}, scale.rounds)
    peer = found["echo"] * 1e6
    return Figure(
        f"a call over stdio, server CPU ({era})",
        found["ours"] * 1e6,
        "µs",
        Peer("the SDK's lowlevel echo", peer),
        Budget("at most", peer + MARGIN),
    )


@contextmanager
def _talking(served: Served, era: Era) -> Iterator[_Talking]:
    process = subprocess.Popen(served.stdio, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield _Talking(process, served, era)
    finally:
        process.communicate()


BENCHMARK = Benchmark("stdio", "tool calls over MCP standard streams", measure)
