"""Writes docs/cli.md from the commands themselves; `--check` only says whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.cli.program import COMMANDS, app, load

PAGE = Path(__file__).resolve().parent / "cli.md"
HEAD = """<!-- Made by docs/generate.py from the commands; change those and type `make docs`. -->

# The command line

Every command ends with 0 when it did what was asked, 1 when the answer is no (a call was refused, a check failed, a
search found nothing), and 2 when it was used wrongly. `--json` prints for programs.
"""


def main() -> int:
    """Write the page, or say whether it would change."""
    if "--check" not in sys.argv[1:]:
        write_text(PAGE, page())
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page():
        sys.stderr.write("docs/cli.md is not what docs/generate.py would write; type: make docs\n")
        return 1
    return 0


def page() -> str:
    """The whole page: the program, then each command."""
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
    return f" (by itself `{value}`)"


if __name__ == "__main__":
    raise SystemExit(main())
