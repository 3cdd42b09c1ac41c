"""What owners are answered about blueprints: to read them, to build one and to publish it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request

from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.builds import Build, Builds
from envscaler_mcp.farm.studio_plane import StudioPlane
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.serving.control.schemas import ControlOperation, Done
from envscaler_mcp.studio.build_schemas import (
    BUILD_OPERATIONS,
    BlueprintCard,
    BlueprintList,
    BlueprintText,
    BuildAnswer,
    BuildOrder,
    PublishAnswer,
    WriteOrder,
)
from envscaler_mcp.synthesis.starter import starter_blueprint

STARTER = "game_lending"
"""The id of the small blueprint to start from."""


class BuildPlane(StudioPlane):
    """Blueprints and builds."""

    operations: ClassVar[Sequence[ControlOperation]] = BUILD_OPERATIONS

    def __init__(self, builds: Builds, *parts: Any) -> None:
        super().__init__(*parts)
        self._builds = builds
        self._one_at_a_time = anyio.CapacityLimiter(1)

    async def _do_blueprints(self, request: Request) -> BlueprintList:  # noqa: ARG002 - all routes get it
        entries = self._worlds.environments.entries
        listed = [
            BlueprintCard(id=name, title=entries[name].title if name in entries else name) for name in blueprint_files()
        ]
        starter = BlueprintCard(id=STARTER, title="A small one to start from")
        home = self._builds.home
        return BlueprintList(
            blueprints=(starter, *listed),
            publishes=home is not None,
            writer="" if home is None or home.writer is None else home.writer.model,
        )

    async def _do_blueprint(self, request: Request) -> BlueprintText:
        wanted = request.path_params["blueprint"]
        if wanted == STARTER:
            return BlueprintText(id=STARTER, text=starter_blueprint(STARTER, "other"))
        files = blueprint_files()
        if wanted not in files:
            raise HTTPException(404, "There is no such blueprint in the library.")
        return BlueprintText(id=wanted, text=files[wanted].read_text(encoding="utf-8"))

    async def _do_build(self, request: Request, order: BuildOrder) -> BuildAnswer:  # noqa: ARG002
        before = self._tasks_before(order.before)
        text = order.text.encode(errors="replace").decode()
        return _answer(await anyio.to_thread.run_sync(self._builds.start, text, before, limiter=self._one_at_a_time), 0)

    async def _do_write(self, request: Request, order: WriteOrder) -> BuildAnswer:  # noqa: ARG002
        sentence = " ".join(order.sentence.encode(errors="replace").decode().split())
        if not sentence:
            raise WorldError("Say in a sentence what the world is about.")
        return _answer(await anyio.to_thread.run_sync(self._builds.write, sentence, limiter=self._one_at_a_time), 0)

    def _tasks_before(self, before: str) -> str:
        """Where the tasks of an earlier version lie."""
        if not before:
            return ""
        built = self._builds.built(before)
        if built is not None:
            return str(built)
        environments = self._worlds.environments
        return str(Path(environments.folder(before)).absolute()) if before in environments.entries else ""

    async def _do_build_lines(self, request: Request) -> BuildAnswer:
        first = request.query_params.get("from", "0")
        if not (first.isascii() and first.isdigit() and len(first) < 6):
            raise WorldError("`from` is the number of a line.")
        return _answer(self._builds.named(request.path_params["build"]), int(first))

    async def _do_build_stop(self, request: Request) -> Done:
        self._builds.named(request.path_params["build"]).end()
        return Done()

    async def _do_build_publish(self, request: Request) -> PublishAnswer:
        build = self._builds.named(request.path_params["build"])
        entry = await anyio.to_thread.run_sync(self._builds.publish, build, limiter=self._one_at_a_time)
        self._worlds.environments.add(entry)
        return PublishAnswer(environment=entry.id)


def _answer(build: Build, first: int) -> BuildAnswer:
    running = build.running
    lines = build.lines()
    failed = "" if running else build.failed
    return BuildAnswer(build=build.id, running=running, lines=tuple(lines[first:]), next=len(lines), failed=failed)
