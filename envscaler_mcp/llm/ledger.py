"""What a run has spent on models, kept in one file, so that a budget holds over all its starts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import astuple, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from envscaler_mcp.errors import ArtifactError, ModelError
from envscaler_mcp.llm.chat import ChatRequest, ChatResponse
from envscaler_mcp.llm.prices import Ledger, LedgerLine
from envscaler_mcp.plain_files import check_database

_COLUMNS = tuple(column.name for column in fields(LedgerLine))
_TABLE = f"CREATE TABLE IF NOT EXISTS spent (purpose TEXT PRIMARY KEY, {', '.join(_COLUMNS)}) WITHOUT ROWID"
_WRITE = f"INSERT OR REPLACE INTO spent VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"  # noqa: S608 - our own names
_READ = f"SELECT purpose, {', '.join(_COLUMNS)} FROM spent"  # noqa: S608


class Spending:
    """Accounts alone: equal questions are paid for as often as they are asked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_database(path)
            self._file = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)
            with closing(self._file.execute(_READ)) as rows:
                self.ledger = Ledger({purpose: LedgerLine(*line) for purpose, *line in rows})
        except (OSError, ArtifactError, sqlite3.Error) as cause:
            raise ModelError(f"{path} cannot hold what is spent: {cause}") from cause

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def keep(self, question: ChatRequest, answer: ChatResponse, dollars: float | None) -> None:
        """Count an answer that came."""
        self.ledger.paid(question.purpose, answer.usage, dollars)
        self._write(question.purpose)

    def lose(self, question: ChatRequest, dollars: float | None) -> None:
        """Count what an answer may cost that never came."""
        self.ledger.owed(question.purpose, dollars)
        self._write(question.purpose)

    def _write(self, purpose: str) -> None:
        try:
            self._file.execute(_WRITE, (purpose, *astuple(self.ledger.line(purpose))))
        except sqlite3.Error as cause:
            raise ModelError(f"{self.path} cannot hold what is spent: {cause}") from cause
