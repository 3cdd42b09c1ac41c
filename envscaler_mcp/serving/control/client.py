"""The client of the control plane: worlds of a farm or of a single server, with the methods of a session in this process.

with ControlClient("/run/farm.sock", token) as farm:
    group = farm.open_many("hospital_stays", 64, scenario="hospital_stays-easy-01")
    ...  # agents act on world.url
    rewards = [world.verify().reward for world in group]
"""

from __future__ import annotations

import http.client
import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ValidationError

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import EnvScalerError, LaunchError, UnreadableStateError, WorkerEndedError, WorldError
from envscaler_mcp.serving.control.schemas import (
    PREFIX,
    Done,
    ErrorAnswer,
    ForkOrder,
    HashAnswer,
    Judgement,
    JudgeOrder,
    LeaseOrder,
    Move,
    OpenOrder,
    OwnTask,
    Snapshot,
    StateAnswer,
    TurnOrder,
    UserAnswer,
    UserOrder,
    VerifyOrder,
    WorldCard,
    WorldCards,
)
from envscaler_mcp.serving.tasks import Offer

PATIENCE = 60.0
"""Seconds to wait for an answer."""
_BUSY_SECONDS = 0.2
"""From one question to the next of a client whose token has as many verdicts waiting as it may."""

T = TypeVar("T", bound=BaseModel)


Token = str | Callable[[], str]
"""A token, or what gives the one that is good now."""


def text_of(token: Token) -> str:
    """The token that is good now."""
    return token if isinstance(token, str) else token()


class UnknownWorldError(WorldError):
    """There is no such world at the server, or no more."""


class NoAnswerError(LaunchError):
    """The server cannot be reached, or did not answer in time."""


