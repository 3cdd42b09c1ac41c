"""Files and folders that may come from anywhere: read and written without following a link out of them."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Self

from envscaler_mcp.errors import ArtifactError

MOST_BYTES = 256 << 20
"""How large a file of a server folder may be."""
_DEEPEST = 32
"""How many folders deep a server folder may be."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe would wait for its other end.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LINKED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


class PlainFolder:
    """A folder held open. Whatever is read, written, listed or removed in it goes through no link."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    @classmethod
    @contextmanager
    def at(cls, base: Path, *steps: str, make: bool = False) -> Iterator[Self]:
        """A folder that the user named, or one some steps below it: the base may be a link, no step may be one."""
        with ExitStack() as opened:
            try:
                if make:
                    base.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(base, _FOLDER & ~os.O_NOFOLLOW)
                opened.callback(os.close, descriptor)
                for step in steps:
                    descriptor = _step(descriptor, step, make=make)
                    opened.callback(os.close, descriptor)
            except OSError as cause:
                raise _refused(base, steps, "opened", cause) from cause
            yield cls(base.joinpath(*steps), descriptor)

    def entries(self) -> list[str]:
        """The names in the folder itself, sorted."""
        return sorted(os.listdir(self.descriptor))  # noqa: PTH208 - a descriptor is no path

    def files(self) -> list[str]:
        """Every path below that is no folder, links as links; what Python keeps for itself is left out."""
        try:
            return list(_walk(self.path, self.descriptor))
        except OSError as cause:
            raise ArtifactError(f"{self.path} cannot be listed: {cause}") from cause

    def has(self, name: str) -> bool:
        """Whether something of that name lies there, were it a link to nothing."""
        try:
            with self._parent(name) as (parent, last):
                os.stat(last, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as cause:
            raise _refused(self.path, member_parts(name), "read", cause) from cause
        return True

    def open_file(self, name: str, flags: int = os.O_RDONLY) -> int:
        """A descriptor of a plain file, which the caller closes."""
        parts = member_parts(name)
        try:
            descriptor = _opened_below(self.descriptor, parts, flags | _FILE)
        except OSError as cause:
            verb = "read" if flags & os.O_ACCMODE == os.O_RDONLY else "written"
            raise _refused(self.path, parts, verb, cause) from cause
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise ArtifactError(f"{self.path / name} is not a plain file; put the file itself there")

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The content of a plain file of bounded size."""
        descriptor = self.open_file(name)
        try:
            return _content(descriptor, self.path, name, most)
        except OSError as cause:
            raise ArtifactError(f"{self.path / name} cannot be read: {cause}") from cause
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes, *, sync: bool = False) -> None:
        """Replace a file in one step; with `sync`, it lies on the disk when this returns."""
        try:
            with self._parent(name, make=True) as (parent, last):
                temporary = f".{secrets.token_hex(8)}.new"
                try:
                    _write_new(parent, temporary, data, sync=sync)
                    os.replace(temporary, last, src_dir_fd=parent, dst_dir_fd=parent)
                except BaseException:
                    with suppress(FileNotFoundError):
                        os.unlink(temporary, dir_fd=parent)
                    raise
                if sync:
                    os.fsync(parent)
        except OSError as cause:
            raise _refused(self.path, member_parts(name), "written", cause) from cause

    def remove(self, name: str) -> None:
        """Take a file away; of a link, the link."""
        try:
            with self._parent(name) as (parent, last):
                os.unlink(last, dir_fd=parent)
        except OSError as cause:
            raise _refused(self.path, member_parts(name), "removed", cause) from cause

    def remove_folder(self, name: str) -> None:
        """Take a folder away with what lies in it; a link of that name stays."""
        shutil.rmtree(name, ignore_errors=True, dir_fd=self.descriptor)

    def rename(self, name: str, new: str) -> None:
        """Give an entry another name in the same folder."""
        os.rename(name, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def sync(self) -> None:
        """The names in the folder lie on the disk."""
        os.fsync(self.descriptor)

    @contextmanager
    def _parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        *steps, last = member_parts(name)
        with ExitStack() as opened:
            descriptor = self.descriptor
            for step in steps:
                descriptor = _step(descriptor, step, make=make)
                opened.callback(os.close, descriptor)
            yield descriptor, last


def read_below(folder: Path, name: str, most: int = MOST_BYTES) -> bytes:
    """The content of a plain file below a folder that the user named, without a link on the way."""
    try:
        # Every opening of a world comes here: without a context manager, it takes a third less.
        descriptor = os.open(folder, _FOLDER & ~os.O_NOFOLLOW)
    except OSError as cause:
        raise _refused(folder, member_parts(name), "read", cause) from cause
    try:
        return PlainFolder(folder, descriptor).read(name, most)
    finally:
        os.close(descriptor)


def read_named_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file that the user named, perhaps by a link; no pipe or device is waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _FILE & ~os.O_NOFOLLOW)
        try:
            return _content(descriptor, path, "", most)
        finally:
            os.close(descriptor)
    except OSError as cause:
        raise ArtifactError(f"{path} cannot be read: {cause}") from cause


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where a file or folder is made in the block; it takes the place of `path` whole, when the block has ended well.

    Nothing changes where nothing was made. The path is one that the user named, so folders above it may be links.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, so on the same file system: only there a rename is one step.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        made = Path(folder) / path.name
        yield made
        if made.exists():
            made.replace(path)


