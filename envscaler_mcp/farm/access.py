"""Who may ask: the right name of the host, no foreign page, a token where one is needed, and not too often."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass, field

from envscaler_mcp.farm.http1 import Answer, Request, error
from envscaler_mcp.farm.tokens import Scope, allows
from envscaler_mcp.serving.sockets import is_loopback

audit_log = logging.getLogger("envscaler.audit")
"""One JSON line for each refusal and for each thing that is done to worlds from outside; a handler decides where it goes."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+)(?::[0-9]*)?")
_MOST_PEERS = 10_000
_ELSEWHERE = ("cross-site", "same-site")
"""Another port of the same machine is the same site, and another origin."""


@dataclass(slots=True)
class Guards:
    """The rules of one listener."""

    secret: bytes
    open_to_others: bool = False
    """Whether other machines can reach it; their names for it cannot be known here, so tokens decide."""
    hosts: frozenset[str] = frozenset()
    """Names it is called by besides those of this machine, such as that of a reverse proxy."""
    tokens: bool = False
    """Whether agents and readers need a token too; whoever controls always does."""
    rate: float = 0.0
    """Requests a second from one address; 0 for any number."""
    pages: frozenset[str] = frozenset()
    """Origins of other pages that the owner lets in."""
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def refusal(self, request: Request, wanted: Scope | None) -> Answer | None:
        """Why a request may not be answered; None where it may."""
        headers = request.headers
        if self.rate and self._too_often(request.peer):
            return self._refused(request, 429, "Too many requests; wait a moment.", ("retry-after", "1"))
        host = headers.get("host", "")
        if not self._knows(host, request):
            return self._refused(request, 421, "This farm is not called by that name.")
        if self._is_from_elsewhere(request, host):
            return self._refused(request, 403, "No page from elsewhere may ask.")
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
        # Behind a socket file there is no name to be mistaken about, and no browser gets there.
        return self.open_to_others or not request.peer or self._is_own(host)

    def _is_own(self, host: str) -> bool:
        """Whether a name, perhaps with a port, is this farm's; nobody else's name server can answer for it."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].strip("[]").lower()
        return name in self.hosts or is_loopback(name)

    def lets_in(self, origin: str | None) -> bool:
        """Whether pages of this origin may ask and read the answers, because the owner says so."""
        return origin in self.pages

    def _is_from_elsewhere(self, request: Request, host: str) -> bool:
        """Whether a page of another site asks: by a script, which says where from, or by an image, a frame or a link.

        Those carry no `Origin`; the browser says in `Sec-Fetch-Site` that it was not the user who typed the address.
        """
        origin = request.headers.get("origin")
        if origin is not None:
            return not self.lets_in(origin) and not self._is_own_page(origin, host)
        return request.headers.get("sec-fetch-site") in _ELSEWHERE

    def _is_own_page(self, origin: str, host: str) -> bool:
        scheme, _, asking = origin.partition("://")
        return scheme in ("http", "https") and bool(asking) and (asking == host or self._is_own(asking))

    def _too_often(self, peer: str) -> bool:
        """A bucket for each address, which holds the requests of one second."""
        now = time.monotonic()
        most = max(self.rate, 1.0)
        left, then = self._buckets.get(peer, (most, now))
        left = min(most, left + (now - then) * self.rate) - 1
        if len(self._buckets) > _MOST_PEERS:
            self._buckets.clear()
        self._buckets[peer] = max(left, 0.0), now
        return left < 0

    def _refused(self, request: Request, status: int, told: str, *headers: tuple[str, str]) -> Answer:
        audit("refused", request, status=status, why=told)
        return error(status, told, *headers)


def audit(what: str, request: Request, **more: object) -> None:
    """Write a line into the audit log; a world's name is shortened, since a client that knows it may use it."""
    if audit_log.isEnabledFor(logging.INFO):
        place = "/".join(f"{part[:6]}…" if len(part) > 20 else part for part in request.path.split("/"))[:200]
        line = {
            "at": round(time.time(), 3),
            "what": what,
            "peer": request.peer,
            "method": request.method[:20],
            "path": place,
        }
        audit_log.info(json.dumps({**line, **more}, ensure_ascii=True))
