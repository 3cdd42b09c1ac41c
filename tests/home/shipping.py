"""Worlds that ship, small ones, packed as the build of a wheel packs the library."""

from __future__ import annotations

from pathlib import Path

from envscaler_mcp.settings import Settings, ShippedWorlds
from tests.homes import register, start_state, write_server, written
from tools.pack_worlds import pack

SOURCE = '''
class Shelf:
    """A shelf."""

    def __init__(self, state):
        self.books = state["books"]

    def count_books(self):
        """Count the books."""
        return {"success": True, "data": {"books": len(self.books)}}
'''


def add_world(home: Path, env_id: str, title: str = "A shelf") -> None:
    """A written world in a home, registered there."""
    code = written(SOURCE, env_id, title=title)
    state = start_state({"books": [title]}, env_id)
    register(home, write_server(home / "generated_servers" / env_id, code, state))


def shipped(folder: Path, *env_ids: str) -> ShippedWorlds:
    """These worlds, packed; nothing is unpacked yet."""
    for env_id in env_ids:
        add_world(folder / "checkout", env_id)
    (folder / "wheel").mkdir()
    archive, _ = pack(folder / "checkout", folder / "wheel", preset=0)
    return ShippedWorlds(archive=archive, cache=folder / "cache")


def settings(home: Path, worlds: ShippedWorlds | None) -> Settings:
    """What a program reads that was started in this home."""
    return Settings.read({"ENVSCALER_HOME": str(home)}).model_copy(update={"shipped": worlds})
