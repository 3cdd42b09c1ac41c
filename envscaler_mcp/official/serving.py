"""One server of an official task, for any host."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio
import anyio.abc

from envscaler_mcp.launch.opening import WrongUseError
from envscaler_mcp.official.benchmark import BENCHMARKS, Benchmark, OfficialTask
from envscaler_mcp.official.host import asked, opened_process
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.official.world import OfficialServer
from envscaler_mcp.serving.http import PATH, http_app, http_server
from envscaler_mcp.serving.sockets import is_loopback, listen, url_of
from envscaler_mcp.serving.stdio import serve_stdio
from envscaler_mcp.serving.suggestion import did_you_mean
from envscaler_mcp.settings import secret_named


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens that is reached over HTTP."""

    host: str
    port: int
    token_env: str
    """The variable that holds the token which clients must send."""


async def serve_official(wanted: str, entry: str, address: Address | None) -> None:
    """Serve `BENCHMARK:SERVER` until the client is gone, or a signal comes: over stdio, or at an address."""
    name, _, server_name = wanted.partition(":")
    with Stage.of(_benchmark(name)) as stage:
        task = _task(list(stage.tasks.values()), server_name, entry)
        content = stage.benchmark.alone(task, server_name)
        async with opened_process(stage.host, content) as process:
            official = OfficialServer(wanted)
            await official.begin(process, await asked(process, "tools", 0))
            server = official.server
            async with anyio.create_task_group() as group:
                if address is None:
                    await group.start(_after_signal, group.cancel_scope.cancel)
                    await serve_stdio(server)
                else:
                    token = secret_named(address.token_env) if address.token_env else None
                    if token is None and not is_loopback(address.host):
                        raise WrongUseError(
                            f"Other machines could reach {address.host!r}; name a token with --token-env."
                        )
                    with listen(address.host, address.port, token) as sock:
                        runner = http_server(http_app(server, host=address.host, token=token))
                        await group.start(_after_signal, runner.stop)
                        sys.stdout.write(url_of(sock) + PATH + "\n")
                        sys.stdout.flush()
                        await runner.serve(sockets=[sock])
                group.cancel_scope.cancel()


def _benchmark(name: str) -> Benchmark:
    """The benchmark of this name, or the first edition of it that is here."""
    if name in BENCHMARKS:
        return BENCHMARKS[name]
    editions = [BENCHMARKS[each] for each in sorted(BENCHMARKS) if each.startswith(f"{name}-")]
    if not editions:
        raise WrongUseError(f"there is no benchmark {name!r}{did_you_mean(name, BENCHMARKS)}")
    for edition in editions:
        try:
            find(edition.requirement)
        except OfficialFilesError:
            continue
        return edition
    return editions[0]


def _task(tasks: Sequence[OfficialTask], server: str, entry: str) -> OfficialTask:
    having = [task for task in tasks if server in task.servers]
    if not having:
        servers = sorted({name for task in tasks for name in task.servers})
        raise WrongUseError(f"there is no server {server!r}; there are {', '.join(servers)}")
    task = next((task for task in having if entry in ("", task.id)), None)
    if task is None:
        raise WrongUseError(f"there is no entry {entry!r} with {server}; the first that has it is {having[0].id}")
    return task


async def _after_signal(
    act: Callable[[], object], *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    """Act when a signal asks the process to end."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _signal in signals:
            act()
