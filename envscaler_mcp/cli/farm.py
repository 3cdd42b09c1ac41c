"""Serve every registered environment at one address, for agents, for owners of worlds and for readers."""

from __future__ import annotations

import logging
import logging.handlers
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from envscaler_mcp.cli.lookup import home_of, registry_written, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.cli.studio_models import USER_HELP, answering_user
from envscaler_mcp.config.choices import Isolation, TokenScope
from envscaler_mcp.errors import LaunchError
from envscaler_mcp.html.counts import counted

if TYPE_CHECKING:
    from envscaler_mcp.farm.environments import BenchmarkOpener
    from envscaler_mcp.farm.on_ray.farm import RayFarm
    from envscaler_mcp.farm.supervisor import Supervisor
    from envscaler_mcp.settings import Settings

PORT = 8765
DAY = 86_400
app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def farm(
    ctx: typer.Context,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's needs --secret-env.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 means any free port.", min=0, max=65535)] = PORT,
    url: Annotated[str, typer.Option(help="The URL that clients use, if the farm is behind a reverse proxy.")] = "",
    control: Annotated[
        str,
        typer.Option(
            metavar="PATH_OR_PORT", help="Where owners of worlds connect. Default: a socket file of this user."
        ),
    ] = "",
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Run the worlds on this Ray cluster (auto: the cluster of this machine; local: a new cluster). A cluster of several "
            "machines needs --host; owners of worlds still connect to this machine.",
        ),
    ] = "",
    processes: Annotated[
        int,
        typer.Option(help="How many processes serve. Default: one per core, or with --ray one per node.", min=0),
    ] = 0,
    isolation: Annotated[
        Isolation | None,
        typer.Option(
            help="Where code runs: local (compiled code in the farm's processes), auto or hard (workers), portable (workers, even "
            "without the kernel's layer). Default: auto if other machines can reach the farm, else local."
        ),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Serve the tasks of this benchmark too, to owners of worlds; repeat for several. `envscaler bench list` names them.",
        ),
    ] = None,
    user: Annotated[str, typer.Option(metavar="PROVIDER:MODEL", help=USER_HELP)] = "",
    page: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            "--page",
            metavar="ORIGIN",
            help="Let web pages of this origin use the farm, such as https://studio.example; repeat for several.",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Require tokens of agents and readers on this machine too.")
    ] = False,
    studio: Annotated[
        bool | None,
        typer.Option(
            help="Show the studio at `/` to browsers that have a token. Default: unless other machines can reach the farm."
        ),
    ] = None,
    secret_env: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The environment variable with the secret that tokens are made from. Default: a file of this user.",
        ),
    ] = "",
    max_worlds: Annotated[int, typer.Option(help="At most this many open worlds.", min=1)] = 20_000,
    max_memory: Annotated[
        int, typer.Option(help="At most this many MiB of memory for the farm's processes.", min=64)
    ] = 16_384,
    max_calls: Annotated[int, typer.Option(help="At most this many calls of each world.", min=1)] = 100_000,
    max_records: Annotated[
        int, typer.Option(help="At most this many new records in a world of compiled code.", min=1)
    ] = 2_000,
    lease: Annotated[
        float,
        typer.Option(help="Seconds after which an unused world is closed, unless its owner chooses otherwise.", min=1),
    ] = 900,
    rate: Annotated[
        float, typer.Option(help="At most this many requests a second from one address; 0 means no limit.", min=0)
    ] = 0,
    audit_log: Annotated[
        Path | None, typer.Option("--audit", help="The audit log. Default: a file of this user.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the addresses as JSON.")] = False,
) -> None:
    from envscaler_mcp.processes.collector import starting

    with starting():
        from envscaler_mcp.farm.front_end import FarmConfig
        from envscaler_mcp.farm.worlds import Caps
        from envscaler_mcp.launch.opening import WrongUseError
        from envscaler_mcp.serving.sockets import is_loopback, listen, listen_privately, url_of

    if ctx.invoked_subcommand is not None:
        return
    settings = settings_of(ctx)
    others = not is_loopback(host)
    if others and not secret_env:
        raise WrongUseError(f"Other machines could reach {host!r}; name a secret with --secret-env, or use 127.0.0.1.")
    if isolation == "trusted":
        raise typer.BadParameter("a farm never runs unread code in its own processes", param_hint="--isolation")
    secret = _secret(settings, secret_env)
    home = home_of(ctx)
    place = control or str(settings.farm_socket)
    with (
        _nodes(ray, others) as nodes,
        listen(host, port, secret_env or None) as agents,
        listen_privately(place) as owners,
        _for_this_user(settings.other_farm_socket if control else None) as further,
    ):
        count = processes or nodes or os.cpu_count() or 1
        address = url.rstrip("/") or url_of(agents)
        config = FarmConfig(
            servers=home.servers,
            registry=home.registry,
            registry_written=registry_written(home),
            secret=secret,
            url=address,
            isolation=isolation or ("auto" if others else "local"),
            open_to_others=others,
            hosts=frozenset({urlsplit(url).hostname or ""} if url else ()),
            pages=_origins(page or []),
            tokens=tokens,
            rate=rate,
            benchmarks=_benchmarks(benchmark or [], ray),
            studio=not others if studio is None else studio,
            studio_user=answering_user(ctx, user, benchmark or []),
            caps=Caps(
                worlds=-(-max_worlds // count),
                memory=(max_memory << 20) // count,
                calls=max_calls,
                records=max_records,
                lease_seconds=lease,
            ),
        )
        _keep_audit(audit_log or settings.farm_audit)
        where = str(owners.getsockname()[1]) if place.isdigit() else place

        def ready() -> None:
            document = {
                "url": address,
                "control": where,
                "environments": len(home.registry.entries),
                "processes": count,
            }
            if as_json:
                print_json(document, indent=None)
                return
            say(f"{counted(len(home.registry.entries), 'environment')} at {address}")
            say(f"  a fresh world    {address}/e/ENV_ID/new")
            if config.studio:
                say(f"  studio           {address}/ in a browser, with a token for control or read")
            say(f"  catalogue        {address}/v0.1/servers")
            say(f"  control plane    {where}, with a token from `envscaler farm token control`")
            say("Ctrl-C ends it.")

        try:
            code = _house(ray)(config, agents, [owners, *further], count).run(ready)
        finally:
            if not place.isdigit():
                Path(place).unlink(missing_ok=True)
    raise typer.Exit(code)


@contextmanager
def _for_this_user(file: Path | None) -> Iterator[list[socket.socket]]:
    """A further socket file for programs of this user, for the block; none where the control plane is at the usual one."""
    from envscaler_mcp.serving.sockets import listen_privately

    if file is None:
        yield []
        return
    try:
        sock = listen_privately(str(file))
    except LaunchError as cause:
        say(f"Programs of this user do not find this farm unless they name its control plane: {cause}", err=True)
        yield []
        return
    with sock:
        try:
            yield [sock]
        finally:
            file.unlink(missing_ok=True)


@app.command("token", help="Print a token for agents, for owners of worlds (control) or for readers (read).")
def print_token(
    ctx: typer.Context,
    scope: Annotated[TokenScope, typer.Argument(help="agent, control or read.")],
    days: Annotated[float, typer.Option(help="How many days the token is valid.", min=0.001)] = 30,
    secret_env: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The environment variable with the farm's secret, if it was started with one."
        ),
    ] = "",
) -> None:
    from envscaler_mcp.farm.tokens import token_for

    say(token_for(_secret(settings_of(ctx), secret_env), scope, days * DAY))


