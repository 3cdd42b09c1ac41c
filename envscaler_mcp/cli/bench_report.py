"""`envscaler bench report`: what runs of benchmarks scored, beside the figures of the paper."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.printing import print_json, print_table, say


def report_runs(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Folders of runs.", exists=True, file_okay=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what runs of benchmarks scored, beside the figures of the EnvScaler paper, and in what the method differs."""
    from envscaler_mcp.official.report import benchmark_of, read_scores

    scores = read_scores(folders)
    benchmarks = [benchmark_of(name) for name in dict.fromkeys(score.benchmark for score in scores)]
    if as_json:
        print_json({
            "runs": [asdict(score) for score in scores],
            "published": {each.name: dict(each.published) for each in benchmarks},
            "differences": {each.name: list(each.differences) for each in benchmarks},
        })  # fmt: skip
        return
    for benchmark in benchmarks:
        say(f"{benchmark.name}: {benchmark.title}", bold=True)
        own = [score for score in scores if score.benchmark == benchmark.name]
        rows = [
            (
                score.agent if score.calls == "native" else f"{score.agent}, {score.calls} calls",
                *(_percent(score.categories[name]) for name in benchmark.categories),
                _percent(score.score),
                f"{score.done} of {score.planned}" + (f", {score.masked} masked" if score.masked else ""),
                score.folder,
            )
            for score in own
        ]
        blank = ("",) * len(benchmark.categories)
        rows += [(f"paper: {name}", *blank, f"{figure:.2f}", "", "") for name, figure in benchmark.published.items()]
        print_table(("agent", *benchmark.categories, "mean", "episodes", "run"), rows)
        for score in own:
            if score.figures:
                say(f"{score.folder}: " + ", ".join(f"{name} {figure:.2f}" for name, figure in score.figures.items()))
        say("In what a run here differs from an official one:")
        for sentence in benchmark.differences:
            say(f"  {sentence}")


def _percent(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.2f}"
