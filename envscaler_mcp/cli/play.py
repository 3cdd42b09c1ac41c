"""Play one episode over any MCP servers, worlds of this home or not, and watch it; a person may be agent or user."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import anyio
import typer

from envscaler_mcp.artifacts import Check, Scenario, Trajectory
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import Mode, RunPlan
from envscaler_mcp.cli.conversation import Telling
from envscaler_mcp.cli.lookup import registry_if_any, registry_of, settings_of
from envscaler_mcp.cli.models import Pace
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.cli.voices import place_of
from envscaler_mcp.episode.agents import AGENTS, UnknownAgentError, agent_named, model_of_agent
from envscaler_mcp.episode.human import PATIENCE, PERSON
from envscaler_mcp.episode.loop import EpisodeRecord, Watch
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.users import USERS, UnknownUserError, model_of_user, user_named
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.runs import PricedEndpoint, RunConfig, WorldHome, open_models, run_episodes
from envscaler_mcp.runs.plan import (
    ANSWER_TOKENS,
    MAX_STEPS,
    MAX_TOKENS,
    PUBLISHED_STEPS,
    ExternalServer,
    LocalServer,
    plan_episode,
)
from envscaler_mcp.scoring.run_folder import Tally, recorded_episodes
from envscaler_mcp.scoring.trajectory import trajectory_of
from envscaler_mcp.serving.suggestion import did_you_mean
from envscaler_mcp.serving.tasks import TaskList
from envscaler_mcp.viewer.turns import Turn

app = typer.Typer(add_completion=False)


@app.command()
def play_episode(
    ctx: typer.Context,
    task: Annotated[str, typer.Argument(help="What is to be done; besides that, what the scenarios ask for.")] = "",
    server: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]SERVER",
            help="An id that `envscaler list` shows, the command of a server on standard streams, or the URL of one over "
            "streamable HTTP. May be repeated: tools that several offer are called NAME__TOOL.",
        ),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="A task of this home, which opens its world and judges it. May be repeated."),
    ] = None,
    agent: Annotated[str, typer.Option(help=f"Who plays: {', '.join(AGENTS)}.")] = PERSON,
    mode: Annotated[
        Mode,
        typer.Option(help="task: all is said at once and nobody reads along; conversation: with a user."),
    ] = "task",
    user: Annotated[str, typer.Option(help=f"Who plays the user of a conversation: {', '.join(USERS)}.")] = PERSON,
    seed: Annotated[int, typer.Option(help="For the agent's own chance.")] = 0,
    scoring: Annotated[
        Scoring, typer.Option(help="framed, or upstream: as published, whatever else changed.")
    ] = "framed",
    max_steps: Annotated[
        int | None,
        typer.Option(
            help=f"Moves: {MAX_STEPS} by default, or as published with --scoring upstream "
            f"({PUBLISHED_STEPS['task']}, in conversations {PUBLISHED_STEPS['conversation']}).",
            min=1,
        ),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Time; 300 by itself, a day with a person.", min=0.001)
    ] = None,
    max_tokens: Annotated[int, typer.Option(help="What an agent's model may write in all.", min=1)] = MAX_TOKENS,
    answer_tokens: Annotated[
        int, typer.Option(help="What an agent's model may write at once.", min=16)
    ] = ANSWER_TOKENS,
    temperature: Annotated[
        float | None, typer.Option(min=0, max=2, help="Of the agent's model; left to the endpoint by default.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until a model's answer is given up.")] = 120,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder that keeps the run: `envscaler runs` shows, replays and scores it, `envscaler export` reads it.",
            file_okay=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trajectory for programs.")] = False,
) -> None:
    by_hand = PERSON in (agent, user if mode == "conversation" else "")
    servers = _servers(ctx, server or (), scenario or ())
    if not (task or scenario):
        raise typer.BadParameter("say what is to be done, or name a --scenario", param_hint="TASK")
    config = RunConfig(
        agent=agent,
        mode=mode,
        user=user if mode == "conversation" else "",
        seed=seed,
        scoring=scoring,
        max_steps=max_steps,
        max_seconds=max_seconds or (PATIENCE if by_hand else 300.0),
        max_tokens=max_tokens if model_of_agent(agent) else None,
        answer_tokens=answer_tokens if model_of_agent(agent) else None,
        temperature=temperature if model_of_agent(agent) else None,
    )
    _check_names(config)
    settings, pace = settings_of(ctx), Pace(parallel=1, timeout=timeout)
    places: dict[str, PricedEndpoint] = {}
    for who, model in (("agent", model_of_agent(agent)), ("user", model_of_user(config.user))):
        if model:
            places[who] = place_of(settings, model, pace, None, None, None, who)
    with ExitStack() as stack:
        home = stack.enter_context(WorldHome.at(settings.servers, registry_if_any(ctx)))
        plan = plan_episode(home, servers, task, config)
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-")))
        external = {one.name: one.target for one in servers if isinstance(one, ExternalServer)}
        watch: Watch = (lambda _: None) if as_json else _Watching(plan)

        async def play() -> Tally:
            async with open_models(plan, folder, places.get("agent"), places.get("user")) as (agents, users):
                _, make_agent = agent_named(agent, agents)
                make_user = user_named(plan.user, users)[1] if plan.user else None
                return await run_episodes(
                    home, plan, make_agent, folder, 1, lambda *_: None, None, make_user, external, watch
                )

        tally = anyio.run(play)
        (failure,) = tally.failed.values() or (None,)
        if failure is not None:
            raise LaunchError(failure.reason)
        (place,) = recorded_episodes(folder).values()
        checks = [
            check for one in servers if isinstance(one, LocalServer) and one.scenario for check in one.scenario.checks
        ]
        _tell(trajectory_of(place.read()), checks, out, as_json)


def _check_names(config: RunConfig) -> None:
    try:
        agent_named(config.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    try:
        user_named(config.user or "scripted")
    except UnknownUserError as cause:
        raise typer.BadParameter(str(cause), param_hint="--user") from cause


def _servers(
    ctx: typer.Context, servers: Sequence[str], scenarios: Sequence[str]
) -> list[LocalServer | ExternalServer]:
    """Every server once, under a name of its own; a scenario opens the world that was named for it, or one more."""
    named = [_server(ctx, text) for text in servers]
    for text in scenarios:
        environment, scenario = _scenario(ctx, text)
        free = (
            number
            for number, server in enumerate(named)
            if isinstance(server, LocalServer) and server.environment == environment and server.scenario is None
        )
        number = next(free, None)
        if number is None:
            named.append(LocalServer(environment, environment, scenario))
        else:
            named[number] = LocalServer(named[number].name, environment, scenario)
    if not named:
        raise typer.BadParameter("name a server, or a --scenario", param_hint="--server")
    return _named_apart(named)


def _server(ctx: typer.Context, text: str) -> LocalServer | ExternalServer:
    named = re.fullmatch(r"([A-Za-z][\w-]*)=(.+)", text.strip())
    name, target = (named[1], named[2].strip()) if named else ("", text.strip())
    if re.match(r"https?://", target):
        return ExternalServer(name or _word(re.sub(r"^https?://|[/?#].*$", "", target)), target)
    known = [entry.id for entry in registry_of(ctx).entries]
    if target in known:
        return LocalServer(name or target, target)
    try:
        command = tuple(shlex.split(target))
    except ValueError as cause:
        raise typer.BadParameter(f"{target!r} is no command: {cause}", param_hint="--server") from cause
    if not command or shutil.which(command[0]) is None:
        near = did_you_mean(target, known)
        message = f"{target!r} is no id that `envscaler list` shows, no URL and no command{near}"
        raise typer.BadParameter(message, param_hint="--server")
    return ExternalServer(name or _word(Path(command[0]).name), command)


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")[:60] or "server"


def _scenario(ctx: typer.Context, named: str) -> tuple[str, Scenario]:
    servers = settings_of(ctx).servers
    # Those that are made here begin with the id of their environment.
    for entry in sorted(registry_of(ctx).entries, key=lambda entry: not named.startswith(entry.id)):
        with suppress(WorldError):
            return entry.id, TaskList(servers / entry.id).find(named)
    raise typer.BadParameter(f"there is no scenario {named!r} in this home", param_hint="--scenario")


def _named_apart(servers: Sequence[LocalServer | ExternalServer]) -> list[LocalServer | ExternalServer]:
    taken: set[str] = set()
    apart: list[LocalServer | ExternalServer] = []
    for server in servers:
        name, number = server.name, 1
        while name in taken:
            number += 1
            name = f"{server.name}_{number}"
        taken.add(name)
        apart.append(replace(server, name=name))
    return apart


class _Watching:
    """Prints what happens as it happens, but not what a person at this keyboard has just typed or been shown."""

    def __init__(self, plan: RunPlan) -> None:
        self._telling = Telling(plan.mode)
        self._plan = plan
        self._printed: int | None = None

    def __call__(self, record: EpisodeRecord) -> None:
        # A person who plays the agent sees what an agent sees, and no more.
        if self._plan.agent == PERSON:
            return
        if self._printed is None:
            self._printed = 0
            self._telling.first(record.messages)
        for number, step in enumerate(record.steps[self._printed :], self._printed + 1):
            if self._plan.user != PERSON or is_call(step):
                self._telling.turn(Turn(((number, step),)))
        self._printed = len(record.steps)


def _tell(episode: Trajectory, checks: Sequence[Check], out: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(episode.model_dump(mode="json"))
    else:
        Telling(episode.mode, checks).verdict(episode.verdict)
        if out is not None:
            say(f"It is in {out}; `envscaler runs show {out}` shows it.")
    raise typer.Exit(0 if episode.verdict.owner in (None, "agent") else 1)
