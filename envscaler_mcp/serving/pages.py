"""Which requests a page of another site makes a browser send: told by the host name, the origin and what browsers add.

The rules of a single server and of a farm. A name that leads to this machine may belong to any page, so the names are
known ones; another port of the same machine is the same site, and another origin.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from envscaler_mcp.serving.sockets import is_loopback

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+)(?::[0-9]*)?")
_FROM_HERE = ("same-origin", "none")
"""What `Sec-Fetch-Site` says of a page of the same origin, and of a user who typed the address."""
_PORTS = {"http": "80", "https": "443"}

PAGE_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
)
"""What clients of the protocol send from a page."""

# Every request of a client names the same host.
_is_loopback = lru_cache(maxsize=256)(is_loopback)


def is_own_name(host: str, names: Collection[str] = ()) -> bool:
    """Whether a host, perhaps with a port, is one of these names or of this machine.

    No other site's name server can point these here.
    """
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = match[1].strip("[]").lower()
    return name in names or _is_loopback(name)


def is_origin(text: str) -> bool:
    """Whether it is the origin of a page as browsers write it."""
    scheme, _, place = text.partition("://")
    return scheme in _PORTS and _HOST.fullmatch(place) is not None and place == place.lower()


def is_from_elsewhere(origin: str | None, fetch_site: str | None, host: str, names: Collection[str] = ()) -> bool:
    """Whether a page of another site sends a request: by a script, which has an `Origin`, or by an image, a frame or a link.

    Those have no `Origin`; `Sec-Fetch-Site` says that the user did not type the address.
    """
    if origin is not None:
        return not _is_own_page(origin, host, names)
    return fetch_site is not None and fetch_site.strip().lower() not in _FROM_HERE


def _is_own_page(origin: str, host: str, names: Collection[str]) -> bool:
    """Whether a page that was served here sends a request: of a name of this server, at the port that is asked."""
    scheme, _, asking = origin.partition("://")
    if scheme not in _PORTS or not asking:
        return False
    return asking == host or (is_own_name(asking, names) and _port(asking, scheme) == _port(host, scheme))


def _port(host: str, scheme: str) -> str:
    port = host.rpartition("]")[2].partition(":")[2]
    return port or _PORTS[scheme]
