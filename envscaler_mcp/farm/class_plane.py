"""What teachers are answered about their classes, and visitors about their own world."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm.classes import Classes, ClassRoom, Result, Seat
from envscaler_mcp.farm.event_stream import EventStream
from envscaler_mcp.farm.hosted_world import BusyError, HostedWorld
from envscaler_mcp.farm.studio_door import body_fields
from envscaler_mcp.farm.studio_plane import VISITOR, StudioPlane
from envscaler_mcp.farm.verdicts import HOLDER
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.control.schemas import ControlOperation, Done, WorldCard
from envscaler_mcp.serving.sockets import is_loopback
from envscaler_mcp.serving.suggestion import quote_value
from envscaler_mcp.studio.class_schemas import (
    CLASS_OPERATIONS,
    SEAT_OPERATIONS,
    BoardAnswer,
    ClassCard,
    ClassCards,
    ClassOrder,
    ClassTask,
    NextTaskOrder,
    RulesOrder,
    SeatAnswer,
    SeatOrder,
    SeatResult,
    SeatRow,
)
from envscaler_mcp.studio.qr import qr_code
from envscaler_mcp.studio.schemas import AgentsAnswer, CallOrder, ChecksAnswer, RecordedCall, TimelineAnswer, UndoOrder

LOOK_SECONDS = 0.5
"""How long one request for a board looks at worlds; of the others it shows what was known."""
LOOK_SECONDS_EACH = LOOK_SECONDS / 2


class ClassPlane(StudioPlane):
    """Classes, as the teacher has them."""

    operations: ClassVar[Sequence[ControlOperation]] = CLASS_OPERATIONS

    def __init__(self, classes: Classes, *parts: Any) -> None:
        super().__init__(*parts)
        self._classes = classes

    def _class(self, request: Request) -> ClassRoom:
        return self._classes.named(request.path_params["class"])

    async def _do_classes(self, request: Request) -> ClassCards:  # noqa: ARG002 - all routes get it
        return ClassCards(classes=tuple(map(_card, self._classes)))

    async def _do_class_open(self, request: Request, order: ClassOrder) -> BoardAnswer:  # noqa: ARG002
        if not self._door.admits:
            raise WorldError("This farm shows no studio; start it with --studio.")
        if order.environment in self._worlds.environments.benchmarks:
            raise WorldError("A class is held in a world of the library; a benchmark's worlds are for its owner alone.")
        task = await self._task(order.environment, order.scenario)
        environment = await self._worlds.environments.find(order.environment)
        return await self._board(await self._classes.open(order, environment.card.title, task))

    async def _task(self, environment: str, scenario: str) -> Scenario:
        if not self._worlds.environments.is_known(environment):
            raise HTTPException(404, f"There is no environment {quote_value(environment)}.")
        tasks = await (await self._worlds.environments.find(environment)).scenarios()
        task = next((task for task in tasks if task.id == scenario), None)
        if task is None:
            raise HTTPException(404, f"There is no task {quote_value(scenario)} in this environment.")
        return task

    async def _do_class_board(self, request: Request) -> BoardAnswer:
        return await self._board(self._class(request))

    async def _board(self, group: ClassRoom) -> BoardAnswer:
        await self._look_at(group)
        address = f"{self._url}/#/join/{group.code}"
        return BoardAnswer(
            name=group.name,
            environment=group.environment,
            title=group.title,
            address=address,
            qr=qr_code(address),
            reachable=not is_loopback(self._url.partition("://")[2].rpartition(":")[0].strip("[]")),
            tasks=tuple(map(_task, group.tasks)),
            locked=group.locked,
            joining=group.joining,
            places=group.places,
            seconds_left=group.seconds_left,
            seats=tuple(self._row(seat) for seat in group.seats.values()),
        )

    async def _look_at(self, group: ClassRoom) -> None:
        """First at those that were seen last time: what waits in one world keeps no other from being seen."""
        with anyio.move_on_after(LOOK_SECONDS):
            for seat in sorted(group.seats.values(), key=lambda seat: seat.missed):
                if self._classes.world(seat) is None:
                    continue
                seat.missed += 1
                with anyio.move_on_after(LOOK_SECONDS_EACH):
                    await self._look(seat)
                    seat.missed = 0

    async def _look(self, seat: Seat) -> None:
        # Its world may have ended, or its checks find no place: the board shows what was known.
        with suppress(EnvScalerError):
            await seat.look(self._verdicts, HOLDER.get())

    def _row(self, seat: Seat) -> SeatRow:
        world = self._classes.world(seat)
        return SeatRow(
            seat=seat.id,
            name=seat.name,
            world="" if world is None else world.name,
            results=tuple(map(_result, seat.results)),
        )

    async def _do_class_end(self, request: Request) -> Done:
        await self._classes.end(self._class(request))
        return Done()

    async def _do_class_rules(self, request: Request, order: RulesOrder) -> BoardAnswer:
        group = self._class(request)
        group.locked = group.locked if order.locked is None else order.locked
        group.joining = group.joining if order.joining is None else order.joining
        return await self._board(group)

    async def _do_class_task(self, request: Request, order: NextTaskOrder) -> BoardAnswer:
        group = self._class(request)
        task = await self._task(group.environment, order.scenario)
        # From here on what they did so far is not looked at again.
        await self._look_at(group)
        self._classes.go_on(group, task)
        await self._renew(group, list(group.seats.values()))
        return await self._board(group)

    async def _do_class_reset(self, request: Request, order: SeatOrder) -> BoardAnswer:
        group = self._class(request)
        await self._renew(group, _chosen(group, order))
        return await self._board(group)

    async def _renew(self, group: ClassRoom, seats: Sequence[Seat]) -> None:
        """Fresh worlds; who gets none keeps no other from theirs, and the board shows it. What failed for all is raised."""
        failures: list[EnvScalerError] = []
        for seat in seats:
            if seat.id in group.seats:
                try:
                    await self._classes.renew(seat)
                except EnvScalerError as cause:
                    failures.append(cause)
                await self._next_turn()
        if failures and len(failures) == len(seats):
            raise failures[0]

    async def _do_class_remove(self, request: Request, order: SeatOrder) -> BoardAnswer:
        group = self._class(request)
        for seat in _chosen(group, order):
            await self._classes.remove(seat)
        return await self._board(group)


class SeatPlane(StudioPlane):
    """A visitor's own world: they call its tools and undo, and reach nothing else."""

    operations: ClassVar[Sequence[ControlOperation]] = SEAT_OPERATIONS

    def __init__(self, classes: Classes, *parts: Any) -> None:
        super().__init__(*parts)
        self._classes = classes

    async def join(self, request: Request) -> Response:
        """Give a visitor who has the code of a class a place in it."""
        code, name = await body_fields(request, "code", "name")
        group = self._classes.with_code(code)
        if group is None:
            return self._door.refused(request, "This class has ended, or the address is not whole.")
        seat = await self._classes.join(group, name)
        return self._door.seat_session(request, seat.id, seat.holder, group.seconds_left)

    @property
    def _seat(self) -> Seat:
        return self._classes.seat(VISITOR.get().world)

    def _unlocked_seat(self) -> Seat:
        seat = self._seat
        if seat.group.locked:
            raise WorldError("The teacher has locked the worlds of this class; look, and wait.")
        return seat

    def world(self, name: str) -> HostedWorld:
        """The world of this visitor, by the name of their place; NoWorldError for any other."""
        seat = self._seat
        if name != seat.id:
            raise NoWorldError("There is no such world in your place.")
        world = self._classes.world(seat)
        if world is None:
            raise NoWorldError("Your world has ended; start again with a fresh one.")
        return world

    def card(self, world: HostedWorld) -> WorldCard:
        """Without the name and the address by which other programs could call it."""
        return super().card(world).model_copy(update={"name": self._seat.id, "url": ""})

    def shown_name(self, name: str) -> str:  # noqa: ARG002 - the name of another world
        """Nothing: a visitor knows no other world."""
        return ""

    async def _environment(self, request: Request) -> Any:
        if request.path_params["environment"] != self._seat.group.environment:
            raise HTTPException(404, "This is not the environment of your class.")
        return await super()._environment(request)

    async def _do_seat(self, request: Request) -> SeatAnswer:  # noqa: ARG002 - all routes get it
        return self._answer_of(self._seat)

    def _answer_of(self, seat: Seat) -> SeatAnswer:
        group = seat.group
        return SeatAnswer(
            seat=seat.id,
            name=seat.name,
            title=group.title,
            number=len(group.tasks),
            world=0 if self._classes.world(seat) is None else seat.worlds,
            locked=group.locked,
            seconds_left=group.seconds_left,
        )

    async def _do_again(self, request: Request) -> SeatAnswer:  # noqa: ARG002
        seat = self._unlocked_seat()
        if seat.lock.locked():
            raise BusyError("A fresh world is on its way already.")
        await self._classes.renew(seat)
        return self._answer_of(seat)

    async def _do_events(self, world: HostedWorld) -> EventStream:
        return EventStream(world.watchers.enter(guest=True))

    async def _do_agents(self, request: Request) -> AgentsAnswer:  # noqa: ARG002
        return AgentsAnswer(agents=())

    async def _do_checks(self, world: HostedWorld) -> ChecksAnswer:
        checks = await super()._do_checks(world)
        if checks.solved:
            # No board may be open, and one looks only now and then.
            self._seat.note_solved(world)
        return checks.model_copy(update={"steps": 0, "next_step": 0})

    async def _do_call(self, world: HostedWorld, order: CallOrder) -> RecordedCall:
        self._unlocked_seat()
        return await super()._do_call(world, order)

    async def _do_undo(self, world: HostedWorld, order: UndoOrder) -> TimelineAnswer:
        self._unlocked_seat()
        return await super()._do_undo(world, order)


def _card(group: ClassRoom) -> ClassCard:
    return ClassCard(
        name=group.name,
        environment=group.environment,
        title=group.title,
        visitors=len(group.seats),
        seconds_left=group.seconds_left,
    )


def _task(task: Scenario) -> ClassTask:
    checks = tuple(check.check_item for check in task.checks)
    return ClassTask(id=task.id, level=task.level, task=task.task, checks=checks, steps=len(task.oracle))


def _result(result: Result) -> SeatResult:
    verdict = result.verdict
    if verdict is None:
        return SeatResult()
    return SeatResult(
        calls=result.calls, holds=tuple(verdict.checks), reward=verdict.reward, solved_after=result.solved_after
    )


def _chosen(group: ClassRoom, order: SeatOrder) -> list[Seat]:
    if order.seat is None:
        return list(group.seats.values())
    if order.seat not in group.seats:
        raise HTTPException(404, "This visitor is not in the class any more.")
    return [group.seats[order.seat]]
