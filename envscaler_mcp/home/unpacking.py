"""The worlds of a wheel, unpacked once into the user's cache.

The cache is trusted no more than any folder: code in it runs in this process only if the compiler makes it again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import tarfile
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from envscaler_mcp.errors import RegistryError
from envscaler_mcp.settings import ShippedWorlds

_MEMBER = re.compile(r"registry\.json|generated_servers/[a-z][a-z0-9_]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){1,2}")
_UNFINISHED = ".unpacking-"
_LEFT_BEHIND = 3600.0
"""Seconds after which what a killed process began to unpack is removed."""
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class _Contents:
    digest: str
    """Of the archive."""
    sizes: Mapping[str, int]
    """Of each file, by its path."""


def unpacked(shipped: ShippedWorlds) -> Path:
    """The folder of the shipped worlds, unpacked first where it is not there or not whole."""
    contents = _contents(shipped.archive)
    folder = shipped.cache / contents.digest
    if not _is_whole(folder, contents):
        try:
            _unpack(shipped.archive, contents, folder)
        except (OSError, tarfile.TarError, EOFError) as cause:
            raise RegistryError(
                f"The shipped environments cannot be unpacked into {str(shipped.cache)!r}: {cause}; make room there, or set "
                "XDG_CACHE_HOME to a folder that can be written"
            ) from cause
    return folder


def _contents(archive: Path) -> _Contents:
    file = archive.with_name("worlds.json")
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        contents = _Contents(
            str(document["digest"]), {str(name): int(size) for name, size in document["files"].items()}
        )
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as cause:
        raise _broken(file, str(cause)) from cause
    if not re.fullmatch(r"[0-9a-f]{64}", contents.digest) or not all(map(_MEMBER.fullmatch, contents.sizes)):
        raise _broken(file, "it names what no archive of environments holds")
    return contents


def _broken(file: Path, why: str) -> RegistryError:
    return RegistryError(f"{file} is not as it was installed: {why}; install envscaler-mcp again")


def _is_whole(folder: Path, contents: _Contents) -> bool:
    """Whether every file is there in its size: programs that clean a cache may remove some and leave the others."""
    try:
        status = folder.lstat()
        # Where XDG_CACHE_HOME is a folder for all, another user could have put worlds there.
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, _user()):
            return False
        return all(_size(folder / name) == size for name, size in contents.sizes.items())
    except OSError:
        return False


def _size(file: Path) -> int:
    status = os.lstat(file)
    return status.st_size if stat.S_ISREG(status.st_mode) else -1


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _unpack(archive: Path, contents: _Contents, folder: Path) -> None:
    cache = folder.parent
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove_left_behind(cache)
    new = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=cache))
    try:
        _extract(archive, contents, new / "worlds")
        _move(new, folder, contents)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _extract(archive: Path, contents: _Contents, folder: Path) -> None:
    """Write the files that the archive is known to hold, and nothing else of it."""
    with archive.open("rb") as stream:
        if sha256(stream.read()).hexdigest() != contents.digest:
            raise _broken(archive, "its digest is another")
    try:
        opened = tarfile.open(archive, "r:xz")  # noqa: SIM115
    except tarfile.CompressionError as cause:
        raise RegistryError(
            f"This Python was built without lzma, which unpacks the shipped environments: {cause}"
        ) from cause
    waiting = dict(contents.sizes)
    made: set[Path] = set()
    with opened:
        for member in opened:
            content = opened.extractfile(member) if member.isreg() else None
            if content is None or waiting.pop(member.name, None) != member.size:
                raise _broken(archive, f"it holds {member.name!r}")
            file = folder / member.name
            if file.parent not in made:
                file.parent.mkdir(parents=True, exist_ok=True)
                made.add(file.parent)
            file.write_bytes(content.read())
    if waiting:
        raise _broken(archive, f"{next(iter(waiting))!r} is missing")


def _move(new: Path, folder: Path, contents: _Contents) -> None:
    """Give the unpacked worlds their name in one step; of two processes the first does it, the other uses its folder."""
    for attempt in range(_ATTEMPTS):
        try:
            (new / "worlds").rename(folder)
            return
        except OSError:
            if not os.path.lexists(folder):
                raise
        if _is_whole(folder, contents):
            return
        # Not whole, a file or a link: it makes room. Another process may move it at the same time.
        with suppress(FileNotFoundError):
            folder.rename(new / f"old-{attempt}")
    raise FileExistsError(f"{folder} is in the way")


def _remove_left_behind(cache: Path) -> None:
    for folder in cache.glob(f"{_UNFINISHED}*"):
        with suppress(OSError):
            if time.time() - folder.lstat().st_mtime > _LEFT_BEHIND:
                shutil.rmtree(folder, ignore_errors=True)
