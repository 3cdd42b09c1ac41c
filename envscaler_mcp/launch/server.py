"""What `python generated_servers/<id>/server.py` does.

Everything heavy is imported where it is needed: help, wrong options and the list of tools are answered at once.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.launch.opening import WrongUseError, open_folder
from envscaler_mcp.settings import secret_named

if TYPE_CHECKING:
    from envscaler_mcp.serving import World


def main(folder: Path, arguments: Sequence[str] | None = None) -> None:
    """Serve the folder's environment and end the process: 0 done, 1 it could not be served, 2 wrong use."""
    options = _parser(folder).parse_args(arguments)
    try:
        _check(options)
        if options.list_tools:
            _list_tools(folder, options.json)
        else:
            anyio.run(_serve, folder, options)
    except WrongUseError as cause:
        _say(folder, cause)
        raise SystemExit(2) from None
    except EnvScalerError as cause:
        _say(folder, cause)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(0) from None
    raise SystemExit(0)


def _parser(folder: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="server.py",
        description=f"Serve the environment {folder.name} over the Model Context Protocol: on standard input and "
        "output, or over HTTP. Each start begins a new world.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--http", action="store_true", help="serve streamable HTTP instead of standard input and output")
    add("--port", type=int, default=0, help="the port for --http; any free one by default")
    add("--host", default="127.0.0.1", help="the address for --http; any but this machine's own needs --token-env")
    add("--token-env", metavar="NAME", help="the variable that holds the token which clients must send")
    add("--state", metavar="NAME_OR_FILE", help="where the world begins; the folder's first state by default")
    add("--seed", type=int, help="the seed of the world's chance; the state's own by default")
    add(
        "--isolation",
        choices=("local", "auto", "hard", "trusted"),
        help="where the code runs: local (here, only compiled code), auto or hard (in a worker), trusted (here, "
        "whatever it is); local for compiled code and auto for any other by default",
    )
    add("--with-parent", action="store_true", help="with --http, end when standard input is closed")
    add("--list-tools", action="store_true", help="print the tools and end")
    add("--json", action="store_true", help="with --list-tools, as JSON")
    return parser


def _check(options: argparse.Namespace) -> None:
    if not 0 <= options.port <= 65535:
        raise WrongUseError(f"There is no port {options.port}; use 1 to 65535, or 0 for any free one.")
    if options.token_env is not None and not secret_named(options.token_env):
        raise WrongUseError(f"The variable {options.token_env!r} that --token-env names is empty or not set.")
    if options.with_parent and not options.http:
        raise WrongUseError("--with-parent belongs to --http; on standard input a server always ends with it.")


def _list_tools(folder: Path, as_json: bool) -> None:
    from envscaler_mcp.serving import load_code

    tools = load_code(folder).environment.tools
    if as_json:
        listed = [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.input_schema,
                "annotations": tool.annotations,
            }
            for tool in tools
        ]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
        return
    width = max((len(tool.name) for tool in tools), default=0)
    for tool in tools:
        sys.stdout.write(f"{tool.name:{width}}  {tool.description}\n")


async def _serve(folder: Path, options: argparse.Namespace) -> None:
    world = open_folder(folder, options.state, options.seed, options.isolation)
    try:
        if options.http:
            await _serve_http(world, options)
        else:
            await _serve_stdio(world)
    finally:
        world.close()


async def _serve_stdio(world: World) -> None:
    from envscaler_mcp.serving.server import build_server
    from envscaler_mcp.serving.stdio import serve_stdio

    server = build_server(world)
    async with anyio.create_task_group() as group:
        await group.start(_after_signal, group.cancel_scope.cancel)
        await serve_stdio(server)
        group.cancel_scope.cancel()


async def _serve_http(world: World, options: argparse.Namespace) -> None:
    from envscaler_mcp.serving.http import http_app, http_server, is_loopback, listen, url_of
    from envscaler_mcp.serving.server import build_server

    token = None if options.token_env is None else secret_named(options.token_env)
    if token is None and not is_loopback(options.host):
        raise WrongUseError(
            f"Other machines could reach {options.host!r}; name a token with --token-env, or use 127.0.0.1."
        )
    with listen(options.host, options.port, token) as sock:
        runner = http_server(http_app(build_server(world), host=options.host, token=token))
        async with anyio.create_task_group() as group:
            await group.start(_after_signal, runner.stop)
            if options.with_parent:
                group.start_soon(_after_parent, runner.stop)
            # The kernel already accepts connections, so whoever reads this line can connect.
            sys.stdout.write(url_of(sock) + "\n")
            sys.stdout.flush()
            # Whoever started us reads that one line and no more, so what environment code prints must not fill the pipe.
            os.dup2(2, 1)
            await runner.serve(sockets=[sock])
            group.cancel_scope.cancel()


async def _after_signal(act: Any, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Act when somebody asks the process to end."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _signal in signals:
            act()


async def _after_parent(act: Any) -> None:
    """Act when standard input closes, which it does however the parent ends."""
    from envscaler_mcp.serving.wire import lines

    arriving: AsyncIterator[object] = lines(0)
    async with aclosing(arriving) as all_lines:  # type: ignore[type-var]
        async for _line in all_lines:
            pass
    act()


def _say(folder: Path, cause: EnvScalerError) -> None:
    sys.stderr.write(f"{folder.name}: {cause}\n")
