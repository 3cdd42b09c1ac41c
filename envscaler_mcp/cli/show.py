"""Show one environment: what it is, its rules and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import environment_of
from envscaler_mcp.cli.printing import Styled, print_json, say
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Environment, Tool

app = typer.Typer(add_completion=False)


@app.command()
def show_server(
    ctx: typer.Context,
    env_id: Annotated[
        str, typer.Argument(metavar="ENV_ID", help="The id of an environment, as `envscaler list` shows it.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print environment.json.")] = False,
) -> None:
    environment = environment_of(ctx, env_id)
    if as_json:
        print_json(environment.model_dump(mode="json"))
    else:
        _print_environment(environment)


def _print_environment(environment: Environment) -> None:
    title = f"{environment.title}  ({environment.id} {environment.version}, {environment.sector})"
    say(on_one_line(title), bold=True)
    say(environment.about)
    say("\nRules", bold=True)
    for rule in environment.rules:
        say(on_one_line(f"  * {rule}"))
    for effect, head in (("reads", "Tools that read"), ("writes", "Tools that change")):
        say(f"\n{head}", bold=True)
        for tool in environment.tools:
            if tool.effect == effect:
                _print_tool(tool)
    say(f"\nStart states: {', '.join(environment.states)}")
    for tool in [tool for tool in environment.tools if not tool.input_schema.get("required")][:1]:
        say(on_one_line(f"Try one: envscaler call {environment.id} {tool.name}"))


def _print_tool(tool: Tool) -> None:
    required = tool.input_schema.get("required", [])
    arguments = ", ".join(
        f"{name}: {type_words(schema)}" if name in required else f"[{name}: {type_words(schema)}]"
        for name, schema in tool.input_schema.get("properties", {}).items()
    )
    say("  ", Styled(on_one_line(tool.name), bold=True), on_one_line(f"({arguments})"))
    say(on_one_line(f"      {tool.description.partition(chr(10))[0]}"))


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
