"""Count environments and scenarios, compare with the EnvScaler paper, and measure similarity and learning signal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import home_of
from envscaler_mcp.cli.printing import print_json, print_table, progress_bar, say
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.stats import HomeFigures, Measured

app = typer.Typer(add_completion=False)


@app.command()
def print_stats(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments. Default: all of the home.")
    ] = None,
    similarity: Annotated[
        bool,
        typer.Option(
            "--similarity", help="Also compare the structure of environments; exit 1 if a pair is too similar."
        ),
    ] = False,
    signal: Annotated[
        bool, typer.Option("--signal", help="Also measure the learning signal of the scenarios; plays each at random.")
    ] = False,
    interfaces: Annotated[
        bool,
        typer.Option(
            "--interfaces",
            help="Also count what an agent sees of the tools, natively and in dialects, beside real servers; "
            "`--also interfaces:20` measures twenty dialects of each environment.",
        ),
    ] = False,
    overlap: Annotated[
        str,
        typer.Option(
            metavar="BENCHMARK",
            help="Also compare tasks and tools with those of a benchmark; exit 1 if a task shares thirteen words in a row.",
        ),
    ] = "",
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:TEXT]",
            help="Also measure this; repeat for several. Built in are similarity, signal, interfaces and overlap. Other packages add statistics by "
            "entry points of the group envscaler.statistics; the text after the colon is for the statistic.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an HTML page with charts and a map; measures similarity too."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from envscaler_mcp.artifacts.artifact import write_text
    from envscaler_mcp.registry import find_entry
    from envscaler_mcp.stats import STATISTICS, figures_of, holdings, stats_page
    from envscaler_mcp.stats.topic_map import topic_map
    from envscaler_mcp.synthesis.topics.described import described

    short = [
        name for name, wanted in (("similarity", similarity), ("signal", signal), ("interfaces", interfaces)) if wanted
    ]
    words = [*short, *([f"overlap:{overlap}"] if overlap else []), *(also or ())]
    asked = {name: subject for name, _, subject in (word.partition(":") for word in words)}
    for name in asked:
        if name not in STATISTICS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(STATISTICS)}", param_hint="--also")
    registry = home_of(ctx).registry
    entries = [find_entry(registry, name) for name in wanted] if wanted else registry.entries
    home = list(holdings(entries, home_of(ctx).servers))
    figures = figures_of(home)
    measured: dict[str, Measured] = {}
    # The page has a chart of it.
    for name, subject in {**({"similarity": ""} if html is not None else {}), **asked}.items():
        with progress_bar(f"measuring {name}:") as progress:
            measured[name] = STATISTICS[name].measure(home, subject, progress)
    if html is not None:
        places = topic_map({holding.environment.id: described(holding.environment) for holding in home})
        write_text(html, stats_page(figures, places, measured))
    shown = {name: measured[name] for name in asked}
    if as_json:
        print_json(_document(figures, shown))
    else:
        _print_figures(figures)
        for each in shown.values():
            _print_measured(each)
        if html is not None:
            say(f"\nThe page is {html}.")
    raise typer.Exit(0 if all(each.passed for each in shown.values()) else 1)


def _print_figures(figures: HomeFigures) -> None:
    from envscaler_mcp.stats.figures import PAPER

    rows = [
        (name, _number(value), _number(PAPER[name]) if name in PAPER else "") for name, value in figures.table.items()
    ]
    print_table(("", "here", "paper"), rows)
    sectors = ", ".join(f"{sector} {many}" for sector, many in figures.sectors.items())
    say(f"\n{len(figures.sectors)} sectors: {on_one_line(sectors)}")


def _print_measured(measured: Measured) -> None:
    for table in measured.tables:
        say(f"\n{on_one_line(table.caption)}" if table.caption else "")
        print_table(
            table.head,
            [
                tuple(on_one_line(cell) if isinstance(cell, str) else _number(cell) for cell in row)
                for row in table.rows
            ],
        )
    for remark in measured.remarks:
        say(f"\n{on_one_line(remark)}")


def _document(figures: HomeFigures, measured: Mapping[str, Measured]) -> dict[str, Any]:
    from envscaler_mcp.stats.figures import PAPER

    return {
        "table": figures.table,
        "paper": PAPER,
        "sectors": figures.sectors,
        "environments": {
            each.id: {
                "sector": each.sector,
                "entities": each.entities,
                "attributes": each.attributes,
                "rules": each.rules,
                "query_tools": each.query_tools,
                "change_tools": each.change_tools,
                "records": each.records,
                "scenarios": each.scenarios,
            }
            for each in figures.environments
        },
        **{name: each.document for name, each in measured.items()},
    }


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}"
