"""The harness's end of one worker: one request, one answer with its id, and for anything else the worker's end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn, TypeVar

from envscaler_mcp.errors import EnvScalerError, SandboxError, WorldError
from envscaler_mcp.sandbox import limits as bounds
from envscaler_mcp.sandbox.frames import Bounds, ClosedError, FrameError, FrameTooLargeError, Reader, encode, is_whole
from envscaler_mcp.sandbox.idle import idle_watch
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.seccomp import Listener
from envscaler_mcp.sandbox.system import CAN_FORK_SIBLINGS
from envscaler_mcp.sandbox.worker_errors import MessageTooLargeError, Reason, WorkerEndedError, ended_by
from envscaler_mcp.sandbox.zygote import Spawned, Zygote

_PATIENCE = 0.05
"""Seconds a read waits before the clock, the memory and the fork listener are looked at."""
SMALL = 1 << 15
"""Bytes of an answer that may be read and understood between others' requests."""
_CREDENTIALS = struct.calcsize("3i")
_START_SECONDS = 10.0
_LAST_SECONDS = 0.5

_SMALL = Bounds(1 << 18, 1 << 14)
"""For answers that hold neither a state nor a result."""
_RESULT_VALUES = 500_000
"""As many as the longest text of a result can hold, at two characters each."""
_STATE_VALUES = 1_000_000
_OF_STATES = ("state", "attempt", "diff", "diff_since", "check")

T = TypeVar("T")


