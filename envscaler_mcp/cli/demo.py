"""See it work: make some servers in a home of its own, launch them, call their tools, look at what changed."""

from __future__ import annotations

import typer

from envscaler_mcp.cli.lookup import settings_of

app = typer.Typer(add_completion=False)


@app.command()
def show_how_it_works(ctx: typer.Context) -> None:
    from envscaler_mcp.cli.scenes import show

    show(settings_of(ctx))
