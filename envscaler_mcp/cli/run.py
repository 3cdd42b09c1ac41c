"""Let an agent play tasks, and judge and keep every episode; the same command goes on where it was interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import anyio
import typer

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import Mode, RunPlan, Via
from envscaler_mcp.artifacts.scenario import Level, Split
from envscaler_mcp.cli.lookup import folder_of, registry_of, settings_of
from envscaler_mcp.cli.models import Pace
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.cli.summary import disturbed, print_summary, summary_of
from envscaler_mcp.cli.voices import elsewhere, place_of, told
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.episode.agents import AGENTS, UnknownAgentError, agent_named, model_of_agent
from envscaler_mcp.episode.human import PATIENCE, PERSON
from envscaler_mcp.episode.users import USERS, UnknownUserError, model_of_user, user_named
from envscaler_mcp.errors import RunError
from envscaler_mcp.export.upstream_environment import SECTOR
from envscaler_mcp.runs import PricedEndpoint, RunConfig, WorldHome, open_models, plan_run, run_episodes
from envscaler_mcp.runs.engines import ENGINES, EngineOptions
from envscaler_mcp.runs.models import spent_in
from envscaler_mcp.runs.plan import ANSWER_TOKENS, MAX_STEPS, MAX_TOKENS, PUBLISHED_STEPS
from envscaler_mcp.scoring.run_folder import Tally, read_run

Engine = str
"""A name of `ENGINES`."""

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
    user: Annotated[
        str | None, typer.Option(help=f"Who plays the user of a conversation: {', '.join(USERS)}; the first by itself.")
    ] = None,
    parallel: Annotated[int, typer.Option(help="Episodes at a time.", min=1, max=64)] = 2,
    seed: Annotated[int, typer.Option(help="For the agent's own chance; a world's is its task's.")] = 0,
    repeat: Annotated[int, typer.Option(help="How often each task is played.", min=1)] = 1,
    scoring: Annotated[
        Scoring,
        typer.Option(
            help="framed: nothing is earned where something changed that must not. upstream: the published rule; "
            "worlds imported with --faithful earn exactly what they earn there."
        ),
    ] = "framed",
    max_steps: Annotated[
        int | None,
        typer.Option(
            help=f"Moves of one episode: {MAX_STEPS} by default, or as published with --scoring upstream "
            f"({PUBLISHED_STEPS['task']}, in conversations {PUBLISHED_STEPS['conversation']}).",
            min=1,
        ),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Time of one episode; 300 by itself, a day with a person.", min=0.001)
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="What an agent may write in one episode; the move that passes it is the last. "
            f"For models {MAX_TOKENS:,} by itself.",
            min=1,
        ),
    ] = None,
    answer_tokens: Annotated[
        int, typer.Option(help="What an agent's model may write at once.", min=16)
    ] = ANSWER_TOKENS,
    temperature: Annotated[
        float | None, typer.Option(min=0, max=2, help="Of the agent's model; left to the endpoint by default.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Dollars that agent and user may spend together, earlier starts of the run included."),
    ] = None,
    price: Annotated[
        str | None, typer.Option(metavar="IN,OUT[,CACHED]", help="Dollars for a million tokens of the agent's model.")
    ] = None,
    user_price: Annotated[
        str | None, typer.Option(metavar="IN,OUT[,CACHED]", help="The same for the user's model.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE", help="A table of prices by model.")] = None,
    user_url: Annotated[
        str | None, typer.Option(metavar="URL", help="The endpoint of the user's model; else that of the agent's.")
    ] = None,
    user_key: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="The variable that holds the key for --user-url.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until an answer is given up.")] = 120,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Prompts of your own, in the place of those of the same name.")
    ] = None,
    split: Annotated[Split | None, typer.Option(help="Tasks of this part of the data alone.")] = None,
    level: Annotated[Level | None, typer.Option(help="Tasks of this level alone.")] = None,
    each: Annotated[int | None, typer.Option(help="At most so many tasks of each environment.", min=1)] = None,
    limit: Annotated[
        int | None, typer.Option(help="At most so many tasks in all, from the environments by turns.", min=1)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary for programs.")] = False,
) -> None:
    if engine not in ENGINES:
        raise typer.BadParameter(f"{engine!r} is not one of {', '.join(ENGINES)}", param_hint="--engine")
    vias = ENGINES[engine].vias
    if via not in (None, *vias):
        raise typer.BadParameter(
            f"with --engine {engine} worlds are reached over {' or '.join(vias)}, not {via}", param_hint="--via"
        )
    if user and mode == "task":
        raise typer.BadParameter("there is a user only with --mode conversation", param_hint="--user")
    by_hand = PERSON in (agent, user if mode == "conversation" else "")
    if by_hand and (parallel > 1 or engine != "local"):
        raise typer.BadParameter(
            "a person plays one episode at a time, here; add --parallel 1", param_hint="--parallel"
        )
    config = RunConfig(
        agent=agent,
        environments=tuple(folder_of(ctx, name).name for name in env or ()),
        scenarios=tuple(scenario or ()),
        via=via or vias[0],
        mode=mode,
        user=(user or "scripted") if mode == "conversation" else "",
        parallel=parallel,
        seed=seed,
        repeat=repeat,
        scoring=scoring,
        max_steps=max_steps,
        max_seconds=max_seconds or (PATIENCE if by_hand else 300.0),
        max_tokens=max_tokens,
        answer_tokens=answer_tokens if model_of_agent(agent) else None,
        temperature=temperature if model_of_agent(agent) else None,
        prompts=prompts,
        split=split,
        level=level,
        each=each,
        limit=limit,
    )
    _known(config)
    settings = settings_of(ctx)
    pace = Pace(parallel=parallel, timeout=timeout)
    places: dict[str, PricedEndpoint] = {}
    if model := model_of_agent(agent):
        places["agent"] = place_of(settings, model, pace, price, prices, budget, "agent")
    if model := model_of_user(config.user):
        there = elsewhere(settings, user_url, user_key)
        places["user"] = place_of(there, model, pace, user_price, prices, budget, "user")
    environments = config.environments or tuple(entry.id for entry in registry_of(ctx).entries)
    with (
        WorldHome.at(settings_of(ctx).servers, registry_of(ctx)) as farm,
        progress_bar("playing", shown=not by_hand) as progress,
    ):
        plan = _planned(farm, environments, config)
        _tell_otherwise(farm, plan)

        async def play() -> Tally:
            async with AsyncExitStack() as stack:
                voices = open_models(plan, out, **places, budget=budget, prompts=prompts)
                agents, users = await stack.enter_async_context(voices)
                options = EngineOptions(farm, registry_of(ctx), plan.via, ray, config.max_seconds)
                there = await stack.enter_async_context(ENGINES[engine].open(options))
                _, make_agent = agent_named(config.agent, agents)
                make_user = user_named(config.user, users)[1] if config.user else None
                return await run_episodes(farm, plan, make_agent, out, config.parallel, progress, there, make_user)

        try:
            tally = anyio.run(play)
        except (KeyboardInterrupt, RunAbortedError):
            _tell_interrupted(out)
            raise
    _tell(plan, tally, out, as_json)


def _known(config: RunConfig) -> None:
    try:
        agent_named(config.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    try:
        user_named(config.user or "scripted")
    except UnknownUserError as cause:
        raise typer.BadParameter(str(cause), param_hint="--user") from cause


def _planned(farm: WorldHome, environments: Sequence[str], config: RunConfig) -> RunPlan:
    try:
        return plan_run(farm, environments, config)
    except RunError as cause:
        if config.scenarios:
            raise typer.BadParameter(str(cause), param_hint="--scenario") from cause
        raise


def _tell_otherwise(farm: WorldHome, plan: RunPlan) -> None:
    """Where published worlds are scored as published and do not behave so."""
    names = sorted({one.environment for one in plan.episodes}) if plan.scoring == "upstream" else []
    cards = [Environment.read_in(farm.servers / name, "environment.json") for name in names]
    otherwise = [card.id for card in cards if card.sector == SECTOR and card.origin != "published"]
    if otherwise:
        say(
            f"Imported without --faithful: {', '.join(otherwise)}. The published rule is applied to what their worlds did, "
            "which is not all as published; `envscaler import` lists what is otherwise.",
            err=True,
        )


def _tell(plan: RunPlan, tally: Tally, out: Path, as_json: bool) -> None:
    spent = spent_in(out)
    if as_json:
        summary = summary_of(plan, tally) | ({"spent": asdict(spent)} if spent is not None else {})
        print_json(summary)
    else:
        print_summary(plan, tally)
        if spent is not None:
            say(told(spent))
        say(f"{len(tally.done)} of {len(plan.episodes)} episodes are in {out}.")
    raise typer.Exit(1 if disturbed(tally) else 0)


def _tell_interrupted(out: Path) -> None:
    plan, tally, _ = read_run(out)
    say(
        f"{len(tally.done)} of {len(plan.episodes)} episodes are safe in {out}; the same command plays the rest.",
        err=True,
    )