def check_database(path: Path) -> None:
    """Refuse a database of SQLite that is a link, a pipe or a device, or keeps its journal in one."""
    for end in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(f"{path.name}{end}")
        if os.path.lexists(file) and not stat.S_ISREG(file.lstat().st_mode):
            raise ArtifactError(f"{file} is not a plain file; remove it, or name another folder")


def member_parts(name: str) -> tuple[str, ...]:
    """The steps of a path that stays inside its folder."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or "\\" in name:
        raise ArtifactError(f"{name!r} would lie outside of its folder; name a file inside it")
    return parts


def _content(descriptor: int, folder: Path, name: str, most: int) -> bytes:
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise ArtifactError(f"{folder / name} is not a plain file; put the file itself there")
    if about.st_size > most:
        raise ArtifactError(f"{folder / name} has {about.st_size:,} bytes; {most:,} are allowed")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(about.st_size)


def _opened_below(parent: int, parts: tuple[str, ...], flags: int) -> int:
    folder = parent
    try:
        for step in parts[:-1]:
            inner = os.open(step, _FOLDER, dir_fd=folder)
            if folder != parent:
                os.close(folder)
            folder = inner
        return os.open(parts[-1], flags, 0o644, dir_fd=folder)
    finally:
        if folder != parent:
            os.close(folder)


def _step(parent: int, name: str, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it: the system may take a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _write_new(parent: int, name: str, data: bytes, *, sync: bool) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(descriptor, 0o644)
        if sync:
            os.fsync(descriptor)


def _walk(path: Path, descriptor: int, before: tuple[str, ...] = ()) -> Iterator[str]:
    if len(before) > _DEEPEST:
        raise ArtifactError(f"{path} has folders more than {_DEEPEST} deep; no server folder has")
    with os.scandir(descriptor) as listing:
        entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
    for name, is_folder in entries:
        if not is_folder:
            yield "/".join((*before, name))
        elif name != "__pycache__":
            inner = _step(descriptor, name, make=False)
            try:
                yield from _walk(path, inner, (*before, name))
            finally:
                os.close(inner)


def _refused(base: Path, parts: tuple[str, ...], verb: str, cause: OSError) -> ArtifactError:
    path = base.joinpath(*parts)
    if cause.errno in _LINKED and any(base.joinpath(*parts[: n + 1]).is_symlink() for n in range(len(parts))):
        return ArtifactError(f"{path} is a link or lies behind one; put the file itself there")
    return ArtifactError(f"{path} cannot be {verb}: {cause}")
