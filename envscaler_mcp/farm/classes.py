"""Classes of a studio: a teacher's task, and the visitors who joined, with a world of their own each.

All of them live in the first process of a farm, and so do their worlds: a board asks no other process.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException

from envscaler_mcp.artifacts import Scenario, Verdict
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.access import holder_of
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.verdicts import Verdicts
from envscaler_mcp.farm.worlds import FullError, Worlds
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.studio.build_schemas import BUILDS
from envscaler_mcp.studio.class_schemas import CLASSES, LONGEST_NAME, MOST_TASKS, ClassOrder

PROCESS = 0
"""Which process of a farm holds its classes and its builds."""
MOST_CLASSES = 20
IDLE_SECONDS = 3_600.0
"""After how long a visitor's world is closed that is not used."""


def is_for_first(path: str) -> bool:
    """Whether a request is about classes or builds, which only the first process has."""
    return any(path == part or path.startswith(f"{part}/") for part in (CLASSES, BUILDS))


@dataclass(slots=True)
class Result:
    """How far a visitor came with one task."""

    calls: int = 0
    verdict: Verdict | None = None
    solved_after: float | None = None


@dataclass(eq=False)
class Seat:
    """A visitor of a class."""

    group: ClassRoom
    number: int
    name: str
    id: str = field(default_factory=lambda: f"seat-{secrets.token_hex(12)}")
    """The name by which the visitor knows their world, whichever it is."""
    world: HostedWorld | None = None
    worlds: int = 0
    """How many they have had."""
    results: list[Result] = field(default_factory=list)
    missed: int = 0
    """How often their world took too long to look at since it was seen last."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while they get another world."""
    _began: float = 0.0
    _seen: tuple[str, int, int] | None = None

    @property
    def holder(self) -> str:
        """What stands for the visitor where clients share something."""
        return holder_of(self.id)

    def take(self, world: HostedWorld) -> None:
        """Have this world from now on."""
        self.world = world
        self.worlds += 1
        self._began = time.monotonic()
        self._seen = None
        before = self.results[: len(self.group.tasks) - 1]
        # Those of tasks for which no world could be opened are as they were at the start.
        self.results = [*before, *(Result() for _ in range(len(self.group.tasks) - len(before)))]

    def _moment(self, world: HostedWorld) -> tuple[str, int, int]:
        return world.name, world.calls, 0 if world.timeline is None else world.timeline.last

    async def look(self, verdicts: Verdicts, holder: str) -> None:
        """Know how far they are now."""
        world = self.world
        if world is None or self._moment(world) == self._seen:
            return
        moment, result = self._moment(world), self.results[-1]
        verdict = await verdicts.verdict(world, "framed", holder)
        self._seen = moment
        result.verdict, result.calls = verdict, moment[2]
        if verdict.solved:
            self.note_solved(world)

    def note_solved(self, world: HostedWorld) -> None:
        """The task is solved in this world; the first time counts."""
        if self.world is world and self.results[-1].solved_after is None:
            self.results[-1].solved_after = time.monotonic() - self._began


@dataclass(eq=False)
class ClassRoom:
    """A class."""

    name: str
    environment: str
    title: str
    places: int
    ends: float
    """By the monotonic clock."""
    tasks: list[Scenario] = field(default_factory=list)
    seats: dict[str, Seat] = field(default_factory=dict)
    code: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    """Lets visitors in."""
    locked: bool = False
    joining: bool = True
    numbers: int = 0
    """How many have ever joined."""

    @property
    def seconds_left(self) -> float:
        return self.ends - time.monotonic()

    def free_name(self, wanted: str) -> str:
        """What a visitor is called: as they wish, and as no other is."""
        # Halves of characters, which a visitor may send, are in no answer.
        whole = wanted.encode(errors="replace").decode()
        plain = " ".join(whole.split())[:LONGEST_NAME].strip() or f"Visitor {self.numbers}"
        taken = {seat.name.casefold() for seat in self.seats.values()}
        numbered = (f"{plain} {number}" for number in range(2, len(taken) + 3))
        return next(name for name in (plain, *numbered) if name.casefold() not in taken)


