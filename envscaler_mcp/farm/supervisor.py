"""The processes of a farm, from the first socket to the last end: forked once everything is imported, replaced when one dies."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, asking_to_end, run_front_end, run_on_loop
from envscaler_mcp.farm.peers import Mailboxes
from envscaler_mcp.sandbox import limits

MOST_RESTARTS = 5
RESTART_SPAN = 60.0
"""A process that dies more often than that in so many seconds will not be mended by starting it again."""
STOP_SECONDS = 10.0

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

logger = logging.getLogger(__name__)


class Supervisor:
    """Sockets that all processes accept on, and the processes."""

    def __init__(
        self, config: FarmConfig, agents: socket.socket, owners: Sequence[socket.socket], processes: int
    ) -> None:
        self._config = config
        self._agents = agents
        self._owners = owners
        self._processes = processes
        self._children: dict[int, int] = {}
        self._deaths: list[float] = []
        self._stopping = False

    def run(self, ready: Callable[[], None]) -> int:
        """Serve until a signal asks for the end; the exit code."""
        limits.hold_many_worlds()
        with Mailboxes.opened(self._processes) as boxes, _lifeline() as lifeline:
            for asking in asking_to_end():
                signal.signal(asking, self._asked_to_stop)
            # What is there before the fork is shared by all, as long as no process writes to it.
            gc.collect()
            gc.freeze()
            for number in range(self._processes):
                self._start(number, boxes, lifeline)
            ready()
            try:
                return self._watch(boxes, lifeline)
            finally:
                self._end()

    def _asked_to_stop(self, *_: object) -> None:
        self._stopping = True
        for child in list(self._children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    def _start(self, number: int, boxes: Mailboxes, lifeline: tuple[int, int]) -> None:
        # A signal may ask for the end before the new process knows how to end.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ASKING)
        child = os.fork()
        if not child:
            self._serve(number, boxes, lifeline)
        self._children[child] = number
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)

    def _serve(self, number: int, boxes: Mailboxes, lifeline: tuple[int, int]) -> NoReturn:
        """What a forked process does, and all it does."""
        code = 1
        try:
            # Only the process that started all holds this end, so that the others notice when it is gone.
            os.close(lifeline[1])
            for asking in asking_to_end():
                signal.signal(asking, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
            front = FrontEnd(self._config, number, boxes)
            run_on_loop(run_front_end(front, [self._agents], list(self._owners), boxes, lifeline[0]))
            code = 0
        except BaseException:
            logger.exception("process %d of the farm", number)
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _watch(self, boxes: Mailboxes, lifeline: tuple[int, int]) -> int:
        while self._children:
            try:
                child, status = os.wait()
            except InterruptedError:
                continue
            number = self._children.pop(child, None)
            if number is None or self._stopping:
                continue
            now = time.monotonic()
            self._deaths = [moment for moment in self._deaths if now - moment < RESTART_SPAN] + [now]
            if len(self._deaths) > MOST_RESTARTS:
                raise LaunchError("The farm's processes end again and again; the log above says why.")
            why = os.waitstatus_to_exitcode(status)
            logger.warning("process %d of the farm ended (%d); its worlds are gone, and it starts again", number, why)
            self._start(number, boxes, lifeline)
        return 0

    def _end(self) -> None:
        self._asked_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        while self._children:
            child, _ = os.waitpid(-1, os.WNOHANG)
            self._children.pop(child, None)
            if not child:
                if time.monotonic() > deadline:
                    for left in self._children:
                        os.kill(left, signal.SIGKILL)
                    deadline += STOP_SECONDS
                time.sleep(0.02)


@contextlib.contextmanager
def _lifeline() -> Iterator[tuple[int, int]]:
    """A pipe of which the reading end tells when the process that holds the writing end is gone."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)
