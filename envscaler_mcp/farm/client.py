"""The control plane from Python: worlds of a farm, with the methods of a session in this process.

with FarmClient("/run/farm.sock", token) as farm:
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
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.farm.control_plane import PREFIX
from envscaler_mcp.farm.schemas import (
    Done,
    ForkOrder,
    HashAnswer,
    LeaseOrder,
    OpenOrder,
    Snapshot,
    StateAnswer,
    VerifyOrder,
    WorldCard,
    WorldCards,
)
from envscaler_mcp.serving.tasks import Offer

PATIENCE = 60.0
"""Seconds until a farm that does not answer is given up."""

T = TypeVar("T", bound=BaseModel)


class FarmClient:
    """A farm's control plane at a socket file, a port of this machine, or a URL; threads may share it."""

    def __init__(self, address: str, token: str, patience: float = PATIENCE) -> None:
        self._address = address
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
    ) -> FarmWorld:
        """A new world, this client's to close; left alone for its lease it is closed by the farm."""
        (world,) = self.open_many(
            environment, 1, scenario=scenario, state=state, seed=seed, lease_seconds=lease_seconds, prompts=prompts
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
    ) -> list[FarmWorld]:
        """Worlds that all begin in the same way, such as a group of rollouts needs; all of them or none."""
        order = OpenOrder(
            environment=environment,
            scenario=scenario,
            state=state,
            seed=seed,
            count=count,
            lease_seconds=lease_seconds,
            prompts=prompts,
        )
        # A request that is sent again because its answer was lost opens nothing twice.
        told = self.ask("POST", PREFIX, order, WorldCards, key=secrets.token_hex(16))
        return [FarmWorld(self, card) for card in told.worlds]

    def worlds(self) -> list[FarmWorld]:
        """Every world that is open."""
        return [FarmWorld(self, card) for card in self.ask("GET", PREFIX, None, WorldCards).worlds]

    def ask(self, method: str, path: str, order: BaseModel | None, wanted: type[T], key: str | None = None) -> T:
        """One request and its answer; WorldError with the farm's own sentence where it could not be done."""
        headers = {"Authorization": f"Bearer {self._token}", "Host": "localhost"}
        if key is not None:
            headers["Idempotency-Key"] = key
        body = b"" if order is None else order.model_dump_json(exclude_none=True).encode()
        again = key is not None or method in ("GET", "DELETE")
        status, content = self._exchange(method, path, body, headers, again=again)
        if status >= 400:
            told = _error_in(content)
            raise (WorldError if status in (400, 404, 409, 410) else LaunchError)(told)
        return wanted.model_validate_json(content)

    def _exchange(
        self, method: str, path: str, body: bytes, headers: dict[str, str], *, again: bool
    ) -> tuple[int, bytes]:
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            connection = kept or self._connected()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as cause:
                connection.close()
                if kept is not None and again:
                    # The farm may hang up on a connection that was idle for long.
                    continue
                raise LaunchError(f"The farm at {self._address!r} does not answer: {cause!r}") from cause
            with self._lock:
                self._idle.append(connection)
            return answer.status, content

    def _connected(self) -> http.client.HTTPConnection:
        connection = _connection(self._address, self._patience)
        try:
            connection.connect()
        except OSError as cause:
            connection.close()
            raise LaunchError(f"No farm answers at {self._address!r}: {cause}; `envscaler farm` starts one.") from cause
        return connection

    @contextmanager
    def events(self, name: str) -> Iterator[Iterator[dict[str, Any]]]:
        """What happens in a world from now on, as it happens."""
        connection = self._connected()
        try:
            connection.request(
                "GET",
                f"{PREFIX}/{quote(name)}/events",
                headers={"Authorization": f"Bearer {self._token}", "Host": "localhost"},
            )
            answer = connection.getresponse()
            if answer.status != 200:
                raise WorldError(_error_in(answer.read()))
            # The first line says that somebody watches; what happens afterwards is not missed.
            answer.readline()
            yield _events(answer)
        finally:
            connection.close()

    def close(self) -> None:
        """Hang up; worlds stay until they are closed or their leases end."""
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()