class Classes:
    """Those of a farm."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._open: dict[str, ClassRoom] = {}
        self._coming: dict[str, int] = {}
        """By class, how many visitors join at this moment."""

    def __iter__(self) -> Iterator[ClassRoom]:
        return iter([group for group in self._open.values() if group.seconds_left > 0])

    def named(self, name: str) -> ClassRoom:
        """The class of that name; 404 where there is none."""
        group = self._open.get(name)
        if group is None or group.seconds_left <= 0:
            raise HTTPException(404, "There is no such class; it has ended.")
        return group

    async def open(self, order: ClassOrder, title: str, task: Scenario) -> ClassRoom:
        """A class at that task."""
        await self._end_those_that_are_over()
        if len(self._open) >= MOST_CLASSES:
            raise FullError(f"{MOST_CLASSES} classes are open, as many as may be; end one.")
        name = secrets.token_urlsafe(9)
        ends = time.monotonic() + 3_600 * order.hours
        group = ClassRoom(name, order.environment, title, order.seats, ends, [task])
        self._open[name] = group
        return group

    async def _end_those_that_are_over(self) -> None:
        for group in [group for group in self._open.values() if group.seconds_left <= 0]:
            await self.end(group)

    async def end(self, group: ClassRoom) -> None:
        """End a class and its worlds."""
        self._open.pop(group.name, None)
        for seat in list(group.seats.values()):
            await self.remove(seat)

    def with_code(self, code: str) -> ClassRoom | None:
        """The class that this code lets visitors into."""
        wanted = code.encode(errors="replace")
        return next((group for group in self if hmac.compare_digest(group.code.encode(), wanted)), None)

    async def join(self, group: ClassRoom, name: str) -> Seat:
        """A place for another visitor, with a world."""
        coming = self._coming.get(group.name, 0)
        _let_in(group)
        if len(group.seats) + coming >= group.places:
            raise FullError(f"This class has {group.places} places, and all are taken.")
        self._coming[group.name] = coming + 1
        try:
            group.numbers += 1
            seat = Seat(group, group.numbers, "", results=[Result() for _ in group.tasks])
            await self._seat_at_fresh_world(seat)
            if group.name not in self._open:
                await self.remove(seat)
                raise HTTPException(404, "This class has ended.")
            try:
                _let_in(group)
            except WorldError:
                await self.remove(seat)
                raise
            seat.name = group.free_name(name)
            group.seats[seat.id] = seat
        finally:
            self._coming[group.name] -= 1
            if not self._coming[group.name]:
                del self._coming[group.name]
        return seat

    def seat(self, id_: str) -> Seat:
        """That of a visitor; NoWorldError where they were sent away or the class has ended."""
        seat = next((group.seats[id_] for group in self if id_ in group.seats), None)
        if seat is None:
            raise NoWorldError("This class has ended, or your place in it is gone.")
        return seat

    def world(self, seat: Seat) -> HostedWorld | None:
        """The open world of a visitor."""
        world = seat.world
        return world if world is not None and self._worlds.get(world.name) is world else None

    async def remove(self, seat: Seat) -> None:
        """Send a visitor away."""
        seat.group.seats.pop(seat.id, None)
        world, seat.world = seat.world, None
        if world is not None:
            await self._worlds.close(world)

    async def renew(self, seat: Seat) -> None:
        """A fresh world for a visitor, at the task of the class, after one that is on its way."""
        async with seat.lock:
            before, seat.world = seat.world, None
            if before is not None:
                await self._worlds.close(before)
            await self._seat_at_fresh_world(seat)
            if seat.id not in seat.group.seats:
                await self.remove(seat)

    async def _seat_at_fresh_world(self, seat: Seat) -> None:
        """A world at the task of the class; where the class went on while it was opened, another one at that task."""
        group = seat.group
        while True:
            task = group.tasks[-1]
            lease = min(IDLE_SECONDS, max(group.seconds_left, 1.0), self._worlds.caps.longest_lease)
            world = await self._worlds.open(group.environment, task.id, lease_seconds=lease)
            world.of_class = True
            await world.record(self._worlds.recordings)
            if group.tasks[-1] is task:
                seat.take(world)
                return
            await self._worlds.close(world)

    def go_on(self, group: ClassRoom, task: Scenario) -> None:
        """The next task of a class."""
        if len(group.tasks) >= MOST_TASKS:
            raise WorldError(f"A class goes through at most {MOST_TASKS} tasks; open another one.")
        group.tasks.append(task)


def _let_in(group: ClassRoom) -> None:
    """WorldError where the teacher has closed the door."""
    if not group.joining:
        raise WorldError("The teacher lets no one else in at the moment.")
