"""One world, or one check, in a process of its own: takes requests one by one and answers each once."""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, NoReturn

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.sandbox import limits, probe, seccomp
from envscaler_mcp.sandbox.execution import check_function, compiled_check, failure_of, modules_at, verdict_of
from envscaler_mcp.sandbox.frames import Bounds, ClosedError, FrameError, Reader, encode, framed
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import CHANNEL, Limits
from envscaler_mcp.sandbox.modules import guarded_builtins
from envscaler_mcp.sandbox.output import Sink
from envscaler_mcp.sandbox.probe import Kernel
from envscaler_mcp.sandbox.purity import builtins_to_look
from envscaler_mcp.sandbox.python_checks import PythonValues
from envscaler_mcp.sandbox.sealing import closed
from envscaler_mcp.sandbox.stores import asking_before_stores
from envscaler_mcp.sandbox.system import fork_sibling
from envscaler_mcp.sandbox.tripwire import Stage, arm, unarmed
from envscaler_mcp.sandbox.worker_errors import EXHAUSTED
from envscaler_mcp.serving.code import EnvironmentCode, guard_with, load_class
from envscaler_mcp.serving.determinism import Sources
from envscaler_mcp.serving.outcome import encode as text_of
from envscaler_mcp.serving.plain_json import is_plain, json_copy
from envscaler_mcp.serving.replaced_modules import builtins_with
from envscaler_mcp.serving.world import LocalWorld, open_unread_world

Answer = dict[str, Any]
TOO_MUCH_OUTPUT = "printing without end"


def run_worker(channel: int, number: int, parent: int, allowed: Limits, layers: Layers, kernel: Kernel) -> NoReturn:
    """Harden this fresh fork of the zygote, say so, and answer until the channel closes."""
    limits.leave_the_others(parent)
    limits.keep_only(channel)
    uid = os.geteuid()
    if layers.limits:
        limits.apply(allowed)
        uid = limits.drop_root(number)
    limits.die_with_parent()
    stream = socket.socket(fileno=CHANNEL)
    applied = _apply_kernel(stream, layers, kernel, uid)
    worker = _Worker(stream, parent, allowed, layers)
    stream.sendall(applied)
    if layers.kernel and kernel.seccomp:
        seccomp.allow_only_the_list(CHANNEL, kernel.forks)
    if layers.tripwire:
        worker.enter = arm(worker.denounce)
    worker.answer_all()


def _apply_kernel(stream: socket.socket, layers: Layers, kernel: Kernel, uid: int) -> bytes:
    """The first message, of which the fork listener is sent ahead."""
    listener = probe.harden(kernel) if layers.kernel else None
    if listener is not None:
        socket.send_fds(stream, [b"l"], [listener])
        os.close(listener)
    else:
        stream.sendall(b"-")
    forks = listener is not None or not (layers.kernel and kernel.seccomp)
    return encode({"uid": uid, "kernel": layers.kernel and kernel.works, "forks": forks})


