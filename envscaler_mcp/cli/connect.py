"""Connect a host program, such as Claude, VS Code, Cursor, Zed, Codex or Goose, to a server, or to a world of a farm."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import entry_of, home_of, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.config.choices import HostProgram
from envscaler_mcp.errors import EmitError, RegistryError, WorldError
from envscaler_mcp.html.counts import counted

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import RegistryEntry
    from envscaler_mcp.emit.edited_file import EditedFile
    from envscaler_mcp.emit.hosts import HostConnection
    from envscaler_mcp.settings import Settings

app = typer.Typer(add_completion=False)


@app.command()
def connect_host(
    ctx: typer.Context,
    server: Annotated[
        str,
        typer.Argument(
            metavar="ENV_ID_OR_URL",
            help="The id of an environment, as `envscaler list` shows it, or an address of a farm: …/e/ENV_ID/new names a new world.",
        ),
    ],
    client: Annotated[
        HostProgram, typer.Option(help="The host program; json is any other, and prints what most of them read.")
    ],
    write: Annotated[
        bool, typer.Option("--install", help="Write the entry into the host's file; the old file is copied first.")
    ] = False,
    take_out: Annotated[bool, typer.Option("--remove", help="Remove the entry from the host's file.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Start what the host's file says, as the host would, and list its tools.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also replace, remove or start an entry of another server.")
    ] = False,
    token_env: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The environment variable with the token for a farm; the token is written into the host's file.",
        ),
    ] = "",
    file: Annotated[Path | None, typer.Option(help="The host's file. Default: the file that the host uses.")] = None,
) -> None:
    from envscaler_mcp.emit.hosts import HostConnection, check_host_file, host_file, installed, removed, server_command

    if write + take_out + check > 1:
        raise typer.BadParameter("--install, --remove and --check are done one at a time", param_hint="--install")
    if client == "json" and file is None and (write or take_out or check):
        raise typer.BadParameter("this host has no file of its own; name it with --file", param_hint="--client")
    settings = settings_of(ctx)
    if "://" in server:
        wanted = _of_farm(client, server, token_env, asks=not (take_out or check))
    elif token_env:
        raise typer.BadParameter("a token belongs to a farm's address", param_hint="--token-env")
    else:
        _check_registered(entry_of(ctx, server), force=force)
        wanted = HostConnection(client, server, server_command(server, _home_if_any(settings), settings.uv))
    target = file or host_file(client, Path.cwd(), settings.client_settings)
    if file is None:
        check_host_file(target, Path.cwd())
    if check:
        _check(wanted, target, force=force)
        return
    if not (write or take_out or dry_run):
        _show(wanted, target, asks_for_file=client != "json")
        if not wanted.url:
            say(_origin(ctx, server), err=True)
        return
    edited = removed(wanted, target) if take_out else installed(wanted, target)
    if dry_run:
        say(edited.diff() or f"Nothing would change in {target}.")
        return
    _change(edited, wanted, client, take_out=take_out, force=force)
    if not (take_out or wanted.url):
        say(_origin(ctx, server))


def _show(wanted: HostConnection, target: Path, *, asks_for_file: bool) -> None:
    from envscaler_mcp.emit.hosts import format_of
    from envscaler_mcp.emit.install_links import install_link

    if format_of(wanted.client).name == "JSON":
        print_json(wanted.document, indent=2)
    else:
        say(wanted.text.rstrip())
    if asks_for_file:
        say(f"This belongs into {target}; --install writes it there.", err=True)
    link = install_link(wanted)
    if link:
        say(f"Or open this link: {link}", err=True)


def _check(wanted: HostConnection, target: Path, *, force: bool) -> None:
    from functools import partial

    import anyio

    from envscaler_mcp.emit.hosts import address_in, command_in, entry_in, headers_in, installed
    from envscaler_mcp.launch.checking import server_at, server_of_command

    entry = entry_in(installed(wanted, target), wanted)
    if entry is None:
        say(f"{wanted.name} is not in {target}; --install writes it there.")
        raise typer.Exit(1)
    url, command = address_in(entry), command_in(entry)
    # A file of a project may come from another person: no program is started that this installation would not name.
    known = entry == wanted.server or (url and wanted.url and _same_farm(url, wanted.url))
    if not known and not force:
        raise EmitError(
            f"{str(target)!r} says of {wanted.name!r} something else than this installation would write: "
            f"{shlex.join(command) if command else url!r}; --force checks it all the same"
        )
    if not url and not command:
        raise EmitError(f"{str(target)!r} names neither a command nor an address for {wanted.name!r}")
    reached = anyio.run(partial(server_at, url, headers_in(entry)) if url else partial(server_of_command, command))
    say(
        f"{reached.name or wanted.name} answers, with {counted(len(reached.tools), 'tool')}: {', '.join(reached.tools)}"
    )


def _same_farm(url: str, wanted: str) -> bool:
    """Whether both are worlds of one environment at one farm."""
    return url.rpartition("/e/")[0] == wanted.rpartition("/e/")[0] and "/e/" in url


def _home_if_any(settings: Settings) -> Path | None:
    """The home, where it has worlds of its own."""
    return settings.home if settings.shipped is None or settings.registry_file.is_file() else None


def _origin(ctx: typer.Context, env_id: str) -> str:
    settings = settings_of(ctx)
    home = _home_if_any(settings)
    if home is None:
        return f"The server is the shipped {env_id!r}. The folder {settings.home} is no home: no environment was built there."
    if home_of(ctx).layer(env_id) == "shipped":
        return f"The server is the shipped {env_id!r}, until the home {home} has one of that name."
    return f"The server is {env_id!r} of the home {home}."


def _check_registered(entry: RegistryEntry, *, force: bool) -> None:
    from envscaler_mcp.emit.hosts import registered_command

    if entry.command == registered_command(entry.id) or force:
        return
    raise RegistryError(
        f"The registry names another program for {entry.id!r} than this installation: {shlex.join(entry.command)!r}. It "
        f"would not be installed in any case; --force installs `envscaler serve {entry.id}` all the same"
    )


def _change(edited: EditedFile, wanted: HostConnection, client: HostProgram, *, take_out: bool, force: bool) -> None:
    from envscaler_mcp.emit.hosts import entry_in, is_ours

    name, target = wanted.name, str(edited.path)
    if edited.path.is_symlink():
        target += f" (a link to {edited.target})"
    if take_out and not edited.changes:
        say(f"{name} is not in {target}")
        raise typer.Exit(1)
    entry = entry_in(edited, wanted)
    if edited.changes and entry is not None and not is_ours(entry, wanted) and not force:
        _ask(edited, name)
    backup = edited.write() if edited.changes else None
    copied = f"; the file as it was: {backup}" if backup else ""
    if take_out:
        say(f"{name} was taken out of {target}{copied}")
        return
    say(f"{name} is in {target}{copied}")
    say(f"Restart {client}, or reload its servers, and the tools are there.")


def _ask(edited: EditedFile, name: str) -> None:
    say(edited.diff())
    question = f"{edited.path} has another entry called {name!r}"
    if not sys.stdin.isatty():
        raise EmitError(f"{question}; --force replaces it, nothing was changed")
    if not typer.confirm(f"{question}. Go on?"):
        raise EmitError("Nothing was changed")


def _of_farm(client: HostProgram, url: str, variable: str, *, asks: bool) -> HostConnection:
    from envscaler_mcp.emit.hosts import HostConnection
    from envscaler_mcp.farm.client import environment_at, world_address
    from envscaler_mcp.settings import secret_named

    token = secret_named(variable) if variable else ""
    if token is None:
        raise typer.BadParameter(f"the variable {variable!r} is empty or not set", param_hint="--token-env")
    try:
        address = world_address(url, token) if asks else url
        return HostConnection(client, environment_at(url), url=address, token=token)
    except WorldError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID_OR_URL") from cause
