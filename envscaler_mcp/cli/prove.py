"""Prove stored scenarios again: the oracle solves them, doing nothing does not, and wrong endings are noticed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import home_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.proving import Proven

app = typer.Typer(add_completion=False)

CORES = os.cpu_count() or 1


@app.command()
def prove_scenarios(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments. Default: all that have scenarios.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every environment that has scenarios; this is also the default.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="How many processes prove. Default: one per core.")] = CORES,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per scenario.")] = False,
) -> None:
    from envscaler_mcp.pipeline.proving import prove_folders
    from envscaler_mcp.registry import find_entry

    if wanted and every:
        raise typer.BadParameter("name environments, or say --all", param_hint="--all")
    home = home_of(ctx)
    registry = home.registry
    entries = [find_entry(registry, name) for name in wanted] if wanted else list(registry.entries)
    entries = [entry for entry in entries if entry.scenarios]
    if not entries:
        raise typer.BadParameter("none of these environments has scenarios", param_hint="ENV_ID")
    proven: list[Proven] = []
    with progress_bar("proving") as progress:
        folders = [home.servers / entry.id for entry in entries]
        for number, (folder, proofs) in enumerate(prove_folders(folders, workers), start=1):
            proven.extend(proofs)
            progress(folder.name, number, len(folders))
    proven.sort(key=lambda proof: proof.scenario)
    failed = [proof for proof in proven if proof.failure]
    for proof in proven if as_json else failed:
        known = not (proof.failure or proof.planless)
        if as_json:
            print_json({"scenario": proof.scenario, "proven": known, "failure": proof.failure}, indent=None)
        else:
            say(on_one_line(f"{proof.scenario}: {proof.failure}"), err=True)
    if not as_json:
        planless = sum(proof.planless for proof in proven)
        unplanned = f" {planless} came without a plan, so there is nothing to prove." if planless else ""
        shown = len(proven) - len(failed) - planless
        say(f"{shown} of {counted(len(proven), 'scenario')} {are(shown)} proven.{unplanned}")
    if failed:
        raise typer.Exit(1)
