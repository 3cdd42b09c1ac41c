"""Serve one world: on standard input and output for a host, or over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, folder_of
from envscaler_mcp.config.choices import Isolation, OfferedTasks

app = typer.Typer(add_completion=False)


@app.command()
def serve_world(
    ctx: typer.Context,
    env_id: Annotated[str, typer.Argument(metavar="ENV_ID", help="An id that `envscaler list` shows.")],
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of standard input and output.")] = False,
    port: Annotated[int, typer.Option(help="The port for --http; any free one by itself.", min=0, max=65535)] = 0,
    host: Annotated[str, typer.Option(help="The address for --http; any but this machine's needs a token.")] = "",
    token_env: Annotated[str, typer.Option(help="The variable that holds the token which clients must send.")] = "",
    state: Annotated[str, typer.Option(metavar="NAME_OR_FILE", help="Where the world begins.")] = "",
    scenario: Annotated[str, typer.Option(metavar="ID", help="Begin at a task, with its state and seed.")] = "",
    prompts: Annotated[
        OfferedTasks | None,
        typer.Option(
            help="Which tasks that begin here are prompts; train by default, none with --scenario.", show_default=False
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the world's chance; the state's own by itself.")] = None,
    isolation: Annotated[
        Isolation | None,
        typer.Option(
            help="Where the code runs; default: here if compiled, else in a worker (auto). portable: in a worker, also without "
            "the kernel's layer."
        ),
    ] = None,
) -> None:
    from envscaler_mcp.launch.server import main
    from envscaler_mcp.trust import load_code

    options = {
        "--host": host,
        "--token-env": token_env,
        "--state": state,
        "--scenario": scenario,
        "--prompts": prompts,
        "--seed": seed,
        "--isolation": isolation,
    }
    if not http and (port or host or token_env):
        raise typer.BadParameter("--port, --host and --token-env belong to --http", param_hint="--http")
    given = [word for name, value in options.items() if value not in (None, "") for word in (name, str(value))]
    registered = entry_of(ctx, env_id).digests
    arguments = ["--http", "--port", str(port), *given] if http else given
    main(folder_of(ctx, env_id), arguments, load=lambda folder: load_code(folder, registered))
