"""A home in which worlds of unread code stand beside compiled ones: some hang, some grow, one has a slow pattern."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, State, digest_of
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.registry import read_registry
from envscaler_mcp.serving.tools import environment_class, parse, tool_table

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
    """The home: environments as they were written, and some that ship; `extra` adds entries that nobody opens."""
    entries = [one for one in read_registry(ROOT / "registry.json").entries if one.id in compiled]
    for name in compiled:
        shutil.copytree(ROOT / "generated_servers" / name, home / "generated_servers" / name)
    for name, source in sources.items():
        entries.append(write_environment(home / "generated_servers" / name, name, source))
    for number in range(extra):
        entries.append(entries[-1].model_copy(update={"id": f"extra_{number:05d}"}))
    Registry(entries=tuple(sorted(entries, key=lambda one: one.id))).write(home / "registry.json")
    return home


def write_environment(folder: Path, name: str, source: str, card: Environment | None = None) -> RegistryEntry:
    """The folder of an environment that a person wrote, and its entry."""
    card = card or card_of(name, source)
    card.write(folder / "environment.json")
    write_text(folder / "environment.py", source)
    State(environment=name, name="start", seed=1, content={}).write(folder / "states" / "start.json")
    return RegistryEntry(
        id=name,
        title=card.title,
        about=card.about,
        sector=card.sector,
        version=card.version,
        tools=tuple(tool.name for tool in card.tools),
        digests=RegistryDigests(environment=card.digest, code=card.code_digest),
        command=("{python}", f"generated_servers/{name}/server.py"),
    )


def card_of(name: str, source: str) -> Environment:
    """The card of a source as a person writes it."""
    class_name = environment_class(parse(source)).name
    return Environment(
        id=name,
        title=name.replace("_", " ").title(),
        about="A place of unread code.",
        sector="test",
        version="1.0.0",
        origin="written",
        class_name=class_name,
        introduction="A place.",
        rules=(),
        tools=tool_table(source, class_name),
        states=("start",),
        code_digest=digest_of(source),
    )
