"""Files of a folder that may come from anywhere: read without following a link, and never from outside of it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from envscaler_mcp.errors import ArtifactError

MOST_BYTES = 256 << 20
"""How large a file of a server folder may be."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe would wait for its other end.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_member(folder: Path, name: str, most: int = MOST_BYTES) -> bytes:
    """The content of a plain file below the folder; a link, a pipe or a device on the way is refused."""
    path = folder / name
    parts = member_parts(name)
    try:
        with _opened(folder, parts) as descriptor:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise ArtifactError(f"{path} is not a plain file; put the file itself there")
            if found.st_size > most:
                raise ArtifactError(f"{path} has {found.st_size:,} bytes; {most:,} are allowed")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(found.st_size)
    except OSError as cause:
        if cause.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and _is_linked(folder, parts):
            raise ArtifactError(f"{path} is a link or lies behind one; put the file itself there") from cause
        raise ArtifactError(f"{path} cannot be read: {cause}") from cause


def read_member_text(folder: Path, name: str, most: int = MOST_BYTES) -> str:
    """The same as text."""
    try:
        return read_member(folder, name, most).decode("utf-8")
    except UnicodeDecodeError as cause:
        raise ArtifactError(f"{folder / name} cannot be read: {cause}") from cause


def has_member(folder: Path, name: str) -> bool:
    """Whether something lies there, were it a link."""
    return os.path.lexists(folder / name)


def member_parts(name: str) -> tuple[str, ...]:
    """The steps of a path that stays inside its folder."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or "\\" in name:
        raise ArtifactError(f"{name!r} would lie outside of its folder; name a file inside it")
    return parts


def check_target(folder: Path, name: str) -> Path:
    """Where a file of that name is written below the folder, if no part of the way is a link."""
    path = folder
    for part in member_parts(name)[:-1]:
        path /= part
        if path.is_symlink():
            raise ArtifactError(f"{path} is a link; remove it, so that nothing is written to where it leads")
    return path / member_parts(name)[-1]


@contextmanager
def _opened(folder: Path, parts: tuple[str, ...]) -> Iterator[int]:
    opened = [os.open(folder, _FOLDER & ~os.O_NOFOLLOW)]
    try:
        for part in parts[:-1]:
            opened.append(os.open(part, _FOLDER, dir_fd=opened[-1]))
        opened.append(os.open(parts[-1], _FILE, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _is_linked(folder: Path, parts: tuple[str, ...]) -> bool:
    return any(folder.joinpath(*parts[:number]).is_symlink() for number in range(1, len(parts) + 1))