class FarmWorld:
    """A world of a farm: the methods of `Session`, and the address that an agent is given."""

    def __init__(self, farm: FarmClient, card: WorldCard) -> None:
        self._farm = farm
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
        """Be as at the snapshot."""
        self._ask("POST", "restore", Snapshot(snapshot=snapshot), Done)

    def fork(self) -> FarmWorld:
        """A second world that goes on from here by itself."""
        return self.fork_many(1)[0]

    def fork_many(self, count: int) -> list[FarmWorld]:
        """Several worlds that go on from here, each by itself."""
        told = self._ask("POST", "fork", ForkOrder(count=count), WorldCards)
        return [FarmWorld(self._farm, card) for card in told.worlds]

    def verify(self, scoring: Scoring = "framed") -> Verdict:
        """What the state is worth as an ending; nothing ends by asking."""
        return self._ask("POST", "verify", VerifyOrder(scoring=scoring), Verdict)

    def renew(self, seconds: float | None = None) -> None:
        """Let the lease begin anew, perhaps with another length."""
        self._ask("POST", "lease", LeaseOrder(seconds=seconds), WorldCard)

    def events(self) -> Any:
        """What happens here from now on: a context manager of an iterator."""
        return self._farm.events(self.name)

    def close(self) -> None:
        """End the world."""
        self._farm.ask("DELETE", f"{PREFIX}/{quote(self.name)}", None, Done)

    def _ask(self, method: str, what: str, order: BaseModel | None, wanted: type[T]) -> T:
        return self._farm.ask(method, f"{PREFIX}/{quote(self.name)}/{what}", order, wanted)


def environment_at(url: str) -> str:
    """The environment of a world, or of worlds to come, at a farm's URL."""
    return _parts(url)["environment"]


def world_address(url: str, token: str = "") -> str:
    """The address of a world; at `/e/ENV_ID` and `/e/ENV_ID/new` the farm is asked for a fresh one."""
    parts = _parts(url)
    if parts["world"]:
        return url
    connection = _connection(parts["farm"], PATIENCE)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("GET", f"{urlsplit(parts['farm']).path}/e/{parts['environment']}/new", headers=headers)
        answer = connection.getresponse()
        content = answer.read()
    except (OSError, http.client.HTTPException) as cause:
        raise LaunchError(f"No farm answers at {parts['farm']}: {cause}; `envscaler farm` starts one.") from cause
    finally:
        connection.close()
    if answer.status != 200:
        raise WorldError(_error_in(content))
    return str(json.loads(content)["url"])


def _parts(url: str) -> re.Match[str]:
    found = _WORLD.fullmatch(url)
    if found is None:
        raise WorldError(f"{url!r} is no world of a farm; its address ends in /e/ENV_ID/new or /e/ENV_ID/WORLD/mcp.")
    return found


_WORLD = re.compile(r"(?P<farm>https?://[^?#]+?)/e/(?P<environment>[^/?#]+)(?:/new/?|/(?P<world>[^/?#]+)/mcp|/?)")


def _connection(address: str, patience: float) -> http.client.HTTPConnection:
    if address.isdigit():
        return http.client.HTTPConnection("127.0.0.1", int(address), timeout=patience)
    if "://" not in address:
        return _FileConnection(address, patience)
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=patience)


class _FileConnection(http.client.HTTPConnection):
    """HTTP over a socket file."""

    def __init__(self, path: str, patience: float) -> None:
        super().__init__("localhost", timeout=patience)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _error_in(content: bytes) -> str:
    try:
        told = json.loads(content)["error"]
    except (ValueError, TypeError, KeyError):
        return "The farm refused this and did not say why."
    return str(told)


def _events(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    while line := answer.readline():
        if line.startswith(b"data: "):
            event: dict[str, Any] = json.loads(line[len(b"data: ") :])
            yield event
