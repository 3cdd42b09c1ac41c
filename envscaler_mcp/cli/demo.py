"""See it work: make some servers in a home of its own, launch them, call their tools, look at what changed."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anyio
import typer
from mcp import Client

from envscaler_mcp.artifacts import Environment, StateDiff
from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.printing import Styled, print_diff, print_table, progress_bar, say
from envscaler_mcp.cli.scenes import Scene, drive, hospital, trading
from envscaler_mcp.cli.summary import disturbed
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import RegistryError
from envscaler_mcp.launch.http import over_http
from envscaler_mcp.launch.memory import in_memory
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.pipeline.building import blueprint_of
from envscaler_mcp.pipeline.emission import emit_environments
from envscaler_mcp.registry import read_registry
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.settings import Settings
from envscaler_mcp.trust import load_code

NEXT = (
    ("which worlds there are", "list"),
    ("one of them, with its rules and tools", "show hospital_stays"),
    ("try a tool yourself", "call hospital_stays list_beds condition=clean"),
    ("at the keyboard", "play --server shared_drive 'Look around.'"),
    ("play every task that ships", "run --agent oracle --out runs/first"),
    ("what came of it", "runs show runs/first"),
    ("prove the tasks of a world again", "prove hospital_stays"),
    ("what there is, in figures", "stats --html farm.html"),
    ("from Claude Desktop, VS Code or Cursor", "connect hospital_stays --client vscode --install"),
    ("make another world of the library", "build lift_service --scenarios 10"),
    ("begin a world of your own", "blueprint new bike_rental"),
)
"""What may be typed afterwards, behind the name of this program."""

PLAYERS = ("oracle", "noop", "random")

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Session:
    """A connected client, and the last call's difference where whoever opened the world is us."""

    client: Client
    diff: Callable[[], StateDiff] | None = None


@dataclass(frozen=True)
class Act:
    """One world, one way to it, and what is done in it."""

    env_id: str
    way: str
    launch: Callable[[Path], AbstractAsyncContextManager[Session]]
    story: Scene


@app.command()
def show_how_it_works(ctx: typer.Context) -> None:
    given = settings_of(ctx)
    # Its own, or the worlds of the home at hand would be made anew with as many tasks as this shows.
    settings = given.model_copy(update={"home": given.state / "demo"})
    _emit(settings)
    for number, act in enumerate(ACTS, 1):
        anyio.run(_play, number, act, settings.servers / act.env_id)
    _play_tasks(settings)
    say("\nEverything that was launched has ended.\n", bold=True)
    say("What to type next:")
    program = _program(given, settings)
    for what, command in NEXT:
        say(f"  # {what}\n  {program} {command}")


def _program(given: Settings, own: Settings) -> str:
    """What to type so that the worlds shown are found: those of the home at hand where it has them."""
    bin_ = Path(sys.executable).parent / "envscaler"
    here = bin_.relative_to(Path.cwd()) if bin_.is_relative_to(Path.cwd()) else bin_
    program = shlex.quote(str(here))
    try:
        there = {entry.id for entry in read_registry(given.registry_file).entries}
    except RegistryError:
        there = set()
    if there >= {act.env_id for act in ACTS}:
        return program
    return f"{program} --home {shlex.quote(str(own.home))}"


def _emit(settings: Settings) -> None:
    """Compile what is shown."""
    files = {act.env_id: blueprint_of(act.env_id) for act in ACTS}
    began = perf_counter()
    with progress_bar("compiling") as progress:
        emission = emit_environments(
            list(files.values()), settings.servers, settings.registry_file, workers=cpu_count() or 1, progress=progress
        )
    scenarios = sum(built.scenarios for built in emission.built)
    took = f"{perf_counter() - began:.1f} s"
    say(f"{len(files)} blueprints compiled, {scenarios} tasks made and proven in {took}", bold=True)
    entries = read_registry(settings.registry_file).entries
    tools, tasks = sum(len(entry.tools) for entry in entries), sum(entry.scenarios for entry in entries)
    say(f"{len(entries)} servers with {tools:,} tools and {tasks:,} tasks are ready in {settings.servers}.")
    say("Each has a start state that grew by playing its own operations, so every rule holds in it.")


