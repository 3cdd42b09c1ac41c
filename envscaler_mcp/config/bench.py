"""What a run of an official benchmark is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from envscaler_mcp.config.choices import AGENTS, ANSWER_TOKENS, MAX_TOKENS, Calls
from envscaler_mcp.config.options import Config, Flag

PLAYERS, TASKS, LIMITS, MODELS = "Players", "Tasks", "Limits", "Models"


class BenchConfig(Config):
    """Which tasks of a benchmark are played, by which agent."""

    benchmark: Annotated[
        str, Flag("The benchmark, as `envscaler bench list` names it.", argument=True, metavar="BENCHMARK")
    ]
    agent: Annotated[str, Flag(f"The agent: {', '.join(AGENTS)}.", panel=PLAYERS)]
    user: Annotated[
        str,
        Flag(
            "The model that plays the user, openai:MODEL, where the benchmark needs one; `scripted` goes with the oracle.",
            panel=PLAYERS,
        ),
    ] = ""
    user_strategy: Annotated[
        str,
        Flag(
            "The way in which the user's model is asked, where there are several; `envscaler bench list` names them.",
            panel=PLAYERS,
            metavar="NAME",
        ),
    ] = ""
    calls: Annotated[
        Calls,
        Flag(
            "How the agent's model calls tools: by its endpoint's own means, or written into its words, which the authors' code reads then; `envscaler bench list` names the ways of each benchmark.",
            panel=PLAYERS,
        ),
    ] = "native"
    categories: Annotated[
        tuple[str, ...],
        Flag("Only this category; repeat for several. Default: all.", ("--category",), metavar="NAME", panel=TASKS),
    ] = ()
    tasks: Annotated[
        tuple[str, ...],
        Flag("Only this task; repeat for several. Default: all.", ("--task",), metavar="ID", panel=TASKS),
    ] = ()
    limit: Annotated[int | None, Field(ge=1), Flag("At most this many tasks.", panel=TASKS)] = None
    repeat: Annotated[int, Field(ge=1), Flag("How often each task is played.", panel=TASKS)] = 1
    seed: Annotated[int, Flag("Seed that the endpoints of models are sent.", panel=PLAYERS)] = 0
    parallel: Annotated[int, Field(ge=1, le=64), Flag("How many episodes are played at the same time.")] = 2
    """No part of the plan."""
    via: Annotated[
        Literal["worker", "stdio", "farm"],
        Flag(
            "Whether MCP servers are in this process, each player has a server process, or worlds are at a farm, over HTTP."
        ),
    ] = "worker"
    max_seconds: Annotated[float, Field(ge=0.001), Flag("At most this many seconds for an episode.", panel=LIMITS)] = (
        3600.0
    )
    max_tokens: Annotated[
        int | None,
        Field(ge=1),
        Flag(
            f"At most this many tokens from the agent in an episode. Default for models: {MAX_TOKENS:,}.", panel=LIMITS
        ),
    ] = None
    answer_tokens: Annotated[
        int, Field(ge=16), Flag("At most this many tokens in one answer of the agent's model.", panel=LIMITS)
    ] = ANSWER_TOKENS
    temperature: Annotated[
        float | None,
        Field(ge=0, le=2),
        Flag("Temperature of the agent's model. Default: that of official runs.", panel=MODELS),
    ] = None


class BenchOptions(BenchConfig):
    """The options of `envscaler bench run`."""

    out: Annotated[Path, Flag("The folder of the run. A run that was interrupted continues there.")]
    source: Annotated[
        Path | None, Flag("The folder with the official files, if they are at no usual place.", metavar="DIR")
    ] = None
    server: Annotated[
        str | None,
        Flag(
            "With --via farm: the control plane of a farm that serves the benchmark, a socket file, a port or a URL. Default: a farm in this process.",
            metavar="ADDRESS",
        ),
    ] = None
    token_env: Annotated[
        str,
        Flag(
            "The environment variable with a token of that farm for `control`. Default: made with the secret of this user's farm.",
            metavar="NAME",
        ),
    ] = ""
    budget: Annotated[
        float | None,
        Field(ge=0),
        Flag("At most this many dollars for the models of agent and user together.", panel=LIMITS),
    ] = None
    price: Annotated[
        str | None, Flag("Dollars per million tokens of the agent's model.", metavar="IN,OUT[,CACHED]", panel=MODELS)
    ] = None
    user_price: Annotated[
        str | None, Flag("Dollars per million tokens of the user's model.", metavar="IN,OUT[,CACHED]", panel=MODELS)
    ] = None
    prices: Annotated[Path | None, Flag("A table of prices by model.", metavar="FILE", panel=MODELS)] = None
    user_url: Annotated[
        str | None, Flag("The endpoint of the user's model. Default: the agent's.", metavar="URL", panel=MODELS)
    ] = None
    user_key: Annotated[
        str | None,
        Flag("The environment variable that holds the key for --user-url.", metavar="VARIABLE", panel=MODELS),
    ] = None
    timeout: Annotated[float, Field(ge=0.001), Flag("Seconds to wait for an answer of a model.", panel=LIMITS)] = 120
    as_json: Annotated[bool, Flag("Print the summary as JSON.", ("--json",))] = False
