"""`envscaler bench run`: the tasks of a benchmark, played into a run folder and judged by the official code."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.configured import configured
from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.config.bench import BenchOptions
from envscaler_mcp.html.counts import are, counted

if TYPE_CHECKING:
    from envscaler_mcp.artifacts.run import RunPlan
    from envscaler_mcp.official.at_farm import FarmAccess
    from envscaler_mcp.official.benchmark import Benchmark
    from envscaler_mcp.runs import PricedEndpoint
    from envscaler_mcp.scoring.run_folder import Tally


_TOKEN_SECONDS = 30 * 86_400.0


@configured(BenchOptions)
def run_official(ctx: typer.Context, options: BenchOptions) -> None:
    import anyio

    from envscaler_mcp.episode.agent import RunAbortedError
    from envscaler_mcp.episode.agents import agent_named
    from envscaler_mcp.official.running import plan_benchmark, run_benchmark
    from envscaler_mcp.official.scripted import reference_agent
    from envscaler_mcp.official.stage import Stage
    from envscaler_mcp.official.writing_agent import CallWriter
    from envscaler_mcp.runs import open_models

    benchmark = benchmark_named(options.benchmark)
    _refuse_contradictions(benchmark, options)
    models = _models(ctx, options)
    farm = farm_at(ctx, options.via, options.server, options.token_env)
    with Stage.of(benchmark, options.source) as stage, progress_bar("playing") as progress:
        plan = plan_benchmark(stage, options)

        async def play() -> Tally:
            opening = open_models(plan, options.out, models.get("agent"), models.get("user"), budget=options.budget)
            async with opening as (agents, users):
                # The stored solution of a benchmark is its authors' own.
                make_agent = (
                    reference_agent(stage) if options.agent == "oracle" else agent_named(options.agent, agents)[1]
                )
                folder = options.out
                written_by = None if options.calls == "native" or agents is None else CallWriter(agents, options.calls)
                return await run_benchmark(
                    stage, plan, make_agent, users, folder, options.parallel, progress, farm=farm, written_by=written_by
                )

        try:
            tally = anyio.run(play)
        except (KeyboardInterrupt, RunAbortedError):
            say(f"What was played is stored in {options.out}; the same command plays the rest.", err=True)
            raise
    _tell(plan, tally, options)


run_official.__doc__ = """Let an agent play the tasks of a benchmark; the same command continues an interrupted run."""


def benchmark_named(name: str) -> Benchmark:
    """The benchmark of that name; a misspelt one is wrong use."""
    from envscaler_mcp.official.benchmark import BENCHMARKS
    from envscaler_mcp.serving.suggestion import did_you_mean

    if name not in BENCHMARKS:
        raise typer.BadParameter(
            f"there is no benchmark {name!r}{did_you_mean(name, BENCHMARKS)}; `envscaler bench list` shows them",
            param_hint="BENCHMARK",
        )
    return BENCHMARKS[name]


def farm_at(ctx: typer.Context, via: str, server: str | None, token_env: str) -> FarmAccess | None:
    """The farm that is named, if one is."""
    if server is None:
        if token_env:
            raise typer.BadParameter("it is the token of a farm that --server names", param_hint="--token-env")
        return None
    from envscaler_mcp.farm.tokens import kept_secret, token_for
    from envscaler_mcp.official.at_farm import FarmAccess
    from envscaler_mcp.serving.control.client import ControlClient
    from envscaler_mcp.settings import secret_named

    if via != "farm":
        raise typer.BadParameter("worlds are at a farm with --via farm", param_hint="--server")
    named = secret_named(token_env) if token_env else None
    if token_env and named is None:
        raise typer.BadParameter(f"the variable {token_env!r} is empty or not set", param_hint="--token-env")
    token = named or token_for(kept_secret(settings_of(ctx).farm_secret), "control", _TOKEN_SECONDS)
    return FarmAccess(ControlClient(server, token), token)


def _refuse_contradictions(benchmark: Benchmark, options: BenchOptions) -> None:
    from envscaler_mcp.episode.agents import UnknownAgentError, agent_named
    from envscaler_mcp.episode.users import model_of_user

    if options.out.is_file():
        raise typer.BadParameter(f"{str(options.out)!r} is a file; name a folder", param_hint="--out")
    strange = [name for name in options.categories if name not in benchmark.categories]
    if strange:
        raise typer.BadParameter(
            f"{strange[0]!r} is not one of {', '.join(benchmark.categories)}", param_hint="--category"
        )
    if benchmark.needs_user_model and not model_of_user(options.user) and options.user != "scripted":
        raise typer.BadParameter(
            f"a model plays the user of {benchmark.name}; name one, such as openai:MODEL", param_hint="--user"
        )
    if options.user and not benchmark.needs_user_model:
        raise typer.BadParameter(f"no model plays the user of {benchmark.name}", param_hint="--user")
    if options.user_strategy and options.user_strategy not in benchmark.user_strategies:
        ways = ", ".join(benchmark.user_strategies) or "nothing: there is no choice"
        raise typer.BadParameter(f"{options.user_strategy!r} is not one of {ways}", param_hint="--user-strategy")
    try:
        agent_named(options.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    if options.calls != "native":
        _refuse_writing(benchmark, options)


def _refuse_writing(benchmark: Benchmark, options: BenchOptions) -> None:
    """Refuse an agent that could not write calls as the authors have it."""
    from envscaler_mcp.episode.providers import provider_of

    if options.calls not in benchmark.calls:
        raise typer.BadParameter(
            f"nothing official reads {options.calls} calls in {benchmark.name}; there is {', '.join(benchmark.calls)}",
            param_hint="--calls",
        )
    provider, _ = provider_of(options.agent)
    if provider is None:
        raise typer.BadParameter("only a model writes its calls; name one, such as openai:MODEL", param_hint="--agent")
    if provider.calling.prompts:
        raise typer.BadParameter(
            f"{options.agent!r} writes calls in a way of its own; name the model as openai:MODEL", param_hint="--agent"
        )


def _models(ctx: typer.Context, options: BenchOptions) -> dict[str, PricedEndpoint]:
    """Where the models of agent and user are asked."""
    from envscaler_mcp.cli.models import Pace
    from envscaler_mcp.cli.voices import elsewhere, place_of
    from envscaler_mcp.episode.agents import model_of_agent
    from envscaler_mcp.episode.users import model_of_user

    settings, pace = settings_of(ctx), Pace(parallel=options.parallel, timeout=options.timeout)
    models: dict[str, PricedEndpoint] = {}
    if model := model_of_agent(options.agent):
        models["agent"] = place_of(settings, model, pace, options.price, options.prices, options.budget, "agent")
    if model := model_of_user(options.user):
        other = elsewhere(settings, options.user_url, options.user_key)
        models["user"] = place_of(other, model, pace, options.user_price, options.prices, options.budget, "user")
    return models


def _tell(plan: RunPlan, tally: Tally, options: BenchOptions) -> None:
    from envscaler_mcp.cli.summary import print_summary
    from envscaler_mcp.cli.voices import cost_sentence
    from envscaler_mcp.runs.models import spent_in
    from envscaler_mcp.viewer.summary import disturbed, summary_of

    spent = spent_in(options.out)
    if options.as_json:
        print_json(summary_of(plan, tally) | ({"spent": asdict(spent)} if spent is not None else {}))
    else:
        print_summary(plan, tally)
        if spent is not None:
            say(cost_sentence(spent))
        say(f"{len(tally.done)} of {counted(len(plan.episodes), 'episode')} {are(len(tally.done))} in {options.out}.")
    raise typer.Exit(1 if disturbed(tally) else 0)
