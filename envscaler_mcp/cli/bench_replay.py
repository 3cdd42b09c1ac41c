"""`envscaler bench replay`: scripted episodes, played through the protocol and compared with the official verdicts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from envscaler_mcp.cli.bench_run import farm_at
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.official.scripted import ReplayedFixture
    from envscaler_mcp.official.stage import Way


def replay_scripts(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FIXTURES", help="Files of scripted episodes, .jsonl or .jsonl.gz.", exists=True),
    ],
    parallel: Annotated[int, typer.Option(help="How many episodes are played at the same time.", min=1, max=64)] = 4,
    via: Annotated[
        Literal["worker", "stdio", "farm"],
        typer.Option(
            help="Whether MCP servers are in this process, each player has a server process, or worlds are at a farm, over HTTP."
        ),
    ] = "worker",
    server: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="With --via farm: the control plane of a farm that serves the benchmark, a socket file, a port or a URL. Default: a farm in this process.",
        ),
    ] = None,
    token_env: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The environment variable with a token of that farm for `control`. Default: made with the secret of this user's farm.",
        ),
    ] = "",
    shuffle: Annotated[
        int | None, typer.Option(metavar="SEED", help="Play them in an order of chance, by this seed.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder with the official files, if they are at no usual place."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play scripted episodes and compare results and verdicts with the official ones; exit 1 unless all are equal."""
    import anyio

    from envscaler_mcp.official.scripted import by_benchmark, read_fixtures, replay_fixtures
    from envscaler_mcp.official.stage import Stage

    fixtures = [pair for file in files for pair in read_fixtures(file)]
    if shuffle is not None:
        random.Random(shuffle).shuffle(fixtures)  # noqa: S311
    done: list[ReplayedFixture] = []
    way: Way = "http" if via == "farm" else via
    farm = farm_at(ctx, via, server, token_env)
    for benchmark, scripts in by_benchmark(fixtures):
        with Stage.of(benchmark, source) as stage, progress_bar(f"replaying {benchmark.name}") as progress:
            anyio.run(replay_fixtures, stage, scripts, parallel, done.append, progress, way, farm)
    others = sorted((each for each in done if each.differences), key=lambda each: (each.benchmark, each.fixture.task))
    if as_json:
        print_json({
            "episodes": len(done),
            "equal": len(done) - len(others),
            "different": [{"benchmark": each.benchmark, "task": each.fixture.task, "variant": each.fixture.variant, "why": list(each.differences)} for each in others],
        })  # fmt: skip
    else:
        for each in others:
            why = "; ".join(each.differences)
            say(on_one_line(f"{each.benchmark} {each.fixture.task} {each.fixture.variant}: {why}"), err=True)
        say(f"{len(done) - len(others)} of {len(done)} scripted episodes are as the official code says.")
    raise typer.Exit(0 if done and not others else 1)
