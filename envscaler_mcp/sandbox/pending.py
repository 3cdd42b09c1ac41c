"""One request to a worker that an event loop waits for, so that any number of workers need no thread each.

`Pending` is a friend of `WorkerHandle`: it holds the handle's turn from `begin` to `close`, and uses its stream and checks.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from typing import TYPE_CHECKING, Any

from envscaler_mcp.errors import Reason
from envscaler_mcp.sandbox import limits
from envscaler_mcp.sandbox.frames import FrameError, is_whole

if TYPE_CHECKING:
    from envscaler_mcp.sandbox.worker_handle import WorkerHandle

SMALL = 1 << 15
"""Bytes of an answer that may be read and parsed between the requests of others."""


class Pending:
    """A request without an answer yet. Only `finish` blocks; it belongs into a thread."""

    def __init__(self, worker: WorkerHandle, doing: str, number: str, frame: bytes, deadline: float) -> None:
        self._worker = worker
        self._doing = doing
        self._number = number
        self._deadline = deadline
        self._why: tuple[Reason, str] | None = None
        self._message: dict[str, Any] | None = None
        self._over = False
        self._pidfd: int | None = None
        self._used: float | None = None
        self.descriptor = worker._stream.fileno()
        self._rest = frame[self._send(frame) :]

    def _send(self, frame: bytes) -> int:
        try:
            return self._worker._stream.send(frame, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except OSError:
            # The worker is gone. It may have sent the reason before, so the answer is read all the same.
            return len(frame)

    @property
    def sent(self) -> bool:
        """Whether the whole request is in the socket's buffer; an idle worker nearly always has room for it."""
        return not self._rest

    def must_end(self) -> bool:
        """Whether the worker is over one of its bounds; the event loop checks it at intervals."""
        self._why = self._worker._overstepped(self._deadline, self._doing)
        return self._why is not None

    def is_busy(self, waiting: int) -> bool:
        """Whether it has used more processor time since the first look than its share, which is smaller the more calls wait."""
        worker = self._worker
        used = limits.processor_seconds(worker.pid)
        if self._used is None:
            # Taken at the first look and not at the start: most calls are answered before the first look.
            self._used = used
        return used - self._used > worker.limits.busy_seconds / max(1.0, waiting / (os.cpu_count() or 1))

    def stop(self) -> None:
        """Stop the worker's process (SIGSTOP) until `go_on`, or until it is ended."""
        self._worker.slowed = True
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Continue the worker's process."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        # By pidfd: once the zygote has reaped a worker, its pid may belong to another process; a pidfd never does.
        # None is opened for a doomed worker, because that one may have been reaped already.
        with contextlib.suppress(OSError):
            if self._pidfd is None and self._worker._doomed is None:
                self._pidfd = os.pidfd_open(self._worker.pid)
            if self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, number)

    def small_answer(self) -> dict[str, Any] | None:
        """The answer if it is complete, small and valid; None where `finish` must read or reject it."""
        worker = self._worker
        try:
            # Peeked first: a frame that is not complete must stay in the socket for `finish`, and must not block here.
            piece = worker._stream.recv(SMALL, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            if not is_whole(piece) or not worker._reader.empty:
                return None
            self._message = worker._reader.next(worker.bounds_of(self._doing))
        except FrameError as cause:
            self._why = "hostile", f"{self._doing}: {cause}"
            return None
        except OSError:
            return None
        if self._message.get("id") != self._number or "hostile" in self._message:
            return None
        return self._answer(self._message)

    def finish(self) -> dict[str, Any]:
        """Wait for the answer, of any length; an invalid one ends the worker."""
        worker = self._worker
        with worker._ended_when_interrupted():
            if self._why is not None:
                worker._void(*self._why)
            if self._rest:
                worker._send(self._rest, self._deadline, self._doing)
            if self._message is not None:
                return self._answer(worker._accepted(self._message, self._doing))
            return self._answer(worker._next(self._deadline, self._doing))

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        self._over = True
        return self._worker._answer_to(self._number, message, self._doing)

    def close(self) -> None:
        """Release the handle for the next request. If the wait was given up, the worker ends: its late answer would be taken
        for that of the next request.
        """
        if self._pidfd is not None:
            os.close(self._pidfd)
        if not self._over:
            self._worker.close()
        self._worker.turns += 1
        self._worker._turn.release()
