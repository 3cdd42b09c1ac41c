"""Tell a host program (Claude Desktop, Claude Code, VS Code, Cursor) about a server, or about a world of a farm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, settings_of
from envscaler_mcp.emit.hosts import Client, Connection, connection, host_file, install, remove
from envscaler_mcp.errors import WorldError
from envscaler_mcp.service.client import environment_at, world_address
from envscaler_mcp.settings import secret_named

app = typer.Typer(add_completion=False)


@app.command()
def connect_host(
    ctx: typer.Context,
    server: Annotated[
        str,
        typer.Argument(
            metavar="ENV_ID_OR_URL",
            help="An id that `envscaler list` shows, or an address of a farm: …/e/ENV_ID/new for a fresh world there.",
        ),
    ],
    client: Annotated[Client, typer.Option(help="The host program: claude-desktop, claude-code, vscode or cursor.")],
    write: Annotated[bool, typer.Option("--install", help="Put it into the host's file; a copy is kept.")] = False,
    take_out: Annotated[bool, typer.Option("--remove", help="Take it out of the host's file again.")] = False,
    token_env: Annotated[
        str,
        typer.Option(metavar="NAME", help="The variable with the token that a farm asks for; the host's file gets it."),
    ] = "",
    file: Annotated[Path | None, typer.Option(help="Another file than the one the host uses by itself.")] = None,
) -> None:
    if write and take_out:
        raise typer.BadParameter("--install and --remove cannot both be done", param_hint="--remove")
    settings = settings_of(ctx)
    if "://" in server:
        wanted = _of_farm(client, server, token_env, asks=not take_out)
    elif token_env:
        raise typer.BadParameter("a token belongs to a farm's address", param_hint="--token-env")
    else:
        wanted = connection(client, server, entry_of(ctx, server).command, settings.home)
    env_id = wanted.name
    target = file or host_file(client, Path.cwd(), settings.client_settings)
    if take_out:
        existed = remove(wanted, target)
        typer.echo(f"{env_id} {'was taken out of' if existed else 'is not in'} {target}")
        raise typer.Exit(0 if existed else 1)
    if not write:
        typer.echo(json.dumps(wanted.document, ensure_ascii=False, indent=2))
        typer.echo(f"Goes into {target}; --install puts it there.", err=True)
        return
    backup = install(wanted, target)
    typer.echo(f"{env_id} is in {target}" + (f"; the file as it was: {backup}" if backup else ""))
    typer.echo(f"Start {client} anew, or let it reload its servers, and it has the tools.")


def _of_farm(client: Client, url: str, variable: str, *, asks: bool) -> Connection:
    token = secret_named(variable) if variable else ""
    if token is None:
        raise typer.BadParameter(f"the variable {variable!r} is empty or not set", param_hint="--token-env")
    try:
        address = world_address(url, token) if asks else ""
        return Connection(client, environment_at(url), url=address, token=token)
    except WorldError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID_OR_URL") from cause
