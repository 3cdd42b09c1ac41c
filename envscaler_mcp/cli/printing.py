"""Output to the terminal: the only way there, and tables, calls and what they changed.

Much of what is printed was written by others: cards, records, errors, models. What would steer a terminal or turn the
reading direction is told by number, in JSON as an escape; so no other module calls what writes to the screen.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.html.visible import escaped, on_one_line, visible

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import StateDiff

LONGEST = 60
"""Characters of a changed value; the rest is cut."""


@dataclass(frozen=True, slots=True)
class Styled:
    """A part of what is said that looks different from the rest."""

    text: str
    fg: str | None = None
    bold: bool | None = None


def say(
    *parts: str | Styled, err: bool = False, nl: bool = True, fg: str | None = None, bold: bool | None = None
) -> None:
    """Print the parts one behind the other, whatever signs are in them; line breaks are left alone."""
    words = (part if isinstance(part, Styled) else Styled(part, fg, bold) for part in parts)
    text = "".join(_dressed(Styled(visible(part.text), part.fg, part.bold)) for part in words)
    typer.echo(text, err=err, nl=nl)  # noqa: TID251 - here is where it is banned to


def _dressed(part: Styled) -> str:
    return typer.style(part.text, fg=part.fg, bold=part.bold) if part.fg or part.bold else part.text  # noqa: TID251


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns under their heads; the last one is wrapped on a screen and whole in a pipe. No cell makes a line of its own."""
    rows = [[on_one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head) - 1)]
    indent = sum(width + 2 for width in widths)
    room = shutil.get_terminal_size().columns - indent if sys.stdout.isatty() else 0
    for row in (head, *rows):
        cells = "".join(cell.ljust(width + 2) for cell, width in zip(row, widths, strict=False))
        lines = textwrap.wrap(row[-1], room) if room > 20 else [row[-1]]
        text = cells + f"\n{' ' * indent}".join(lines or [""])
        say(text.rstrip(), bold=row is head or None)


@contextmanager
def progress_bar(doing: str, shown: bool = True) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on a terminal; called with the name of what is finished, its number and how many there are. Silent elsewhere."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _name, _number, _all: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def progress(name: str, number: int, total: int) -> None:
            bar.update(task, completed=number, total=total, description=on_one_line(f"{doing} {name}"))

        yield progress


def print_json(document: object, indent: int | None = 1) -> None:
    """For programs; a terminal on which it is read is not steered by what is in it."""
    say(escaped(json.dumps(document, ensure_ascii=False, indent=indent)))


def print_payload(payload: Mapping[str, object], ok: bool) -> None:
    """What a tool answered, as JSON a person can read."""
    say(escaped(json.dumps(payload, ensure_ascii=False, indent=2)), fg=None if ok else typer.colors.YELLOW)


def print_diff(diff: StateDiff, indent: str = "  ") -> None:
    """What a call changed, one fact a line."""
    from envscaler_mcp.viewer.changes import change_lines

    for line in change_lines(diff, LONGEST):
        colour = {"+": typer.colors.GREEN, "-": typer.colors.RED, "~": typer.colors.CYAN}[line[0]]
        say(indent + line, fg=colour)
