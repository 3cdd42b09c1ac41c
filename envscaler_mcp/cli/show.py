"""Show one server: what it is, its rules and its tools."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.cli.lookup import environment_of

app = typer.Typer(add_completion=False)


@app.command()
def show_server(
    ctx: typer.Context,
    env_id: Annotated[str, typer.Argument(metavar="ENV_ID", help="An id that `envscaler list` shows.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print environment.json for programs.")] = False,
) -> None:
    environment = environment_of(ctx, env_id)
    if as_json:
        typer.echo(environment.to_text(), nl=False)
    else:
        _print_environment(environment)


def _print_environment(environment: Environment) -> None:
    typer.secho(f"{environment.title}  ({environment.id} {environment.version}, {environment.sector})", bold=True)
    typer.echo(environment.about)
    typer.secho("\nRules", bold=True)
    for rule in environment.rules:
        typer.echo(f"  * {rule}")
    for effect, head in (("reads", "Tools that read"), ("writes", "Tools that change")):
        typer.secho(f"\n{head}", bold=True)
        for tool in environment.tools:
            if tool.effect == effect:
                _print_tool(tool)
    typer.echo(f"\nStart states: {', '.join(environment.states)}")
    typer.echo(f"Try one: envscaler call {environment.id} {environment.tools[0].name}")


def _print_tool(tool: Tool) -> None:
    required = tool.input_schema.get("required", [])
    arguments = ", ".join(
        f"{name}: {type_words(schema)}" if name in required else f"[{name}: {type_words(schema)}]"
        for name, schema in tool.input_schema.get("properties", {}).items()
    )
    typer.echo("  " + typer.style(tool.name, bold=True) + f"({arguments})")
    typer.echo(f"      {tool.description.splitlines()[0]}")


def type_words(schema: dict[str, Any]) -> str:
    """A JSON schema in one or two words: `date`, `a | b`, `list of integer`; null goes without saying."""
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(option) for option in schema["anyOf"] if option.get("type") != "null")
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(word for word in kind if word != "null")
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}))}"
    return str(schema.get("format", kind))
