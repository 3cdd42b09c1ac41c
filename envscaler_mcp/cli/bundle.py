"""Write the server of an environment as a folder or .mcpb file that needs only the package mcp."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.lookup import code_of, folder_of
from envscaler_mcp.cli.printing import say
from envscaler_mcp.errors import EmitError
from envscaler_mcp.html.counts import counted

app = typer.Typer(add_completion=False)


@app.command()
def bundle_server(
    ctx: typer.Context,
    env_id: Annotated[
        str, typer.Argument(metavar="ENV_ID", help="The id of an environment, as `envscaler list` shows it.")
    ],
    mcpb: Annotated[bool, typer.Option("--mcpb", help="Write one .mcpb file instead of a folder.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="The folder or file to write. Default: dist/ENV_ID or dist/ENV_ID.mcpb.")
    ] = None,
) -> None:
    from envscaler_mcp.emit.bundle import bundle_files, write_bundle, write_mcpb

    files = bundle_files(folder_of(ctx, env_id), trusted=code_of(ctx, env_id).trusted)
    if out is None and Path("dist").is_symlink():
        raise EmitError("'dist' is a link here; name a folder with --out")
    target = out or Path("dist") / (f"{env_id}.mcpb" if mcpb else env_id)
    (write_mcpb if mcpb else write_bundle)(files, target)
    say(f"{target}: {counted(len(files), 'file')}, {sum(map(len, files.values())) // 1024} KiB.")
    if mcpb:
        say("Open it with a host that takes .mcpb files, for example Claude Desktop.")
    else:
        say(f"Where `mcp` is installed: python {target}/server.py")
