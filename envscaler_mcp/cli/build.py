"""Build server folders and the registry from blueprints, or check that they are up to date."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.printing import progress_bar, say
from envscaler_mcp.config.choices import SCENARIOS, SHIPPED
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.html.counts import are, counted

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.emission import Emission

app = typer.Typer(add_completion=False)

CORES = os.cpu_count() or 1


@app.command()
def build_servers(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID|FILE", help="Blueprints: ids of the library, or files.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every blueprint of the library; entries of other blueprints are removed.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
    scenarios: Annotated[
        int | None,
        typer.Option(
            min=SHIPPED, help=f"Scenarios of each environment. Default: {SCENARIOS}, of which {SHIPPED} ship."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many processes build. Default: one per core.")] = CORES,
    anew: Annotated[bool, typer.Option("--anew", help="Also rebuild what is up to date.")] = False,
) -> None:
    from envscaler_mcp.library import blueprint_files
    from envscaler_mcp.pipeline.emission import emit_environments

    if everything == bool(wanted):
        raise typer.BadParameter("name blueprints, or ask for --all", param_hint="ENV_ID|FILE")
    paths = list(blueprint_files().values()) if everything else [_blueprint(word) for word in wanted or ()]
    settings = settings_of(ctx)
    with progress_bar("checking" if check else "building") as progress:
        emission = emit_environments(
            paths,
            settings.servers,
            settings.registry_file,
            check=check,
            all_of_them=everything,
            # What does not ship has nothing to be compared with.
            many=scenarios or (SHIPPED if check else SCENARIOS),
            workers=workers,
            resume=not anew,
            progress=progress,
        )
    for path, why in emission.failures.items():
        say(f"{path} is not built: {why}", err=True)
    if check:
        _tell_differences(emission)
    for name in emission.differences:
        say(f"{name} is new or has changed.")
    short = _tell_short(emission, scenarios)
    _tell_silent(emission)
    reused = sum(built.reused for built in emission.built)
    if emission.built:
        say(
            f"{_counted(emission)} {are(len(emission.built))} in {settings.servers}{f'; {reused} were finished before' if reused else ''}."
        )
    else:
        say("Nothing was built.", err=True)
    raise typer.Exit(1 if emission.failures or short else 0)


def _tell_short(emission: Emission, wanted: int | None) -> bool:
    """Which environments have fewer scenarios than were asked for, and why; whether that number was the user's own."""
    lacking = [built for built in emission.built if built.short]
    for built in lacking:
        name = built.environment.id
        say(f"{name} has {counted(built.scenarios, 'scenario')}, not {wanted or SCENARIOS}; they are kept.", err=True)
        for level, reason in built.short.items():
            say(f"  No more of level {level}: {reason}", err=True)
        say(f"  `envscaler tasks {name} --out FILE` makes any number, at new start states.", err=True)
    return bool(lacking) and wanted is not None


def _tell_silent(emission: Emission) -> None:
    """Which stories were written and are in no scenario."""
    for built in emission.built:
        for story, why in built.silent.items():
            say(f"{built.environment.id}: the story {story} is in no scenario: {why}.", err=True)


def _tell_differences(emission: Emission) -> None:
    for name, differences in emission.differences.items():
        for difference in differences:
            say(f"{name}: {difference}", err=True)
    if emission.differences or emission.failures:
        say("Not everything is what would be emitted; `envscaler build --all` makes it so.", err=True)
        raise typer.Exit(1)
    say(f"{_counted(emission)} {are(len(emission.built))} what would be emitted.")
    raise typer.Exit


def _counted(emission: Emission) -> str:
    tools = sum(len(built.environment.tools) for built in emission.built)
    scenarios = sum(built.scenarios for built in emission.built)
    environments = counted(len(emission.built), "environment")
    return f"{environments} with {counted(tools, 'tool')} and {counted(scenarios, 'proven scenario')}"


def _blueprint(word: str) -> Path:
    from envscaler_mcp.pipeline.building import blueprint_of

    if word.endswith((".yaml", ".yml")):
        if not Path(word).is_file():
            raise typer.BadParameter(f"there is no file {word!r}", param_hint="FILE")
        return Path(word)
    try:
        return blueprint_of(word)
    except BlueprintError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID") from cause
