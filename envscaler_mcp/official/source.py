"""Where the files of an official benchmark lie on this machine, and that they are the known ones.

None of them comes with this package. They are looked for where the user says, in a folder of this user's cache, and among
the packages of this Python. Each is compared with its known digest before anything is made of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.settings import benchmark_folder, named_benchmark_folder


class OfficialFilesError(EnvScalerError):
    """Files of a benchmark are missing, or are not the known ones; the message says how to get them."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must be on this machine before a benchmark can be played."""

    name: str
    """The benchmark's."""
    version: str
    """Such as `bfcl-eval 2025.7.9`, or the commit of a checkout."""
    licence: str
    folders: tuple[str, ...]
    """Top-level folders of what is needed. They lie together, or among the packages of this Python."""
    install: str
    """The command that puts them into `{folder}`."""
    pins: str
    """The package and the file, `package:file`, with the digest of every file that is read or imported."""

    @property
    def digests(self) -> Mapping[str, str]:
        """The digest of every file that is read or imported, by its path."""
        package, _, name = self.pins.partition(":")
        pinned: dict[str, str] = json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
        return pinned

    @property
    def command(self) -> str:
        """What a user types to get it."""
        return self.install.format(folder=benchmark_folder(self.name))


@dataclass(frozen=True)
class Source:
    """The files of a benchmark, as they were asked for."""

    requirement: Requirement
    roots: tuple[Path, ...]
    """The folders that hold its top-level folders."""

    @cached_property
    def digests(self) -> Mapping[str, str]:
        return self.requirement.digests

    @cached_property
    def digest(self) -> str:
        """Of all its files together."""
        return digest_of(dict(self.digests))

    def read(self, path: str) -> bytes:
        """The content of a file, if it is the known one."""
        file = self._file(path)
        try:
            content = file.read_bytes()
        except OSError as cause:
            raise OfficialFilesError(self._mend(f"{file} cannot be read: {cause.strerror}")) from cause
        if self.digests.get(path) != sha256(content).hexdigest():
            raise OfficialFilesError(self._mend(f"{file} is not the file of {self.requirement.version}"))
        return content

    def json_lines(self, path: str) -> list[Any]:
        """The values of a file that has one in each line."""
        return [json.loads(line) for line in self.read(path).decode().splitlines() if line.strip()]

    def check(self) -> None:
        """Raise unless every file is there and is the known one."""
        for path in self.digests:
            self.read(path)

    def _file(self, path: str) -> Path:
        top = path.partition("/")[0]
        return next((root for root in self.roots if (root / top).is_dir()), self.roots[0]) / path

    def _mend(self, what: str) -> str:
        return f"{what}. Get it with:\n    {self.requirement.command}"


def find(requirement: Requirement, given: Path | None = None) -> Source:
    """The benchmark's files. A folder that is named is the only one that is looked into for the first of its folders."""
    for place, is_named in _places(requirement, given):
        if (place / requirement.folders[0]).is_dir():
            source = Source(requirement, (place, *_of_this_python()))
            missing = [name for name in requirement.folders if not any((root / name).is_dir() for root in source.roots)]
            if missing:
                raise OfficialFilesError(_how(requirement, f"{place} has no {' and no '.join(missing)}"))
            source.check()
            return source
        if is_named:
            raise OfficialFilesError(_how(requirement, f"{place} has no folder {requirement.folders[0]!r}"))
    raise OfficialFilesError(_how(requirement, f"{requirement.version} is not on this machine"))


def _places(requirement: Requirement, given: Path | None) -> Iterator[tuple[Path, bool]]:
    named = given or named_benchmark_folder(requirement.name)
    if named is not None:
        yield named, True
    yield benchmark_folder(requirement.name), False
    for place in _of_this_python():
        yield place, False


def _of_this_python() -> tuple[Path, ...]:
    return tuple(Path(path) for path in sys.path if Path(path).is_absolute() and Path(path).is_dir())


def _how(requirement: Requirement, what: str) -> str:
    return f"{requirement.name}: {what}. Get it with:\n    {requirement.command}"
