"""The journal of a run: records are added, never changed, and count only when they lie on the disk.

One process writes at a time. What a crash left half written is cut off when the journal is opened, and kept aside.
"""

from __future__ import annotations

import fcntl
import fnmatch
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from envscaler_mcp.errors import ArtifactError, RunError
from envscaler_mcp.html.counts import counted
from envscaler_mcp.plain_files import PlainFolder, read_below, write_all
from envscaler_mcp.scoring.lines import Reading, read_lines, sealed

SHARD = 64 * 1024 * 1024
"""Bytes after which another shard is begun."""
_NAME = "episodes-{:05d}.jsonl"
LONGEST = 8 * SHARD
"""Bytes that a shard may have. Readers refuse a longer one, so none is written."""
_PATTERN = "episodes-*.jsonl"
_ASIDE = "damaged"


class Journal:
    """Open for writing."""

    def __init__(self, folder: PlainFolder, shards: list[str], damaged: int) -> None:
        self.damaged = damaged
        """How many stretches could not be trusted; copies of them are kept aside."""
        self._folder = folder
        self._number = len(shards)
        self._file = -1
        self._size = 0
        if shards:
            self._continue(shards[-1])

    @classmethod
    @contextmanager
    def open(cls, folder: Path, accept: Callable[[PlainFolder], None] = lambda _: None) -> Iterator[Self]:
        """The journal of a run directory, for this process alone.

        `accept` raises where the folder is not the run that was meant, before anything in it is mended.
        """
        # Named by the user, so it may be a link; nothing inside may be one.
        with PlainFolder.at(folder, make=True) as opened, _locked(opened):
            accept(opened)
            journal = cls(opened, *_mended(opened))
            try:
                yield journal
            finally:
                journal._close()

    def records(self) -> Iterator[bytes]:
        """What it holds; one shard of it is in memory at a time."""
        for _, reading in read_shards(self._folder.path):
            yield from reading.records

    def append(self, records: Sequence[bytes]) -> None:
        """Add records; when this returns, they are on the disk. Where it cannot, those that are not there count for nothing."""
        lines: list[bytes] = []
        size = 0
        for line in map(sealed, records):
            if len(line) > LONGEST:
                raise RunError(f"A record of {len(line)} bytes cannot be written: a reader accepts {LONGEST} at most.")
            if lines and size + len(line) > SHARD:
                self._append(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line)
        self._append(lines)

    def _append(self, records: Sequence[bytes]) -> None:
        """All of them into one shard, which stays as short as readers want it."""
        lines = b"".join(records)
        if self._file < 0 or self._size >= SHARD or (self._size and self._size + len(lines) > LONGEST):
            self._begin()
        try:
            write_all(self._file, lines)
            os.fsync(self._file)
        except OSError as cause:
            self._take_back()
            raise RunError(
                f"The records of {counted(len(records), 'episode')} cannot be written to {str(self._folder.path)!r}: {cause}. "
                "What was recorded before is safe; make room and run the same command again."
            ) from cause
        self._size += len(lines)

    def _take_back(self) -> None:
        """Leave nothing half written; if even that fails, opening the journal the next time does it."""
        try:
            os.ftruncate(self._file, self._size)
        finally:
            self._close()

    def _begin(self) -> None:
        self._close()
        self._number += 1
        name = _NAME.format(self._number)
        with _as_run_error():
            self._file = self._folder.open_file(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
            self._size = 0
            self._folder.sync()

    def _continue(self, name: str) -> None:
        self._file = self._folder.open_file(name, os.O_WRONLY | os.O_APPEND)
        self._size = os.fstat(self._file).st_size

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_journal(folder: Path) -> tuple[tuple[bytes, ...], int]:
    """The records that lie in a run directory now, and how many stretches are damaged; nothing is mended."""
    readings = [reading for _, reading in read_shards(folder)]
    return tuple(record for reading in readings for record in reading.records), sum(
        len(reading.damaged) for reading in readings
    )


def read_shards(folder: Path) -> Iterator[tuple[Path, Reading]]:
    """The same shard by shard: one is in memory at a time, however long the run."""
    if not folder.is_dir():
        return
    with PlainFolder.at(folder) as opened:
        names = _shards(opened)
    for name in names:
        yield folder / name, read_lines(read_below(folder, name, LONGEST))


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """Where the record of an episode lies."""

    episode: str
    environment: str
    counts: bool
    """Whether the episode is done with it."""
    shard: Path
    begin: int
    length: int

    def read(self) -> bytes:
        """The record; what was written once is never changed."""
        with PlainFolder.at(self.shard.parent) as folder, os.fdopen(folder.open_file(self.shard.name), "rb") as file:
            file.seek(self.begin)
            return file.read(self.length)


def _shards(folder: PlainFolder) -> list[str]:
    return fnmatch.filter(folder.entries(), _PATTERN)


def _mended(folder: PlainFolder) -> tuple[list[str], int]:
    """Every shard read; what is damaged is copied aside, and a torn tail is cut off."""
    damaged = 0
    shards = _shards(folder)
    for name in shards:
        data = folder.read(name, LONGEST)
        reading = read_lines(data)
        damaged += len(reading.damaged)
        _keep_aside(folder, name, data, reading)
        file = folder.open_file(name, os.O_WRONLY)
        try:
            if reading.whole < len(data):
                os.ftruncate(file, reading.whole)
            # What another process left in the system's memory counts only from here on.
            os.fsync(file)
        finally:
            os.close(file)
    return shards, damaged


def _keep_aside(folder: PlainFolder, shard: str, data: bytes, reading: Reading) -> None:
    for begin, end in reading.damaged:
        copy = f"{_ASIDE}/{Path(shard).stem}.{begin}-{end}"
        # The copy is on the disk before the original is cut.
        if not folder.has(copy):
            folder.write(copy, data[begin:end], sync=True)
            folder.sync()


@contextmanager
def _locked(folder: PlainFolder) -> Iterator[None]:
    """The lock goes with the process, however that ends."""
    descriptor = folder.open_file("lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(
                f"Another process is playing into {str(folder.path)!r}; wait for it, or choose another folder with --out."
            ) from None
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _as_run_error() -> Iterator[None]:
    try:
        yield
    except (ArtifactError, OSError) as cause:
        raise RunError(f"A file of the run cannot be begun: {cause}") from cause
