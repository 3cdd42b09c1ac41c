"""List the registered environments, or those that match a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import home_of
from envscaler_mcp.cli.printing import print_json, print_table, say
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import RegistryEntry
    from envscaler_mcp.home import Home

app = typer.Typer(add_completion=False)
_SHOWN = 20
"""How many rows a search may have before those with fewer of the words are left out."""


@app.command()
def list_servers(
    ctx: typer.Context,
    words: Annotated[
        str,
        typer.Option(
            "--search",
            metavar="WORDS",
            help="Only environments in which one of these words occurs: first those in which the most do, and of them the best match. "
            f"A table ends after {_SHOWN} where others have fewer of the words.",
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Instead, report folders that differ from the registry.")
    ] = False,
) -> None:
    from envscaler_mcp.registry import search

    home = home_of(ctx)
    if check:
        raise typer.Exit(_check(home))
    matches = search(home.registry, words)
    if as_json:
        print_json([{**entry.model_dump(mode="json"), "layer": home.layer(entry.id)} for entry, _ in matches])
    else:
        _print_best(matches, words, home)
    raise typer.Exit(0 if matches else 1)


def _check(home: Home) -> int:
    from envscaler_mcp.home.comparing import differences

    stale = differences(home.registry, home.servers)
    for difference in stale:
        say(on_one_line(str(difference)), err=True)
    if not stale:
        many = len(home.registry.entries)
        say(f"{counted(many, 'folder')} {are(many)} as registered.")
    return int(bool(stale))


def _print_best(matches: Sequence[tuple[RegistryEntry, int]], words: str, home: Home) -> None:
    most = max((matching for _, matching in matches), default=0)
    shown = [entry for place, (entry, matching) in enumerate(matches) if matching == most or place < _SHOWN]
    _print(shown, words, home)
    if len(matches) > len(shown):
        say(f"{len(matches) - len(shown)} more have fewer of the words; --json lists them too.", err=True)


def _print(entries: Sequence[RegistryEntry], words: str, home: Home) -> None:
    if entries:
        rows = [(entry.id, entry.sector, str(len(entry.tools)), entry.about) for entry in entries]
        head: tuple[str, ...] = ("id", "sector", "tools", "about")
        if len({home.layer(entry.id) for entry in home.registry.entries}) == 1:
            print_table(head, rows)
        else:
            print_table((*head[:-1], "layer", head[-1]), [(*row[:-1], home.layer(row[0]), row[-1]) for row in rows])
    else:
        say(f"No environment matches {words!r}." if words else "No environment is registered.", err=True)
