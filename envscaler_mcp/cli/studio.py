"""Open the studio in a browser: worlds to see, to play in, and to watch agents in."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, home_of, registry_written, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.cli.studio_models import USER_HELP, answering_user, playing_model
from envscaler_mcp.config.choices import StudioScope

if TYPE_CHECKING:
    from envscaler_mcp.farm.builds import Writer
    from envscaler_mcp.farm.studio_agents import StudioModel
    from envscaler_mcp.settings import Settings

DEMO_PACE = 2.5
"""Seconds in which people can read what a call did."""
_EVERY = ("0.0.0.0", "::", "")  # noqa: S104 - refused
app = typer.Typer(add_completion=False)


@app.command()
def studio(
    ctx: typer.Context,
    environment: Annotated[str, typer.Argument(help="Open it at this environment. Default: the gallery.")] = "",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen at this address of this machine, so that others in its network can join classes. Default: this machine only.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 means any free port.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Start a browser; else only the address is printed.")] = True,
    scope: Annotated[
        StudioScope, typer.Option(help="control: may open and change worlds; read: may only look.")
    ] = "control",
    agent: Annotated[
        str,
        typer.Option(
            metavar="PROVIDER:MODEL", help="A model that may play tasks and write worlds, such as openai:MODEL."
        ),
    ] = "",
    user: Annotated[str, typer.Option(metavar="PROVIDER:MODEL", help=USER_HELP)] = "",
    budget: Annotated[
        float | None,
        typer.Option(
            help="At most so many dollars for these models together, half of them for worlds that one writes; needs their prices.",
            min=0,
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder of run folders to show, or one of them. Default: `runs` in the home.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    processes: Annotated[int, typer.Option(help="How many processes serve.", min=1)] = 1,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Show this benchmark too; repeat for several. `envscaler bench list` names them."
        ),
    ] = None,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Play tasks of unlike worlds one after the other, for people who watch, until one of them touches the page. "
            "With ENVIRONMENT: only its tasks.",
        ),
    ] = False,
    pace: Annotated[
        float, typer.Option(help="Seconds between two calls of the demonstration.", min=0.05, max=60)
    ] = DEMO_PACE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as JSON.")] = False,
) -> None:
    import webbrowser

    from envscaler_mcp.cli.farm import benchmarks_named
    from envscaler_mcp.processes.collector import starting

    with starting():
        from envscaler_mcp.farm.builds import BuilderHome
        from envscaler_mcp.farm.demonstration import DemonstrationPlan
        from envscaler_mcp.farm.front_end import FarmConfig
        from envscaler_mcp.farm.studio_door import code_for
        from envscaler_mcp.farm.supervisor import Supervisor
        from envscaler_mcp.farm.tokens import kept_secret
        from envscaler_mcp.launch.opening import WrongUseError
        from envscaler_mcp.serving.sockets import is_loopback, listen, listen_privately, url_of

    if host in _EVERY:
        raise WrongUseError(f"{host!r} is no address that visitors could type; name one of this machine's.")
    if demo and processes > 1:
        raise WrongUseError("A demonstration is played by one process; leave out --processes.")
    others = not is_loopback(host)
    home = home_of(ctx)
    if environment:
        environment = entry_of(ctx, environment).id
    settings = settings_of(ctx)
    # Each process has a share of its own, half of it for playing and half for writing.
    share = None if budget is None else budget / processes / 2
    model = playing_model(ctx, agent, share)
    secret = kept_secret(settings.farm_secret)
    with (
        tempfile.TemporaryDirectory(prefix="envscaler-studio-") as folder,
        # The farm's own secret makes the tokens.
        listen(host, port, "secret" if others else None) as agents,
        listen_privately(str(Path(folder) / "control.sock")) as owners,
    ):
        url = url_of(agents)
        config = FarmConfig(
            servers=home.servers,
            registry=home.registry,
            registry_written=registry_written(home),
            secret=secret,
            url=url,
            isolation="auto" if others else "local",
            open_to_others=others,
            studio=True,
            builder=BuilderHome(
                builder_command(),
                settings.servers,
                settings.registry_file,
                None if model is None else _writer(settings, model),
            ),
            runs=_runs(ctx, runs),
            benchmarks=benchmarks_named(benchmark or []),
            demonstration=DemonstrationPlan(pace, environment) if demo else None,
            studio_model=model,
            studio_user=answering_user(ctx, user, benchmark or [], share),
        )

        def ready() -> None:
            # The code opens one session. It stands in the fragment, which browsers send to no server.
            at = "demo" if demo else f"environment/{environment}" if environment else ""
            address = f"{url}/#code={code_for(secret, scope)}{f'&at={at}' if at else ''}"
            if as_json:
                print_json({"url": url, "address": address, "process": os.getpid()}, indent=None)
            else:
                say(f"The studio is at {address}")
                say("The address opens one session within two minutes. Ctrl-C ends the studio and its worlds.")
            if browser:
                webbrowser.open(address)

        code = Supervisor(config, agents, [owners], processes).run(ready)
    raise typer.Exit(code)


def _runs(ctx: typer.Context, named: Path | None) -> Path:
    """The folder of runs that is shown; that of the home may be made later."""
    folder = settings_of(ctx).home / "runs" if named is None else named
    return folder.resolve()


def _writer(settings: Settings, model: StudioModel) -> Writer | None:
    """What writes worlds: the same model, where its endpoint speaks chat completions."""
    from envscaler_mcp.episode.providers import provider_of
    from envscaler_mcp.farm.builds import Writer
    from envscaler_mcp.llm.access import chat_completions
    from envscaler_mcp.pipeline.writing import WorldWriter

    provider, _ = provider_of(model.agent)
    if provider is None or provider.connect is not chat_completions:
        return None
    name = model.params.model
    order = WorldWriter(settings=settings, model=name, price=model.price).model_dump(mode="json")
    return Writer(name, order, model.budget)


def builder_command() -> tuple[str, ...]:
    """Starts a process that builds a blueprint."""
    from envscaler_mcp.processes import own_program

    return tuple(own_program("envscaler_mcp.pipeline.builder_process:main"))
