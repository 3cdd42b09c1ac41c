"""Looks up what a command line names: a misspelt environment or tool is wrong use and ends with exit code 2."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.errors import RegistryError

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, Tool
    from envscaler_mcp.home import Home, ServerFolders
    from envscaler_mcp.serving import EnvironmentCode
    from envscaler_mcp.settings import Settings


_HOME = "envscaler_mcp.home"


def settings_of(ctx: typer.Context) -> Settings:
    """The settings of this program and its `--home`, read when the first command asks for them."""
    from envscaler_mcp.settings import Settings

    root = ctx.find_root()
    if root.obj is None:
        root.obj = Settings.read(home=root.params.get("home"))
    settings_read: Settings = root.obj
    return settings_read


def home_of(ctx: typer.Context) -> Home:
    """The environments that this program finds: of this home, and behind them the shipped ones; read once."""
    from envscaler_mcp.home import read_home

    meta = ctx.find_root().meta
    if _HOME not in meta:
        meta[_HOME] = read_home(settings_of(ctx))
    home: Home = meta[_HOME]
    return home


def leave_home_out(ctx: typer.Context) -> None:
    """Only shipped environments from now on, whatever the home holds."""
    from envscaler_mcp.home import read_shipped

    ctx.find_root().meta[_HOME] = read_shipped(settings_of(ctx))


def registry_written(home: Home) -> str:
    """When the registry of a home was last written, as RFC 3339."""
    return datetime.fromtimestamp(home.file.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def home_if_any(ctx: typer.Context) -> Home | None:
    """The same, where this home has a registry or worlds ship."""
    settings = settings_of(ctx)
    return home_of(ctx) if settings.shipped is not None or settings.registry_file.is_file() else None


def registry_of(ctx: typer.Context) -> Registry:
    """The registry of this home, with the shipped environments."""
    return home_of(ctx).registry


def registry_if_any(ctx: typer.Context) -> Registry | None:
    """The registry of this home, where it has one."""
    home = home_if_any(ctx)
    return None if home is None else home.registry


def servers_of(ctx: typer.Context) -> ServerFolders:
    """The server folders of this home, where it has a registry and where it has none."""
    home = home_if_any(ctx)
    return settings_of(ctx).servers if home is None else home.servers


def entry_of(ctx: typer.Context, env_id: str) -> RegistryEntry:
    """The registered environment of that id."""
    from envscaler_mcp.registry import find_entry

    registry = registry_of(ctx)
    try:
        return find_entry(registry, env_id)
    except RegistryError as cause:
        raise typer.BadParameter(str(cause), param_hint="ENV_ID") from cause


def folder_of(ctx: typer.Context, env_id: str) -> Path:
    """The server folder of a registered environment."""
    folder = home_of(ctx).servers / entry_of(ctx, env_id).id
    if folder.is_symlink():
        raise RegistryError(f"{str(folder)!r} is a link; put the folder itself there")
    return folder


def code_of(ctx: typer.Context, env_id: str) -> EnvironmentCode:
    """The code of a registered environment, and whether it may run in this process."""
    from envscaler_mcp.trust import load_code

    return load_code(folder_of(ctx, env_id), entry_of(ctx, env_id).digests)


def environment_of(ctx: typer.Context, env_id: str) -> Environment:
    """The card of a registered environment; none of its code is run."""
    from envscaler_mcp.artifacts import Environment

    return Environment.read_in(folder_of(ctx, env_id), "environment.json")


def tool_of(environment: Environment, name: str) -> Tool:
    """The tool of that name."""
    tool = environment.tool(name)
    if tool is None:
        from envscaler_mcp.serving.suggestion import did_you_mean

        raise typer.BadParameter(
            f"{environment.id} has no tool {name!r}{did_you_mean(name, [t.name for t in environment.tools])}",
            param_hint="TOOL",
        )
    return tool
