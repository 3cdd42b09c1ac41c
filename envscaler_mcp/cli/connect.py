"""Tell a host program (Claude Desktop, Claude Code, VS Code, Cursor) about a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, settings_of
from envscaler_mcp.emit.hosts import Client, connection, host_file, install, remove

app = typer.Typer(add_completion=False)


@app.command()
def connect_host(
    ctx: typer.Context,
    env_id: Annotated[str, typer.Argument(metavar="ENV_ID", help="An id that `envscaler list` shows.")],
    client: Annotated[Client, typer.Option(help="The host program: claude-desktop, claude-code, vscode or cursor.")],
    write: Annotated[bool, typer.Option("--install", help="Put it into the host's file; a copy is kept.")] = False,
    take_out: Annotated[bool, typer.Option("--remove", help="Take it out of the host's file again.")] = False,
    file: Annotated[Path | None, typer.Option(help="Another file than the one the host uses by itself.")] = None,
) -> None:
    if write and take_out:
        raise typer.BadParameter("--install and --remove cannot both be done", param_hint="--remove")
    settings = settings_of(ctx)
    wanted = connection(client, env_id, entry_of(ctx, env_id).command, settings.home)
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