class ControlClient:
    """The control plane at a unix socket, a port of this machine, or a URL; threads may share it."""

    def __init__(self, address: str, token: Token, patience: float = PATIENCE) -> None:
        self.address = address
        self._token = token
        self._patience = patience
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()

    def open(
        self,
        environment: str,
        *,
        scenario: str | None = None,
        state: str | None = None,
        seed: int | None = None,
        lease_seconds: float | None = None,
        prompts: Offer | None = None,
        dialect: str | None = None,
    ) -> RemoteWorld:
        """A new world. A farm closes it when it is not used for its lease, and speaks to agents in this dialect.

        On a single server it takes the place of the world that agents act on, which ends.
        """
        (world,) = self.open_many(
            environment,
            1,
            scenario=scenario,
            state=state,
            seed=seed,
            lease_seconds=lease_seconds,
            prompts=prompts,
            dialect=dialect,
        )
        return world

    def open_many(
        self,
        environment: str,
        count: int,
        *,
        scenario: str | None = None,
        state: str | None = None,
        seed: int | None = None,
        lease_seconds: float | None = None,
        prompts: Offer | None = None,
        task: OwnTask | None = None,
        dialect: str | None = None,
    ) -> list[RemoteWorld]:
        """Worlds with the same start, such as a group of rollouts needs; all of them or none.

        On a farm they may begin at a task of one's own.
        """
        order = OpenOrder(
            environment=environment,
            scenario=scenario,
            state=state,
            seed=seed,
            count=count,
            lease_seconds=lease_seconds,
            prompts=prompts,
            task=task,
            dialect=dialect,
        )
        # With a key, a request that is sent again because its answer was lost opens nothing twice.
        opened = self.ask("POST", PREFIX, order, WorldCards, key=secrets.token_hex(16))
        return [RemoteWorld(self, card) for card in opened.worlds]

    def worlds(self) -> list[RemoteWorld]:
        """Every world that is open."""
        return [RemoteWorld(self, card) for card in self.ask("GET", PREFIX, None, WorldCards).worlds]

    def world(self, name: str = "current") -> RemoteWorld:
        """The world of that name; on a single server by default the one that agents act on."""
        return RemoteWorld(self, self.ask("GET", f"{PREFIX}/{quote(name)}", None, WorldCard))

    def ask(
        self,
        method: str,
        path: str,
        order: BaseModel | None,
        wanted: type[T],
        key: str | None = None,
        *,
        while_busy: bool = False,
    ) -> T:
        """One request and its answer; WorldError with the server's own message where it could not be done, and
        WorkerEndedError where the worker of the world is gone.

        With `while_busy` it is sent again while too many others of this token wait.
        """
        headers = {"Authorization": f"Bearer {text_of(self._token)}", "Host": "localhost"}
        if key is not None:
            headers["Idempotency-Key"] = key
        body = b"" if order is None else order.model_dump_json(exclude_none=True).encode()
        again = key is not None or method in ("GET", "DELETE")
        end = time.monotonic() + self._patience
        status, content = self._exchange(method, path, body, headers, again=again)
        while while_busy and status == HTTPStatus.SERVICE_UNAVAILABLE and time.monotonic() < end:
            time.sleep(_BUSY_SECONDS)
            status, content = self._exchange(method, path, body, headers, again=again)
        if status >= 400:
            raise _refusal(status, content)
        return wanted.model_validate_json(content)

    def _exchange(
        self, method: str, path: str, body: bytes, headers: dict[str, str], *, again: bool
    ) -> tuple[int, bytes]:
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            connection = idle or self._connected()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as cause:
                connection.close()
                if idle is not None and again:
                    # The server may have closed a connection that was idle for long.
                    continue
                raise NoAnswerError(f"The control plane at {self.address!r} does not answer: {cause!r}") from cause
            with self._lock:
                self._idle.append(connection)
            return answer.status, content

    def _connected(self) -> http.client.HTTPConnection:
        connection = connection_to(self.address, self._patience)
        try:
            connection.connect()
        except OSError as cause:
            connection.close()
            raise NoAnswerError(
                f"No control plane answers at {self.address!r}: {cause}; `envscaler farm` starts one."
            ) from cause
        return connection

    @contextmanager
    def events(self, name: str) -> Iterator[Iterator[dict[str, Any]]]:
        """What happens in a world from now on, as it happens."""
        connection = self._connected()
        try:
            connection.request(
                "GET",
                f"{PREFIX}/{quote(name)}/events",
                headers={"Authorization": f"Bearer {text_of(self._token)}", "Host": "localhost"},
            )
            answer = connection.getresponse()
            if answer.status != 200:
                raise WorldError(message_in(answer.read()))
            # The first line confirms the subscription; later events are not missed.
            answer.readline()
            yield _events(answer)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connections; worlds stay until they are closed or their leases end."""
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()


class RemoteWorld:
    """A world in another process: the methods of `Session`, and the address that an agent is given."""

    def __init__(self, client: ControlClient, card: WorldCard) -> None:
        self._client = client
        self.card = card
        self.name = card.name
        self.url = card.url

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as plain JSON."""
        return self._ask("GET", "state", None, StateAnswer).state

    def state_hash(self) -> str:
        """The digest of the state."""
        return self._ask("GET", "hash", None, HashAnswer).hash

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return self._ask("GET", "diff", None, StateDiff)

    def diff_since_start(self) -> StateDiff:
        """What changed since the world was opened."""
        return self._ask("GET", "changes", None, StateDiff)

    def snapshot(self) -> int:
        """A mark to come back to."""
        return self._ask("POST", "snapshot", None, Snapshot).snapshot

    def restore(self, snapshot: int) -> None:
        """Go back to the snapshot."""
        self._ask("POST", "restore", Snapshot(snapshot=snapshot), Done)

    def fork(self) -> RemoteWorld:
        """A second world that continues from here, independent of this one."""
        return self.fork_many(1)[0]

    def fork_many(self, count: int) -> list[RemoteWorld]:
        """Several worlds that continue from here, independent of each other."""
        forked = self._ask("POST", "fork", ForkOrder(count=count), WorldCards)
        return [RemoteWorld(self._client, card) for card in forked.worlds]

    def verify(self, scoring: Scoring = "framed") -> Verdict:
        """The verdict on the state as a final state; the world stays open."""
        return self._ask("POST", "verify", VerifyOrder(scoring=scoring), Verdict, while_busy=True)

    def turn(self, number: int) -> None:
        """At a benchmark's task: begin a turn, whose tools are listed from here on."""
        self._ask("POST", "turn", TurnOrder(turn=number), Done)

    def user(self, strategy: str = "", text: str | None = None, answers: Sequence[str] = ()) -> dict[str, Any]:
        """At a benchmark's task: what its user says to a text, or says first; or what their model is to be asked before."""
        order = UserOrder(strategy=strategy, text=text, answers=tuple(answers))
        return self._ask("POST", "user", order, UserAnswer).answer

    def judge(self, moves: Sequence[Move] | None = None) -> Judgement:
        """At a benchmark's task: the official verdict and what it comes from; the world stays open."""
        order = JudgeOrder(moves=None if moves is None else tuple(moves))
        return self._ask("POST", "judge", order, Judgement, while_busy=True)

    def serve(self) -> None:
        """On a single server: let agents act on this world from now on."""
        self._ask("POST", "serve", None, Done)

    def renew(self, seconds: float | None = None) -> None:
        """On a farm: let the lease begin anew, with another length if one is given."""
        self._ask("POST", "lease", LeaseOrder(seconds=seconds), WorldCard)

    def events(self) -> Any:
        """On a farm: what happens in this world from now on, as a context manager of an iterator."""
        return self._client.events(self.name)

    def close(self) -> None:
        """End the world."""
        self._client.ask("DELETE", f"{PREFIX}/{quote(self.name)}", None, Done)

    def _ask(self, method: str, what: str, order: BaseModel | None, wanted: type[T], *, while_busy: bool = False) -> T:
        path = f"{PREFIX}/{quote(self.name)}/{what}"
        return self._client.ask(method, path, order, wanted, while_busy=while_busy)


def connection_to(address: str, patience: float) -> http.client.HTTPConnection:
    """A connection, not opened yet, to a unix socket, a port of this machine, a host and its port, or a URL."""
    if address.isdigit():
        return http.client.HTTPConnection("127.0.0.1", int(address), timeout=patience)
    if _HOST_AND_PORT.fullmatch(address):
        address = f"http://{address}"
    if "://" not in address:
        return _FileConnection(address, patience)
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=patience)


_HOST_AND_PORT = re.compile(r"(\[[0-9a-fA-F:]+\]|[\w.-]+):[0-9]+")


class _FileConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: str, patience: float) -> None:
        super().__init__("localhost", timeout=patience)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _refusal(status: int, content: bytes) -> EnvScalerError:
    """What the same operation raises in the process that holds the world."""
    message = message_in(content)
    if status in (409, 410):
        with suppress(ValidationError):
            reason = ErrorAnswer.model_validate_json(content).reason
            if reason == "state":
                return UnreadableStateError(message)
            if reason is not None:
                return WorkerEndedError(reason, message)
    if status == 404:
        return UnknownWorldError(message)
    return (WorldError if status in (400, 409, 410) else LaunchError)(message)


def message_in(content: bytes) -> str:
    """The message of a refusal."""
    try:
        return str(json.loads(content)["error"])
    except (ValueError, TypeError, KeyError):
        return content[:200].decode(errors="replace") or "The server refused this and gave no reason."


def _events(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    while line := answer.readline():
        if line.startswith(b"data: "):
            event: dict[str, Any] = json.loads(line[len(b"data: ") :])
            yield event
