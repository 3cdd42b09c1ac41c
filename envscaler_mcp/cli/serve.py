"""Serve an environment as an MCP server with a world of its own, over stdio or HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, folder_of, leave_home_out
from envscaler_mcp.config.choices import ALL_DISTURBANCES, DISTURBANCES, Isolation, OfferedTasks

app = typer.Typer(add_completion=False)


@app.command()
def serve_world(
    ctx: typer.Context,
    env_id: Annotated[
        str,
        typer.Argument(
            metavar="ENV_ID",
            help="The id of an environment, as `envscaler list` shows it, or BENCHMARK:SERVER, such as bfcl:TravelAPI.",
        ),
    ],
    entry: Annotated[
        str, typer.Option(metavar="ID", help="Of a benchmark: the task that is begun. Default: the server's first.")
    ] = "",
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="The environment that comes with the package, whatever the home holds."),
    ] = False,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="The port for --http. Default: any free port.", min=0, max=65535)] = 0,
    host: Annotated[
        str, typer.Option(help="The address for --http. Default: this machine only; any other address needs a token.")
    ] = "",
    token_env: Annotated[
        str, typer.Option(help="The environment variable that holds the token which clients must send.")
    ] = "",
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="With --http: let web pages of this origin use the server, such as https://studio.example; repeat for several.",
        ),
    ] = None,
    state: Annotated[
        str, typer.Option(metavar="NAME_OR_FILE", help="The start state. Default: the environment's first state.")
    ] = "",
    scenario: Annotated[str, typer.Option(metavar="ID", help="Start a scenario, with its state and seed.")] = "",
    prompts: Annotated[
        OfferedTasks | None,
        typer.Option(
            help="Which tasks are offered as prompts. Default: train; with --scenario, none.", show_default=False
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world's random numbers. Default: the state's.")] = None,
    dialect: Annotated[
        str,
        typer.Option(
            metavar="DIALECT",
            help="Speak to agents in another interface: native, a number, held-out-NUMBER for those that training never "
            "meets, or random, which is told on standard error.",
        ),
    ] = "native",
    disturb: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Disturb what is between agents and the world: kinds separated by commas, groups of them "
            f"({', '.join(DISTURBANCES)}), or {ALL_DISTURBANCES}. Where they appear follows from --scenario and --seed.",
        ),
    ] = "",
    isolation: Annotated[
        Isolation | None,
        typer.Option(
            help="Where the code runs: local (this process, only compiled code), auto or hard (a worker), portable (a worker, even "
            "without the kernel's layer), trusted (this process). Default: local for compiled code, else auto."
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
        "--dialect": "" if dialect == "native" else dialect,
        "--disturb": disturb,
        "--isolation": isolation,
    }
    if not http and (port or host or token_env or allow_origin):
        raise typer.BadParameter("--port, --host, --token-env and --allow-origin belong to --http", param_hint="--http")
    if ":" in env_id:
        _serve_official(env_id, entry, http, port, host, token_env)
        return
    if entry:
        raise typer.BadParameter("only servers of a benchmark have entries", param_hint="--entry")
    if shipped:
        leave_home_out(ctx)
    given = [word for name, value in options.items() if value not in (None, "") for word in (name, str(value))]
    given += [word for origin in allow_origin or () for word in ("--allow-origin", origin)]
    registered = entry_of(ctx, env_id).digests
    arguments = ["--http", "--port", str(port), *given] if http else given
    main(folder_of(ctx, env_id), arguments, load=lambda folder: load_code(folder, registered))


def _serve_official(wanted: str, entry: str, http: bool, port: int, host: str, token_env: str) -> None:
    import anyio

    from envscaler_mcp.launch.opening import WrongUseError
    from envscaler_mcp.official.serving import Address, serve_official

    address = Address(host or "127.0.0.1", port, token_env) if http else None
    try:
        anyio.run(serve_official, wanted, entry, address)
    except WrongUseError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID") from cause
