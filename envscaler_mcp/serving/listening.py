"""Sockets to be served on, and who can reach them."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from envscaler_mcp.errors import LaunchError


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int, token: str | None) -> socket.socket:
    """A socket that accepts connections; other machines are let in only with a token."""
    if not is_loopback(host) and not token:
        raise LaunchError(f"Other machines could reach {host!r}; name a token with --token-env, or use 127.0.0.1.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without the protocol named, asyncio leaves the delay of small packets on: 40 ms for every answer.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host.strip("[]"), port))
        sock.listen(2048)
    except (OSError, OverflowError) as cause:
        sock.close()
        raise LaunchError(
            f"Nothing can listen at {host}:{port}: {cause}; choose another --port, or 0 for any."
        ) from cause
    return sock


def url_of(sock: socket.socket) -> str:
    """Where clients connect, without a path."""
    host, port = sock.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
