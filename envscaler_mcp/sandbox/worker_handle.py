"""The host's end of one worker: one request, one answer with the id of the request; anything else ends the worker.

The worker is not trusted once unread code has run in it. Its messages are bounded before they are parsed (`frames.py`), an
answer counts only with the random id of the request, and what the kernel says about the process (its pid, exit status,
memory, processor time) is never taken from the worker itself.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn, Protocol, TypeVar

from envscaler_mcp.errors import EnvScalerError, Reason, SandboxError, WorkerEndedError, WorldError
from envscaler_mcp.sandbox import limits as bounds
from envscaler_mcp.sandbox.frames import Bounds, ClosedError, FrameError, FrameTooLargeError, Reader, encode
from envscaler_mcp.sandbox.idle import idle_watch
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.pending import Pending
from envscaler_mcp.sandbox.seccomp import Listener
from envscaler_mcp.sandbox.system import CAN_FORK_SIBLINGS
from envscaler_mcp.sandbox.worker_errors import MessageTooLargeError, ended_by
from envscaler_mcp.sandbox.zygote import Spawned, Zygote

_PATIENCE = 0.05
"""Seconds a read waits before deadline, memory and fork listener are checked."""
_CREDENTIALS = struct.calcsize("3i")
_START_SECONDS = 10.0
_LAST_SECONDS = 0.5

_SMALL = Bounds(1 << 18, 1 << 14)
"""For answers that hold no state and no result."""
_RESULT_VALUES = 500_000
"""As many as the longest text of a result can hold, at two characters each."""
_STATE_VALUES = 1_000_000
_OF_STATES = ("state", "attempt", "diff", "diff_since", "check")

T = TypeVar("T")


class Parent(Protocol):
    """The process that a worker was forked from, as this process uses it."""

    owner: int
    """The process that may ask it."""
    memory: int
    """Bytes that it held when it began to fork workers, which they share."""

    @property
    def alive(self) -> bool:
        """Whether this process can ask it."""

    def end(self, pid: int, wait: float = 0.0) -> int | None:
        """Kill a worker; its exit status, where that is known."""

    def drop(self, pid: int) -> None:
        """Have a worker killed without waiting for it."""

    def adopt(self, pid: int) -> bool:
        """Whether a worker that a worker forked is its child now."""


class WorkerHandle:
    """One worker. One request at a time; threads may share the handle."""

    def __init__(self, zygote: Parent, spawned: Spawned, limits: Limits) -> None:
        self.pid = spawned.pid
        self.limits = limits
        self._zygote = zygote
        self._stream = spawned.stream
        self._reader = Reader(spawned.stream)
        self._bounds = {"call": Bounds(limits.result, _RESULT_VALUES)}
        self._bounds.update(dict.fromkeys(_OF_STATES, Bounds(limits.state, _STATE_VALUES)))
        self._listener: Listener | None = None
        self._listening = threading.Lock()
        self._turn = threading.Lock()
        self._ended: WorkerEndedError | None = None
        self._doomed: WorkerEndedError | None = None
        """Why another thread ended it while this one waited for its answer."""
        self.turns = 0
        """Counts begins and ends of requests, so it is odd during one. The idle watch compares it without a lock: a worker
        that uses the processor between two looks with the same even number works without a request.
        """
        self.inherited = zygote.memory
        """Bytes that it shares with the process it was forked from (copy on write), and that do not count as its own."""
        self.slowed = False
        """Whether a call used so much processor time that it had to take turns with others."""
        # A blocking socket with kernel timeouts: a Python timeout would cost a poll for each read.
        spawned.stream.settimeout(None)
        spawned.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, int(_PATIENCE * 1e6)))
        spawned.stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", 1, 0))
        # Ends the process of a handle that was dropped without `close`.
        self._forget = weakref.finalize(self, _end_quietly, zygote, spawned)
        idle_watch().add(self)

    @classmethod
    def start(cls, zygote: Zygote, limits: Limits, layers: Layers) -> WorkerHandle:
        """A new worker from the zygote, hardened; no unread code has run in it."""
        worker = cls(zygote, zygote.spawn(limits, layers), limits)
        worker._meet(wanted=layers.kernel and zygote.kernel.works)
        return worker

    def _meet(self, *, wanted: bool) -> None:
        """Receive the seccomp listener and the report of what the worker applied to itself.

        The listener comes first, as a descriptor beside one byte: from then on each clone of the worker waits in the kernel
        until this process answers it.
        """
        doing = "starting a worker"
        deadline = time.monotonic() + _START_SECONDS
        try:
            _, handed, _, _ = self._wait(lambda: socket.recv_fds(self._stream, 1, 1), deadline, doing)
        except OSError as cause:
            self._void("crash", f"{doing}: {cause}")
        if handed:
            self._listener = _closed_with_last_user(Listener(handed[0]))
        self.applied = self._next(deadline, doing)
        if "failed" in self.applied:
            self._void("crash", f"{doing}: {self.applied['failed']}")
        if wanted and not self.applied.get("kernel"):
            self._void("crash", f"{doing}: the kernel layer could not be applied")

    applied: dict[str, Any]
    """What the worker applied to itself before any unread code ran in it."""

    @property
    def forks(self) -> bool:
        """Whether this worker can be forked under control."""
        return CAN_FORK_SIBLINGS and self.applied.get("forks") is True

    def ask(self, do: str, seconds: float, **fields: Any) -> dict[str, Any]:
        """The worker's answer; WorldError with the world's own sentence where it could not do it."""
        with self._turn, self._ended_when_interrupted():
            self.turns += 1
            try:
                return self._asked(do, seconds, fields)
            finally:
                self.turns += 1

    @contextlib.contextmanager
    def _ended_when_interrupted(self) -> Iterator[None]:
        """End the worker if the wait is interrupted (Ctrl-C, cancellation): its late answer would be taken for the next one."""
        try:
            yield
        except EnvScalerError:
            raise
        except BaseException:
            self.close()
            raise

    def begin(self, do: str, seconds: float, **fields: Any) -> Pending:
        """Send a request whose answer an event loop waits for, without a thread."""
        if not self._turn.acquire(blocking=False):
            raise SandboxError(f"{do}: this worker is busy with another request")
        self.turns += 1
        try:
            number, frame = self._written(do, fields)
            return Pending(self, do, number, frame, time.monotonic() + seconds)
        except BaseException:
            self.turns += 1
            self._turn.release()
            raise

    def _asked(self, do: str, seconds: float, fields: dict[str, Any]) -> dict[str, Any]:
        number, frame = self._written(do, fields)
        deadline = time.monotonic() + seconds
        self._send(frame, deadline, do)
        return self._answer_to(number, self._next(deadline, do), do)

    def _written(self, do: str, fields: dict[str, Any]) -> tuple[str, bytes]:
        """The frame of a request, and the id that its answer must have: random, so that code in the worker cannot guess it."""
        self._must_live()
        number = os.urandom(8).hex()
        try:
            frame = encode({"id": number, "do": do, **fields})
        except (ValueError, TypeError, RecursionError) as cause:
            raise SandboxError(f"{do}: what is sent to a worker must be plain JSON: {cause}") from cause
        if len(frame) > self.limits.frame:
            raise MessageTooLargeError(
                f"{do}: a message of {len(frame)} bytes; at most {self.limits.frame} are sent to a worker"
            )
        return number, frame

    def _answer_to(self, number: str, answer: dict[str, Any], do: str) -> dict[str, Any]:
        if answer.get("id") != number:
            self._void("hostile", f"{do}: an answer to no request")
        error = answer.get("error")
        if error is not None:
            raise WorldError(error if type(error) is str else f"{do} failed inside the worker")
        return answer

    def fork(self) -> WorkerHandle:
        """A second worker that continues from the state of this one."""
        # `_listening` too: another thread that looks for forbidden clones would refuse the one that is allowed here.
        with self._turn, self._listening, self._ended_when_interrupted():
            self.turns += 2
            self._must_live()
            if not self.forks:
                raise SandboxError(
                    "A world in a worker cannot be forked on this system; open another one at its state."
                )
            return self._forked()

    def _forked(self) -> WorkerHandle:
        """The fork, step by step. The worker is not believed at any of them.

        1. This process makes the channel of the new worker and sends its other end to the parent (SCM_RIGHTS).
        2. The parent clones. The kernel holds the clone until the listener agrees to this one; any other is refused.
        3. The parent says `parted`, and the new worker sends its first message on the new channel.
        4. The kernel, not the worker, names the sender's pid (SCM_CREDENTIALS), and the zygote confirms that it is a
           child of its own: CLONE_PARENT makes the new worker a sibling, so that the zygote can end and reap it.

        Memory is shared copy on write: a fork costs page tables, not copies. The seccomp filter is inherited together
        with its listener, which all workers of a family therefore share.
        """
        deadline = time.monotonic() + self.limits.open_seconds
        ours, theirs = socket.socketpair()
        # Before anything is sent, or the first message would carry no credentials.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            with theirs:
                self._asked("fork", self.limits.open_seconds, {})
                socket.send_fds(self._stream, [b"f"], [theirs.fileno()])
            if self._listener is not None and not self._listener.agree(self.pid, self.limits.open_seconds):
                self._void("hostile", "fork: the worker did not fork")
            if self._next(deadline, "fork").get("parted") is not True:
                self._void("hostile", "fork: the worker did not fork")
            pid = self._pid_behind(ours)
        except OSError as cause:
            ours.close()
            self._void("crash", f"fork: {cause}")
        except BaseException:
            ours.close()
            raise
        twin = WorkerHandle(self._zygote, Spawned(pid, ours), self.limits)
        twin.applied, twin.inherited = self.applied, self.inherited
        twin._listener, twin._listening = self._listener, self._listening
        if twin._next(deadline, "fork").get("forked") is not True:
            twin._void("hostile", "fork: the new worker did not say so")
        return twin

    def _pid_behind(self, ours: socket.socket) -> int:
        """The pid of the process at the other end of a new channel, by the kernel's word and confirmed by the zygote."""
        ours.settimeout(self.limits.open_seconds)
        space = socket.CMSG_SPACE(_CREDENTIALS)
        # Peeked: the byte belongs to the first frame, which is read after this.
        _, attached, _, _ = ours.recvmsg(1, space, socket.MSG_PEEK)
        ours.settimeout(None)
        pids = [
            struct.unpack("3i", content[:_CREDENTIALS])[0]
            for _, kind, content in attached
            if kind == socket.SCM_CREDENTIALS
        ]
        if not pids or not self._zygote.adopt(pids[0]):
            self._void("hostile", "fork: the new worker cannot be found")
        return int(pids[0])

    def close(self, *, wait: bool = True) -> None:
        """End the worker and close its channel. Without `wait` it ends a moment after the return."""
        if self._ended is None:
            self._ended = WorkerEndedError("closed", "this world was closed; open another one")
        self._stream.close()
        if wait or not self._forget.detach():
            self._forget()
        elif self._zygote.alive:
            with contextlib.suppress(SandboxError):
                self._zygote.drop(self.pid)

    def reject(self, why: str) -> WorkerEndedError:
        """End the worker for an invalid answer; the caller raises the error."""
        with contextlib.suppress(WorkerEndedError):
            self._void("hostile", why)
        return WorkerEndedError("hostile", why)

    def end_if_still_idle(self, turns: int) -> None:
        """End the worker, which used the processor without a request, unless one began since that turn."""
        # Without the lock a request could begin between the comparison and the end.
        if self._turn.acquire(blocking=False):
            try:
                if self.turns == turns and self._ended is None:
                    with contextlib.suppress(WorkerEndedError):
                        self._void("time", "the worker went on using the processor after its answer, and was ended")
            finally:
                self._turn.release()

    @property
    def ended(self) -> bool:
        """Whether the worker is known to be gone."""
        return self._ended is not None

    @property
    def usable(self) -> bool:
        """Whether this process can send the worker requests."""
        return self._ended is None and self._zygote.alive

    @property
    def waits(self) -> bool:
        """Whether the worker is there and has said nothing that it was not asked for."""
        if not self.usable:
            return False
        try:
            self._stream.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def _send(self, frame: bytes, deadline: float, doing: str) -> None:
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[self._stream.send(rest) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    self._void("time", f"{doing}: the worker took no message in time")
            except OSError:
                # The worker is gone. It may have sent the reason before, so the answer is read all the same.
                return

    def _next(self, deadline: float, doing: str) -> dict[str, Any]:
        """One message; one that is malformed, too large, late or a report of hostile code ends the worker."""
        try:
            message = self._wait(partial(self._reader.next, self.bounds_of(doing)), deadline, doing)
        except FrameError as cause:
            grown = self.grows(doing) and isinstance(cause, FrameTooLargeError)
            self._void("memory" if grown else "hostile", f"{doing}: {cause}")
        except (ClosedError, OSError):
            self._gone(doing)
        return self._accepted(message, doing)

    def bounds_of(self, doing: str) -> Bounds:
        """How large an answer to this request may be."""
        return self._bounds.get(doing, _SMALL)

    def grows(self, doing: str) -> bool:
        """Whether ordinary calls of an agent may make the answer to this request too large."""
        return doing in _OF_STATES

    def _accepted(self, message: dict[str, Any], doing: str) -> dict[str, Any]:
        hostile = message.get("hostile")
        if hostile is not None:
            self._void("hostile", f"{doing}: the code tried {str(hostile)[:200]!r}, which no world needs")
        return message

    def _wait(self, read: Callable[[], T], deadline: float, doing: str) -> T:
        """The result of `read`, tried again after each timeout; deadline, memory and fork listener are checked in between."""
        while True:
            try:
                return read()
            except BlockingIOError:
                why = self._overstepped(deadline, doing)
                if why is not None:
                    self._void(*why)

    def _overstepped(self, deadline: float, doing: str) -> tuple[Reason, str] | None:
        """Which bound the worker is over, and a sentence about it; None where it is within all of them."""
        if time.monotonic() > deadline:
            return "time", f"{doing}: no answer in time; the worker was ended"
        used = bounds.resident(self.pid)
        if used > self.limits.resident:
            return "memory", f"{doing}: the worker used {used >> 20} MiB of memory and was ended"
        if self._tries_to_fork():
            return "hostile", f"{doing}: the code tried to start a process"
        if self._doomed is not None:
            return self._doomed.reason, str(self._doomed)
        return None

    def _tries_to_fork(self) -> bool:
        """Whether the worker tried to start a process. The whole family shares the listener, so another may be the one."""
        # Not blocking: the thread that holds the lock may be agreeing to a fork that it asked for.
        if self._listener is None or not self._listening.acquire(blocking=False):
            return False
        try:
            return self.pid in self._listener.refuse()
        finally:
            self._listening.release()

    def _void(self, reason: Reason, why: str) -> NoReturn:
        """End the worker and raise why, now and at every later request."""
        self._end(WorkerEndedError(reason, why))

    def doom(self, reason: Reason, why: str) -> None:
        """End the worker from another thread than the one that waits for it; that one raises the reason."""
        if self._ended is None and self._zygote.alive:
            self._doomed = WorkerEndedError(reason, why)
            self._zygote.end(self.pid)

    @property
    def own_memory(self) -> int:
        """Bytes that the worker holds and does not share with the process it was forked from."""
        return 0 if self._ended is not None else bounds.own_memory(self.pid, self.inherited)

    def _gone(self, doing: str) -> NoReturn:
        """The worker ended without an answer. Its parent, the zygote, has its exit status."""
        status = self._status()
        self._end(ended_by(status, doing) if self._doomed is None else self._doomed)

    def _status(self) -> int | None:
        self._forget.detach()
        self._stream.close()
        # Its channel is closed, so it is about to exit: wait for that, since killing it would hide the exit status.
        return self._zygote.end(self.pid, _LAST_SECONDS)

    def _end(self, why: WorkerEndedError) -> NoReturn:
        self._ended = why
        self._stream.close()
        self._forget()
        raise why

    def _must_live(self) -> None:
        if self._zygote.owner != os.getpid():
            raise SandboxError("This world belongs to the process that this one was forked from; open another one.")
        if self._ended is not None:
            raise WorkerEndedError(self._ended.reason, str(self._ended))
        if self._doomed is not None:
            # It may answer until its parent has killed it.
            self._end(self._doomed)


def _closed_with_last_user(listener: Listener) -> Listener:
    """The same listener; its descriptor is closed when the last handle of its family is gone."""
    weakref.finalize(listener, os.close, listener.descriptor)
    return listener


def _end_quietly(zygote: Parent, spawned: Spawned) -> None:
    spawned.stream.close()
    if zygote.alive:
        with contextlib.suppress(SandboxError):
            zygote.end(spawned.pid)