@contextmanager
def _nodes(ray: str, others: bool) -> Iterator[int]:
    """Join a cluster for the block; how many nodes it has, 0 without a cluster."""
    from envscaler_mcp.launch.opening import WrongUseError

    if not ray:
        yield 0
        return
    from envscaler_mcp.farm.on_ray.cluster import joined

    with joined(ray) as cluster:
        if not (cluster.one_machine or others):
            raise WrongUseError(
                "The cluster has several machines, so worlds must be open to others: name --host and --secret-env."
            )
        yield cluster.nodes


def _benchmarks(names: list[str], ray: str) -> dict[str, BenchmarkOpener]:
    if names and ray:
        raise typer.BadParameter("benchmarks are served on one machine, without --ray", param_hint="--benchmark")
    return benchmarks_named(names)


def benchmarks_named(names: list[str]) -> dict[str, BenchmarkOpener]:
    """What opens them; each must be on this machine."""
    if not names:
        return {}
    from envscaler_mcp.cli.bench_run import benchmark_named
    from envscaler_mcp.official.farm_worlds import opens_benchmark
    from envscaler_mcp.official.source import find

    for name in names:
        find(benchmark_named(name).requirement)
    return {name: opens_benchmark(name) for name in names}


def _house(ray: str) -> type[Supervisor | RayFarm]:
    from envscaler_mcp.farm.supervisor import Supervisor

    if not ray:
        return Supervisor
    from envscaler_mcp.farm.on_ray.farm import RayFarm

    return RayFarm


def _secret(settings: Settings, variable: str) -> bytes:
    from envscaler_mcp.farm.tokens import kept_secret, secret_of
    from envscaler_mcp.launch.opening import WrongUseError
    from envscaler_mcp.settings import secret_named

    if not variable:
        return kept_secret(settings.farm_secret)
    secret = secret_named(variable)
    if secret is None:
        raise WrongUseError(f"The variable {variable!r} that --secret-env names is empty or not set.")
    return secret_of(secret)


def _origins(pages: list[str]) -> frozenset[str]:
    from envscaler_mcp.launch.opening import WrongUseError
    from envscaler_mcp.serving.pages import is_origin

    for page in pages:
        if not is_origin(page):
            raise WrongUseError(f"{page!r} is no origin; write it as a browser does, such as https://studio.example")
    return frozenset(pages)


def _keep_audit(file: Path) -> None:
    from envscaler_mcp.farm.access import audit_log
    from envscaler_mcp.farm.audit_file import AuditFile

    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = AuditFile(file)
    except OSError as cause:
        raise LaunchError(
            f"The audit log cannot be written to {file}: {cause}; name another file with --audit-log."
        ) from cause
    audit_log.addHandler(handler)
    audit_log.setLevel(logging.INFO)
    audit_log.propagate = False
