"""Report how this machine can confine unread code, and what stays unprotected.

Every layer is tried, not guessed, and worlds in workers are opened, forked and called to measure them. Exit 0 if every
layer works, so that mode `hard` is available; exit 1 if a layer is missing.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.printing import print_json, print_table, say

if TYPE_CHECKING:
    from envscaler_mcp.sandbox.doctor import Machine

app = typer.Typer(add_completion=False)


@app.command()
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    from envscaler_mcp.sandbox.doctor import examine

    machine = examine()
    if as_json:
        print_json({**asdict(machine), "hard": machine.hard})
    else:
        _print(machine)
    raise typer.Exit(0 if machine.hard else 1)


def _print(machine: Machine) -> None:
    say(f"{machine.system}\n")
    rows = [(layer.name, "works" if layer.works else "missing", layer.told) for layer in machine.layers]
    print_table(("layer", "here", "what it does, or why it does not"), rows)
    say("")
    print_table(("mode", "on this machine"), list(machine.modes.items()))
    say("")
    if machine.measured:
        say("measured", bold=True)
        for name, words in (("open_ms", "ms to open a world in a worker"), ("fork_ms", "ms to fork one")):
            if name in machine.measured:
                say(f"  {machine.measured[name]:g} {words}")
        say(f"  {machine.measured['calls_per_second']:,.0f} calls per second\n")
    say("not protected", bold=True)
    for gap in machine.unprotected:
        say(f"  {gap}", fg=None if machine.hard else typer.colors.YELLOW)
