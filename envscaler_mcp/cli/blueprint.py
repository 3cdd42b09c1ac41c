"""For authors: check blueprints, look at their start states, try their stories, or start a new blueprint."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from envscaler_mcp.cli.printing import Styled, print_json, print_table, progress_bar, say
from envscaler_mcp.html.counts import counted

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.authoring import BlueprintReport
    from envscaler_mcp.pipeline.telling import StoryReport, TellingReport

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command("check")
def check_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Blueprint files.", exists=True, dir_okay=False)],
    probe: Annotated[
        bool, typer.Option(help="Also play long histories and report refusals that no guard explains.")
    ] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report errors and warnings, each with its place and a remedy."""
    from envscaler_mcp.pipeline.authoring import check_blueprints

    reports = []
    with progress_bar("checking") as progress:
        for number, file in enumerate(files, 1):
            reports += check_blueprints([file], probe=probe)
            progress(file.name, number, len(files))
    if as_json:
        print_json([_document(report) for report in reports])
    else:
        for report in reports:
            _tell(report)
    faulty = [report for report in reports if not report.sound or (strict and report.problems)]
    raise typer.Exit(1 if faulty else 0)


@app.command("grow")
def grow_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A blueprint file.", exists=True, dir_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grow the start states and count: records, statuses, refusals by guard, casts that run dry, time per rule.

    A file whose states cannot be grown to the end shows how far they came and what stopped them.
    """
    from envscaler_mcp.cli.growth_tables import print_growth
    from envscaler_mcp.pipeline import growing

    with progress_bar("growing") as progress:
        report = growing.grow_file(file, progress)
    if as_json:
        print_json(asdict(report) | {"path": str(file), "whole": report.whole})
    else:
        for problem in report.problems:
            say(f"{file}: ", Styled("error", typer.colors.RED), f": {problem.place}: {problem.message}")
        print_growth(report)
    raise typer.Exit(0 if report.whole else 1)


@app.command("tell")
def tell_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A blueprint file.", exists=True, dir_okay=False)],
    scenarios: Annotated[int, typer.Option(min=1, help="How many tasks to make.")] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make tasks from the stories: how they read, how often each story is used, and why a story is left out."""
    from envscaler_mcp.pipeline.telling import tell_stories

    with progress_bar("telling") as progress:
        report = tell_stories(file, scenarios, progress)
    if as_json:
        print_json(_told_document(report))
    else:
        _tell_tasks(report)
    raise typer.Exit(0 if report.whole else 1)


@app.command("new")
def new_file(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The id: lower case, words joined by _, such as bike_rental.")
    ],
    sector: Annotated[str, typer.Option(help="The line of business.")] = "other",
    out: Annotated[Path | None, typer.Option(help="The file to write. Default: ID.yaml in the current folder.")] = None,
) -> None:
    """Write a small working blueprint to start from."""
    from envscaler_mcp.artifacts.artifact import write_text
    from envscaler_mcp.synthesis.starter import starter_blueprint

    for name, word in (("ID", id_), ("--sector", sector)):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", word):
            raise typer.BadParameter(f"{word!r} is not lower case with words joined by _", param_hint=name)
    file = out or Path(f"{id_}.yaml")
    if file.exists():
        raise typer.BadParameter(f"{str(file)!r} exists already", param_hint="--out" if out else "ID")
    write_text(file, starter_blueprint(id_, sector))
    say(f"{file} is a working blueprint: a small lending library of games, with stories for tasks. After each change:")
    say(f"  envscaler blueprint check {file}")
    say(f"  envscaler build {file}              # a server and its tasks")
    say(f"  envscaler play --scenario {id_}-easy-01   # do one yourself")
    say(
        "The language and its stories are described by `envscaler blueprint manual` and `envscaler blueprint manual stories`."
    )


@app.command("manual")
def print_manual(
    page: Annotated[
        Literal["blueprints", "stories"], typer.Argument(help="The language itself, or how tasks are told.")
    ] = "blueprints",
) -> None:
    """Print the manual of blueprints."""
    from envscaler_mcp.language.manual import manual

    say(manual(page))


def _tell(report: BlueprintReport) -> None:
    for problem in report.problems:
        colour = typer.colors.RED if problem.severity == "error" else typer.colors.YELLOW
        place = re.sub(rf"^{re.escape(Path(report.path).name)}:(\d+)$", r"line \1", problem.place)
        say(f"{report.path}: ", Styled(problem.severity, colour), f": {place}: {problem.message}")
    counts = ", ".join(f"{number} {name}" for name, number in report.counts.items())
    if report.sound:
        say(f"{report.path}: ", Styled("sound", typer.colors.GREEN), f": {counts}")


def _tell_tasks(report: TellingReport) -> None:
    for scenario in report.scenarios:
        counts = ", ".join(f"{scenario.features[name]} {name}" for name in ("calls", "changes", "branches", "enabled"))
        say(f"{scenario.id} ({counts})", bold=True)
        say(scenario.task.partition("\n\n")[2] + "\n")
    rows = []
    for story in report.stories:
        branches = " ".join(f"{yes}/{no}" for yes, no in story.branches) or "-"
        reasons = "; ".join(f"{reason} ({times})" for reason, times in story.left_out)
        rows.append((story.name, str(story.used), "/".join(map(str, story.tellings)), branches, reasons))
    if rows:
        print_table(("story", "told", "tellings", "if/else", "left out because"), rows)
    else:
        say(
            f"{report.id} has no stories, so it has no tasks; `envscaler blueprint manual stories` says how to write them."
        )
    for failure in report.failures:
        say(f"\nA task was not made: {failure}.", fg=typer.colors.YELLOW)
    if report.failures:
        say("More stories, more tellings, or more records in `start` that their casts fit make more tasks.")
    tasks = counted(len(report.scenarios), "task")
    for story in report.unused:
        say(f"error: the story {story.name} is in no task", fg=typer.colors.RED)
    for story in report.untried:
        say(f"The story {story.name} was not tried for {tasks}; --scenarios makes more.", fg=typer.colors.YELLOW)
    if report.whole:
        say(f"{report.id}: {tasks}, every story told", fg=typer.colors.GREEN)


def _told_document(report: TellingReport) -> dict[str, Any]:
    return {
        "id": report.id,
        "whole": report.whole,
        "tasks": [
            {"id": scenario.id, "task": scenario.task, "features": scenario.features} for scenario in report.scenarios
        ],
        "failures": report.failures,
        "stories": [_story(story) for story in report.stories],
    }


def _story(story: StoryReport) -> dict[str, Any]:
    document = asdict(story)
    return {"name": document.pop("name"), "told": document.pop("used"), **document}


def _document(report: BlueprintReport) -> dict[str, Any]:
    problems = [{"severity": p.severity, "place": p.place, "message": p.message} for p in report.problems]
    return {
        "file": str(report.path),
        "id": report.id,
        "sound": report.sound,
        "counts": report.counts,
        "problems": problems,
    }
