"""What a run is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from envscaler_mcp.config.choices import ALL_DISTURBANCES, DISTURBANCES, NATIVE, USERS, Level, Split, Via
from envscaler_mcp.config.episode import LIMITS, MODELS, PLAYERS, EpisodeConfig
from envscaler_mcp.config.options import Flag

TASKS, WORLDS = "Tasks", "Worlds"


class RunConfig(EpisodeConfig):
    """What is to be played, by which agent, and how."""

    user: Annotated[
        str, Flag(f"The user of a conversation: {', '.join(USERS)}. Default: {USERS[0]}.", panel=PLAYERS)
    ] = ""
    environments: Annotated[
        tuple[str, ...],
        Flag("Only this environment; repeat for several. Default: all.", ("--env",), metavar="ID", panel=TASKS),
    ] = ()
    scenarios: Annotated[
        tuple[str, ...],
        Flag("Only this scenario; repeat for several. Default: all.", ("--scenario",), metavar="ID", panel=TASKS),
    ] = ()
    tasks: Annotated[
        Path | None,
        Flag("Fresh tasks that `envscaler tasks` made, in place of those that ship.", metavar="FILE", panel=TASKS),
    ] = None
    split: Annotated[Split | None, Flag("Only tasks of this split.", panel=TASKS)] = None
    level: Annotated[Level | None, Flag("Only tasks of this level.", panel=TASKS)] = None
    each: Annotated[int | None, Field(ge=1), Flag("At most this many tasks of each environment.", panel=TASKS)] = None
    limit: Annotated[
        int | None,
        Field(ge=1),
        Flag("At most this many tasks in all, taken from the environments in turn.", panel=TASKS),
    ] = None
    repeat: Annotated[int, Field(ge=1), Flag("How often each task is played.", panel=TASKS)] = 1
    via: Annotated[
        Via | None,
        Flag("How worlds are reached. Default: direct; with --engine ray, http.", panel=WORLDS),
    ] = None
    dialect: Annotated[
        str,
        Flag(
            "What agents speak to worlds in: native, the number of a dialect, held-out-NUMBER for one that training never meets, "
            "or random, another for each episode. Default: native.",
            metavar="DIALECT",
            panel=WORLDS,
        ),
    ] = NATIVE
    disturb: Annotated[
        str,
        Flag(
            "What is disturbed between agents and worlds: kinds, separated by commas, groups of them "
            f"({', '.join(DISTURBANCES)}), or {ALL_DISTURBANCES}. Default: nothing.",
            metavar="NAMES",
            panel=WORLDS,
        ),
    ] = ""
    parallel: Annotated[
        int, Field(ge=1, le=64), Flag("How many episodes are played at the same time.", panel=WORLDS)
    ] = 2
    """No part of the plan."""
    prompts: Annotated[
        Path | None,
        Flag("A folder of prompts that replace the built-in prompts of the same name.", metavar="DIR", panel=MODELS),
    ] = None


class RunOptions(RunConfig):
    """The options of `envscaler run`."""

    out: Annotated[Path, Flag("The folder of the run. A run that was interrupted continues there.")]
    engine: Annotated[
        str,
        Flag(
            "Where worlds run: local, on this machine; ray, on the nodes of a Ray cluster; or the engine of a plug-in.",
            metavar="NAME",
            panel=WORLDS,
        ),
    ] = "local"
    ray: Annotated[
        str,
        Flag(
            "The cluster of --engine ray: auto finds the cluster of this machine, local starts a new one.",
            metavar="ADDRESS",
            panel=WORLDS,
        ),
    ] = "auto"
    processes: Annotated[
        int | None,
        Field(ge=1, le=64),
        Flag(
            "In how many processes episodes are played, at most --parallel. Default: the number of cores, and 1 for a short run.",
            panel=WORLDS,
        ),
    ] = None
    budget: Annotated[
        float | None,
        Field(ge=0),
        Flag(
            "At most this many dollars for the models of agent and user together, earlier starts of the run included.",
            panel=LIMITS,
        ),
    ] = None
    price: Annotated[
        str | None,
        Flag("Dollars per million tokens of the agent's model.", metavar="IN,OUT[,CACHED]", panel=MODELS),
    ] = None
    user_price: Annotated[
        str | None,
        Flag("Dollars per million tokens of the user's model.", metavar="IN,OUT[,CACHED]", panel=MODELS),
    ] = None
    prices: Annotated[Path | None, Flag("A table of prices by model.", metavar="FILE", panel=MODELS)] = None
    user_url: Annotated[
        str | None,
        Flag("The endpoint of the user's model. Default: the agent's.", metavar="URL", panel=MODELS),
    ] = None
    user_key: Annotated[
        str | None,
        Flag("The environment variable that holds the key for --user-url.", metavar="VARIABLE", panel=MODELS),
    ] = None
    timeout: Annotated[float, Field(ge=0.001), Flag("Seconds to wait for an answer of a model.", panel=LIMITS)] = 120
    as_json: Annotated[bool, Flag("Print the summary as JSON.", ("--json",))] = False
