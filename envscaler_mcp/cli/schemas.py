"""Write the JSON schemas of the stored documents, or check that they are up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp import artifacts
from envscaler_mcp.artifacts.artifact import Artifact, write_text

app = typer.Typer()


@app.command()
def write_schemas(
    out: Annotated[Path, typer.Option(help="The folder of the schemas.")] = Path("docs/schemas"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 where a file would change.")] = False,
) -> None:
    wanted = {out / name: text for name, text in schemas().items()}
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    stale += [path for path in sorted(out.glob("*.json")) if path not in wanted]
    if check:
        for path in stale:
            typer.echo(f"{path} is not what `envscaler schemas` would write.", err=True)
        raise typer.Exit(1 if stale else 0)
    for path in stale:
        if path in wanted:
            write_text(path, wanted[path])
        else:
            path.unlink()
    typer.echo(f"{out}: {len(wanted)} schemas, {len(stale)} changed.")


def schemas() -> dict[str, str]:
    """The text of each schema by its file name."""
    models = (getattr(artifacts, name) for name in artifacts.__all__)
    documents = [model for model in models if isinstance(model, type) and issubclass(model, Artifact)]
    return {_file_name(model): _text(model) for model in documents if model is not Artifact}


def _file_name(model: type[Artifact]) -> str:
    words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in model.__name__)
    return f"{words.lstrip('-')}.json"


def _text(model: type[Artifact]) -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(mode="serialization"),
    }
    return json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
