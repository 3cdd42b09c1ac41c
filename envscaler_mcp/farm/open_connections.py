"""How many connections are open, and which one makes room for another: the idlest of the address that has most."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

_REMEMBERED = 64
"""Idle connections of an address that are looked up at once, because all connections are looked at for that."""
_FOR_CLIENTS, _FOR_OWNERS = 5 / 8, 1 / 8
"""The parts of a process's descriptors that connections of clients and of owners may take; workers need the rest."""


class Idling(Protocol):
    """A connection that may be closed while it is idle."""

    deadline: float

    @property
    def address(self) -> str: ...

    @property
    def world(self) -> tuple[str, str] | None:
        """The world that it was used for last."""

    @property
    def is_idle(self) -> bool: ...

    def end(self) -> None: ...


T = TypeVar("T", bound=Idling)


class OpenConnections(Generic[T]):
    """The open connections of one listener."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._limit_of_address = max(1, limit // 2)
        self._open: set[T] = set()
        self._of_address: Counter[str] = Counter()
        self._idlest: dict[str, list[T]] = {}
        """By address, the idlest last."""

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._open))

    def __contains__(self, connection: T) -> bool:
        return connection in self._open

    def enter(self, connection: T) -> bool:
        """Count a new one; false where there are too many, and none of them is idle."""
        address = connection.address
        self._open.add(connection)
        self._of_address[address] += 1
        if self._of_address[address] <= self._limit_of_address:
            if len(self._open) <= self._limit:
                return True
            address = self._of_address.most_common(1)[0][0]
        idle = self._idlest_of(address, connection)
        if idle is None:
            return False
        self.leave(idle)
        idle.end()
        return True

    def leave(self, connection: T) -> None:
        """It is over."""
        if connection in self._open:
            self._open.remove(connection)
            self._of_address[connection.address] -= 1
            if not self._of_address[connection.address]:
                del self._of_address[connection.address]

    def sweep(self) -> None:
        """Look anew which ones are idle."""
        self._idlest.clear()

    def _idlest_of(self, address: str, newcomer: T) -> T | None:
        known = self._idlest.get(address)
        if not known:
            known = self._idlest[address] = self._look_for_idle(address, newcomer)
        while known:
            idle = known.pop()
            if idle in self._open and idle.is_idle:
                return idle
        return None

    def _look_for_idle(self, address: str, newcomer: T) -> list[T]:
        """Of the world with most of them, so that those of one world are not closed for those of another."""
        idle = [
            connection
            for connection in self._open
            if connection.address == address and connection.is_idle and connection is not newcomer
        ]
        of_world = Counter(connection.world for connection in idle)
        most = max(of_world.values(), default=0)
        crowd = sorted(
            (connection for connection in idle if of_world[connection.world] == most),
            key=lambda connection: connection.deadline,
        )
        return crowd[:_REMEMBERED][::-1]


def most_connections(wanted: int, *, owners: bool = False) -> int:
    """How many connections a listener may have, with the descriptors that this process may open."""
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, int(descriptors * (_FOR_OWNERS if owners else _FOR_CLIENTS))))
