"""The registry of a home and its server folders, with the shipped worlds behind them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.errors import RegistryError
from envscaler_mcp.home.folders import LayeredFolders, ServerFolders
from envscaler_mcp.home.unpacking import unpacked
from envscaler_mcp.registry import read_registry, with_entries
from envscaler_mcp.settings import Settings, ShippedWorlds

Layer = Literal["own", "shipped"]


@dataclass(frozen=True, slots=True)
class Home:
    """What readers know: every registered environment, and where its folder lies. Writers use the settings' folder."""

    registry: Registry
    servers: ServerFolders
    file: Path
    """The registry's file, of the user's own where there is one."""

    def layer(self, env_id: str) -> Layer:
        """Where a registered environment comes from. In a checkout the shipped ones are its own."""
        return "shipped" if isinstance(self.servers, LayeredFolders) and env_id in self.servers.behind else "own"


def read_home(settings: Settings) -> Home:
    """The home of these settings as it is now; an environment of the user's own wins over a shipped one of its id."""
    if settings.shipped is None:
        return Home(read_registry(settings.registry_file), settings.servers, settings.registry_file)
    own = read_registry(settings.registry_file) if settings.registry_file.is_file() else Registry()
    return _layered(settings.shipped, settings, own)


def read_shipped(settings: Settings) -> Home:
    """The environments that ship, whatever a home holds."""
    if settings.shipped is None:
        raise RegistryError(
            "A checkout is the home of its environments, and nothing ships beside it; name it with --home"
        )
    return _layered(settings.shipped, settings, Registry())


def _layered(worlds: ShippedWorlds, settings: Settings, own: Registry) -> Home:
    folder = unpacked(worlds)
    shipped = read_registry(folder / "registry.json")
    behind = {entry.id for entry in shipped.entries} - {entry.id for entry in own.entries}
    return Home(
        with_entries(shipped, own.entries),
        LayeredFolders(settings.servers, folder / "generated_servers", frozenset(behind)),
        settings.registry_file if own.entries else folder / "registry.json",
    )
