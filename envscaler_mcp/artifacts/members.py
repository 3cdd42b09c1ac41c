"""Files of a folder that may come from anywhere: read without following a link, and never from outside of it."""

from __future__ import annotations

import os
from pathlib import Path

from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.plain_files import MOST_BYTES, member_parts, read_below

__all__ = ["MOST_BYTES", "check_target", "has_member", "member_parts", "read_member_text"]


def read_member_text(folder: Path, name: str, most: int = MOST_BYTES) -> str:
    """The text of a plain file below the folder; a link, a pipe or a device on the way is refused."""
    try:
        return read_below(folder, name, most).decode("utf-8")
    except UnicodeDecodeError as cause:
        raise ArtifactError(f"{folder / name} cannot be read: {cause}") from cause


def has_member(folder: Path, name: str) -> bool:
    """Whether something lies there, were it a link."""
    return os.path.lexists(folder / name)


def check_target(folder: Path, name: str) -> Path:
    """Where a file of that name is written below the folder, if no part of the way is a link."""
    path = folder
    for part in member_parts(name)[:-1]:
        path /= part
        if path.is_symlink():
            raise ArtifactError(f"{path} is a link; remove it, so that nothing is written to where it leads")
    return path / member_parts(name)[-1]
