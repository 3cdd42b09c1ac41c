"""Count environments and scenarios, compare with the EnvScaler paper, and measure similarity and learning signal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import registry_of, settings_of
from envscaler_mcp.cli.printing import print_json, print_table, progress_bar, say
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.stats import Figures, Signal, Similarities

app = typer.Typer(add_completion=False)

_SHOWN = 12


@app.command()
def print_stats(
    ctx: typer.Context,
    similarity: Annotated[
        bool,
        typer.Option(
            "--similarity", help="Also compare the structure of environments; exit 1 if a pair is too similar."
        ),
    ] = False,
    signal: Annotated[
        bool, typer.Option("--signal", help="Also measure the learning signal of the scenarios; plays each at random.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an HTML page with charts and a map.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from envscaler_mcp.artifacts.artifact import write_text
    from envscaler_mcp.stats import figures_of, holdings, page, signal_of, similarities, structure_of
    from envscaler_mcp.stats.topic_map import topic_map
    from envscaler_mcp.synthesis.topics.described import described

    registry = registry_of(ctx)
    farm = list(holdings(registry, settings_of(ctx).servers))
    figures = figures_of(farm)
    alike = None
    if similarity or html is not None:
        alike = similarities(
            {holding.environment.id: structure_of(holding.model) for holding in farm if holding.model is not None}
        )
    learned = None
    if signal:
        with progress_bar("playing at random in") as progress:
            learned = signal_of(farm, progress, len(farm))
    if html is not None and alike is not None:
        places = topic_map({holding.environment.id: described(holding.environment) for holding in farm})
        write_text(html, page(figures, alike, places, learned))
    if as_json:
        print_json(_document(figures, alike if similarity else None, learned))
    else:
        _print_figures(figures)
        if alike is not None and similarity:
            _print_similarity(alike)
        if learned is not None:
            _print_signal(learned)
        if html is not None:
            say(f"\nThe page is {html}.")
    raise typer.Exit(1 if similarity and alike is not None and not alike.diverse else 0)


def _print_figures(figures: Figures) -> None:
    from envscaler_mcp.stats.figures import PAPER

    rows = [
        (name, _number(value), _number(PAPER[name]) if name in PAPER else "") for name, value in figures.table.items()
    ]
    print_table(("", "here", "paper"), rows)
    sectors = ", ".join(f"{sector} {many}" for sector, many in figures.sectors.items())
    say(f"\n{len(figures.sectors)} sectors: {on_one_line(sectors)}")


def _print_similarity(alike: Similarities) -> None:
    say(
        f"\nStructure, names forgotten: nearest neighbour {alike.mean_nearest:.3f} on average; "
        f"{len(alike.refused)} pairs are too alike, {len(alike.looked_at)} want a look."
    )
    rows = [(f"{pair.similarity:.3f}", pair.first, pair.other) for pair in alike.pairs[:_SHOWN]]
    print_table(("alike", "environment", "and"), rows)


def _print_signal(learned: Signal) -> None:
    say("")
    print_table(("signal", "all scenarios"), [(name, _number(value)) for name, value in learned.table.items()])
    say("")
    heads = list(next(iter(learned.levels.values()), {}))
    rows = [(level, *(_number(row[head]) for head in heads)) for level, row in learned.levels.items()]
    print_table(("level", *heads), rows)
    say("\n" + ", ".join(f"{split.replace('_', ' ')} {many}" for split, many in learned.splits.items()))


def _document(figures: Figures, alike: Similarities | None, learned: Signal | None) -> dict[str, Any]:
    from envscaler_mcp.stats.figures import PAPER

    document: dict[str, Any] = {
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
    }
    if alike is not None:
        document["similarity"] = {
            "mean_nearest": alike.mean_nearest,
            "refused": [[pair.first, pair.other, pair.similarity] for pair in alike.refused],
            "looked_at": [[pair.first, pair.other, pair.similarity] for pair in alike.looked_at],
            "nearest": {
                name: [pair.other if pair.first == name else pair.first, pair.similarity]
                for name, pair in alike.nearest.items()
            },
        }
    if learned is not None:
        document["signal"] = learned.document()
    return document


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}"
