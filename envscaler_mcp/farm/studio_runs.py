"""Recorded runs in a studio: read in a process of its own, within bounds, and opened as worlds at any of their steps."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.application import raw_json
from envscaler_mcp.farm.hosted_world import BusyError, HostedWorld
from envscaler_mcp.farm.studio_plane import StudioPlane
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.processes.function_process import FunctionProcess, FunctionProcessEndedError
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.control.schemas import ControlOperation, OwnTask
from envscaler_mcp.studio.run_schemas import OWNER_OPERATIONS, RunList, StepOrder, StepWorld
from envscaler_mcp.viewer.run_answers import StepStart
from envscaler_mcp.viewer.run_reader import FOLDER, Answer, Asks, answer

SECONDS = 20.0
"""How long one question may take; the process that takes longer is ended."""
MOST_WAITING = 16
"""Questions that may wait for their turn."""
REPLAY_SECONDS = 20.0
"""How long the calls before a step may take together."""
LEASE = 3_600.0
_ASKED = (
    "id",
    "with",
    "of",
    "after",
    "search",
    "environment",
    "level",
    "outcome",
    "change",
    "offset",
    "format",
    "only",
)
_LONGEST = 2_000


class RunReader:
    """Asks about the run folders of one folder, one question at a time, so that a process knows what it has read."""

    def __init__(self, root: Path | None, servers: ServerFolders) -> None:
        self.root = root
        self._servers = servers
        self._turn = anyio.CapacityLimiter(1)
        self._process: FunctionProcess | None = None
        self._waiting = 0

    async def content(self, asks: Asks, asked: Mapping[str, str]) -> bytes:
        """The answer as JSON; NoWorldError where there is no such run, WorldError where it cannot be read."""
        return (await self._answer(asks, asked)).content

    async def start(self, run: str, order: StepOrder) -> StepStart:
        """How a world comes to be as it was before a step."""
        asked = {"run": run, "id": order.episode, "step": str(order.step)}
        start = (await self._answer("start", asked)).start
        assert start is not None
        return start

    async def _answer(self, asks: Asks, asked: Mapping[str, str]) -> Answer:
        if self.root is None:
            raise NoWorldError("This studio was started without a folder of runs; `envscaler studio --runs DIR`.")
        if self._waiting >= MOST_WAITING:
            raise BusyError("Many ask about runs already; ask again.")
        self._waiting += 1
        try:
            async with self._turn:
                made = await self._from_process(self.root, asks, asked)
        finally:
            self._waiting -= 1
        if made.kind == "missing":
            raise NoWorldError(made.why)
        if made.kind == "refused":
            raise WorldError(made.why)
        return made

    async def _from_process(self, root: Path, asks: Asks, asked: Mapping[str, str]) -> Answer:
        # The folder outlives the process, which may be ended while it writes.
        with tempfile.TemporaryDirectory(prefix="envscaler-rows-", ignore_cleanup_errors=True) as folder:
            process = self._process = self._process or FunctionProcess(silent=True)
            ask = partial(process.call, answer, root, self._servers, asks, {**asked, FOLDER: folder})
            try:
                with anyio.fail_after(SECONDS):
                    return await anyio.to_thread.run_sync(ask, abandon_on_cancel=True)
            except BaseException as cause:
                # It has ended, or makes an answer that is not waited for any more.
                self.close()
                if isinstance(cause, TimeoutError):
                    said = f"Reading this run takes more than {SECONDS:.0f} seconds; it is not shown here."
                    raise WorldError(said) from None
                if isinstance(cause, FunctionProcessEndedError):
                    said = "The process that reads runs has ended; this run may need too much memory."
                    raise WorldError(said) from None
                raise

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None


class RunsPlane(StudioPlane):
    """What pages of owners are answered: worlds, and recorded runs."""

    operations: ClassVar[Sequence[ControlOperation]] = OWNER_OPERATIONS

    def __init__(self, *parts: Any, runs: RunReader) -> None:
        super().__init__(*parts)
        self._runs = runs

    async def _do_runs(self, request: Request) -> Response | RunList:
        if self._runs.root is None:
            return RunList(folder="", runs=())
        return await self._read("runs", request)

    async def _do_run(self, request: Request) -> Response:
        return await self._read("run", request)

    async def _do_episodes(self, request: Request) -> Response:
        return await self._read("episodes", request)

    async def _do_episode(self, request: Request) -> Response:
        return await self._read("episode", request)

    async def _do_run_tables(self, request: Request) -> Response:
        return await self._read("run_tables", request)

    async def _do_compare_runs(self, request: Request) -> Response:
        return await self._read("compare_runs", request)

    async def _do_compare_episodes(self, request: Request) -> Response:
        return await self._read("compare_episodes", request)

    async def _read(self, asks: Asks, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "") for name in _ASKED}
        asked["run"] = request.path_params.get("run", "")
        for name, text in asked.items():
            if len(text) > _LONGEST:
                raise WorldError(f"{name!r} has more than {_LONGEST:,} characters.")
        return raw_json(await self._runs.content(asks, asked))

    async def _do_open_step(self, request: Request, order: StepOrder) -> StepWorld:
        start = await self._runs.start(request.path_params["run"], order)
        task = None if start.state is None else OwnTask(scenario=start.scenario, state=start.state)
        named = start.scenario.id if task is None else None
        world = await self._worlds.open(start.environment, named, lease_seconds=LEASE, task=task)
        try:
            with anyio.fail_after(REPLAY_SECONDS):
                return await self._made_again(world, start)
        except TimeoutError:
            await self._worlds.close(world)
            raise WorldError(f"The calls before this step take more than {REPLAY_SECONDS:.0f} seconds.") from None
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._worlds.close(world)
            raise

    async def _made_again(self, world: HostedWorld, start: StepStart) -> StepWorld:
        """The calls before the step, and the first that is answered otherwise than it was recorded."""
        await self._recorded(world)
        differs = 0
        for number, (tool, arguments, recorded) in enumerate(start.calls, 1):
            _, outcome = await self._called(world, "agent", tool, arguments)
            if not differs and recorded is not None and outcome.text != recorded:
                differs = number
            await self._next_turn()
        return StepWorld(world=world.name, calls=len(start.calls), differs=differs)
