"""How many connections are open, and which one makes room for another: the oldest of the holder that has most."""

from __future__ import annotations

import resource
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import Generic, Literal, Protocol, TypeVar

from envscaler_mcp.farm.fair_line import Party

_DESCRIPTORS = {"clients": 5 / 8, "owners": 1 / 8, "peers": 1 / 16}
"""The parts of a process's descriptors that its connections may take; workers need the rest."""
_LOOKED_AT = 512
"""Connections of a holder among which one is looked for that waits for its client; the slow queue has fewer of a holder."""


class Closable(Protocol):
    """A connection that may be ended for another."""

    @property
    def waits_for_client(self) -> bool:
        """Whether it is the client's turn: to send a request, or the rest of it, or to read an answer."""

    def cut_off(self) -> None:
        """End it at once."""


T = TypeVar("T", bound=Closable)


class OpenConnections(Generic[T]):
    """The open connections of one listener, in two groups: strangers, and those that have shown a token or a world.

    Neither group takes places of the other; without a number, strangers have half of them.
    """

    def __init__(self, limit: int, strangers: int | None = None) -> None:
        strangers = strangers or max(1, limit // 2)
        self.strangers = strangers
        """The places of those that have shown nothing."""
        self._strangers = _Group[T](strangers)
        self._known = _Group[T](max(1, limit - strangers))
        self._places: dict[T, tuple[_Group[T], Party]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._places))

    def __contains__(self, connection: T) -> bool:
        return connection in self._places

    @property
    def is_crowded(self) -> bool:
        """Whether half of the places for strangers are taken."""
        return self._strangers.is_half_full

    def enter(self, connection: T, network: str, known: Party | None = None) -> None:
        """Count a new one from this network, a stranger where it is not known yet; where there are too many, another ends."""
        if known is not None and (not self._known.is_full or self._make_room_for(known.holder)):
            self._place(connection, self._known, known)
            return
        if self._strangers.is_full:
            waiting = self._strangers.oldest_waiting()
            self._end(self._strangers.oldest() if waiting is None else waiting)
        self._place(connection, self._strangers, Party(network))

    def show(self, connection: T, party: Party) -> None:
        """It has shown a valid token or an open world; it stays a stranger where there is no room for it."""
        place = self._places.get(connection)
        if place is None or place == (self._known, party):
            return
        if place[0] is self._strangers and self._known.is_full and not self._make_room_for(party.holder):
            return
        self.leave(connection)
        self._place(connection, self._known, party)

    def is_known(self, connection: T) -> bool:
        """Whether it has a place that no stranger can take."""
        place = self._places.get(connection)
        return place is not None and place[0] is self._known

    def touch(self, connection: T) -> None:
        """A request on it was answered, so it is the last of its holder's to make room."""
        place = self._places.get(connection)
        if place is not None:
            place[0].touch(connection, place[1])

    def leave(self, connection: T) -> None:
        """It is over."""
        place = self._places.pop(connection, None)
        if place is not None:
            place[0].remove(connection, place[1])

    def _place(self, connection: T, group: _Group[T], party: Party) -> None:
        self._places[connection] = group, party
        group.add(connection, party)

    def _make_room_for(self, holder: str) -> bool:
        waiting = self._known.oldest_waiting()
        # What the farm is doing for a holder is given up only for one that has fewer connections.
        if waiting is None and self._known.most <= self._known.count_of(holder):
            return False
        self._end(self._known.oldest() if waiting is None else waiting)
        return True

    def _end(self, connection: T) -> None:
        self.leave(connection)
        connection.cut_off()


class _Group(Generic[T]):
    """Connections by holder and world, each world's from the one that was answered longest ago to the last."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._holders = _Tally()
        self._of: dict[str, dict[str, OrderedDict[T, None]]] = {}

    @property
    def is_full(self) -> bool:
        return self._size >= self._limit

    @property
    def is_half_full(self) -> bool:
        return self._size * 2 >= self._limit

    @property
    def most(self) -> int:
        """How many the holder has that has most."""
        return self._holders.most

    def count_of(self, holder: str) -> int:
        """How many a holder has."""
        return self._holders.counts.get(holder, 0)

    def add(self, connection: T, party: Party) -> None:
        """Count one more."""
        holder, world = party
        self._size += 1
        self._holders.count(holder, 1)
        worlds = self._of.get(holder)
        if worlds is None:
            worlds = self._of[holder] = {}
        of_world = worlds.get(world)
        if of_world is None:
            of_world = worlds[world] = OrderedDict()
        of_world[connection] = None

    def remove(self, connection: T, party: Party) -> None:
        """Count one less."""
        holder, world = party
        self._size -= 1
        self._holders.count(holder, -1)
        worlds = self._of[holder]
        del worlds[world][connection]
        if not worlds[world]:
            del worlds[world]
            if not worlds:
                del self._of[holder]

    def touch(self, connection: T, party: Party) -> None:
        """Let it be the youngest of its party."""
        self._of[party.holder][party.world].move_to_end(connection)

    def oldest(self) -> T:
        """The oldest one of the holder with most, and there of the world with most."""
        return next(iter(self._fullest))

    def oldest_waiting(self) -> T | None:
        """The oldest of these that waits for its client, as far as is looked."""
        for connection in islice(self._fullest, _LOOKED_AT):
            if connection.waits_for_client:
                return connection
        return None

    @property
    def _fullest(self) -> OrderedDict[T, None]:
        return max(self._of[self._holders.fullest].values(), key=len)


class _Tally:
    """How many connections each holder has; the one with most is known without a search."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.most = 0
        self._holders_with: dict[int, OrderedDict[str, None]] = {}

    @property
    def fullest(self) -> str:
        """Of several holders, the one that has had so many for longest."""
        return next(iter(self._holders_with[self.most]))

    def count(self, holder: str, change: Literal[1, -1]) -> None:
        """Count one connection more or less."""
        former = self.counts.get(holder, 0)
        now = former + change
        alike = self._holders_with.pop(former, None)
        if alike is None or len(alike) > 1:
            if alike is not None and former:
                del alike[holder]
                self._holders_with[former] = alike
            alike = OrderedDict.fromkeys((holder,))
        # From here on `alike` has this holder alone.
        if now:
            self.counts[holder] = now
            others = self._holders_with.get(now)
            if others is None:
                self._holders_with[now] = alike
            else:
                others[holder] = None
        else:
            del self.counts[holder]
        if now > self.most or self.most not in self._holders_with:
            self.most = now


def most_connections(wanted: int, *, of: Literal["clients", "owners", "peers"] = "clients") -> int:
    """How many connections a listener may have, with the descriptors that this process may open."""
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, int(descriptors * _DESCRIPTORS[of])))
