"""The blueprints that ship, one YAML file each, in a folder per sector."""

from __future__ import annotations

from pathlib import Path


def blueprint_files() -> dict[str, Path]:
    """Every blueprint's file by its id, sorted."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*/*.yaml"), key=lambda path: path.stem)}
