"""Make any number of fresh proven tasks by seed, at new start states, into a file that `envscaler run --tasks` plays."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, folder_of, registry_of, servers_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.config.choices import Level, ProofExtent, Split
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.html.counts import are, counted

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.fresh_tasks import MadeTasks, RegisteredFolder

app = typer.Typer(add_completion=False)

CORES = os.cpu_count() or 1


@app.command()
def make_fresh_tasks(
    ctx: typer.Context,
    out: Annotated[
        Path, typer.Option(help="The file of JSON lines. A file that was interrupted is continued.", dir_okay=False)
    ],
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments, whose tasks are written in turn.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every environment whose split this is.")] = False,
    count: Annotated[int, typer.Option(min=1, help="How many tasks of each environment.")] = 100,
    level: Annotated[Level | None, typer.Option(help="Only this level. Default: all three, as in what ships.")] = None,
    seed: Annotated[int, typer.Option(help="Seed; equal seeds make equal tasks, on any number of workers.")] = 0,
    split: Annotated[
        Split,
        typer.Option(help="What the tasks are for: no start state and no reserved cast is shared with another split."),
    ] = "train",
    proof: Annotated[
        ProofExtent,
        typer.Option(
            help="half: faster, tries no wrong endings and no harmless variants; every task says which it has."
        ),
    ] = "whole",
    workers: Annotated[int, typer.Option(min=1, help="How many processes make tasks. Default: one per core.")] = CORES,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    from envscaler_mcp.pipeline.fresh_tasks import make_tasks, stream_of

    if everything == bool(wanted):
        raise typer.BadParameter("name environments, or ask for --all", param_hint="ENV_ID")
    places = _places(ctx, list(dict.fromkeys(wanted or ())), split)
    try:
        stream = stream_of(places, level=level, seed=seed, split=split, proof=proof)
    except GrowthError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID") from cause
    began = monotonic()
    try:
        with progress_bar("making tasks") as progress:
            made = make_tasks(places, stream, count, out, workers, progress)
    except KeyboardInterrupt:
        say(f"What was made is in {out}; the same command makes the rest.", err=True)
        raise
    if as_json:
        tasks, seconds = sum(world.made for world in made), round(monotonic() - began, 1)
        print_json(
            {"tasks": tasks, "proof": proof, "seconds": seconds, "environments": [asdict(each) for each in made]}
        )
    else:
        _tell(made, proof, out)
    raise typer.Exit(1 if any(world.made < world.wanted for world in made) else 0)


def _places(ctx: typer.Context, wanted: list[str], split: Split) -> list[RegisteredFolder]:
    from envscaler_mcp.pipeline.fresh_tasks import RegisteredFolder

    if not wanted:
        entries = [entry for entry in registry_of(ctx).entries if entry.split == split and entry.digests.blueprint]
        if not entries:
            raise typer.BadParameter(f"no environment of the split {split} has a blueprint", param_hint="--all")
        return [RegisteredFolder(servers_of(ctx) / entry.id, entry.digests) for entry in entries]
    return [RegisteredFolder(folder_of(ctx, name), entry_of(ctx, name).digests) for name in wanted]


def _tell(made: list[MadeTasks], proof: ProofExtent, out: Path) -> None:
    for world in made:
        if world.made < world.wanted:
            say(f"{world.environment} gave {world.made:,} of {world.wanted:,} tasks:", err=True)
            for level, reason in sorted(world.missing.items()):
                say(f"  {level}: {reason}", err=True)
    tasks, siblings, states = (sum(getattr(world, name) for world in made) for name in ("made", "siblings", "states"))
    proofs = "a whole proof each" if proof == "whole" else "half a proof each"
    say(
        f"{counted(tasks, 'task')} of {counted(len(made), 'environment')} at {counted(states, 'start state')}, with {proofs}, {are(tasks)} in {out}."
    )
    say(f"{siblings:,} {are(siblings)} siblings: nearly the same text as an earlier task, about other records.")
