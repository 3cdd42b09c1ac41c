"""Worlds of a benchmark in a server process of their own, which is reached over its standard streams."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import SocketStream
from mcp import Client, StdioServerParameters

from envscaler_mcp.artifacts import Step
from envscaler_mcp.errors import WorkerEndedError, ungrouped
from envscaler_mcp.launch.stdio import START_TIMEOUT, connected, server_variables
from envscaler_mcp.official.benchmark import OfficialTask
from envscaler_mcp.official.source import Source
from envscaler_mcp.official.world import Hearing, OfficialWorld, loss
from envscaler_mcp.processes import own_program

Opening = Callable[[OfficialTask], AbstractAsyncContextManager[OfficialWorld]]
"""Opens the world of a task."""


@asynccontextmanager
async def worlds_over_stdio(benchmark: str, source: Source) -> AsyncIterator[Opening]:
    """Opens one world after the other in one server process, which ends with the block."""
    hearing = Hearing()
    with ungrouped(), tempfile.TemporaryDirectory(prefix="envscaler-bench-") as folder:
        control = Path(folder) / "control"
        words = (benchmark, str(source.roots[0]), str(control))
        command, *arguments = own_program("envscaler_mcp.official.stdio_program:main", *words)
        parameters = StdioServerParameters(command=command, args=arguments, env=server_variables())
        client = Client(parameters, mode="legacy", message_handler=hearing.hear)
        async with connected(client, "The server of the benchmark did not start"):
            with anyio.fail_after(START_TIMEOUT):
                while not control.exists():  # noqa: ASYNC110 - the server makes it, and says so to no one
                    await anyio.sleep(0.01)
            async with await anyio.connect_unix(control) as stream:

                @asynccontextmanager
                async def opening(task: OfficialTask) -> AsyncIterator[OfficialWorld]:
                    remote = _Remote(stream)
                    await remote.ask(do="open", content=dict(task.content))
                    world = OfficialWorld(remote, client)
                    with hearing.told_to(world):
                        await world.read_tools()
                        yield world

                yield opening


class _Remote:
    """What a program asks of the world in that process, beside calls."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream

    async def release(self, turn: int) -> None:
        await self.ask(do="release", turn=turn)

    async def digest(self) -> str:
        return str(await self.ask(do="digest"))

    async def user(self, *given: Any) -> Any:
        return await self.ask(do="user", given=given)

    async def judged(self, steps: Sequence[Step]) -> None:  # noqa: ARG002
        return None

    async def ask(self, **request: Any) -> Any:
        try:
            await self._stream.send(json.dumps(request).encode() + b"\n")
            text = b""
            while not text.endswith(b"\n"):
                text += await self._stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError) as cause:
            raise WorkerEndedError("crash", "the server of the benchmark has ended") from cause
        answer = json.loads(text)
        if "failed" in answer:
            raise loss(answer, str(answer["failed"]))
        return answer["answer"]
