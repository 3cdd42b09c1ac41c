"""Make proven scenarios for environments that were written as classes; `build` makes those of blueprints."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import folder_of, settings_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.config.choices import SEED
from envscaler_mcp.html.counts import are, counted

app = typer.Typer(add_completion=False)


@app.command()
def make_scenarios(
    ctx: typer.Context,
    wanted: Annotated[
        list[str], typer.Argument(metavar="ENV_ID", help="Ids of environments, as `envscaler list` shows them.")
    ],
    seed: Annotated[int, typer.Option("--seed", help="Seed; equal seeds make equal scenarios.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per scenario.")] = False,
) -> None:
    from envscaler_mcp.pipeline.proving import write_scenarios

    folders = [folder_of(ctx, env_id) for env_id in wanted]
    for folder in folders:
        with progress_bar(f"trying {folder.name}") as progress:
            made = write_scenarios(folder, seed, registry_file=settings_of(ctx).registry_file, progress=progress)
        for scenario in made if as_json else ():
            print_json({"scenario": scenario.id, "level": scenario.level, "task": scenario.task}, indent=None)
        if not as_json:
            levels = ", ".join(
                f"{number} {level}" for level, number in Counter(scenario.level for scenario in made).items()
            )
            say(f"{folder.name}: {counted(len(made), 'scenario')} {are(len(made))} made and proven ({levels}).")
