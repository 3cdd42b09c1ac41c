"""What owners are answered about training; it is read where runs are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.farm.studio_runs import RunsPlane
from envscaler_mcp.serving.control.schemas import ControlOperation
from envscaler_mcp.studio.train_schemas import TRAIN_OPERATIONS, TrainingAnswer
from envscaler_mcp.viewer.training import row_formats


class TrainPlane(RunsPlane):
    """Runs beside each other, and their rows."""

    operations: ClassVar[Sequence[ControlOperation]] = TRAIN_OPERATIONS

    async def _do_training(self, request: Request) -> Response | TrainingAnswer:
        if self._runs.root is None:
            return TrainingAnswer(runs=(), formats=row_formats(), more=0)
        return await self._read("training", request)

    async def _do_rows(self, request: Request) -> Response:
        return await self._read("rows", request)
