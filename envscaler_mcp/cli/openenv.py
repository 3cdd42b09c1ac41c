"""Print openenv.yaml, by which OpenEnv's programs know an environment of a farm."""

from __future__ import annotations

from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import code_of
from envscaler_mcp.cli.printing import say

app = typer.Typer(add_completion=False)


@app.command()
def openenv_manifest(
    ctx: typer.Context,
    env_id: Annotated[
        str, typer.Argument(metavar="ENV_ID", help="The id of an environment, as `envscaler list` shows it.")
    ],
    port: Annotated[
        int, typer.Option(help="The port of the farm's control plane, as `envscaler farm --control` has it.", min=1)
    ] = 8766,
) -> None:
    from envscaler_mcp.farm.openenv_documents import openenv_yaml

    say(openenv_yaml(code_of(ctx, env_id).environment, port).rstrip())
