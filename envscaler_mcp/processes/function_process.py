"""A process that calls functions, one at a time, and sends back what they return or raise."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar

from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.processes.programs import own_program

Result = TypeVar("Result")

_LENGTH = 8
"""Bytes before each message that hold its length."""


class FunctionProcessEndedError(WorldError):
    """The process has ended before it answered."""


class FunctionProcess:
    """One such process. It ends when it is killed, or after its work when the process that started it is gone."""

    def __init__(self, *, silent: bool = False) -> None:
        """Start it; what its functions print is shown as standard error, unless it is silent."""
        self._process = subprocess.Popen(
            own_program(f"{__name__}:call_functions"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if silent else None,
        )

    def call(self, function: Callable[..., Result], *given: Any) -> Result:
        """What the function returns there; what it raises is raised here. Function and values are pickled."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = pickle.dumps((function, given), pickle.HIGHEST_PROTOCOL)
        try:
            _send(self._process.stdin, order)
            answer = _receive(self._process.stdout)
        except (OSError, EOFError) as cause:
            raise FunctionProcessEndedError("A process of this program has ended before its work was done.") from cause
        result, error = pickle.loads(answer)  # noqa: S301 - from a process of our own
        if error is not None:
            raise error
        returned: Result = result
        return returned

    def kill(self) -> None:
        """End it, whatever it is doing; a call that waits for it fails."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, where no call waits for it."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            # Part of an order may not have been sent.
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()


def call_functions() -> None:
    """The program of the process."""
    # Ctrl-C ends the process that asked; what it asked for ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What functions print goes to standard error, and none of them reads the orders.
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    while True:
        try:
            order = _receive(orders)
        except EOFError:
            return
        _send(answers, _answer(order))


def _answer(order: bytes) -> bytes:
    try:
        function, given = pickle.loads(order)  # noqa: S301 - from a process of our own
        return pickle.dumps((function(*given), None), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps((None, _sent(error)), pickle.HIGHEST_PROTOCOL)


def _sent(error: Exception) -> Exception:
    """The error, or its words where it cannot travel."""
    if not isinstance(error, EnvScalerError):
        error.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - it was here before
    except Exception:
        return WorldError(f"{type(error).__name__}: {error}")
    return error


def _send(file: IO[bytes], message: bytes) -> None:
    file.write(len(message).to_bytes(_LENGTH))
    file.write(message)
    file.flush()


def _receive(file: IO[bytes]) -> bytes:
    """EOFError where the other end has gone."""
    length = int.from_bytes(_exactly(file, _LENGTH))
    return _exactly(file, length)


def _exactly(file: IO[bytes], length: int) -> bytes:
    read = file.read(length)
    if len(read) < length:
        raise EOFError
    return read
