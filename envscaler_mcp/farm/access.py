"""Which requests are let in: the right host name, no foreign page, a token where one is needed, and a bounded rate."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass, field
from functools import lru_cache

from envscaler_mcp.farm.http_messages import Answer, Request, error
from envscaler_mcp.farm.tokens import Scope, allows
from envscaler_mcp.serving.sockets import is_loopback

audit_log = logging.getLogger("envscaler.audit")
"""One JSON line for each refusal and each request that changes worlds; a handler decides where it goes."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+)(?::[0-9]*)?")
_MOST_PEERS = 10_000
_FROM_HERE = ("same-origin", "none")
"""Another port of the same machine is the same site, and another origin; what a browser never says is from elsewhere."""
_PORTS = {"http": "80", "https": "443"}

# Every request of a client names the same host.
_is_loopback = lru_cache(maxsize=256)(is_loopback)


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
        if self.rate and self._too_often(request.peer):
            return self._refused(request, 429, "Too many requests; wait a moment.", ("retry-after", "1"))
        host = headers.get("host", "")
        if not self._knows(host, request):
            return self._refused(request, 421, "This farm has another host name.")
        if self._is_from_elsewhere(request, host):
            return self._refused(request, 403, "Pages of other sites are not let in.")
        if wanted is None or not (self.tokens or wanted == "control"):
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and allows(self.secret, token.strip(), wanted):
            return None
        return self._refused(request, 401, f"A token for {wanted} is needed.", ("www-authenticate", "Bearer"))

    def holder(self, request: Request) -> str | None:
        """The valid token that a request carries, of whatever scope."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if kind.lower() != "bearer" or not (allows(self.secret, token, "agent") or allows(self.secret, token, "read")):
            return None
        return token

    def _knows(self, host: str, request: Request) -> bool:
        # No browser reaches a socket file, so there is no name to check.
        return self.open_to_others or not request.peer or self._is_own(host)

    def _is_own(self, host: str) -> bool:
        """Whether a name, perhaps with a port, is this farm's: one that no other site's name server can point here."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        return name in self.hosts or _is_loopback(name)

    def lets_in(self, origin: str | None) -> bool:
        """Whether pages of this origin may send requests and read the answers."""
        return origin in self.pages

    def _is_from_elsewhere(self, request: Request, host: str) -> bool:
        """Whether a page of another site sends this: by a script, which has an `Origin`, or by an image, a frame or a link.

        Those have no `Origin`; `Sec-Fetch-Site` says that the user did not type the address.
        """
        origin = request.headers.get("origin")
        if origin is not None:
            return not self.lets_in(origin) and not self._is_own_page(origin, host)
        site = request.headers.get("sec-fetch-site")
        return site is not None and site.strip().lower() not in _FROM_HERE

    def _is_own_page(self, origin: str, host: str) -> bool:
        """Whether a page that this farm served sends this: of a name of its own, at the port that is asked."""
        scheme, _, asking = origin.partition("://")
        if scheme not in _PORTS or not asking:
            return False
        return asking == host or (self._is_own(asking) and _port(asking, scheme) == _port(host, scheme))

    def _too_often(self, peer: str) -> bool:
        """A token bucket for each address, which holds the requests of one second."""
        now = time.monotonic()
        most = max(self.rate, 1.0)
        left, then = self._buckets.get(peer, (most, now))
        left = min(most, left + (now - then) * self.rate) - 1
        if len(self._buckets) > _MOST_PEERS:
            self._buckets.clear()
        self._buckets[peer] = max(left, 0.0), now
        return left < 0

    def _refused(self, request: Request, status: int, message: str, *headers: tuple[str, str]) -> Answer:
        audit("refused", request.peer, request.method, request.path, status=status, why=message)
        return error(status, message, *headers)


def _port(host: str, scheme: str) -> str:
    port = host.rpartition("]")[2].partition(":")[2]
    return port or _PORTS[scheme]


def audit(what: str, peer: object, method: str, path: str, **more: object) -> None:
    """Write a line into the audit log; a world's name is shortened, since a client that knows it may use it."""
    if audit_log.isEnabledFor(logging.INFO):
        place = "/".join(f"{part[:6]}…" if len(part) > 20 else part for part in path.split("/"))[:200]
        # Starlette has the port of a client beside its address.
        address = peer[0] if isinstance(peer, tuple) else peer or ""
        line = {"at": round(time.time(), 3), "what": what, "peer": address, "method": method[:20], "path": place}
        audit_log.info(json.dumps({**line, **more}, ensure_ascii=True))
