"""The page of a server folder: what it is, its rules, its tools with a call each, and how a host connects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from envscaler_mcp.artifacts import Environment, Scenario, Tool

_LONGEST = 320


class WorkedCall(NamedTuple):
    """A call that works in the start state, and its answer."""

    arguments: dict[str, Any]
    result: dict[str, Any]
    first: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Calls that must come before it."""


def readme(environment: Environment, calls: Mapping[str, WorkedCall], scenarios: Sequence[Scenario]) -> str:
    """The page as Markdown."""
    reads = [tool for tool in environment.tools if tool.effect == "reads"]
    writes = [tool for tool in environment.tools if tool.effect == "writes"]
    parts = [
        f"<!-- {origin_of(environment)} -->",
        f"# {environment.title}",
        environment.about,
        "## Rules",
        _of_rules(environment),
        "\n".join(f"* {rule}" for rule in environment.rules),
        f"## Tools that ask ({len(reads)})",
        *(_tool(tool, calls.get(tool.name)) for tool in reads),
        f"## Tools that change something ({len(writes)})",
        *(_tool(tool, calls.get(tool.name)) for tool in writes),
        *_scenarios(scenarios),
        "## Connect a host",
        _connecting(environment),
    ]
    return "\n\n".join(parts) + "\n"


def _of_rules(environment: Environment) -> str:
    if environment.origin == "compiled":
        return "These always hold. A call that would break one changes nothing and says why."
    return "As the author of the class states them; a tool need not enforce each of them."


def origin_of(environment: Environment) -> str:
    """What a folder's files were made from, and how to do it again."""
    if environment.origin == "compiled":
        return f"Emitted from blueprint.yaml; `envscaler build {environment.id}` writes it again."
    if environment.origin == "published":
        return "Emitted from environment.py, a published class that is run as published."
    return "Emitted from environment.py, a class that a person or a model wrote."


def _tool(tool: Tool, call: WorkedCall | None) -> str:
    lines = [f"### `{tool.name}`", "", tool.description.split("\n\n")[0].strip(), ""]
    properties = tool.input_schema.get("properties", {})
    required = set(tool.input_schema.get("required", ()))
    for name, schema in properties.items():
        optional = "" if name in required else " (may be left out)"
        lines.append(f"* `{name}`{optional}: {schema.get('description', '').strip()}")
    if properties:
        lines.append("")
    if call is None:
        lines.append("Nothing in the start state permits a call; others must come first.")
    else:
        for name, arguments in call.first:
            lines += [f"After `{name}` with `{_short(arguments)}`:", ""]
        lines += ["```json", _short(call.arguments), _short(call.result), "```"]
    return "\n".join(lines)


def _scenarios(scenarios: Sequence[Scenario]) -> list[str]:
    if not scenarios:
        return []
    levels = Counter(scenario.level for scenario in scenarios)
    mix = ", ".join(f"{number} {level}" for level, number in levels.items())
    quoted = "\n".join(f"> {line}".rstrip() for line in scenarios[0].task.splitlines())
    return [
        f"## Scenarios ({len(scenarios)})",
        f"`scenarios.jsonl` holds {mix}, each with its checks, what may change, a solution and a proof. The first of them:",
        quoted,
    ]


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


def _connecting(environment: Environment) -> str:
    config = {
        "mcpServers": {
            environment.id: {
                "command": "/path/to/python",
                "args": [f"/path/to/generated_servers/{environment.id}/server.py"],
            }
        }
    }
    code = {"servers": {environment.id: {"type": "stdio", **config["mcpServers"][environment.id]}}}
    return "\n".join(
        [
            f"`envscaler connect {environment.id} --client claude-desktop` prints these lines with the paths of your machine, and",
            "`--install` writes them where the host looks (also `claude-code`, `vscode`, `cursor`). By hand:",
            "",
            "Claude Desktop (`claude_desktop_config.json`), Cursor (`.cursor/mcp.json`), Claude Code (`.mcp.json`):",
            "",
            "```json",
            json.dumps(config, indent=2),
            "```",
            "",
            "VS Code (`.vscode/mcp.json`):",
            "",
            "```json",
            json.dumps(code, indent=2),
            "```",
            "",
            "The python must have `envscaler-mcp` installed. `python server.py --http` serves streamable HTTP on this machine instead,",
            "`--state`, `--seed` and `--isolation` choose where the world starts and where its code runs; `--help` tells more.",
        ]
    )
