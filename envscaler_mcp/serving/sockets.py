"""Sockets to be served on, and who can reach them."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path

from envscaler_mcp.errors import LaunchError

_KNOCK_SECONDS = 1.0


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=4_096)
def network_of(address: str) -> str:
    """The addresses that one client can choose among, as one: those of this machine, or an IPv6 network of 64 bits."""
    try:
        ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    if ip.is_loopback:
        return "127.0.0.0/8"
    return str(ip) if isinstance(ip, IPv4Address) else str(IPv6Network((ip, 64), strict=False))


def listen(host: str, port: int, token: str | None) -> socket.socket:
    """A socket that accepts connections; without a token only from this machine."""
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


def listen_privately(address: str) -> socket.socket:
    """A socket at a path that only this user may open, or at a port of this machine alone."""
    if address.isdigit():
        return listen("127.0.0.1", int(address), None)
    path = Path(address)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear(path)
        # The file is there from `bind` on, so it must not be open to others even for a moment.
        former = os.umask(0o177)
        try:
            sock.bind(str(path))
        finally:
            os.umask(former)
        sock.listen(2048)
    except OSError as cause:
        sock.close()
        raise LaunchError(
            f"The control plane cannot listen at {address!r}: {cause}; name another --control."
        ) from cause
    return sock


def _clear(path: Path) -> None:
    """Remove the socket file of a process that was killed; that of a running process stays."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        try:
            knock.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
    raise LaunchError(f"Another process listens at {str(path)!r}; end it, or name another --control.")


def answers_this_user(path: Path) -> bool:
    """Whether a process of this user listens at a socket file; that of one that was killed is still there."""
    try:
        if path.lstat().st_uid != os.getuid():
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.settimeout(_KNOCK_SECONDS)
            knock.connect(str(path))
    except TimeoutError:
        return True
    except OSError:
        return False
    return True
