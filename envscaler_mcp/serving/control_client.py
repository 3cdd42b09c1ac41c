"""The other end of the control line: the methods of a session in another process."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.serving.outcome import encode

MAX_ANSWER = 64 * 1024 * 1024
PATIENCE = 60.0
"""Seconds until a server that does not answer is given up."""


class ControlClient:
    """A connection to one server's control plane; one request at a time, threads may share it."""

    def __init__(self, stream: socket.socket, token: str) -> None:
        self._stream = stream
        self._file = stream.makefile("rb")
        self._turn = threading.Lock()
        self._asked = 0
        try:
            self._ask_line({"token": token})
        except BaseException:
            self.close()
            raise

    def open(self, scenario: str | None = None, state: str | None = None, seed: int | None = None) -> RemoteSession:
        """A new session, which the server's agents act on from here on; the one before it ends."""
        wanted = {"scenario": scenario, "state": state, "seed": seed}
        named = {name: value for name, value in wanted.items() if value is not None}
        return RemoteSession(self, self.ask("open", **named)["session"])

    def current(self) -> RemoteSession:
        """The session that the server serves now."""
        return RemoteSession(self, None)

    def ask(self, do: str, **fields: Any) -> Any:
        """The answer to one request; WorldError with the server's own sentence where it could not do it."""
        with self._turn:
            self._asked += 1
            answer = self._ask_line({"id": self._asked, "do": do, **fields})
            if answer.get("id") != self._asked:
                raise LaunchError(f"The control plane answered another request than {do!r}; connect again.")
            return answer["ok"]

    def _ask_line(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            self._stream.sendall(encode(message).encode() + b"\n")
            line = self._file.readline(MAX_ANSWER)
        except OSError as cause:
            raise LaunchError(f"The control plane does not answer: {cause}.") from cause
        if not line.endswith(b"\n"):
            raise LaunchError("The server behind the control plane has ended; start another one.")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorldError(answer["error"])
        return answer

    def close(self) -> None:
        """Hang up; the server goes on."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._stream.close()


class RemoteSession:
    """A session in a server's process: the methods of `Session`, over the line."""

    def __init__(self, client: ControlClient, name: str | None) -> None:
        self._client = client
        self.name = name

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as plain JSON."""
        state: dict[str, Any] = self._ask("state")
        return state

    def state_hash(self) -> str:
        """The digest of the state."""
        digest: str = self._ask("hash")
        return digest

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return StateDiff.model_validate(self._ask("diff"))

    def diff_since_start(self) -> StateDiff:
        """What changed since the session was opened."""
        return StateDiff.model_validate(self._ask("diff_since_start"))

    def snapshot(self) -> int:
        """A mark to come back to."""
        mark: int = self._ask("snapshot")
        return mark

    def restore(self, snapshot: int) -> None:
        """Be as at the snapshot."""
        self._ask("restore", mark=snapshot)

    def fork(self) -> RemoteSession:
        """A second session that goes on from here by itself; `serve` lets agents act on it."""
        return RemoteSession(self._client, self._ask("fork")["session"])

    def serve(self) -> None:
        """Let the server's agents act on this session from here on."""
        self._ask("serve")

    def verify(self, scoring: Scoring = "framed") -> Verdict:
        """What the state is worth as an ending; nothing ends by asking."""
        return Verdict.model_validate(self._ask("verify", scoring=scoring))

    def close(self) -> None:
        """End the session and its world."""
        self._ask("close")

    def _ask(self, do: str, **fields: Any) -> Any:
        return self._client.ask(do, **fields, **({} if self.name is None else {"session": self.name}))


@contextmanager
def controlled(address: str, token: str) -> Iterator[ControlClient]:
    """A client of the control plane at a path or a port of this machine, for the block."""
    family = socket.AF_INET if address.isdigit() else socket.AF_UNIX
    with socket.socket(family) as stream:
        stream.settimeout(PATIENCE)
        try:
            stream.connect(("127.0.0.1", int(address)) if address.isdigit() else address)
        except OSError as cause:
            raise LaunchError(f"No control plane answers at {address!r}: {cause}.") from cause
        client = ControlClient(stream, token)
        try:
            yield client
        finally:
            client.close()
