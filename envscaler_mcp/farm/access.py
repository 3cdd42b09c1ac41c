"""Which requests are let in: the right host name, no foreign page, a token where one is needed, and a bounded rate."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64decode
from dataclasses import dataclass, field
from hashlib import sha256

from envscaler_mcp.farm.catalogue import PREFIXES
from envscaler_mcp.farm.http_messages import Answer, Request, error
from envscaler_mcp.farm.tokens import Scope, allows, seconds_left
from envscaler_mcp.serving.pages import is_from_elsewhere, is_own_name

audit_log = logging.getLogger("envscaler.audit")
"""One JSON line for each refusal and each request that changes worlds; a handler decides where it goes."""

SESSION_KEY = "x-envscaler-studio"
"""The header in which a page of the studio sends the key of its session."""
_MOST_PEERS = 10_000
_WITH_ESCAPES = tuple(f"{prefix}/" for prefix in PREFIXES)
"""Clients of a registry write the slash in the name of a server as `%2F`."""


@dataclass(slots=True)
class Guards:
    """The rules of one listener."""

    secret: bytes
    open_to_others: bool = False
    """Whether other machines can reach it; their names for it are unknown here, so tokens decide."""
    hosts: frozenset[str] = frozenset()
    """Host names besides those of this machine, such as that of a reverse proxy."""
    tokens: bool = False
    """Whether agents and readers need a token too; owners of worlds always do."""
    rate: float = 0.0
    """Requests a second from one address; 0 for no limit."""
    pages: frozenset[str] = frozenset()
    """Origins of pages of other sites that the operator lets in."""
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def refusal(self, request: Request, wanted: Scope | None) -> Answer | None:
        """The refusal of a request; None where it is let in."""
        headers = request.headers
        if self.rate and self._too_often(request.network):
            return self._refused(request, 429, "Too many requests; wait a moment.", ("retry-after", "1"))
        host = headers.get("host", "")
        if not self._knows(host, request):
            return self._refused(request, 421, "This farm has another host name.")
        if self._is_from_elsewhere(request, host):
            return self._refused(request, 403, "Pages of other sites are not let in.")
        if "%" in request.path and not request.path.startswith(_WITH_ESCAPES):
            # Routes match the path with its escapes read; the scope and the process would be those of another path.
            return self._refused(request, 404, "There is nothing here; paths of worlds have no percent signs.")
        if wanted is None or not (self.tokens or wanted == "control"):
            return None
        if allows(self.secret, token_in(headers.get("authorization", "")), wanted):
            return None
        return self._refused(request, 401, f"A token for {wanted} is needed.", ("www-authenticate", "Bearer"))

    def holder(self, request: Request) -> str | None:
        """The valid token that a request carries, of whatever scope."""
        token = token_in(request.headers.get("authorization", ""))
        return token if allows(self.secret, token, "agent") or allows(self.secret, token, "read") else None

    def seconds_left(self, request: Request) -> float:
        """How long the valid token of a request is good; without end where there is none."""
        holder = self.holder(request) if "authorization" in request.headers else None
        return float("inf") if holder is None else seconds_left(holder)

    def _knows(self, host: str, request: Request) -> bool:
        # No browser reaches a socket file, so there is no name to check.
        return self.open_to_others or not request.peer or is_own_name(host, self.hosts)

    def lets_in(self, origin: str | None) -> bool:
        """Whether pages of this origin may send requests and read the answers."""
        return origin in self.pages

    def _is_from_elsewhere(self, request: Request, host: str) -> bool:
        origin = request.headers.get("origin")
        if origin is not None and self.lets_in(origin):
            return False
        return is_from_elsewhere(origin, request.headers.get("sec-fetch-site"), host, self.hosts)

    def _too_often(self, network: str) -> bool:
        """A token bucket for each address, which holds the requests of one second."""
        now = time.monotonic()
        most = max(self.rate, 1.0)
        left, then = self._buckets.get(network, (most, now))
        left = min(most, left + (now - then) * self.rate) - 1
        if len(self._buckets) > _MOST_PEERS:
            self._buckets.clear()
        self._buckets[network] = max(left, 0.0), now
        return left < 0

    def _refused(self, request: Request, status: int, message: str, *headers: tuple[str, str]) -> Answer:
        audit("refused", request.peer, request.method, request.path, status=status, why=message)
        return error(status, message, *headers)


def holder_of(token: str) -> str:
    """What stands for the client with this token, and for its sessions in the studio, where clients share something.

    It opens nothing. What is one already stays as it is.
    """
    return token if token.startswith(_HOLDER) else _HOLDER + sha256(token.encode()).hexdigest()[:32]


_HOLDER = "holder-"


def token_in(authorization: str) -> str:
    """The token of a header: a bearer's, or the password of a user, since some clients can carry one in a URL only."""
    kind, _, said = authorization.partition(" ")
    said = said.strip()
    if kind.lower() == "basic":
        try:
            return b64decode(said, validate=True).decode("ascii").partition(":")[2]
        except ValueError:
            return ""
    return said if kind.lower() == "bearer" else ""


def audit(what: str, peer: object, method: str, path: str, **more: object) -> None:
    """Write a line into the audit log; a world's name is shortened, since a client that knows it may use it."""
    if audit_log.isEnabledFor(logging.INFO):
        place = "/".join(f"{part[:6]}…" if len(part) > 20 else part for part in path.split("/"))[:200]
        # Starlette has the port of a client beside its address.
        address = peer[0] if isinstance(peer, tuple) else peer or ""
        line = {"at": round(time.time(), 3), "what": what, "peer": address, "method": method[:20], "path": place}
        audit_log.info(json.dumps({**line, **more}, ensure_ascii=True))
