"""Writes what pages quote of the code; `--check` only compares.

docs/cli.md comes from the commands, clients/hosts/ from what `connect` knows, server.json from the library and the name in the README, the digests of the library from generated_servers/, and the compiled methods in docs/blueprints.md from the
blueprint with which that page begins.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from envscaler_mcp import __version__, library
from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.cli.program import COMMANDS, app, load
from envscaler_mcp.emit.hosts import CLIENTS, HostConnection, host_file, server_command
from envscaler_mcp.emit.server_json import published_name, server_json
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.synthesis import synthesize

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = "/path/to/envscaler-mcp"
HEAD = """<!-- Made by docs/generate.py from the commands; change those and type `make docs`. -->

# The command line

Every command ends with 0 when it did what was asked, 1 when the answer is no (a call was refused, a check failed, a
search found nothing), and 2 when it was used wrongly. `--json` prints for programs.
"""


def main() -> int:
    """Write the files, or say which would change."""
    manual = ROOT / "docs" / "blueprints.md"
    wanted = {
        ROOT / "docs" / "cli.md": page(),
        manual: with_methods(manual.read_text(encoding="utf-8")),
        Path(library.__file__).with_name(library.DIGESTS): library_digests(),
        ROOT / "server.json": json.dumps(registry_entry(), indent=2) + "\n",
        **host_examples(),
    }
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if "--check" in sys.argv[1:]:
            sys.stderr.write(f"{path.relative_to(ROOT)} is not what docs/generate.py would write; type: make docs\n")
        else:
            write_text(path, wanted[path])
    return int("--check" in sys.argv[1:] and bool(stale))


def library_digests() -> str:
    """What the installed package knows of the code and the tasks that are released with it."""
    released = {
        name: {
            part: digest_of((ROOT / "generated_servers" / name / file).read_text(encoding="utf-8"))
            for part, file in (("code", "environment.py"), ("tasks", "scenarios.jsonl"))
        }
        for name in library.blueprint_files()
    }
    return json.dumps(released, indent=1) + "\n"


def registry_entry() -> dict[str, Any]:
    """What the public registry of MCP servers would be told of this version."""
    about = "210 stateful worlds with tools, from hospitals to trading desks, to train and test agents."
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = published_name((ROOT / "README.md").read_text(encoding="utf-8"))
    repository = project.get("urls", {}).get("Repository", "")
    return server_json(name, __version__, about, sorted(library.blueprint_files()), repository)


def host_examples() -> dict[Path, str]:
    """For each host the file it would read, if the repository lay at /path/to/envscaler-mcp."""
    folder = ROOT / "clients" / "hosts"
    _, *words = server_command("hospital_stays", Path(CHECKOUT))
    command = (f"{CHECKOUT}/.venv/bin/python", *words)
    return {
        folder / client / host_file(client, Path(), Path()).name: HostConnection(client, "hospital_stays", command).text
        for client in CLIENTS
    }


def with_methods(manual: str) -> str:
    """The manual, its quoted methods as they are compiled now."""
    begins = re.search(r"^```yaml blueprint\n(.*?)^```$", manual, re.MULTILINE | re.DOTALL)
    assert begins, "docs/blueprints.md begins with no blueprint"
    lines = synthesize(read_blueprint(begins[1], "blueprint.yaml"), ("start",)).source.splitlines()
    methods = {
        node.name: "\n".join(line.removeprefix("    ") for line in lines[node.lineno - 1 : node.end_lineno])
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.FunctionDef)
    }
    quoted = r"^```python compiled\ndef (\w+).*?^```$"
    return re.sub(
        quoted, lambda old: f"```python compiled\n{methods[old[1]]}\n```", manual, flags=re.MULTILINE | re.DOTALL
    )


def page() -> str:
    """The page of commands: the program, then each command."""
    program: Any = typer.main.get_command(app)
    for name in COMMANDS:
        program.commands[name] = load(name)
    return HEAD + "".join(_command(program, "envscaler"))


def _command(command: Any, path: str) -> Iterator[str]:
    context = command.context_class(command, info_name=path)
    usage = context.get_usage().removeprefix("Usage: ")
    yield f"\n## {path}\n\n{' '.join((command.help or '').split())}\n\n    {' '.join(usage.split())}\n\n"
    yield from _parameters(command, context)
    for name, below in getattr(command, "commands", {}).items():
        yield from _command(below, f"{path} {name}")


def _parameters(command: Any, context: Any) -> Iterator[str]:
    for parameter in command.get_params(context):
        if "--help" in parameter.opts:
            continue
        names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
        if parameter.param_type_name == "argument":
            names = f"`{parameter.metavar or parameter.name.upper()}`"
        yield f"* {names}: {parameter.help or ''}{_default(parameter)}\n"


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required or value in (None, False, "", (), []) or callable(value):
        return ""
    return f" (default `{value}`)"


if __name__ == "__main__":
    raise SystemExit(main())
