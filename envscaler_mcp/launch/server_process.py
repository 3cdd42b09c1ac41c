"""One server process, from its options to its end."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.config.choices import NATIVE, RANDOM
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.html.visible import escaped, visible
from envscaler_mcp.launch.opening import WrongUseError, open_session
from envscaler_mcp.launch.server import Load
from envscaler_mcp.processes.collector import starting
from envscaler_mcp.serving.listing import listed_tools
from envscaler_mcp.serving.pages import is_origin
from envscaler_mcp.serving.session import Session
from envscaler_mcp.settings import secret_named

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from envscaler_mcp.artifacts import Scenario
    from envscaler_mcp.dialects import Dialect
    from envscaler_mcp.disturbances import Disturbable
    from envscaler_mcp.serving.control.server import Open, ServerControlPlane
    from envscaler_mcp.serving.tasks import Offer


Control = Callable[[], Coroutine[Any, Any, None]]


def run(folder: Path, options: argparse.Namespace, load: Load) -> int:
    """Do what the options say; the exit code."""
    try:
        _check(options)
        if options.list_tools:
            code = load(folder)
            interface = _interface_of(code.environment, options)
            _list_tools(code.environment if interface is None else interface.card, options.json)
        else:
            anyio.run(_serve, folder, load, options)
    except EnvScalerError as cause:
        sys.stderr.write(visible(f"{folder.name}: {cause}") + "\n")
        return 2 if isinstance(cause, WrongUseError) else 1
    except KeyboardInterrupt:
        return 0
    return 0


def _check(options: argparse.Namespace) -> None:
    if not 0 <= options.port <= 65535:
        raise WrongUseError(f"There is no port {options.port}; use 1 to 65535, or 0 for any free one.")
    for option, name in (("--token-env", options.token_env), ("--control-token-env", options.control_token_env)):
        if name is not None and not secret_named(name):
            raise WrongUseError(f"The variable {name!r} that {option} names is empty or not set.")
    if (options.control is None) != (options.control_token_env is None):
        raise WrongUseError("--control and --control-token-env belong together.")
    if options.scenario is not None and options.state is not None:
        raise WrongUseError("A scenario begins at its own state; name --scenario or --state.")
    for origin in options.allow_origin or ():
        if not is_origin(origin):
            raise WrongUseError(f"{origin!r} is no origin; write it as a browser does, such as https://studio.example")
    if options.allow_origin and not options.http:
        raise WrongUseError("--allow-origin belongs to --http.")
    if options.dialect not in (NATIVE, RANDOM):
        from envscaler_mcp.dialects import DialectName

        with _as_wrong_use():
            DialectName.read(options.dialect)
    if options.disturb:
        from envscaler_mcp.disturbances import read_disturbances

        with _as_wrong_use():
            read_disturbances(options.disturb)
    if options.with_parent and not options.http:
        raise WrongUseError("--with-parent belongs to --http; on standard input a server always ends with it.")


@contextmanager
def _as_wrong_use() -> Iterator[None]:
    """What is wrong with an option's value is its user's to mend."""
    try:
        yield
    except WorldError as cause:
        raise WrongUseError(str(cause)) from cause


def _dialect_of(environment: Environment, wanted: str) -> Dialect | None:
    """The dialect that an option names; a random one is told on standard error."""
    if wanted == NATIVE:
        return None
    # Most servers speak none.
    from envscaler_mcp.dialects import MOST_NUMBERS, Dialect, DialectName

    name = DialectName(secrets.randbelow(MOST_NUMBERS)) if wanted == RANDOM else DialectName.read(wanted)
    with _as_wrong_use():
        dialect = Dialect(environment, name)
    if wanted == RANDOM:
        sys.stderr.write(f"dialect {name}\n")
    return dialect


def _interface_of(environment: Environment, options: argparse.Namespace) -> Disturbable | None:
    """What agents speak to the world in, where that is not its own interface as it is."""
    dialect = _dialect_of(environment, options.dialect)
    if not options.disturb:
        return dialect
    # Most servers are not disturbed.
    from envscaler_mcp.disturbances import Disturbances, Disturbed, NativeInterface, read_disturbances

    with _as_wrong_use():
        interface = dialect or NativeInterface(environment)
    kinds = read_disturbances(options.disturb)
    return Disturbed(interface, Disturbances(kinds, options.scenario or environment.id, options.seed or 0))


def _list_tools(environment: Environment, as_json: bool) -> None:
    tools = environment.tools
    if as_json:
        sys.stdout.write(escaped(json.dumps(listed_tools(environment), ensure_ascii=False, indent=1)) + "\n")
        return
    width = max((len(tool.name) for tool in tools), default=0)
    for tool in tools:
        sys.stdout.write(visible(f"{tool.name:{width}}  {tool.description}") + "\n")


async def _serve(folder: Path, load: Load, options: argparse.Namespace) -> None:
    with starting():
        from envscaler_mcp.serving.client_log import ClientLog
        from envscaler_mcp.serving.control.server import SERVED, ServerControlPlane
        from envscaler_mcp.serving.server import build_server
        from envscaler_mcp.serving.tasks import load_scenarios, offered_anywhere, offered_tasks
        from envscaler_mcp.serving.world_slot import WorldSlot

        code, tasks = load(folder), load_scenarios(folder)
    interface = _interface_of(code.environment, options)
    # A world of a person's own, to which no other program gives a start.
    opens_states = options.scenario is options.state is options.control is None
    offered = offered_anywhere(tasks, options.prompts) if opens_states else []
    started: list[str | None] = []

    def open_at(scenario: str | None, state: str | None, seed: int | None, prompts: Offer | None) -> Session:
        session = open_session(folder, code, scenario, state, seed, options.isolation)
        begins = session.scenario.state if session.scenario else state or next(iter(code.environment.states), None)
        if not opens_states:
            offered[:] = offered_tasks(tasks, prompts or options.prompts, scenario, begins)
        started[:] = [begins]
        return session if interface is None else session.spoken(interface)

    async def begin(task: Scenario) -> bool:
        untouched = await plane.world(SERVED).act(lambda session: session.diff_since_start().empty)
        if untouched and started == [task.state]:
            return False
        await plane.replace(None, task.state, options.seed, None)
        return True

    session = open_at(options.scenario, options.state, options.seed, None)
    served = WorldSlot(session.world)
    plane = ServerControlPlane(code.environment.id, served, session, _with_world_errors(open_at))
    try:
        # Over HTTP an answer is one document, and nothing goes before it.
        log = None if options.http else ClientLog()
        server = build_server(served, (lambda: offered) if tasks else (), begin if opens_states else None, log)
        async with _controlled(plane, options) as control:
            if options.http:
                await _serve_http(server, control, options, plane)
            else:
                await _serve_stdio(server, control)
    finally:
        plane.close()


def _with_world_errors(open_at: Open) -> Open:
    """The same for requests of the control plane: a wrong request is its client's error, and the server continues."""

    def opened(scenario: str | None, state: str | None, seed: int | None, prompts: Offer | None) -> Session:
        try:
            return open_at(scenario, state, seed, prompts)
        except WrongUseError as cause:
            raise WorldError(str(cause)) from cause

    return opened


