"""Let an agent play tasks, and judge and keep every episode; the same command goes on where it was interrupted."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import anyio
import typer

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.cli.lookup import folder_of, registry_of, settings_of
from envscaler_mcp.cli.printing import progress_bar
from envscaler_mcp.cli.summary import disturbed, print_summary, summary_of
from envscaler_mcp.episode.agents import AGENTS, UnknownAgentError, agent_named
from envscaler_mcp.episode.users import USERS
from envscaler_mcp.errors import RunError
from envscaler_mcp.farm import Farm, RunConfig, plan_run, run_episodes
from envscaler_mcp.launch.ways import Via
from envscaler_mcp.scoring.run_folder import Tally, read_run
from envscaler_mcp.serving.grading import Scoring

Engine = Literal["local", "ray"]
Mode = Literal["task", "conversation"]

app = typer.Typer(add_completion=False)


@app.command()
def run_agent(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="The folder that keeps the run.", file_okay=False)],
    agent: Annotated[str, typer.Option(help=f"Who plays: {', '.join(AGENTS)}.")] = "oracle",
    env: Annotated[list[str] | None, typer.Option(metavar="ID", help="An environment; all by itself.")] = None,
    scenario: Annotated[list[str] | None, typer.Option(metavar="ID", help="A task; all by itself.")] = None,
    via: Annotated[
        Via | None, typer.Option(help="How worlds are reached: direct by itself, http with --engine ray.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="Where worlds live: on this machine, or on the nodes of a Ray cluster.")
    ] = "local",
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The cluster of --engine ray; auto is the one of this machine, local a new one."
        ),
    ] = "auto",
    mode: Annotated[
        Mode, typer.Option(help="task: all is said at once and nobody reads along; conversation: with a user.")
    ] = "task",
    user: Annotated[str, typer.Option(help=f"Who plays the user of a conversation: {', '.join(USERS)}.")] = "scripted",
    parallel: Annotated[int, typer.Option(help="Episodes at a time.", min=1, max=64)] = 2,
    seed: Annotated[int, typer.Option(help="For the agent's own chance; a world's is its task's.")] = 0,
    repeat: Annotated[int, typer.Option(help="How often each task is played.", min=1)] = 1,
    scoring: Annotated[
        Scoring, typer.Option(help="framed: nothing is earned where something changed that must not; or upstream.")
    ] = "framed",
    max_steps: Annotated[int, typer.Option(help="Moves of one episode.", min=1)] = 60,
    max_seconds: Annotated[float, typer.Option(help="Time of one episode.", min=0.001)] = 300.0,
    limit: Annotated[int | None, typer.Option(help="At most so many tasks of each environment.", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary for programs.")] = False,
) -> None:
    if engine == "ray" and via not in (None, "http"):
        raise typer.BadParameter(f"worlds of a cluster are reached over http, not {via}", param_hint="--via")
    config = RunConfig(
        agent=agent,
        environments=tuple(folder_of(ctx, name).name for name in env or ()),
        scenarios=tuple(scenario or ()),
        via=via or ("http" if engine == "ray" else "direct"),
        mode=mode,
        user=user if mode == "conversation" else "",
        parallel=parallel,
        seed=seed,
        repeat=repeat,
        scoring=scoring,
        max_steps=max_steps,
        max_seconds=max_seconds,
        limit=limit,
    )
    try:
        _, make_agent = agent_named(config.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    environments = config.environments or tuple(entry.id for entry in registry_of(ctx).entries)
    with Farm.at(settings_of(ctx).servers) as farm, progress_bar("playing") as progress:
        plan = _planned(farm, environments, config)
        try:
            play = partial(run_episodes, farm, plan, make_agent, out, config.parallel, progress)
            tally = anyio.run(play) if engine == "local" else anyio.run(_on_ray, play, ctx, ray, config.max_seconds)
        except KeyboardInterrupt:
            _tell_interrupted(out)
            raise
    _tell(plan, tally, out, as_json)


async def _on_ray(play: Callable[..., Awaitable[Tally]], ctx: typer.Context, address: str, seconds: float) -> Tally:
    from envscaler_mcp.service.on_ray.engine import ray_engine

    async with ray_engine(address, settings_of(ctx).servers, registry_of(ctx), seconds) as engine:
        return await play(engine=engine)


def _planned(farm: Farm, environments: Sequence[str], config: RunConfig) -> RunPlan:
    try:
        return plan_run(farm, environments, config)
    except RunError as cause:
        if config.scenarios:
            raise typer.BadParameter(str(cause), param_hint="--scenario") from cause
        raise


def _tell(plan: RunPlan, tally: Tally, out: Path, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary_of(plan, tally), ensure_ascii=False, indent=1))
    else:
        print_summary(plan, tally)
        typer.echo(f"{len(tally.done)} of {len(plan.episodes)} episodes are in {out}.")
    raise typer.Exit(1 if disturbed(tally) else 0)


def _tell_interrupted(out: Path) -> None:
    plan, tally, _ = read_run(out)
    typer.echo(
        f"{len(tally.done)} of {len(plan.episodes)} episodes are safe in {out}; the same command plays the rest.",
        err=True,
    )