class _Worker:
    """The loop and what it can do. Nothing in it is reachable from generated code by name."""

    def __init__(self, stream: socket.socket, parent: int, allowed: Limits, layers: Layers) -> None:
        self._stream = stream
        self._parent = parent
        self._reader = Reader(stream)
        # The harness has looked at what it sends; arguments that are nested too deep are refused in words.
        self._bounds = Bounds(allowed.frame, allowed.frame, allowed.frame)
        self._builtins = guarded_builtins if layers.gate else builtins_with
        self._rewriting = asking_before_stores if layers.gate else None
        self._bounded = layers.limits
        self._code: EnvironmentCode | None = None
        self._world: LocalWorld | None = None
        self._initial: Any = None
        """The beginning that checks were told of last."""
        self.enter: Callable[[Stage], None] = unarmed
        """Tells the tripwire what this worker is doing."""
        sys.stdout = sys.stderr = Sink(allowed.output, closed(self._stop_printing))
        self._doings: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "load": self._load,
            "rehearse": self._rehearse,
            "open": self._open,
            "attempt": self._attempt,
            "state": lambda _: {"state": self._open_world.state()},
            "hash": lambda _: {"hash": self._open_world.state_hash()},
            "diff": lambda _: {"diff": self._open_world.diff().model_dump(mode="json")},
            "diff_since": lambda asked: {"diff": self._open_world.diff_since(asked["mark"]).model_dump(mode="json")},
            "snapshot": lambda _: {"mark": self._open_world.snapshot()},
            "restore": self._restore,
            "clock": self._set_clock,
            "compile": self._compile,
            "check": self._check,
        }
        if layers.gate:
            guard_with(guarded_builtins, asking_before_stores)

    def answer_all(self) -> NoReturn:
        """Answer requests until the channel closes."""
        try:
            while True:
                self._answer_next()
        except MemoryError:
            # Too little is left for an answer, and the world may be half undone: the status says why it is over.
            os._exit(EXHAUSTED)

    def _answer_next(self) -> None:
        try:
            asked = self._reader.next(self._bounds)
        except (ClosedError, FrameError, OSError):
            os._exit(0)
        doing = asked["do"]
        if doing == "call":
            self._stream.sendall(self._called(asked))
        elif doing == "fork":
            self._fork(asked)
        else:
            self._stream.sendall(self._answered(asked, self._doings[doing]))

    def _called(self, asked: dict[str, Any]) -> bytes:
        """The outcome's text is JSON already, and is not read again here."""
        packed = asked.get("packed")
        tool, arguments = (
            (asked["tool"], asked["arguments"]) if packed is None else marshal.loads(bytes.fromhex(packed))
        )
        outcome = self._open_world.call(tool, arguments, asked["key"])
        head = f'{{"id":"{asked["id"]}","kind":"{outcome.kind}","payload":'
        return framed(f"{head}{outcome.wire}}}".encode())

    def _answered(self, asked: dict[str, Any], does: Callable[[dict[str, Any]], Answer]) -> bytes:
        try:
            answer = encode({"id": asked["id"], **does(asked)})
        except EnvScalerError as cause:
            answer = encode({"id": asked["id"], "error": str(cause)[:2000]})
        except BaseException as cause:
            answer = encode(
                {"id": asked["id"], "error": f"{asked['do']} failed inside the worker: {type(cause).__name__}"}
            )
        return answer

    @property
    def _open_world(self) -> LocalWorld:
        if self._world is None:
            raise EnvScalerError("no world is open in this worker")
        return self._world

    def _load(self, asked: dict[str, Any]) -> Answer:
        """Make everything that worlds of one environment share; forks of this worker find it made."""
        self._code = EnvironmentCode.of(Environment.model_validate(asked["environment"]), asked["source"])
        # The class that worlds of compiled code share is made here; any other is made anew for each world.
        sources = None if self._code.journaled else Sources(0)
        load_class(asked["source"], self._code.environment.class_name, sources)
        gc.collect()
        gc.freeze()
        return {"loaded": True}

    def _rehearse(self, _: dict[str, Any]) -> Answer:
        """Load the code as for a world, and drop what it made: the memory that this writes to is not shared any more."""
        if self._code is None:
            raise EnvScalerError("no code is loaded in this worker")
        self.enter("loading")
        try:
            load_class(self._code.source, self._code.environment.class_name, Sources(0))
            gc.collect()
        finally:
            self.enter("playing")
        return {"rehearsed": True}

    def _open(self, asked: dict[str, Any]) -> Answer:
        if self._code is None:
            raise EnvScalerError("no code is loaded in this worker")
        self.enter("loading")
        try:
            self._world = open_unread_world(self._code, asked["state"], asked["seed"])
        finally:
            self.enter("playing")
        return {"opened": True}

    def _attempt(self, asked: dict[str, Any]) -> Answer:
        attempt = self._open_world.attempt(asked["tool"], asked["arguments"])
        outcome = attempt.outcome
        return {"kind": outcome.kind, "text": outcome.text, "failure": attempt.failure, "state": attempt.state}

    def _restore(self, asked: dict[str, Any]) -> Answer:
        self._open_world.restore(asked["mark"])
        return {"restored": True}

    def _set_clock(self, asked: dict[str, Any]) -> Answer:
        self._open_world.set_clock(asked["now"])
        return {"set": True}

    def _compile(self, asked: dict[str, Any]) -> Answer:
        """Make ready what forks of this worker will run; nothing of it runs here."""
        self.enter("loading")
        for source in asked["sources"]:
            # What cannot be compiled says so where it runs.
            with contextlib.suppress(Exception):
                compiled_check(source)
        self.enter("playing")
        return {"compiled": True}

    def _check(self, asked: dict[str, Any]) -> Answer:
        """What each check says. Several come together only where none of them can change what it is given."""
        final = asked["final"]
        if asked["initial"] is not None:
            self._initial = asked["initial"]
        if asked["python"]:
            return self._check_python(asked)
        before = text_of(final) if asked["handed_on"] else ""
        answers = [
            self._check_one(source, initial, end, asked)
            for source, initial, end in self._states_for(asked["sources"], final, asked["alone"])
        ]
        if not asked["handed_on"]:
            return {"answers": answers}
        if not is_plain(final):
            return {"answers": [{"failure": "the check left a final state that is not plain JSON"} for _ in answers]}
        return {"answers": answers} if text_of(final) == before else {"answers": answers, "left": final}

    def _states_for(self, sources: list[str], final: Any, alone: bool) -> Iterator[tuple[str, Any, Any]]:
        """Each check with a beginning and an end of its own; the last has no other after it that could see the end."""
        last = len(sources) - 1
        for index, source in enumerate(sources):
            yield (
                source,
                self._initial if alone else json_copy(self._initial),
                final if index == last else json_copy(final),
            )

    def _check_python(self, asked: dict[str, Any]) -> Answer:
        """What one check of a published world says about the Python values that the states stand for."""
        (source,) = asked["sources"]
        self.enter("loading")
        try:
            builtins = self._builtins(modules_at(asked["final"]))
            values = PythonValues(builtins, self._rewriting)
            initial, final = values.read(self._initial), values.read(asked["final"])
            before = text_of(values.written(final))
        except BaseException as cause:
            return {"answers": [failure_of(cause)]}
        finally:
            self.enter("playing")
        answer = self._check_one(source, initial, final, asked, builtins)
        if not asked["handed_on"]:
            return {"answers": [answer]}
        try:
            left = values.written(final)
            changed = text_of(left) != before
        except BaseException as cause:
            # The check after it would read what this one left.
            return {"answers": [failure_of(cause)]}
        return {"answers": [answer], "left": left} if changed else {"answers": [answer]}

    def _check_one(
        self, source: str, initial: Any, final: Any, asked: dict[str, Any], builtins: Mapping[str, Any] | None = None
    ) -> Answer:
        check: Callable[[Any], Any] | None = None
        self.enter("loading")
        try:
            if asked["looking"]:
                # It imports nothing and sets no attribute.
                check = check_function(source, initial, builtins_to_look())
            else:
                known = builtins or self._builtins(modules_at(final))
                check = check_function(source, initial, known, self._rewriting)
            self.enter("playing")
            return verdict_of(check(final))
        except MemoryError as cause:
            if not asked["alone"]:
                # The memory may have gone to the checks before it.
                raise
            return failure_of(cause)
        except BaseException as cause:
            return failure_of(cause)
        finally:
            if not asked["alone"] and type(check) is FunctionType:
                # A module and its functions hold each other, and all that was made in them.
                check.__globals__.clear()
            self.enter("playing")

    def _fork(self, asked: dict[str, Any]) -> None:
        """Two processes go on from here, each on a channel of its own; the new one is the zygote's child as well."""
        self.enter("forking")
        self._stream.sendall(encode({"id": asked["id"], "ready": True}))
        _, handed, _, _ = socket.recv_fds(self._stream, 1, 1)
        if self._bounded:
            limits.allow_processes(True)
        is_new = fork_sibling() == 0
        if self._bounded:
            limits.allow_processes(False)
        if is_new:
            limits.leave_the_others(self._parent)
            os.dup2(handed[0], CHANNEL, inheritable=False)
            self._reader = Reader(self._stream)
        os.close(handed[0])
        self.enter("playing")
        self._stream.sendall(encode({"id": asked["id"], "forked" if is_new else "parted": True}))

    def denounce(self, event: str) -> None:
        self._stream.sendall(encode({"hostile": event[:200]}))

    def _stop_printing(self) -> NoReturn:
        self.denounce(TOO_MUCH_OUTPUT)
        os._exit(0)
