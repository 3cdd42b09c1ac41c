"""Call a tool once in a new world, and see what it answered and changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import code_of, environment_of, folder_of, tool_of
from envscaler_mcp.cli.printing import print_diff, print_json, print_payload, say
from envscaler_mcp.config.choices import Isolation

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Environment, State, StateDiff
    from envscaler_mcp.serving import Outcome

app = typer.Typer(add_completion=False)


@app.command()
def call_tool(
    ctx: typer.Context,
    env_id: Annotated[
        str, typer.Argument(metavar="ENV_ID", help="The id of an environment, as `envscaler list` shows it.")
    ],
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool. Default: list the tools.")] = "",
    words: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="The arguments of the tool.")] = None,
    keep: Annotated[
        Path | None, typer.Option(help="A file for the state of the world, so that the next call continues from it.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_FILE",
            help="The start state of a new world. Default: the file of --keep if it exists, else the environment's first state.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world's random numbers. Default: the state's.")] = None,
    isolation: Annotated[
        Isolation | None,
        typer.Option(
            help="Where the code runs: local (this process, only compiled code), auto or hard (a worker), portable (a worker, even "
            "without the kernel's layer), trusted (this process). Default: local for compiled code, else auto."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from envscaler_mcp.cli.arguments import arguments_of
    from envscaler_mcp.launch.opening import open_folder

    environment = environment_of(ctx, env_id)
    if not tool:
        _list_tools(environment)
        return
    arguments = arguments_of(tool_of(environment, tool), words or [])
    if keep and keep.exists() and state is not None:
        raise typer.BadParameter(
            f"{str(keep)!r} holds a world already; leave out --state to go on from it, or name a new file with --keep",
            param_hint="--state",
        )
    start = str(keep) if keep and keep.exists() else state
    world = open_folder(folder_of(ctx, env_id), code_of(ctx, env_id), start, seed, isolation)
    try:
        outcome = world.call(tool, arguments)
        diff = world.diff()
        if keep and not outcome.is_error:
            _kept(environment, keep, seed, world.state()).write(keep)
    finally:
        world.close()
    _tell(outcome, diff, as_json)
    raise typer.Exit(int(outcome.is_error))


def _list_tools(environment: Environment) -> None:
    from envscaler_mcp.episode.typed import usage_of

    for tool in environment.tools:
        say(usage_of(tool).removeprefix("usage: "))


def _kept(environment: Environment, keep: Path, seed: int | None, content: dict[str, Any]) -> State:
    # With the old seed, a written environment would draw the same ids again.
    from envscaler_mcp.artifacts import State
    from envscaler_mcp.artifacts.names import state_name

    drawn = State.read(keep).seed if keep.exists() else seed or 0
    return State(environment=environment.id, name=state_name(keep.stem), seed=drawn + 1, content=content)


def _tell(outcome: Outcome, diff: StateDiff, as_json: bool) -> None:
    if as_json:
        document = {"outcome": outcome.kind, "answer": outcome.payload, "changed": diff.model_dump(mode="json")}
        print_json(document, indent=None)
        return
    print_payload(outcome.payload, ok=not outcome.is_error)
    if not diff.empty:
        say("changed", bold=True)
        print_diff(diff)
    elif outcome.is_error:
        say(f"{outcome.kind}; nothing was changed")
