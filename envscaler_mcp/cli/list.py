"""Show which servers there are, or those that words find."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import registry_of
from envscaler_mcp.cli.printing import print_table
from envscaler_mcp.registry import search

app = typer.Typer(add_completion=False)


@app.command()
def list_servers(
    ctx: typer.Context,
    words: Annotated[
        str, typer.Option("--search", metavar="WORDS", help="Only those in which every word occurs.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    entries = search(registry_of(ctx), words)
    if as_json:
        typer.echo(json.dumps([entry.model_dump(mode="json") for entry in entries], ensure_ascii=False, indent=1))
    elif entries:
        rows = [(entry.id, entry.sector, str(len(entry.tools)), entry.about) for entry in entries]
        print_table(("id", "sector", "tools", "about"), rows)
    else:
        typer.echo(f"No environment matches {words!r}." if words else "No environment is registered.", err=True)
    raise typer.Exit(0 if entries else 1)
