"""What `envscaler demo` shows: servers made, launched and called in three ways, and agents that play their tasks."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Protocol

import anyio
import typer
from mcp import Client

from envscaler_mcp.artifacts import Environment, StateDiff
from envscaler_mcp.cli.printing import Styled, print_diff, print_table, progress_bar, say
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import EnvScalerError, RegistryError
from envscaler_mcp.home import read_home
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
from envscaler_mcp.viewer.summary import disturbed

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


class Caller(Protocol):
    """Calls a tool, prints what happened, and returns the answer."""

    async def __call__(self, tool: str, /, **arguments: object) -> dict[str, Any]: ...


Scene = Callable[[Caller], Awaitable[None]]


async def hospital(call: Caller) -> None:
    """A bed cannot be blocked while a patient is in it, nor used again before it is clean."""
    stay = _first((await call("list_stays", status="admitted"))["data"]["stays"], "no patient is admitted")
    await call("block_bed", bed_id=stay["bed_id"], reason="broken rail")
    await call("discharge_patient", patient_id=stay["patient_id"], outcome="home")
    await call("clean_bed", bed_id=stay["bed_id"], disinfected=True)


async def trading(call: Caller) -> None:
    """Orders trade in whole lots, and match orders that are in the book."""
    instruments = (await call("list_instruments", status="trading"))["data"]["instruments"]
    empty = [i for i in instruments if i["best_bid"] is None and i["best_ask"] is None]
    instrument = _first([*empty, *instruments], "nothing is traded")
    accounts = (await call("list_accounts", status="active"))["data"]["accounts"]
    resting = (await call("list_orders", instrument_id=instrument["id"], status="open"))["data"]["orders"]
    # An account must not trade with itself.
    active = {account["id"] for account in accounts} - {order["account_id"] for order in resting}
    holdings = (await call("list_holdings", instrument_id=instrument["id"]))["data"]["holdings"]
    lot, price = instrument["lot_size"], instrument["close_price"]
    sellers = [h["account_id"] for h in holdings if h["account_id"] in active and h["units"] >= 2 * lot]
    seller = _first(sellers, f"no account holds {instrument['ticker']}")
    buyers = [a["id"] for a in accounts if a["id"] in active - {seller} and a["free_cash"] >= price * lot]
    order = {"instrument_id": instrument["id"], "price": price}
    await call("place_order", account_id=seller, side="sell", units=lot + 1, **order)
    await call("place_order", account_id=seller, side="sell", units=2 * lot, **order)
    await call("place_order", account_id=_first(buyers, "no account has the cash"), side="buy", units=lot, **order)
    await call("order_book", instrument_id=instrument["id"], side="sell")


async def drive(call: Caller) -> None:
    """A folder cannot be moved into itself; a file saved twice has two versions."""
    folders = (await call("list_folders"))["data"]["folders"]
    folder = _first([f for f in folders if f["parent_id"] is not None], "there are only top folders")
    by = folder["owner_id"]
    await call("move_folder", by_id=by, folder_id=folder["id"], into_id=folder["id"])
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size="1")
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size=1)
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size=2)
    files = (await call("list_files", folder_id=folder["id"], name="Minutes.txt"))["data"]["files"]
    await call("list_versions", file_id=_first(files, "the file is not there")["id"])


def _first(records: list[Any], missing: str) -> Any:
    if not records:
        raise EnvScalerError(f"The demo cannot continue: {missing}; `envscaler build --all` builds the worlds again")
    return records[0]


@dataclass(frozen=True)
class Session:
    """A connected client, and the difference of the last call where the world is in this process."""

    client: Client
    diff: Callable[[], StateDiff] | None = None


@dataclass(frozen=True)
class Act:
    """One world, how it is reached, and what is done in it."""

    env_id: str
    way: str
    launch: Callable[[Path], AbstractAsyncContextManager[Session]]
    story: Scene


def show(given: Settings) -> None:
    """Everything, and what may be typed next."""
    # A home of its own: in the current home a build would replace worlds that have more tasks.
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
        there = {entry.id for entry in read_home(given).registry.entries}
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
            solved = sum(attempt.solved for attempt in done)
            reward = mean(attempt.reward for attempt in done)
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
