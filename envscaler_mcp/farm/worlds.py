"""The worlds that are open: named, counted, kept within bounds, and closed when no client comes any more."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import secrets
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import anyio.to_thread

from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm import memory
from envscaler_mcp.farm.dialects import FarmDialects
from envscaler_mcp.farm.environments import Environments, FarmEnvironment, Start, isolation_of_others
from envscaler_mcp.farm.garbage import collect_what_was_set_aside
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.hosted_world import Counts, HostedWorld, Terms, Threads
from envscaler_mcp.farm.memory import MemoryWatch
from envscaler_mcp.farm.timeline import MAX_RECORDINGS
from envscaler_mcp.farm.watchers import MAX_EVENTS
from envscaler_mcp.farm.worker_calls import WorkerCalls
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.control.schemas import OwnTask
from envscaler_mcp.serving.spoken_world import Speaker
from envscaler_mcp.serving.tasks import Offer

logger = logging.getLogger(__name__)

IN_USE_SECONDS = 60.0
"""A visitor's world that was used since ends for no other visitor."""
FORK_SECONDS = 0.5
"""How long a fork waits for a call that is under way."""
_RANDOM = 22
"""Letters of 128 random bits."""
_SIGNED = 32
_SCENARIO = re.compile(r"[A-Za-z0-9_-]{1,120}")


class FullError(EnvScalerError):
    """The farm holds as many worlds as it may."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How much the worlds of one process may take together."""

    worlds: int = 10_000
    memory: int = 8 << 30
    calls: int = 100_000
    """Of each world."""
    records: int = 2_000
    """That each world in the process itself may hold beyond those it began with."""
    visitors: int = 1_000
    visitors_of_address: int = 250
    """Visitors' worlds that one address may have; its own that was idle longest ends for one more."""
    lease_seconds: float = 900.0
    longest_lease: float = 86_400.0
    visit_seconds: float = 3_600.0
    first_visit_seconds: float = 60.0
    """The lease of a visitor's world until a first call of it succeeds."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which worlds belong to this process: those whose names fall on its number."""

    number: int = 0
    of: int = 1

    def owner(self, name: str) -> int:
        """The number of the process that a name belongs to."""
        return zlib.crc32(name.encode()) % self.of

    def fresh(self) -> str:
        """A name that cannot be guessed and that belongs here."""
        while True:
            name = secrets.token_urlsafe(16)
            if self.owner(name) == self.number:
                return name


@dataclass(frozen=True, slots=True, eq=False)
class _Visit:
    """A world of a guest link that is being opened; it has its place among the visitors' worlds already."""

    address: str
    ended: asyncio.Event


