"""The blueprints that ship, one YAML file each, in a folder per sector, and digests of what was made of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

DIGESTS = "digests.json"
"""Beside this module; `make docs` writes it."""


def blueprint_files() -> dict[str, Path]:
    """Every blueprint's file by its id, sorted."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*/*.yaml"), key=lambda path: path.stem)}


@dataclass(frozen=True, slots=True)
class ShippedDigests:
    """Of the code and of the file of tasks that were released with an environment of the library."""

    code: str
    tasks: str


def shipped_digests() -> dict[str, ShippedDigests]:
    """What was released, by the environment's id."""
    released = json.loads((Path(__file__).parent / DIGESTS).read_text(encoding="utf-8"))
    return {name: ShippedDigests(**digests) for name, digests in released.items()}
