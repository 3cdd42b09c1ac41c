"""Play the benchmarks of other authors: their worlds, their users and their judges, through the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from envscaler_mcp.cli.bench_replay import replay_scripts
from envscaler_mcp.cli.bench_report import report_runs
from envscaler_mcp.cli.bench_run import run_official
from envscaler_mcp.cli.printing import print_json, say

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Play the benchmarks of other authors: their worlds, their users and their judges, through the protocol."""


app.command("run")(run_official)
app.command("replay")(replay_scripts)
app.command("report")(report_runs)


@app.command("list")
def list_benchmarks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which benchmarks are on this machine, and how to get the others; exit 1 if none is here."""
    from envscaler_mcp.official.benchmark import BENCHMARKS
    from envscaler_mcp.official.source import OfficialFilesError, find

    rows: list[dict[str, Any]] = []
    for name in sorted(BENCHMARKS):
        benchmark = BENCHMARKS[name]
        where: Path | None = None
        missing = ""
        try:
            where = find(benchmark.requirement).roots[0]
        except OfficialFilesError as cause:
            missing = str(cause)
        rows.append(
            {
                "name": name,
                "title": benchmark.title,
                "version": benchmark.requirement.version,
                "licence": benchmark.requirement.licence,
                "categories": list(benchmark.categories),
                "calls": list(benchmark.calls),
                "user_strategies": list(benchmark.user_strategies),
                "folder": None if where is None else str(where),
                "missing": missing,
                "install": benchmark.requirement.command,
            }
        )
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            say(f"{row['name']}: {row['title']} ({row['version']}, {row['licence']})", bold=True)
            say(f"  categories: {', '.join(row['categories'])}")
            say(f"  calls: {', '.join(row['calls'])}")
            if row["user_strategies"]:
                say(f"  users: {', '.join(row['user_strategies'])}")
            say(f"  here: {row['folder']}" if row["folder"] else f"  not here. {row['missing']}")
    raise typer.Exit(0 if any(row["folder"] for row in rows) else 1)
