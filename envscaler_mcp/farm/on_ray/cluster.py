"""The cluster as a process that joins it sees it: how many machines it has, and where an actor is put."""

from __future__ import annotations

import contextlib
import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.launch.opening import WrongUseError


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is known of it when it is joined."""

    nodes: int
    """Those that can hold an actor."""
    one_machine: bool
    """Whether the nodes all have the address of this machine, so that loopback leads to each of them."""


@contextmanager
def joined(address: str) -> Iterator[Cluster]:
    """A cluster that others run, for the block; it goes on without us, and what we put there goes with us."""
    try:
        import ray
    except ImportError as cause:
        raise WrongUseError("Ray is not installed here; `pip install 'envscaler-mcp[ray]'`.") from cause
    try:
        _knock(address)
        # What actors write stays in Ray's own logs: whatever Ray repeats here would stand between our own words.
        # Actors import first from the folder in which Ray is joined; the one that the user stands in may be a stranger's.
        with contextlib.chdir(sys.prefix):
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as cause:
        raise LaunchError(
            f"No Ray cluster can be joined at {address!r}: {cause}; `ray status` shows whether one is there."
        ) from cause
    try:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        able = sum(node["Resources"].get("CPU", 0) >= 1 for node in nodes)
        # Through a `ray://` address a process outside the cluster joins, whatever the nodes have in common.
        near = not address.startswith("ray://") and {node["NodeManagerAddress"] for node in nodes} == {node_address()}
        yield Cluster(able or 1, near)
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Ray itself waits for minutes where no cluster is."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def node_address() -> str:
    """The address of this node, by which the others know it."""
    import ray.util

    address: str = ray.util.get_node_ip_address()
    return address


def placed(number: int, of: int) -> Any:
    """The handle of a new actor, on a node that has few of them; it is placed anew wherever its node or process dies."""
    import ray

    from envscaler_mcp.farm.on_ray.env_host import EnvHost

    actor = ray.remote(num_cpus=1, max_restarts=-1, max_concurrency=1_000, scheduling_strategy="SPREAD")(EnvHost)
    return actor.remote(number, of)
