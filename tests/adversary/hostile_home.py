"""A home in which worlds of unread code stand beside compiled ones: some hang, some grow, one has a slow pattern."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from envscaler_mcp.registry import read_registry
from tests.homes import register, start_state, write_server, written

ROOT = Path(__file__).parents[2]
COMPILED = ("hospital_stays", "expense_approvals")

HANG = '''
class Place:
    def __init__(self, init_config: dict):
        self.things = {}
        self._held = []

    def ping(self) -> dict:
        """Answer."""
        return {"success": True, "data": "pong"}

    def hang(self, n: int) -> dict:
        """Never answer."""
        while True:
            n += 1

    def work(self, rounds: int) -> dict:
        """Answer after much work."""
        for number in range(rounds):
            self.things["last"] = {"number": number}
        return {"success": True, "data": rounds}

    def grow(self, mib: int) -> dict:
        """Take memory and answer."""
        self._held.append(bytearray(mib << 20))
        return {"success": True, "data": mib}
'''
REDOS = '''
from typing import Annotated

class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def look(self, piece: Annotated[str, {"pattern": "^(a|a)+$"}]) -> dict:
        """Look at a piece."""
        return {"success": True, "data": piece}

    def weigh(self, amount: float) -> dict:
        """Weigh an amount."""
        return {"success": True, "data": amount}
'''
AMP = '''
class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def go(self, piece: str, many: int, then: str) -> dict:
        """Answer with many of a piece."""
        return {"success": True, "data": [piece] * many + [then]}
'''
SOURCES = {"hang_env": HANG, "redos_env": REDOS, "amp_env": AMP}


def write_hostile_home(
    home: Path, sources: Mapping[str, str] = SOURCES, compiled: tuple[str, ...] = COMPILED, extra: int = 0
) -> Path:
    """The home: environments of unread code, and some that ship; `extra` adds entries without a folder."""
    entries = [entry for entry in read_registry(ROOT / "registry.json").entries if entry.id in compiled]
    for name in compiled:
        shutil.copytree(ROOT / "generated_servers" / name, home / "generated_servers" / name)
    for name, source in sources.items():
        entries.append(write_server(home / "generated_servers" / name, written(source, name), start_state({}, name, 1)))
    for number in range(extra):
        entries.append(entries[-1].model_copy(update={"id": f"extra_{number:05d}"}))
    return register(home, *entries)
