"""Import environments and scenarios from files in another format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.printing import print_json, print_table, progress_bar, say
from envscaler_mcp.html.counts import are, counted, have
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment, ImportedScenario, Importer

app = typer.Typer(add_completion=False)
_SHOWN = 10


@app.command()
def import_servers(
    ctx: typer.Context,
    published_as: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="envscaler: the files of the EnvScaler paper, as `envscaler export envscaler` writes them too. Other packages "
            "add formats by entry points of the group envscaler.importers.",
        ),
    ],
    environments: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Environment metadata: a JSON object of environments by id, a JSON list, or JSONL. Default: scenarios "
            "are added to environments that were imported before.",
        ),
    ] = None,
    scenarios: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Scenarios: a JSON list or JSONL. Repeat for several."),
    ] = None,
    faithful: Annotated[
        bool,
        typer.Option(
            "--faithful",
            help="The environments behave exactly as in the published runtime: nothing is undone, checked or worded differently. "
            "With --scoring upstream, episodes earn the published reward.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON, with every scenario.")] = False,
) -> None:
    if environments is None and not scenarios:
        raise typer.BadParameter("name a file with --environments, or with --scenarios, or both")
    read = _importer(published_as)
    settings = settings_of(ctx)
    with progress_bar("importing") as progress:
        imported = read(
            environments,
            scenarios or [],
            settings.servers,
            settings.registry_file,
            lambda name, number: progress(name, number, number),
            faithful=faithful,
        )
    if as_json:
        print_json(_report(imported))
    else:
        _print(imported)
    raise typer.Exit(0 if any(not environment.refused for environment in imported.environments) else 1)


def _importer(name: str) -> Importer:
    from envscaler_mcp.pipeline.imported import IMPORTERS

    if name not in IMPORTERS:
        from envscaler_mcp.serving.suggestion import did_you_mean

        names = ", ".join(IMPORTERS)
        raise typer.BadParameter(
            f"there is no format {name!r}{did_you_mean(name, IMPORTERS)} Formats: {names}", param_hint="FORMAT"
        )
    return IMPORTERS[name]


def _print(imported: Imported) -> None:
    here = [environment for environment in imported.environments if not environment.refused]
    rows = [
        (
            environment.id,
            str(environment.tools),
            str(environment.states),
            str(len(environment.scenarios)),
            str(sum(scenario.gradable for scenario in environment.scenarios)),
            "yes" if environment.replayable else "no",
            environment.title,
        )
        for environment in here
    ]
    added = [environment for environment in here if environment.added]
    new = len(here) - len(added)
    say(f"{new} of {counted(len(imported.environments) - len(added), 'environment')} {are(new)} imported.", bold=True)
    for environment in added:
        say(
            f"{environment.id} was here; {counted(len(environment.scenarios), 'scenario')} {are(len(environment.scenarios))} added to it."
        )
    print_table(("id", "tools", "states", "scenarios", "gradable", "replayable", "title"), rows)
    for environment in imported.environments:
        if environment.refused:
            say(on_one_line(f"{environment.id} is refused: {environment.refused}"), err=True)
        if environment.only_told:
            names = ", ".join(environment.only_told)
            say(on_one_line(f"{environment.id}: its class has no {names}, which its metadata names"), err=True)
    for line in _counts(list(imported.scenarios)):
        say(line)
    _print_otherwise(here)


def _print_otherwise(environments: Sequence[ImportedEnvironment]) -> None:
    """What differs from the published runtime: what all share once, and the rest by environment and scenario."""
    from envscaler_mcp.export.otherwise import ALWAYS, FAITHFUL, listed

    shared = [
        line for line in (*ALWAYS, *FAITHFUL) if any(line in environment.otherwise for environment in environments)
    ]
    if shared:
        whose = (
            "of every environment that is not --faithful "
            if any(not environment.faithful for environment in environments)
            else ""
        )
        say(f"Differences from the published runtime {whose}here:")
        say(listed(shared))
    for environment in environments:
        own = [line for line in environment.otherwise if line not in shared]
        own += [f"{scenario.id}: {line}" for scenario in environment.scenarios for line in scenario.otherwise]
        if own:
            more = [f"and {len(own) - _SHOWN} more, in --json"] if len(own) > _SHOWN else []
            say(f"{environment.id}:\n{listed([*own[:_SHOWN], *more])}")


def _counts(scenarios: Sequence[ImportedScenario]) -> list[str]:
    refused = [scenario for scenario in scenarios if scenario.refused]
    broken = [scenario for scenario in scenarios if scenario.broken]
    raising = sum(len(scenario.raising) for scenario in scenarios)
    already = sum(len(scenario.true_at_start) for scenario in scenarios)
    checks, gradable = sum(scenario.checks for scenario in scenarios), sum(scenario.gradable for scenario in scenarios)
    here = len(scenarios) - len(refused)
    lines = [
        f"{here} of {counted(len(scenarios), 'scenario')} {are(here)} here; {gradable} of them {are(gradable)} gradable.",
        f"{already} of {counted(checks, 'check')} {are(already)} true at the start already; they count only under --scoring upstream.",
    ]
    if raising:
        lines.append(
            f"{raising} of {checks} checks raise at the start, or answer neither True nor False; where they do so at the end "
            "of an episode, they failed."
        )
    if broken:
        lines.append(
            f"{counted(len(broken), 'scenario')} {have(len(broken))} checks that cannot run, and {are(len(broken))} masked: {_names(broken)}"
        )
    if unanswered := [scenario for scenario in scenarios if scenario.unanswered]:
        lines.append(
            f"{counted(len(unanswered), 'scenario')} {have(len(unanswered))} checks that have no answer at the start state, since a limit of time, memory or "
            f"output ends them; where one ends them at the end of an episode, they failed: {_names(unanswered)}"
        )
    reasons: dict[str, list[ImportedScenario]] = {}
    for scenario in refused:
        reasons.setdefault(scenario.refused, []).append(scenario)
    return lines + [f"left out, since {reason}: {_names(some)}" for reason, some in reasons.items()]


def _names(some: Sequence[ImportedScenario]) -> str:
    more = f" and {len(some) - _SHOWN} more" if len(some) > _SHOWN else ""
    return ", ".join(scenario.id for scenario in some[:_SHOWN]) + more


def _report(imported: Imported) -> dict[str, Any]:
    return {
        "environments": [
            {
                **asdict(environment),
                "scenarios": [{**asdict(each), "gradable": each.gradable} for each in environment.scenarios],
            }
            for environment in imported.environments
        ],
        "homeless": [asdict(scenario) for scenario in imported.homeless],
    }
