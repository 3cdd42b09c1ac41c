"""See it work: build three environments in a home of their own, launch them, call their tools, see what changes."""

from __future__ import annotations

import typer

from envscaler_mcp.cli.lookup import settings_of

app = typer.Typer(add_completion=False)


@app.command()
def show_how_it_works(ctx: typer.Context) -> None:
    from envscaler_mcp.cli.scenes import show

    show(settings_of(ctx))
