"""Let an agent play tasks; every episode is judged and stored. The same command continues an interrupted run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.configured import configured
from envscaler_mcp.cli.lookup import folder_of, registry_of, servers_of, settings_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.config.choices import NATIVE, RANDOM
from envscaler_mcp.config.run import RunOptions
from envscaler_mcp.errors import RunError
from envscaler_mcp.html.counts import are, counted

if TYPE_CHECKING:
    from envscaler_mcp.artifacts.run import RunPlan
    from envscaler_mcp.runs import PricedEndpoint, RunConfig, WorldHome
    from envscaler_mcp.scoring.run_folder import Tally
    from envscaler_mcp.scoring.task_file import TaskFile

app = typer.Typer(add_completion=False)


@app.command()
@configured(RunOptions)
def run_agent(ctx: typer.Context, options: RunOptions) -> None:
    import anyio

    from envscaler_mcp.episode.agent import RunAbortedError
    from envscaler_mcp.episode.agents import agent_named
    from envscaler_mcp.episode.users import user_named
    from envscaler_mcp.runs import PlayerProcesses, WorldHome, open_models, run_episodes
    from envscaler_mcp.runs.engines import ENGINES, EngineOptions
    from envscaler_mcp.scoring.task_file import TaskFile

    _refuse_contradictions(options)
    config = options.model_copy(
        update={
            "environments": tuple(folder_of(ctx, name).name for name in options.environments),
            "via": options.via or ENGINES[options.engine].vias[0],
        }
    )
    models = _models(ctx, config)
    tasks = None if config.tasks is None else TaskFile.at(config.tasks)
    environments = _environments(ctx, config, tasks)
    with (
        WorldHome.at(servers_of(ctx), registry_of(ctx), tasks) as home,
        progress_bar("playing", shown=not config.by_hand) as progress,
    ):
        plan = _planned(home, environments, config)
        _tell_otherwise(home, plan)

        async def play() -> Tally:
            async with AsyncExitStack() as stack:
                opening = open_models(plan, config.out, **models, budget=config.budget, prompts=config.prompts)
                agents, users = await stack.enter_async_context(opening)
                engine = EngineOptions(home, registry_of(ctx), plan.via, config.ray, config.seconds)
                hosting = await stack.enter_async_context(ENGINES[config.engine].open(engine))
                _, make_agent = agent_named(config.agent, agents)
                make_user = user_named(plan.user, users)[1] if plan.user else None
                processes = PlayerProcesses(
                    home.servers,
                    registry_of(ctx),
                    config.agent,
                    agents,
                    users,
                    config.prompts,
                    config.processes,
                    config.out if tasks is not None else None,
                )
                return await run_episodes(
                    home,
                    plan,
                    make_agent,
                    config.out,
                    config.parallel,
                    progress,
                    hosting,
                    make_user,
                    # Worlds of other engines, and persons, are reached from this process alone.
                    processes=processes if config.engine == "local" and not config.by_hand else None,
                )

        try:
            tally = anyio.run(play)
        except (KeyboardInterrupt, RunAbortedError):
            _tell_interrupted(config.out)
            raise
    _tell(plan, tally, config.out, config.as_json)


def _environments(ctx: typer.Context, config: RunOptions, tasks: TaskFile | None) -> tuple[str, ...]:
    """Those that were chosen; by default all, or all of which there are fresh tasks."""
    if tasks is None:
        return config.environments or tuple(entry.id for entry in registry_of(ctx).entries)
    return config.environments or tuple(folder_of(ctx, name).name for name in tasks.environments)


def _refuse_contradictions(options: RunOptions) -> None:
    from envscaler_mcp.episode.agents import UnknownAgentError, agent_named
    from envscaler_mcp.episode.users import UnknownUserError, user_named
    from envscaler_mcp.runs.engines import ENGINES

    if options.out.is_file():
        raise typer.BadParameter(f"{str(options.out)!r} is a file; name a folder", param_hint="--out")
    if options.engine not in ENGINES:
        raise typer.BadParameter(f"{options.engine!r} is not one of {', '.join(ENGINES)}", param_hint="--engine")
    vias = ENGINES[options.engine].vias
    if options.via not in (None, *vias):
        raise typer.BadParameter(
            f"with --engine {options.engine} worlds are reached over {' or '.join(vias)}, not {options.via}",
            param_hint="--via",
        )
    if options.user and options.mode == "task":
        raise typer.BadParameter("only --mode conversation has a user", param_hint="--user")
    _check_interface(options)
    if options.tasks is not None and (options.engine != "local" or options.via not in (None, "direct", "worker")):
        raise typer.BadParameter(
            "worlds of fresh tasks are opened in this process or in a worker: --via direct or worker",
            param_hint="--tasks",
        )
    if options.by_hand and (options.parallel > 1 or options.engine != "local"):
        raise typer.BadParameter(
            "a person plays one episode at a time, on this machine; add --parallel 1", param_hint="--parallel"
        )
    if (options.processes or 1) > 1 and options.engine != "local":
        raise typer.BadParameter(
            f"the worlds of --engine {options.engine} are reached from one process; leave --processes out",
            param_hint="--processes",
        )
    try:
        agent_named(options.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    try:
        user_named(options.user or "scripted")
    except UnknownUserError as cause:
        raise typer.BadParameter(str(cause), param_hint="--user") from cause


def _models(ctx: typer.Context, options: RunOptions) -> dict[str, PricedEndpoint]:
    """The endpoints of the models that play, by role."""
    from envscaler_mcp.cli.models import Pace
    from envscaler_mcp.cli.voices import elsewhere, place_of
    from envscaler_mcp.episode.agents import model_of_agent
    from envscaler_mcp.episode.users import model_of_user

    settings, pace = settings_of(ctx), Pace(parallel=options.parallel, timeout=options.timeout)
    models: dict[str, PricedEndpoint] = {}
    if model := model_of_agent(options.agent):
        models["agent"] = place_of(settings, model, pace, options.price, options.prices, options.budget, "agent")
    if model := model_of_user(options.user if options.mode == "conversation" else ""):
        other = elsewhere(settings, options.user_url, options.user_key)
        models["user"] = place_of(other, model, pace, options.user_price, options.prices, options.budget, "user")
    return models


def _check_dialect(wanted: str) -> None:
    from envscaler_mcp.dialects import DialectName
    from envscaler_mcp.errors import WorldError

    try:
        DialectName.read(wanted)
    except WorldError as cause:
        raise typer.BadParameter(str(cause), param_hint="--dialect") from cause


def _check_interface(options: RunOptions) -> None:
    """What is wrong with the dialect or the disturbances that were chosen."""
    if options.dialect not in (NATIVE, RANDOM):
        _check_dialect(options.dialect)
    if options.dialect != NATIVE and (options.engine != "local" or options.via not in (None, "direct", "worker")):
        raise typer.BadParameter("dialects are spoken with --via direct or worker", param_hint="--dialect")
    if options.disturb:
        _check_disturbances(options)


def _check_disturbances(options: RunOptions) -> None:
    from envscaler_mcp.disturbances import read_disturbances
    from envscaler_mcp.errors import WorldError

    if options.engine != "local" or options.via not in (None, "direct", "worker"):
        raise typer.BadParameter("worlds are disturbed with --via direct or worker", param_hint="--disturb")
    try:
        read_disturbances(options.disturb)
    except WorldError as cause:
        raise typer.BadParameter(str(cause), param_hint="--disturb") from cause


def _planned(home: WorldHome, environments: Sequence[str], config: RunConfig) -> RunPlan:
    from envscaler_mcp.runs import plan_run

    try:
        return plan_run(home, environments, config)
    except RunError as cause:
        if config.scenarios:
            raise typer.BadParameter(str(cause), param_hint="--scenario") from cause
        raise


def _tell_otherwise(home: WorldHome, plan: RunPlan) -> None:
    """Where published worlds are scored as published and do not behave so."""
    from envscaler_mcp.artifacts import Environment
    from envscaler_mcp.export.upstream_environment import SECTOR

    names = sorted({episode.environment for episode in plan.episodes}) if plan.scoring == "upstream" else []
    cards = [Environment.read_in(home.servers / name, "environment.json") for name in names]
    otherwise = [card.id for card in cards if card.sector == SECTOR and card.origin != "published"]
    if otherwise:
        say(
            f"Imported without --faithful: {', '.join(otherwise)}. The published rule is applied to what these environments did, "
            "which is not all as published; `envscaler import` lists what is otherwise.",
            err=True,
        )


def _tell(plan: RunPlan, tally: Tally, out: Path, as_json: bool) -> None:
    from envscaler_mcp.cli.summary import print_summary
    from envscaler_mcp.cli.voices import cost_sentence
    from envscaler_mcp.runs.models import spent_in
    from envscaler_mcp.viewer.summary import disturbed, summary_of

    spent = spent_in(out)
    if as_json:
        summary = summary_of(plan, tally) | ({"spent": asdict(spent)} if spent is not None else {})
        print_json(summary)
    else:
        print_summary(plan, tally)
        if spent is not None:
            say(cost_sentence(spent))
        say(f"{len(tally.done)} of {counted(len(plan.episodes), 'episode')} {are(len(tally.done))} in {out}.")
    raise typer.Exit(1 if disturbed(tally) else 0)


def _tell_interrupted(out: Path) -> None:
    from envscaler_mcp.scoring.run_folder import read_run

    plan, tally, _ = read_run(out)
    say(
        f"{len(tally.done)} of {counted(len(plan.episodes), 'episode')} {are(len(tally.done))} stored in {out}; the same command plays the rest.",
        err=True,
    )
