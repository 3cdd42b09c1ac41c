"""`envscaler`: the commands, each imported when it is asked for."""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from traceback import format_exception
from types import TracebackType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from envscaler_mcp import __version__
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.html.visible import visible

COMMANDS = (
    "demo",
    "list",
    "show",
    "call",
    "serve",
    "farm",
    "studio",
    "connect",
    "openenv",
    "play",
    "run",
    "runs",
    "bench",
    "bundle",
    "blueprint",
    "build",
    "check",
    "scenarios",
    "tasks",
    "prove",
    "stats",
    "mine",
    "synthesize",
    "import",
    "export",
    "doctor",
    "docs",
    "schemas",
)
"""A command is the module of its name, or of its name and `_`; its help is the first line of the module's docstring."""


class Commands(TyperGroup):
    """Knows each command by its first line until it is the one that runs: `--help` imports none of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._options_given = True
        self.commands = {name: TyperCommand(name, help=_first_line(name)) for name in COMMANDS}

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        self._options_given = not args or args[0] not in COMMANDS
        try:
            return super().parse_args(ctx, args)
        finally:
            self._options_given = True

    def get_params(self, ctx: Any) -> Any:
        # typer loads pydantic to find that no option of the program is given, which doubles the time of `--help`.
        return super().get_params(ctx) if self._options_given else []

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except EnvScalerError as error:
            _say(f"envscaler: {error}")
            raise typer.Exit(_exit_code(error)) from error
        except typer.BadParameter as error:
            # What was typed stands in it, and names that cards and registries gave.
            vars(error)["message"] = visible(error.message)
            raise
        except KeyboardInterrupt:
            _say("Stopped; every server that was started has ended.")
            raise typer.Exit(130) from None


app = typer.Typer(
    name="envscaler",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """The program `envscaler`. SIGTERM ends it as Ctrl-C does, so that what was launched is ended too."""
    from envscaler_mcp.processes.collector import end_at_once

    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    sys.excepthook = _print_traceback
    end_at_once()
    app()


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    sys.stderr.write(visible("".join(format_exception(kind, error, trace))))


def load(name: str) -> Any:
    """A command with its options, from the module of its name."""
    module = import_module(f"envscaler_mcp.cli.{_module(name)}")
    command = typer.main.get_command(module.app)
    command.name, command.help = name, (module.__doc__ or "").strip()
    return command


def _say(text: str, err: bool = True) -> None:
    from envscaler_mcp.cli.printing import say

    say(text, err=err)


def _exit_code(error: EnvScalerError) -> int:
    from envscaler_mcp.launch.opening import WrongUseError

    return 2 if isinstance(error, WrongUseError) else 1


def _module(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def _first_line(name: str) -> str:
    # Every start of the program does this for every command: reading a line takes a hundredth of parsing the module.
    with Path(__file__).with_name(f"{_module(name)}.py").open(encoding="utf-8") as source:
        return source.readline().strip().removeprefix('"""').removesuffix('"""')


def _print_version(wanted: bool) -> None:
    if wanted:
        _say(__version__, err=False)
        raise typer.Exit


@app.callback()
def envscaler(
    home: Annotated[
        Path | None,
        typer.Option(
            help="The folder of registry.json and generated_servers/. Default: ENVSCALER_HOME, else the nearest one from the current folder upwards, else the checkout that this program runs from, or the current folder. Its environments win over those that come with the package."
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Environments for tool-using agents, each an ordinary Model Context Protocol server."""
