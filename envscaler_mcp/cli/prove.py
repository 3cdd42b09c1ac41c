"""Prove the scenarios on disk again: solved by their oracle, not by doing nothing, and noticed when done otherwise."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.printing import progress_bar
from envscaler_mcp.pipeline import Proven, prove_folder
from envscaler_mcp.registry import find_entry, read_registry

app = typer.Typer(add_completion=False)


@app.command()
def prove_scenarios(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments; all that have scenarios by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per scenario.")] = False,
) -> None:
    settings = settings_of(ctx)
    registry = read_registry(settings.registry_file)
    entries = [find_entry(registry, name) for name in wanted] if wanted else list(registry.entries)
    entries = [entry for entry in entries if entry.scenarios]
    if not entries:
        raise typer.BadParameter("none of these environments has scenarios", param_hint="ENV_ID")
    proven: list[Proven] = []
    with progress_bar("proving") as progress:
        for number, entry in enumerate(entries, start=1):
            proven.extend(prove_folder(settings.servers / entry.id))
            progress(entry.id, number, len(entries))
    failed = [one for one in proven if one.failure]
    for one in proven if as_json else failed:
        line = json.dumps({"scenario": one.scenario, "proven": not one.failure, "failure": one.failure})
        typer.echo(line if as_json else f"{one.scenario}: {one.failure}", err=not as_json)
    if not as_json:
        typer.echo(f"{len(proven) - len(failed)} of {len(proven)} scenarios are proven.")
    if failed:
        raise typer.Exit(1)
