"""What an earlier build has finished and nobody has touched since, so that it need not be done again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.emit.folder import write_member
from envscaler_mcp.errors import ArtifactError

STAMP = ".built.json"
"""Lies in a server folder and never ships."""
_MAKERS = ("artifacts", "drawing", "emit", "language", "pipeline", "quality", "scenarios", "serving", "synthesis")


def note_finished(folder: Path, many: int, files: Mapping[str, str], scenarios: int) -> None:
    """Write down what was made of what."""
    stamp = {
        # Not of the author's file, which may be another by now.
        "made_of": _made_of(files["blueprint.yaml"]),
        "many": many,
        "files": {name: digest_of(text) for name, text in sorted(files.items())},
        "scenarios": scenarios,
    }
    write_member(folder, STAMP, json.dumps(stamp, indent=1) + "\n")


def finished(folder: Path, blueprint: Path, many: int, *, or_more: bool = False) -> int | None:
    """How many scenarios lie in the folder, where it is what would be made for so many, or for more; else nothing."""
    try:
        stamp = json.loads(read_member_text(folder, STAMP))
        if stamp["made_of"] != _made_of(blueprint.read_text(encoding="utf-8")) or not (
            stamp["many"] == many or (or_more and stamp["many"] > many)
        ):
            return None
        for name, digest in stamp["files"].items():
            if digest_of(read_member_text(folder, name)) != digest:
                return None
        return int(stamp["scenarios"])
    except (ArtifactError, OSError, ValueError, KeyError, TypeError):
        return None


def _made_of(blueprint: str) -> str:
    return digest_of([digest_of(blueprint), _makers()])


@cache
def _makers() -> str:
    """The digest of the code that makes environments: other code may make other files."""
    root = Path(__file__).parent.parent
    sources = sorted(path for room in _MAKERS for path in (root / room).rglob("*.py"))
    return digest_of([[path.relative_to(root).as_posix(), digest_of(path.read_text("utf-8"))] for path in sources])
