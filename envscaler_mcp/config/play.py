"""What one episode is given that is played alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from envscaler_mcp.config.choices import AGENTS, MAX_TOKENS, PERSON, USERS
from envscaler_mcp.config.episode import LIMITS, PLAYERS, EpisodeConfig
from envscaler_mcp.config.options import Flag

SERVERS = "Servers and tasks"


class PlayOptions(EpisodeConfig):
    """The options of `envscaler play`."""

    task: Annotated[
        str, Flag("What the agent is asked to do, in addition to the tasks of the scenarios.", argument=True)
    ] = ""
    servers: Annotated[
        tuple[str, ...],
        Flag(
            "An id that `envscaler list` shows, the command of a server over stdio, or the URL of a server over "
            "streamable HTTP; repeat for several. A tool name that two servers share becomes NAME__TOOL.",
            ("--server",),
            metavar="[NAME=]SERVER",
            panel=SERVERS,
        ),
    ] = ()
    scenarios: Annotated[
        tuple[str, ...],
        Flag(
            "A scenario of this home: its world is opened and its checks judge the episode; repeat for several.",
            ("--scenario",),
            metavar="ID",
            panel=SERVERS,
        ),
    ] = ()
    tasks: Annotated[
        Path | None,
        Flag("Fresh tasks that `envscaler tasks` made; --scenario names one of them.", metavar="FILE", panel=SERVERS),
    ] = None
    agent: Annotated[str, Flag(f"The agent: {', '.join(AGENTS)}.", panel=PLAYERS)] = PERSON
    user: Annotated[str, Flag(f"The user of a conversation: {', '.join(USERS)}.", panel=PLAYERS)] = PERSON
    max_tokens: Annotated[
        int, Field(ge=1), Flag("At most this many tokens from the agent's model in the episode.", panel=LIMITS)
    ] = MAX_TOKENS
    timeout: Annotated[float, Field(ge=0.001), Flag("Seconds to wait for an answer of a model.", panel=LIMITS)] = 120
    pace: Annotated[
        float, Field(ge=0, le=3_600), Flag("Wait so many seconds before each move of the agent.", panel=LIMITS)
    ] = 0
    step: Annotated[bool, Flag("Wait for Enter before each move of the agent.", panel=LIMITS)] = False
    out: Annotated[
        Path | None,
        Flag(
            "The folder of the run: `envscaler runs` shows, replays and scores it, `envscaler export` reads it.",
        ),
    ] = None
    as_json: Annotated[bool, Flag("Print the trajectory as JSON.", ("--json",))] = False
