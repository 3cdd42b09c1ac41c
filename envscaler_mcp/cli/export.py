"""Write servers and their scenarios in a format that others read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envscaler_mcp.cli.lookup import registry_of, settings_of
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.registry import find_entry

app = typer.Typer(add_completion=False)
_FORMATS = {"envscaler": export_upstream}


@app.command()
def export_servers(
    ctx: typer.Context,
    written_as: Annotated[
        Literal["envscaler"], typer.Argument(metavar="FORMAT", help="envscaler: the files of the EnvScaler paper.")
    ],
    environments: Annotated[Path, typer.Option(metavar="FILE", help="Where the environment metadata is written.")],
    scenarios: Annotated[Path, typer.Option(metavar="FILE", help="Where the scenarios are written.")],
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments; all that are registered by default.")
    ] = None,
) -> None:
    registry = registry_of(ctx)
    entries = [find_entry(registry, name) for name in wanted] if wanted else list(registry.entries)
    if not entries:
        raise typer.BadParameter("no environment is registered", param_hint="ENV_ID")
    folders = [settings_of(ctx).servers / entry.id for entry in entries]
    many, tasks = _FORMATS[written_as](folders, environments, scenarios)
    typer.echo(f"{many} environments are written to {environments}, {tasks} scenarios to {scenarios}.")
