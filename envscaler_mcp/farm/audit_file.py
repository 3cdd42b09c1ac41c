"""The file of the audit log: of this user alone, and of bounded size however often requests are refused."""

from __future__ import annotations

import fcntl
import logging.handlers
import os
from io import TextIOWrapper
from pathlib import Path

MAX_BYTES = 16 << 20
"""Of one file; a longer one is moved to the next number."""
KEPT_FILES = 3
"""Older files that are kept."""


class AuditFile(logging.handlers.WatchedFileHandler):
    """Written by all processes of a farm; one of them moves it away, and the others notice."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.fchmod(descriptor, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, perhaps to a new file."""
        try:
            self._rotate()
        except OSError:
            self.handleError(record)
        super().emit(record)

    def _rotate(self) -> None:
        stream = self.stream
        if stream is None or os.fstat(stream.fileno()).st_size < MAX_BYTES:
            return
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX)
        try:
            if self._is_current(stream.fileno()):
                for number in range(KEPT_FILES - 1, 0, -1):
                    if self._numbered(number).exists():
                        self._numbered(number).replace(self._numbered(number + 1))
                Path(self.baseFilename).replace(self._numbered(1))
        finally:
            fcntl.flock(stream.fileno(), fcntl.LOCK_UN)

    def _is_current(self, descriptor: int) -> bool:
        """Whether no other process has moved the file away meanwhile."""
        try:
            return os.path.samestat(os.fstat(descriptor), Path(self.baseFilename).stat())
        except FileNotFoundError:
            return False

    def _numbered(self, number: int) -> Path:
        return Path(f"{self.baseFilename}.{number}")
