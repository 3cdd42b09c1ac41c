"""Write the JSON schemas of stored documents, or check that they are up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.printing import say

app = typer.Typer(add_completion=False)


@app.command()
def write_schemas(
    out: Annotated[Path, typer.Option(help="The folder of the schemas.")] = Path("docs/schemas"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
) -> None:
    from envscaler_mcp.artifacts.artifact import write_text
    from envscaler_mcp.emit.schemas import schemas

    wanted = {out / name: text for name, text in schemas().items()}
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    stale += [path for path in sorted(out.glob("*.json")) if path not in wanted]
    if check:
        for path in stale:
            say(f"{path} is not what `envscaler schemas` would write.", err=True)
        raise typer.Exit(1 if stale else 0)
    for path in stale:
        if path in wanted:
            write_text(path, wanted[path])
        else:
            path.unlink()
    say(f"{out}: {len(wanted)} schemas, {len(stale)} changed.")
