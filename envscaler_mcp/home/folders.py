"""Where the server folder of an environment lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class ServerFolders(Protocol):
    """Gives the folder of an environment: `servers / env_id`. A folder that holds server folders does so too."""

    def __truediv__(self, env_id: str, /) -> Path: ...


@dataclass(frozen=True, slots=True)
class LayeredFolders:
    """Server folders of the user's own, and behind them shipped ones."""

    own: Path
    shipped: Path
    behind: frozenset[str]
    """Shipped environments that no environment of the user's own takes the place of."""

    def __truediv__(self, env_id: str, /) -> Path:
        """The folder of an environment. The folder of one that is not known would be the user's own."""
        return (self.shipped if env_id in self.behind else self.own) / env_id


def folder_names(servers: ServerFolders) -> set[str]:
    """The environments that have a folder."""
    own = servers.own if isinstance(servers, LayeredFolders) else servers
    names = {card.parent.name for card in own.glob("*/environment.json")} if isinstance(own, Path) else set()
    return names | (servers.behind if isinstance(servers, LayeredFolders) else set())


def has_folders(servers: ServerFolders) -> bool:
    """Whether folders lie on this machine, which may be another one than where a command was given."""
    places = (servers.own, servers.shipped) if isinstance(servers, LayeredFolders) else (servers,)
    return any(isinstance(place, Path) and place.is_dir() for place in places)