def _play_tasks(settings: Settings) -> None:
    """One task of every environment, played by who knows the way, by who does nothing and by chance."""
    with WorldHome.at(settings.servers) as farm, TemporaryDirectory() as runs:
        names = sorted(entry.id for entry in read_registry(settings.registry_file).entries if entry.scenarios)
        first = farm.scenarios(names[0])[0]
        say(f"\n{len(ACTS) + 1}. Tasks, played and judged", bold=True)
        say(f"   {first.id}, {len(first.checks)} checks:")
        for line in first.task.splitlines():
            say(textwrap.fill(line, 96, initial_indent="   | ", subsequent_indent="   | ") if line else "   |")
        rows = []
        for agent in PLAYERS:
            plan = plan_run(farm, names, RunConfig(agent=agent, each=1))
            _, make_agent = agent_named(agent)
            with progress_bar(agent) as progress:
                tally = anyio.run(run_episodes, farm, plan, make_agent, Path(runs) / agent, 2, progress)
            done = list(tally.done.values())
            solved = sum(one.solved for one in done)
            reward = mean(one.reward for one in done)
            rows.append((agent, f"{len(done)}", f"{solved}", f"{reward:.3f}", f"{len(disturbed(tally))}"))
        say("")
        print_table(("agent", "episodes", "solved", "mean reward", "not the agent's fault"), rows)


async def _play(number: int, act: Act, folder: Path) -> None:
    environment = Environment.read_in(folder, "environment.json")
    say(f"\n{number}. {environment.title}, {act.way}", bold=True)
    say(textwrap.fill(environment.about, 100, initial_indent="   ", subsequent_indent="   "))
    began = perf_counter()
    async with act.launch(folder) as session:
        tools = (await session.client.list_tools()).tools
        say(f"   {len(tools)} tools after {perf_counter() - began:.2f} s, MCP {session.client.protocol_version}")

        async def call(tool: str, /, **arguments: object) -> dict[str, Any]:
            return await _call(session, tool, arguments)

        await act.story(call)


async def _call(session: Session, tool: str, arguments: dict[str, object]) -> dict[str, Any]:
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    say("   > ", Styled(tool, bold=True), f"({shown})")
    result = await session.client.call_tool(tool, arguments)
    payload: dict[str, Any] = result.structured_content or {}
    if result.is_error:
        say("     ", Styled("refused", typer.colors.YELLOW), f"  {payload['error']}")
    else:
        say(f"     {_in_short(payload)}")
    if session.diff is not None:
        print_diff(session.diff(), indent="       ")
    return payload


def _in_short(payload: dict[str, Any]) -> str:
    if "message" in payload:
        return str(payload["message"])
    data = payload["data"]
    lists = [(name, records) for name, records in data.items() if isinstance(records, list) and records]
    if lists:
        name, records = lists[0]
        return _cut(f"{name}: {data.get('total', len(records))}, first {json.dumps(records[0], ensure_ascii=False)}")
    return _cut(json.dumps(data, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


@asynccontextmanager
async def _in_memory(folder: Path) -> AsyncIterator[Session]:
    world = open_folder(folder, load_code(folder))
    try:
        async with in_memory(world) as client:
            yield Session(client, world.diff)
    finally:
        world.close()


@asynccontextmanager
async def _over_stdio(folder: Path) -> AsyncIterator[Session]:
    async with over_stdio(folder) as client:
        yield Session(client)


@asynccontextmanager
async def _over_http(folder: Path) -> AsyncIterator[Session]:
    async with over_http(folder) as client:
        yield Session(client)


ACTS = (
    Act("hospital_stays", "in this process, with what each call changed", _in_memory, hospital),
    Act("trading_desk", "in a process of its own, over standard input and output", _over_stdio, trading),
    Act("shared_drive", "in a process of its own, over HTTP", _over_http, drive),
)
