"""Play one episode over any MCP servers, with a model, a program or a person as agent and user."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.configured import configured
from envscaler_mcp.cli.lookup import did_you_mean, registry_if_any, registry_of, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.config.choices import PERSON
from envscaler_mcp.config.play import PlayOptions
from envscaler_mcp.errors import WorldError

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Scenario
    from envscaler_mcp.episode.loop import EpisodeRecord, Watch
    from envscaler_mcp.runs import PricedEndpoint
    from envscaler_mcp.runs.multi_server import ExternalServer, JointlyPlayed, JointPlan, LocalServer

app = typer.Typer(add_completion=False)


@app.command()
@configured(PlayOptions)
def play_episode(ctx: typer.Context, options: PlayOptions) -> None:
    import anyio

    from envscaler_mcp.cli.models import Pace
    from envscaler_mcp.cli.voices import place_of
    from envscaler_mcp.episode.agents import agent_named, model_of_agent
    from envscaler_mcp.episode.users import model_of_user, user_named
    from envscaler_mcp.runs import WorldHome, open_voices
    from envscaler_mcp.runs.multi_server import play_jointly

    if options.out is not None and options.out.is_file():
        raise typer.BadParameter(f"{str(options.out)!r} is a file; name a folder", param_hint="--out")
    plan = _plan(ctx, options)
    if not (options.task or options.scenarios):
        raise typer.BadParameter("say what the agent shall do, or name a --scenario", param_hint="TASK")
    settings, pace = settings_of(ctx), Pace(parallel=1, timeout=options.timeout)
    models: dict[str, PricedEndpoint] = {}
    for role, model in (("agent", model_of_agent(plan.agent)), ("user", model_of_user(plan.user))):
        if model:
            models[role] = place_of(settings, model, pace, None, None, None, role)
    watch: Watch = (lambda _: None) if options.as_json else _Watching(plan)

    async def play(spent: Path) -> JointlyPlayed:
        async with open_voices(plan, spent, models.get("agent"), models.get("user")) as (agents, users):
            _, make_agent = agent_named(options.agent, agents)
            make_user = user_named(plan.user, users)[1] if plan.user else None
            return await play_jointly(farm, plan, make_agent, make_user, watch)

    with ExitStack() as stack:
        farm = stack.enter_context(WorldHome.at(settings.servers, registry_if_any(ctx)))
        spent = options.out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-")))
        done = anyio.run(play, spent)
    if options.out is not None:
        _keep(options.out, done)
    _tell(done, options.out, options.as_json)


def _plan(ctx: typer.Context, options: PlayOptions) -> JointPlan:
    from envscaler_mcp.config.episode import steps_of
    from envscaler_mcp.episode.agents import model_of_agent
    from envscaler_mcp.episode.loop import EpisodeLimits
    from envscaler_mcp.runs.multi_server import JointPlan
    from envscaler_mcp.runs.plan import prompts_of

    user = options.user if options.mode == "conversation" else ""
    limits = EpisodeLimits(
        options.max_steps or steps_of(options.scoring, options.mode),
        options.seconds,
        options.max_tokens if model_of_agent(options.agent) else None,
    )
    return JointPlan(
        servers=tuple(_servers(ctx, options.servers, options.scenarios)),
        task=options.task,
        agent=_agent(options.agent),
        limits=limits,
        mode=options.mode,
        user=_user(user) if user else "",
        seed=options.seed,
        scoring=options.scoring,
        answer_tokens=options.answer_tokens,
        temperature=options.temperature,
        prompts=prompts_of(options.agent, user, options.mode),
    )


def _agent(name: str) -> str:
    from envscaler_mcp.episode.agents import UnknownAgentError, agent_named

    try:
        return agent_named(name)[0]
    except UnknownAgentError as cause:
        raise typer.BadParameter(str(cause), param_hint="--agent") from cause


def _user(name: str) -> str:
    from envscaler_mcp.episode.users import UnknownUserError, user_named

    try:
        return user_named(name)[0]
    except UnknownUserError as cause:
        raise typer.BadParameter(str(cause), param_hint="--user") from cause


def _servers(
    ctx: typer.Context, servers: Sequence[str], scenarios: Sequence[str]
) -> list[LocalServer | ExternalServer]:
    """Every server once, under a name of its own; a scenario opens the world that was named for it, or one more."""
    from envscaler_mcp.runs.multi_server import LocalServer

    opened = [_server(ctx, text) for text in servers]
    for named in scenarios:
        environment, scenario = _scenario(ctx, named)
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
    from envscaler_mcp.runs.multi_server import ExternalServer, LocalServer

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
        message = f"{target!r} is no id that `envscaler list` shows, no URL and no command{did_you_mean(target, known)}"
        raise typer.BadParameter(message, param_hint="--server")
    return ExternalServer(name or _word(Path(command[0]).name), command)


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_") or "server"


def _scenario(ctx: typer.Context, named: str) -> tuple[str, Scenario]:
    from envscaler_mcp.serving.tasks import TaskList

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
    """Prints the episode while it is played, except what a person at this keyboard typed or was shown."""

    def __init__(self, plan: JointPlan) -> None:
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


def _keep(out: Path, done: JointlyPlayed) -> None:
    from envscaler_mcp.artifacts.artifact import write_text

    number = 1
    while (path := out / f"trajectory-{number:04}.json").exists():
        number += 1
    done.trajectory.write(path)
    tools = [tool.function for tool in done.tools]
    write_text(out / f"tools-{number:04}.json", json.dumps(tools, ensure_ascii=False, indent=1) + "\n")


def _tell(done: JointlyPlayed, out: Path | None, as_json: bool) -> None:
    from envscaler_mcp.cli.conversation import Telling

    episode = done.trajectory
    if as_json:
        print_json(episode.model_dump(mode="json"))
    else:
        Telling(episode.mode, done.scenario).verdict(episode.verdict)
        if out is not None:
            say(f"It is kept in {out}.")
    raise typer.Exit(0 if episode.verdict.owner in (None, "agent") else 1)