async def _serve_stdio(server: Server[Any], control: Control) -> None:
    from envscaler_mcp.serving.stdio import serve_stdio

    async with anyio.create_task_group() as group:
        await group.start(_after_signal, group.cancel_scope.cancel)
        group.start_soon(control)
        await serve_stdio(server)
        group.cancel_scope.cancel()


async def _serve_http(
    server: Server[Any], control: Control, options: argparse.Namespace, plane: ServerControlPlane
) -> None:
    from envscaler_mcp.serving.http import PATH, http_app, http_server
    from envscaler_mcp.serving.sockets import is_loopback, listen, url_of

    token = None if options.token_env is None else secret_named(options.token_env)
    if token is None and not is_loopback(options.host):
        raise WrongUseError(
            f"Other machines could reach {options.host!r}; name a token with --token-env, or use 127.0.0.1."
        )
    with listen(options.host, options.port, token) as sock:
        runner = http_server(http_app(server, host=options.host, token=token, origins=options.allow_origin or ()))
        async with anyio.create_task_group() as group:
            await group.start(_after_signal, runner.stop)
            if options.with_parent:
                group.start_soon(_after_parent, runner.stop)
            group.start_soon(control)
            plane.url = url_of(sock) + PATH
            # The kernel already accepts connections, so a client that reads this line can connect.
            sys.stdout.write(plane.url + "\n")
            sys.stdout.flush()
            # The parent process reads that one line and no more: what environment code prints must not fill the pipe.
            os.dup2(2, 1)
            await runner.serve(sockets=[sock])
            group.cancel_scope.cancel()


@asynccontextmanager
async def _controlled(plane: ServerControlPlane, options: argparse.Namespace) -> AsyncIterator[Control]:
    """What serves the control plane beside the agents; clients can connect to it from now on."""
    if options.control is None:
        yield anyio.sleep_forever
        return
    from envscaler_mcp.serving.control.server import serve_control
    from envscaler_mcp.serving.sockets import listen_privately

    token = secret_named(options.control_token_env)
    assert token is not None
    sock = listen_privately(options.control)
    try:
        yield partial(serve_control, plane, sock, token)
    finally:
        sock.close()
        if not options.control.isdigit():
            Path(options.control).unlink(missing_ok=True)  # noqa: ASYNC240 - the process is ending


async def _after_signal(act: Any, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Act when a signal asks the process to end."""
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
