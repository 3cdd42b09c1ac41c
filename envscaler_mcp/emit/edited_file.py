"""A file of another program, changed as a careful editor would: in one step, with a copy kept and its rights and owner."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from envscaler_mcp.errors import EmitError

MOST_BYTES = 16 << 20
"""How large such a file may be."""
_BACKUP = "before-envscaler"
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class EditedFile:
    """One file, what is in it, and what will be; nothing is written before `write`."""

    path: Path
    """As it was named; where that is a link, the link stays and what it leads to is written."""
    target: Path
    before: bytes | None
    """Nothing where there is no such file yet."""
    after: bytes

    @classmethod
    def of(cls, path: Path, change: Callable[[str], str]) -> EditedFile:
        """The file with its text changed; not one byte else, a byte order mark and line ends included."""
        target = _target_of(path)
        before = _content_of(path, target)
        text = (before or b"").removeprefix(_MARK)
        mark = _MARK if before is not None and before.startswith(_MARK) else b""
        try:
            after = mark + change(text.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError as cause:
            raise EmitError(f"{str(path)!r} is not UTF-8 ({cause}); nothing was changed") from cause
        return cls(path, target, before, after)

    @property
    def changes(self) -> bool:
        """Whether anything would be different."""
        return self.before != self.after

    def diff(self) -> str:
        """What would be different, line by line."""
        old, new = ((text or b"").decode("utf-8").splitlines() for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm=""))

    def write(self) -> Path | None:
        """Put it there in one step; the copy of the file as it was, if there was one."""
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            if not os.access(self.target.parent, os.W_OK | os.X_OK):
                raise EmitError(f"{str(self.target.parent)!r} cannot be written to; nothing was changed")
            return self._replaced()
        except OSError as cause:
            raise EmitError(f"{str(self.path)!r} cannot be written: {cause}; nothing was changed") from cause

    def _replaced(self) -> Path | None:
        descriptor, temporary = tempfile.mkstemp(dir=self.target.parent, prefix=f".{self.target.name}.")
        backup = None
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(self.after)
                stream.flush()
                os.fsync(descriptor)
            if self.before is not None:
                self._like_the_old(Path(temporary))
                backup = self._backup()
            if _content_of(self.path, self.target) != self.before:
                raise EmitError(f"{str(self.path)!r} was changed by another program meanwhile; give the command again")
            Path(temporary).replace(self.target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            if backup is not None:
                backup.unlink(missing_ok=True)
            raise
        return backup

    def _like_the_old(self, temporary: Path) -> None:
        old = self.target.stat()
        if (old.st_uid, old.st_gid) != (temporary.stat().st_uid, temporary.stat().st_gid):
            try:
                os.chown(temporary, old.st_uid, old.st_gid)
            except PermissionError as cause:
                raise EmitError(
                    f"{str(self.path)!r} belongs to another user or group, and would not any more; nothing was changed"
                ) from cause
        shutil.copystat(self.target, temporary)
        os.utime(temporary)

    def _backup(self) -> Path:
        """A copy under a name that nothing has yet."""
        names = chain([_BACKUP], (f"{_BACKUP}.{number}" for number in count(2)))
        for name in names:
            backup = self.target.with_name(f"{self.target.name}.{name}")
            try:
                descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                continue
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(self.before or b"")
            shutil.copystat(self.target, backup)
            with suppress(PermissionError):
                os.chown(backup, self.target.stat().st_uid, self.target.stat().st_gid)
            return backup
        raise AssertionError("names never end")


def _target_of(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as cause:
        # Python 3.11 has RuntimeError for links that lead back to themselves.
        raise EmitError(f"{str(path)!r} leads nowhere: {cause}; nothing was changed") from cause


def _content_of(path: Path, target: Path) -> bytes | None:
    try:
        # Without O_NONBLOCK, opening a pipe would wait for its other end.
        descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as cause:
        if path.is_symlink():
            raise EmitError(f"{str(path)!r} is a link to nothing ({str(target)!r}); nothing was changed") from cause
        return None
    except OSError as cause:
        raise EmitError(f"{str(path)!r} cannot be read: {cause}; nothing was changed") from cause
    try:
        _check(path, target, os.fstat(descriptor))
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(MOST_BYTES)
    finally:
        os.close(descriptor)


def _check(path: Path, target: Path, about: os.stat_result) -> None:
    """Refuse what cannot be replaced by a file that is the same but for the edit."""
    name = repr(str(path))
    if not stat.S_ISREG(about.st_mode):
        raise EmitError(f"{name} is not a plain file; nothing was changed")
    if about.st_size > MOST_BYTES:
        raise EmitError(f"{name} has {about.st_size:,} bytes; {MOST_BYTES:,} are allowed; nothing was changed")
    if not about.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise EmitError(f"{name} is read-only; make it writable first, or add the lines by hand; nothing was changed")
    if about.st_nlink > 1:
        raise EmitError(
            f"{name} is one of {about.st_nlink} names (hard links) of a file, and would no longer be; add the lines by "
            "hand; nothing was changed"
        )
