"""Look at runs, finished or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import registry_if_any, servers_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.cli.replaying import replay, rescore
from envscaler_mcp.config.choices import Owner

if TYPE_CHECKING:
    from envscaler_mcp.artifacts.run import RunPlan
    from envscaler_mcp.viewer.review import Review

app = typer.Typer(add_completion=False, no_args_is_help=True)

RunArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.", exists=True, file_okay=False)]


@app.callback()
def runs() -> None:
    """Look at runs, finished or not."""


app.command("replay")(replay)
app.command("rescore")(rescore)


@app.command("show")
def show_run(
    ctx: typer.Context,
    folder: RunArgument,
    episode: Annotated[str, typer.Option(metavar="ID", help="Show one episode, step by step.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="List the episodes that were not solved.")] = False,
    owner: Annotated[Owner | None, typer.Option(help="List the episodes whose failure has this owner.")] = None,
    env: Annotated[str, typer.Option(metavar="ID", help="List the episodes of one environment.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which episodes are done, their rewards, and what is missing; exit 1 if an episode failed through no fault of its agent."""
    from envscaler_mcp.cli.summary import print_attempts, print_gaps, print_summary
    from envscaler_mcp.scoring.run_folder import read_run
    from envscaler_mcp.viewer.choosing import chosen
    from envscaler_mcp.viewer.summary import disturbed, summary_of

    plan, tally, damaged = read_run(folder)
    listed = failed or owner is not None or bool(env)
    if episode and listed:
        raise typer.BadParameter("--failed, --owner and --env list episodes; one is shown without them")
    if env and env not in {planned.environment for planned in plan.episodes}:
        raise typer.BadParameter(f"no episode of {env!r} is in the plan of {folder}", param_hint="--env")
    if episode:
        _show_episode(ctx, folder, plan, episode, as_json)
        return
    attempts = chosen(tally, failed=failed, owner=owner, environment=env)
    if as_json:
        print_json({**summary_of(plan, tally, attempts), "damaged": damaged})
        raise typer.Exit(1 if disturbed(tally) else 0)
    if listed:
        print_attempts(attempts)
    else:
        print_summary(plan, tally)
    print_gaps(plan, tally, damaged)
    raise typer.Exit(1 if disturbed(tally) else 0)


@app.command("html")
def write_html(
    ctx: typer.Context,
    folder: RunArgument,
    out: Annotated[Path, typer.Option(help="The file to write.", dir_okay=False)],
    limit: Annotated[int | None, typer.Option(help="At most this many episodes, the earliest first.", min=1)] = None,
) -> None:
    """Write one self-contained HTML page: a list with filters, and each episode as a conversation."""
    from envscaler_mcp.viewer.writing import write_page

    with _review(ctx, folder) as review, progress_bar("looking at") as progress:
        episodes, size = write_page(folder, out, review, limit, progress)
    say(f"{out} shows {episodes} episodes in {size / 1e6:.1f} MB.")


@contextmanager
def _review(ctx: typer.Context, folder: Path) -> Iterator[Review]:
    from envscaler_mcp.runs import WorldHome
    from envscaler_mcp.scoring.task_file import TaskFile
    from envscaler_mcp.viewer.review import Review

    with WorldHome.at(servers_of(ctx), registry_if_any(ctx)) as farm:
        yield Review(farm.servers, farm.judge, TaskFile.of_run(folder))


def _show_episode(ctx: typer.Context, folder: Path, plan: RunPlan, wanted: str, as_json: bool) -> None:
    from envscaler_mcp.cli.conversation import print_episode
    from envscaler_mcp.scoring.run_folder import recorded_episodes

    places = recorded_episodes(folder)
    names = (wanted, *(planned.id for planned in plan.episodes if planned.scenario == wanted))
    recorded = next((places[name] for name in names if name in places), None)
    if recorded is None:
        raise typer.BadParameter(f"no episode {wanted!r} is done in {folder}", param_hint="--episode")
    if as_json:
        print_json(json.loads(recorded.read()))
        return
    with _review(ctx, folder) as review:
        print_episode(review.of(recorded.read()))
