"""What owners and readers are answered about the demonstration of a farm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from starlette.requests import Request

from envscaler_mcp.farm.demonstration import Demonstration
from envscaler_mcp.farm.studio_plane import VISITOR, ReaderPlane, StudioPlane
from envscaler_mcp.serving.control.schemas import ControlOperation
from envscaler_mcp.studio.demo_schemas import (
    DEMONSTRATION_FOR_READERS,
    DEMONSTRATION_OPERATIONS,
    DemonstrationAnswer,
)


class DemonstrationPlane(StudioPlane):
    """The demonstration, as its owners have it."""

    operations: ClassVar[Sequence[ControlOperation]] = DEMONSTRATION_OPERATIONS

    def __init__(self, demonstration: Demonstration, *parts: Any) -> None:
        super().__init__(*parts)
        self._demonstration = demonstration

    async def _do_demonstration(self, request: Request) -> DemonstrationAnswer:  # noqa: ARG002 - all routes get it
        return _answer(self._demonstration, self.shown_name)

    async def _do_demonstration_take(self, request: Request) -> DemonstrationAnswer:
        self._demonstration.take()
        return await self._do_demonstration(request)

    async def _do_demonstration_start(self, request: Request) -> DemonstrationAnswer:
        self._demonstration.start()
        return await self._do_demonstration(request)


class WatchedDemonstrationPlane(ReaderPlane):
    """The demonstration, as readers have it: they watch."""

    operations: ClassVar[Sequence[ControlOperation]] = DEMONSTRATION_FOR_READERS

    def __init__(self, demonstration: Demonstration, *parts: Any) -> None:
        super().__init__(*parts)
        self._demonstration = demonstration

    async def _do_demonstration(self, request: Request) -> DemonstrationAnswer:  # noqa: ARG002 - all routes get it
        answer = _answer(self._demonstration, self.shown_name)
        only = VISITOR.get().world
        # A page that was shared shows one world, and learns of no other.
        return answer if only in ("", answer.world) else DemonstrationAnswer(offered=False, playing=False)


def _answer(demonstration: Demonstration, shown_name: Callable[[str], str]) -> DemonstrationAnswer:
    world = demonstration.world
    return DemonstrationAnswer(
        offered=demonstration.plan is not None,
        playing=demonstration.playing,
        world="" if world is None else shown_name(world.name),
    )
