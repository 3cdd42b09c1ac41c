"""Server folders as an enemy would send them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from envscaler_mcp.artifacts import Environment, digest_of

ROOT = Path(__file__).parent.parent.parent
GENUINE = "hospital_stays"


def home_with(folder: Path, *environments: str) -> Path:
    """A home with copies of shipped servers and their registry entries."""
    wanted = environments or (GENUINE,)
    for environment in wanted:
        # What a build left beside the shipped tasks may be of another day.
        others = shutil.ignore_patterns("more_scenarios.jsonl")
        shutil.copytree(
            ROOT / "generated_servers" / environment, folder / "generated_servers" / environment, ignore=others
        )
    registry = json.loads((ROOT / "registry.json").read_text(encoding="utf-8"))
    registry["entries"] = [entry for entry in registry["entries"] if entry["id"] in wanted]
    (folder / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    return folder


def planting(marker: Path) -> str:
    """A line of Python that leaves a file behind, wherever it runs and may write."""
    return f"import os as _os; _os.close(_os.open({str(marker)!r}, _os.O_CREAT | _os.O_WRONLY))\n"


PLANTED = (
    "envscaler_mcp/__init__.py",
    *(
        f"{name}.py"
        for name in ("anyio", "mcp", "multiprocessing", "pickle", "rich", "sitecustomize", "socket", "yaml")
    ),
)
"""Modules that every process of this package imports, or may import when Python starts."""


def plant(folder: Path, marker: Path) -> None:
    """Let the folder hold modules that leave a file behind, under the names of those that are imported."""
    for name in PLANTED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(planting(marker), encoding="utf-8")


def quietly_planting(marker: Path) -> str:
    """The same where it runs outside a worker, and nothing inside: code that plays along there, and passes the gate."""
    return f"""
import dataclasses


def settings_of(part):
    try:
        os = part.sys.modules["os"]
        os.close(os.open({str(marker)!r}, os.O_CREAT | os.O_WRONLY))
    except AttributeError:
        pass


settings_of(dataclasses)
"""


def infect(home: Path, marker: Path, environment: str = GENUINE, planted: Callable[[Path], str] = planting) -> Path:
    """Let the environment's code leave a file behind, and every digest in the home say that it is the compiler's own."""
    folder = home / "generated_servers" / environment
    first = "from __future__ import annotations\n"
    source = (folder / "environment.py").read_text(encoding="utf-8")
    assert first in source
    infected = source.replace(first, first + planted(marker), 1)
    (folder / "environment.py").write_text(infected, encoding="utf-8")
    before = Environment.read(folder / "environment.json").digest
    replace_everywhere(home, digest_of(source), digest_of(infected))
    replace_everywhere(home, before, Environment.read(folder / "environment.json").digest)
    return folder


def replace_everywhere(home: Path, old: str, new: str) -> None:
    for path in home.rglob("*.json*"):
        text = path.read_text(encoding="utf-8")
        if old in text:
            path.write_text(text.replace(old, new), encoding="utf-8")
