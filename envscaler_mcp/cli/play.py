"""Play one episode over any MCP servers, with a model, a program or a person as agent and user."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.configured import configured
from envscaler_mcp.cli.lookup import registry_if_any, registry_of, servers_of, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.config.choices import PERSON
from envscaler_mcp.config.play import PlayOptions
from envscaler_mcp.errors import LaunchError, WorldError

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Check, Scenario, Trajectory
    from envscaler_mcp.artifacts.run import RunPlan
    from envscaler_mcp.config.run import RunConfig
    from envscaler_mcp.episode.live import EpisodeRecord, Watch
    from envscaler_mcp.runs import PricedEndpoint
    from envscaler_mcp.runs.plan import ExternalServer, LocalServer
    from envscaler_mcp.scoring.run_folder import Tally
    from envscaler_mcp.scoring.task_file import TaskFile

app = typer.Typer(add_completion=False)


@app.command()
@configured(PlayOptions)
def play_episode(ctx: typer.Context, options: PlayOptions) -> None:
    import anyio

    from envscaler_mcp.episode.agents import agent_named
    from envscaler_mcp.episode.human import EnterKey
    from envscaler_mcp.episode.pacing import paced
    from envscaler_mcp.episode.users import user_named
    from envscaler_mcp.runs import WorldHome, open_models, run_episodes
    from envscaler_mcp.runs.plan import ExternalServer, LocalServer, plan_episode
    from envscaler_mcp.scoring.run_folder import recorded_episodes
    from envscaler_mcp.scoring.task_file import TaskFile
    from envscaler_mcp.scoring.trajectory import trajectory_of

    if options.out is not None and options.out.is_file():
        raise typer.BadParameter(f"{str(options.out)!r} is a file; name a folder", param_hint="--out")
    _check_pace(options)
    tasks = None if options.tasks is None else TaskFile.at(options.tasks)
    servers = _servers(ctx, options.servers, options.scenarios, tasks)
    if not (options.task or options.scenarios):
        raise typer.BadParameter("say what the agent shall do, or name a --scenario", param_hint="TASK")
    config = _config(options)
    models = _models(ctx, config, options.timeout)
    with ExitStack() as stack:
        home = stack.enter_context(WorldHome.at(servers_of(ctx), registry_if_any(ctx), tasks))
        plan = plan_episode(home, servers, options.task, config)
        folder = options.out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-")))
        external = {server.name: server.target for server in servers if isinstance(server, ExternalServer)}
        watch: Watch = (lambda _: None) if options.as_json else _Watching(plan)

        async def play() -> Tally:
            async with open_models(plan, folder, models.get("agent"), models.get("user")) as (agents, users):
                _, make_agent = agent_named(config.agent, agents)
                if options.step or options.pace:
                    make_agent = paced(
                        make_agent, EnterKey().wait if options.step else partial(anyio.sleep, options.pace)
                    )
                make_user = user_named(plan.user, users)[1] if plan.user else None
                return await run_episodes(
                    home, plan, make_agent, folder, 1, lambda *_: None, None, make_user, external, watch
                )

        tally = anyio.run(play)
        (failure,) = tally.failed.values() or (None,)
        if failure is not None:
            raise LaunchError(failure.reason)
        (record,) = recorded_episodes(folder).values()
        scenarios = [server.scenario for server in servers if isinstance(server, LocalServer) and server.scenario]
        checks = [check for scenario in scenarios for check in scenario.checks]
        _tell(trajectory_of(record.read()), checks, options.out, options.as_json)


def _check_pace(options: PlayOptions) -> None:
    if options.step and options.pace:
        raise typer.BadParameter("wait for Enter or for seconds, not for both", param_hint="--step")
    if (options.step or options.pace) and options.agent == PERSON:
        raise typer.BadParameter("you play the agent, and set the pace", param_hint="--agent")


def _config(options: PlayOptions) -> RunConfig:
    from envscaler_mcp.config.episode import EpisodeConfig
    from envscaler_mcp.config.run import RunConfig
    from envscaler_mcp.episode.agents import UnknownAgentError, agent_named, model_of_agent
    from envscaler_mcp.episode.users import UnknownUserError, user_named

    given = {name: getattr(options, name) for name in EpisodeConfig.model_fields}
    given["user"] = options.user if options.mode == "conversation" else ""
    given["max_tokens"] = options.max_tokens if model_of_agent(options.agent) else None
    try:
        agent_named(options.agent)
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause
    try:
        user_named(given["user"] or "scripted")
    except UnknownUserError as cause:
        raise typer.BadParameter(str(cause), param_hint="--user") from cause
    return RunConfig(**given)


def _models(ctx: typer.Context, config: RunConfig, timeout: float) -> dict[str, PricedEndpoint]:
    """The endpoints of the models that play, by role."""
    from envscaler_mcp.cli.models import Pace
    from envscaler_mcp.cli.voices import place_of
    from envscaler_mcp.episode.agents import model_of_agent
    from envscaler_mcp.episode.users import model_of_user

    settings, pace = settings_of(ctx), Pace(parallel=1, timeout=timeout)
    roles = {"agent": model_of_agent(config.agent), "user": model_of_user(config.user)}
    return {role: place_of(settings, model, pace, None, None, None, role) for role, model in roles.items() if model}


def _servers(
    ctx: typer.Context, servers: Sequence[str], scenarios: Sequence[str], tasks: TaskFile | None
) -> list[LocalServer | ExternalServer]:
    """Every server once, under a name of its own; a scenario opens the world that was named for it, or one more."""
    from envscaler_mcp.runs.plan import LocalServer

    opened = [_server(ctx, text) for text in servers]
    for named in scenarios:
        environment, scenario = _scenario(ctx, named, tasks)
        waiting = (
            place
            for place, server in enumerate(opened)
            if isinstance(server, LocalServer) and server.environment == environment and server.scenario is None
        )
        place = next(waiting, None)
        if place is None:
            opened.append(LocalServer(environment, environment, scenario))
        else:
            opened[place] = LocalServer(opened[place].name, environment, scenario)
    if not opened:
        raise typer.BadParameter("name a server, or a --scenario", param_hint="--server")
    return _named_apart(opened)


def _server(ctx: typer.Context, text: str) -> LocalServer | ExternalServer:
    from envscaler_mcp.runs.plan import ExternalServer, LocalServer

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
        from envscaler_mcp.serving.suggestion import did_you_mean

        message = f"{target!r} is no id that `envscaler list` shows, no URL and no command{did_you_mean(target, known)}"
        raise typer.BadParameter(message, param_hint="--server")
    return ExternalServer(name or _word(Path(command[0]).name), command)


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")[:60] or "server"


def _scenario(ctx: typer.Context, named: str, tasks: TaskFile | None) -> tuple[str, Scenario]:
    from envscaler_mcp.serving.tasks import TaskList

    if tasks is not None:
        environment = next((name for name in tasks.environments if named in tasks.ids(name)), None)
        if environment is None:
            raise typer.BadParameter(f"there is no scenario {named!r} in {tasks.path}", param_hint="--scenario")
        return environment, tasks.scenario(environment, named)
    servers = servers_of(ctx)
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
    """Prints the episode while it is played, except what a person at this keyboard typed or was shown."""

    def __init__(self, plan: RunPlan) -> None:
        from envscaler_mcp.cli.conversation import Telling

        self._telling = Telling(plan.mode)
        self._plan = plan
        self._told: int | None = None

    def __call__(self, played: EpisodeRecord) -> None:
        # A person who plays the agent sees only what an agent sees.
        from envscaler_mcp.episode.transcript import is_call
        from envscaler_mcp.viewer.turns import Turn

        if self._plan.agent == PERSON:
            return
        if self._told is None:
            self._told = 0
            self._telling.first(played.messages)
        for place, step in enumerate(played.steps[self._told :], self._told + 1):
            if self._plan.user != PERSON or is_call(step):
                self._telling.turn(Turn(((place, step),)))
        self._told = len(played.steps)


def _tell(episode: Trajectory, checks: Sequence[Check], out: Path | None, as_json: bool) -> None:
    from envscaler_mcp.cli.conversation import Telling

    if as_json:
        print_json(episode.model_dump(mode="json"))
    else:
        Telling(episode.mode, checks).verdict(episode.verdict)
        if out is not None:
            say(f"It is in {out}; `envscaler runs show {out}` shows it.")
    raise typer.Exit(0 if episode.verdict.owner in (None, "agent") else 1)