class Worlds:
    """One process's worlds."""

    def __init__(
        self, environments: Environments, caps: Caps, secret: bytes, isolation: Isolation, share: Share
    ) -> None:
        self.environments = environments
        self.caps = caps
        self.share = share
        self.counts = Counts()
        self._secret = secret
        self._isolation: Isolation = isolation
        self._open: dict[str, HostedWorld] = {}
        self._visits: dict[str, _Visit] = {}
        self._opening = 0
        self._threads: dict[str, Threads] = {}
        self._calls = WorkerCalls()
        self._dialects = FarmDialects()
        self.memory = MemoryWatch(caps.memory)
        self.events = HeldBytes(MAX_EVENTS)
        """What waits for watchers of worlds."""
        self.recordings = HeldBytes(MAX_RECORDINGS)
        """What is held of recorded calls."""
        self.visitors = 0

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[HostedWorld]:
        return iter(list(self._open.values()))

    def find(self, environment: str, name: str) -> HostedWorld:
        """The world at an address; NoWorldError says no more than that there is none."""
        world = self._open.get(name)
        if world is None or world.environment.card.id != environment:
            raise NoWorldError("There is no world at this address; it was closed, or its lease has ended.")
        return world

    def get(self, name: str) -> HostedWorld | None:
        """The open world of that name, if it is here."""
        return self._open.get(name)

    def named(self, name: str) -> HostedWorld:
        """The world of that name, whatever its environment."""
        world = self._open.get(name)
        if world is None:
            raise NoWorldError("There is no such world; it was closed, or its lease has ended.")
        return world

    async def open(
        self,
        environment: str,
        scenario: str | None = None,
        state: str | None = None,
        seed: int | None = None,
        lease_seconds: float | None = None,
        prompts: Offer | None = None,
        task: OwnTask | None = None,
        dialect: str | None = None,
    ) -> HostedWorld:
        """A new world, its owner's until it is closed or left alone for its lease."""
        hosted = await self.environments.find(environment)
        start = Start(scenario, state, seed, prompts, task, dialect)
        return await self._place(self.share.fresh(), hosted, self._lease(lease_seconds), start)

    async def fork(self, parent: HostedWorld) -> HostedWorld:
        """A second world that goes on from where the first is."""
        self._admit(here=parent.place == "here")
        self._opening += 1
        try:
            session = await parent.act(lambda session: session.fork(), FORK_SECONDS)
        finally:
            self._opening -= 1
        name, threads = self.share.fresh(), parent.threads
        return self._add(
            HostedWorld(
                name, parent.environment, session, parent.terms, self.counts, threads, parent.start, self.events
            )
        )

    def _lease(self, seconds: float | None) -> Terms:
        wanted = self.caps.lease_seconds if seconds is None else seconds
        if not 0 < wanted <= self.caps.longest_lease:
            raise WorldError(f"A lease lasts more than 0 and at most {self.caps.longest_lease:.0f} seconds.")
        return Terms(wanted, self.caps.calls, self.caps.records)

    def renew(self, world: HostedWorld, seconds: float | None) -> None:
        """Let a lease begin anew, perhaps with another length."""
        world.terms = self._lease(seconds if seconds is not None else world.terms.lease_seconds)
        world.used = time.monotonic()

    async def _place(
        self,
        name: str,
        hosted: FarmEnvironment,
        terms: Terms,
        start: Start,
        *,
        visitor: bool = False,
    ) -> HostedWorld:
        threads = self._threads_of(hosted)
        limiter = threads.visiting if visitor else threads.opening
        here = self._isolation == "local" and hosted.runs_here
        self._admit(here=here)
        self._opening += 1
        others = isolation_of_others(self._isolation)
        try:
            interface = None
            if start.dialect is not None:
                # A card may describe so much that this takes a while.
                interface = await anyio.to_thread.run_sync(
                    self._dialects.find, hosted.card, start.dialect, limiter=limiter
                )
            opening = await hosted.opening(start, "local" if here else others, limiter)
            session = opening() if here else await anyio.to_thread.run_sync(opening, limiter=limiter)
            session.speaker = None if interface is None else Speaker(interface)
        finally:
            self._opening -= 1
        return self._add(
            HostedWorld(name, hosted, session, terms, self.counts, threads, start, self.events, visitor=visitor)
        )

    def _threads_of(self, hosted: FarmEnvironment) -> Threads:
        return self._threads.setdefault(hosted.card.id, Threads(self._calls))

    def _admit(self, *, here: bool) -> None:
        if len(self._open) + self._opening >= self.caps.worlds:
            raise FullError(f"{self.caps.worlds} worlds are open, as many as may be; close some, or let leases end.")
        if self.memory.too_much_in_process if here else self.memory.workers_are_full:
            raise FullError(f"The worlds fill the {self.caps.memory >> 20} MiB they may have; close some.")

    def _add(self, world: HostedWorld) -> HostedWorld:
        self._open[world.name] = world
        self.counts.opened += 1
        self.visitors += world.visitor
        return world

    async def close(self, world: HostedWorld) -> None:
        """End a world; its address leads nowhere from here on."""
        if self._open.pop(world.name, None) is not None:
            self.counts.closed += 1
            self.visitors -= world.visitor
            await world.close()

    # Visitors

    def check_known(self, environment: str) -> None:
        """WorldError where no environment of that id is registered."""
        if environment not in self.environments.entries:
            # Any page may ask, so no name is looked for that this one may have been meant for.
            raise WorldError("There is no such environment; /v0.1/servers lists them.")

    def invitation(self, environment: str, scenario: str = "") -> str:
        """A name that only this farm can make: a world begins there whenever a client comes and none is there."""
        self.check_known(environment)
        if scenario and not _SCENARIO.fullmatch(scenario):
            raise WorldError("The id of this scenario cannot stand in an address.")
        random = secrets.token_urlsafe(16)
        begins = f".{scenario}" if scenario else ""
        return random + self._signature(environment, random, begins) + begins

    def _signature(self, environment: str, random: str, begins: str) -> str:
        signed = f"visit {environment} {random}{begins}".encode()
        return hmac.new(self._secret, signed, hashlib.sha256).hexdigest()[:_SIGNED]

    def is_guest_link(self, environment: str, name: str) -> bool:
        """Whether a name is an invitation of this farm's to this environment."""
        random, signature, begins = name[:_RANDOM], name[_RANDOM : _RANDOM + _SIGNED], name[_RANDOM + _SIGNED :]
        return len(signature) == _SIGNED and hmac.compare_digest(
            signature.encode(), self._signature(environment, random, begins).encode()
        )

    async def open_guest(self, environment: str, name: str, address: str = "") -> HostedWorld:
        """The world of an invitation, fresh if it is not there any more."""
        while (coming := self._visits.get(name)) is not None:
            await coming.ended.wait()
        world = self._open.get(name)
        if world is not None:
            return world
        self._visits[name] = visit = _Visit(address, asyncio.Event())
        try:
            await self._make_place(visit)
            terms = Terms(self.caps.visit_seconds, self.caps.calls, self.caps.records)
            world = await self._place(
                name, await self.environments.find(environment), terms, start_of_guest(name), visitor=True
            )
            world.address, world.first_lease = address, self.caps.first_visit_seconds
            return world
        finally:
            self._visits.pop(name).ended.set()

    async def _make_place(self, visit: _Visit) -> None:
        """End the visitor's world that was idle longest where there are too many, those first that were never used.

        Visits whose worlds are being opened count too, or calls at many guest links at once would all find a place.
        """
        coming = [other.address for other in self._visits.values() if other is not visit]
        visits = [world for world in self._open.values() if world.visitor] if self.visitors else []
        own = [world for world in visits if world.address == visit.address]
        if len(own) + coming.count(visit.address) >= self.caps.visitors_of_address:
            visits, waiting = own, coming.count(visit.address)
        elif len(visits) + len(coming) < self.caps.visitors:
            return
        else:
            waiting = len(coming)
        now = time.monotonic()
        idle = [world for world in visits if world.first_lease is not None or world.used < now - IN_USE_SECONDS]
        if not idle:
            there = len(visits) + waiting
            raise FullError(f"{there} visitors are here already, as many as may; come back later.")
        # It leaves the open worlds before anything is waited for, so each visit ends another world.
        await self.close(min(idle, key=lambda world: (world.first_lease is None, world.used)))

    # The end of worlds

    async def reap(self) -> None:
        """Close what is not used for its lease, for as long as the process runs."""
        while True:
            await asyncio.sleep(1)
            if not self._open:
                collect_what_was_set_aside()
            now = time.monotonic()
            for world in [candidate for candidate in self._open.values() if candidate.leaves < now]:
                self.counts.reaped += 1
                try:
                    await self.close(world)
                except Exception:
                    logger.exception("a world of %s could not be closed", world.environment.card.id)

    async def watch_memory(self) -> None:
        """End the largest worlds where all hold more than they may, for as long as the process runs."""
        while True:
            await asyncio.sleep(memory.SECONDS)
            try:
                self.memory.weigh(self._open.values())
                self.counts.ended_for_memory += await self.memory.make_room(list(self._open.values()))
            except Exception:
                logger.exception("the worlds could not be weighed")

    async def close_all(self) -> None:
        """The farm ends."""
        for world in list(self._open.values()):
            await self.close(world)


def start_of_guest(name: str) -> Start:
    """Where a guest link leads: to the first state, or to the scenario that stands at its end."""
    scenario = name[_RANDOM + _SIGNED + 1 :]
    return Start(scenario, prompts="train") if scenario else Start()