class WorkerHandle:
    """One worker. Whatever it says is checked here; nothing it says is believed beyond its own answer."""

    def __init__(self, zygote: Zygote, spawned: Spawned, limits: Limits) -> None:
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
        """Why it was ended while its answer was waited for."""
        self.turns = 0
        """Odd while the worker is asked something."""
        self.inherited = zygote.memory
        """Bytes that it was forked with, which it shares."""
        self.slowed = False
        """Whether a call kept it busy for so long that it had to take turns with others like it."""
        spawned.stream.settimeout(None)
        spawned.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, int(_PATIENCE * 1e6)))
        spawned.stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", 1, 0))
        self._forget = weakref.finalize(self, _end_quietly, zygote, spawned)
        idle_watch().add(self)

    @classmethod
    def start(cls, zygote: Zygote, limits: Limits, layers: Layers) -> WorkerHandle:
        """A worker fresh from the zygote, hardened; nothing generated has run in it yet."""
        line = cls(zygote, zygote.spawn(limits, layers), limits)
        line._meet(layers)
        return line

    def _meet(self, layers: Layers) -> None:
        doing = "starting a worker"
        deadline = time.monotonic() + _START_SECONDS
        try:
            _, handed, _, _ = self._wait(lambda: socket.recv_fds(self._stream, 1, 1), deadline, doing)
        except OSError as cause:
            self._void("crash", f"{doing}: {cause}")
        if handed:
            self._listener = _kept(Listener(handed[0]))
        self.applied = self._next(deadline, doing)
        if "failed" in self.applied:
            self._void("crash", f"{doing}: {self.applied['failed']}")
        if layers.kernel and self._zygote.kernel.works and not self.applied.get("kernel"):
            self._void("crash", f"{doing}: the kernel layer could not be applied")

    applied: dict[str, Any]
    """What the worker did to itself before anything generated ran in it."""

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
        """Whoever stops waiting in the middle, by Ctrl-C or otherwise, leaves an answer that belongs to no request."""
        try:
            yield
        except EnvScalerError:
            raise
        except BaseException:
            self.close()
            raise

    def begin(self, do: str, seconds: float, **fields: Any) -> Pending:
        """Ask, and let the event loop wait: any number of requests may be pending without a thread of their own."""
        if not self._turn.acquire(blocking=False):
            raise SandboxError(f"{do}: this worker is asked by something else")
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
        """A request as it is sent, and the number that its answer must have."""
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
            self._void("hostile", f"{do}: an answer came that nobody had asked for")
        error = answer.get("error")
        if error is not None:
            raise WorldError(error if type(error) is str else f"{do} failed inside the worker")
        return answer

    def fork(self) -> WorkerHandle:
        """A second worker that goes on from where this one is."""
        with self._turn, self._listening, self._ended_when_interrupted():
            self.turns += 2
            self._must_live()
            if not self.forks:
                raise SandboxError(
                    "A world in a worker cannot be forked on this system; open another one at its state."
                )
            return self._forked()

    def _forked(self) -> WorkerHandle:
        deadline = time.monotonic() + self.limits.open_seconds
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            with theirs:
                self._asked("fork", self.limits.open_seconds, {})
                socket.send_fds(self._stream, [b"f"], [theirs.fileno()])
            if self._listener is not None and not self._listener.agree(self.pid, self.limits.open_seconds):
                self._void("hostile", "fork: the worker did not fork")
            if self._next(deadline, "fork").get("parted") is not True:
                self._void("hostile", "fork: the worker did not fork")
            pid = self._newcomer(ours)
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

    def _newcomer(self, ours: socket.socket) -> int:
        """The process at the other end of a new channel, as the kernel names it and the zygote knows it."""
        ours.settimeout(self.limits.open_seconds)
        space = socket.CMSG_SPACE(_CREDENTIALS)
        _, attached, _, _ = ours.recvmsg(1, space, socket.MSG_PEEK)
        ours.settimeout(None)
        named = [
            struct.unpack("3i", content[:_CREDENTIALS])[0]
            for _, kind, content in attached
            if kind == socket.SCM_CREDENTIALS
        ]
        if not named or not self._zygote.adopt(named[0]):
            self._void("hostile", "fork: the new worker cannot be found")
        return int(named[0])

    def close(self, *, wait: bool = True) -> None:
        """End the worker; its channel says nothing more. Without waiting, it has ended a moment later."""
        if self._ended is None:
            self._ended = WorkerEndedError("closed", "this world was closed; open another one")
        self._stream.close()
        if wait or not self._forget.detach():
            self._forget()
        elif self._zygote.alive:
            with contextlib.suppress(SandboxError):
                self._zygote.drop(self.pid)

    def reject(self, told: str) -> WorkerEndedError:
        """End the worker for an answer that makes no sense; to be raised."""
        with contextlib.suppress(WorkerEndedError):
            self._void("hostile", told)
        return WorkerEndedError("hostile", told)

    def end_if_still_idle(self, turns: int) -> None:
        """End the worker, which uses the processor without having been asked anything since that turn."""
        if self._turn.acquire(blocking=False):
            try:
                if self.turns == turns and self._ended is None:
                    with contextlib.suppress(WorkerEndedError):
                        self._void("time", "the worker went on using the processor after its answer, and was ended")
            finally:
                self._turn.release()

    @property
    def ended(self) -> bool:
        """Whether it is known that the worker is gone."""
        return self._ended is not None

    @property
    def usable(self) -> bool:
        """Whether the worker can be asked, by this process."""
        return self._ended is None and self._zygote.alive

    def _send(self, frame: bytes, deadline: float, doing: str) -> None:
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[self._stream.send(rest) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    self._void("time", f"{doing}: the worker took no message in time")
            except OSError:
                # It may have said why before it left.
                return

    def _next(self, deadline: float, doing: str) -> dict[str, Any]:
        """One message; a worker that reports its own code is ended, and so is one that speaks out of turn."""
        try:
            bounds = self._bounds.get(doing, _SMALL)
            message = self._wait(partial(self._reader.next, bounds), deadline, doing)
        except FrameError as cause:
            # What an agent has put into a state by ordinary calls may be too much; no other answer grows with it.
            grown = doing in _OF_STATES and isinstance(cause, FrameTooLargeError)
            self._void("memory" if grown else "hostile", f"{doing}: {cause}")
        except (ClosedError, OSError):
            self._gone(doing)
        return self._accepted(message, doing)

    def _accepted(self, message: dict[str, Any], doing: str) -> dict[str, Any]:
        hostile = message.get("hostile")
        if hostile is not None:
            self._void("hostile", f"{doing}: the code tried {str(hostile)[:200]!r}, which no world needs")
        return message

    def _wait(self, read: Callable[[], T], deadline: float, doing: str) -> T:
        """What the read gives, looking at clock, memory and fork listener whenever it is slow."""
        while True:
            try:
                return read()
            except BlockingIOError:
                why = self._overstepped(deadline, doing)
                if why is not None:
                    self._void(*why)

    def _overstepped(self, deadline: float, doing: str) -> tuple[Reason, str] | None:
        """Which bound a worker is over while its answer is waited for."""
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
        """Whether the worker asks for a process that nobody wants; worlds forked from it may be the ones that ask."""
        if self._listener is None or not self._listening.acquire(blocking=False):
            return False
        try:
            return self.pid in self._listener.refuse()
        finally:
            self._listening.release()

    def _void(self, reason: Reason, told: str) -> NoReturn:
        """End the worker and say why, now and at every later request."""
        self._end(WorkerEndedError(reason, told))

    def doom(self, reason: Reason, why: str) -> None:
        """End the worker from another thread than the one that waits for it, which then hears why."""
        if self._ended is None and self._zygote.alive:
            self._doomed = WorkerEndedError(reason, why)
            self._zygote.end(self.pid)

    @property
    def own_memory(self) -> int:
        """Bytes that the worker holds beside those it was forked with."""
        return 0 if self._ended is not None else bounds.own_memory(self.pid, self.inherited)

    def _gone(self, doing: str) -> NoReturn:
        """The worker ended without an answer; the zygote knows how."""
        status = self._status()
        self._end(ended_by(status, doing) if self._doomed is None else self._doomed)

    def _status(self) -> int | None:
        self._forget.detach()
        self._stream.close()
        # It has closed its channel, so its end is near, and tells what the matter was.
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


class Pending:
    """A request whose answer is not there yet. Nothing here blocks but `finish`, which belongs into a thread."""

    def __init__(self, line: WorkerHandle, doing: str, number: str, frame: bytes, deadline: float) -> None:
        self._line = line
        self._doing = doing
        self._number = number
        self._deadline = deadline
        self._why: tuple[Reason, str] | None = None
        self._message: dict[str, Any] | None = None
        self._over = False
        self._process: int | None = None
        self._used: float | None = None
        self.descriptor = line._stream.fileno()
        self._rest = frame[self._send(frame) :]

    def _send(self, frame: bytes) -> int:
        try:
            return self._line._stream.send(frame, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except OSError:
            # It may have said why before it left.
            return len(frame)

    @property
    def sent(self) -> bool:
        """Whether the worker has room for the whole request, as one that waits for a request nearly always has."""
        return not self._rest

    def must_end(self) -> bool:
        """Whether the worker is over one of its bounds; to be asked now and then."""
        self._why = self._line._overstepped(self._deadline, self._doing)
        return self._why is not None

    def is_busy(self, waiting: int) -> bool:
        """Whether it has used much processor time since this was asked first; the more wait, the less is much."""
        line = self._line
        used = bounds.processor_seconds(line.pid)
        if self._used is None:
            # Most calls are answered before anything is asked about them, and cost no look.
            self._used = used
        return used - self._used > line.limits.busy_seconds / max(1.0, waiting / (os.cpu_count() or 1))

    def stop(self) -> None:
        """Let the worker rest; it does nothing until it may go on, or is ended."""
        self._line.slowed = True
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it work again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        # A number may belong to another process once the zygote has buried a worker; a descriptor never does.
        with contextlib.suppress(OSError):
            if self._process is None and self._line._doomed is None:
                self._process = os.pidfd_open(self._line.pid)
            if self._process is not None:
                signal.pidfd_send_signal(self._process, number)

    def small_answer(self) -> dict[str, Any] | None:
        """The answer, if it is there, small and as it should be; None for what only `finish` can tell."""
        line = self._line
        try:
            piece = line._stream.recv(SMALL, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            if not is_whole(piece) or not line._reader.empty:
                return None
            self._message = line._reader.next(line._bounds.get(self._doing, _SMALL))
        except FrameError as cause:
            self._why = "hostile", f"{self._doing}: {cause}"
            return None
        except OSError:
            return None
        if self._message.get("id") != self._number or "hostile" in self._message:
            return None
        return self._answer(self._message)

    def finish(self) -> dict[str, Any]:
        """Wait for the answer, however long it is; what is wrong with it ends the worker."""
        line = self._line
        with line._ended_when_interrupted():
            if self._why is not None:
                line._void(*self._why)
            if self._rest:
                line._send(self._rest, self._deadline, self._doing)
            if self._message is not None:
                return self._answer(line._accepted(self._message, self._doing))
            return self._answer(line._next(self._deadline, self._doing))

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        self._over = True
        return self._line._answer_to(self._number, message, self._doing)

    def close(self) -> None:
        """Let others ask. Where the wait was given up, the answer would belong to no request, so the worker ends."""
        if self._process is not None:
            os.close(self._process)
        if not self._over:
            self._line.close()
        self._line.turns += 1
        self._line._turn.release()


def _kept(listener: Listener) -> Listener:
    """The listener's descriptor is closed with the last worker that shares it."""
    weakref.finalize(listener, os.close, listener.descriptor)
    return listener


def _end_quietly(zygote: Zygote, spawned: Spawned) -> None:
    spawned.stream.close()
    if zygote.alive:
        with contextlib.suppress(SandboxError):
            zygote.end(spawned.pid)
