"""What this user's installation has compiled itself, remembered so that it is compiled once.

The file lies in the user's state folder, which belongs to this user alone; it is not used where others may write to it.
Another compiler begins another file, so that what an older one made is compiled again.
"""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path
from typing import cast, get_args

from envscaler_mcp.artifacts import Environment, digest_of
from envscaler_mcp.serving.code import Trust
from envscaler_mcp.settings import state_folder

_ROOMS = ("artifacts", "language", "serving", "synthesis")
"""Whose files decide what the compiler makes."""

_here: dict[str, Trust] = {}
"""What was compiled in this process, wherever it may be written down."""


def recall(environment: Environment, source: str) -> Trust | None:
    """What is known of the code of this card; None where it was not compiled here yet."""
    key = _key(environment, source)
    if key not in _here:
        _here.update(_read(memory_file()))
    return _here.get(key)


def remember(environment: Environment, source: str, trust: Trust) -> None:
    """Let this code be known from now on; a state folder that cannot be written only costs compiling again."""
    key = _key(environment, source)
    if recall(environment, source) == trust:
        return
    _here[key] = trust
    file = memory_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _private(file.parent):
            return
        # One short write at the end of the file: lines of several processes do not mix.
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, f"{key} {trust}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        return


def _key(environment: Environment, source: str) -> str:
    card = environment.model_dump(mode="json", exclude={"provenance"})
    return digest_of([card, digest_of(source)])


def _read(file: Path) -> dict[str, Trust]:
    try:
        if not (_private(file.parent) and _private(file)):
            return {}
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    known = (line.split(" ") for line in lines)
    return {words[0]: cast(Trust, words[1]) for words in known if len(words) == 2 and words[1] in get_args(Trust)}


def _private(path: Path) -> bool:
    """Whether this user alone can write there; a link is somewhere else."""
    status = path.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022 and not stat.S_ISLNK(status.st_mode)


def memory_file() -> Path:
    """Where it is written down."""
    return state_folder() / f"compiled-{_compiler()}.txt"


@cache
def _compiler() -> str:
    """A digest of the compiler's files as they lie there: names, sizes and times, which change when they do."""
    root = Path(__file__).parent.parent
    files = sorted(path for room in _ROOMS for path in (root / room).rglob("*.py"))
    seen = [[path.relative_to(root).as_posix(), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    return digest_of([str(root), seen]).removeprefix("sha256:")[:16]
