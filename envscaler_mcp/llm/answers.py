"""Answers that were paid for, kept in one file, so that going on costs nothing twice."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from envscaler_mcp.errors import ArtifactError, ModelError
from envscaler_mcp.llm.chat import ChatRequest, ChatResponse
from envscaler_mcp.llm.prices import Ledger
from envscaler_mcp.plain_files import check_database

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    dollars REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lost (purpose TEXT PRIMARY KEY, dollars REAL NOT NULL) WITHOUT ROWID;
"""


class Answers:
    """The answers of one run by the questions' identity. An answer that was kept survives whatever ends the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_database(path)
            self._file = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.executescript(_TABLES)
        except (OSError, ArtifactError, sqlite3.Error) as cause:
            raise ModelError(f"{path} cannot hold answers: {cause}") from cause
        self.ledger = self._accounts()
        """Everything this run has paid for, also before it was interrupted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def find(self, question: ChatRequest) -> ChatResponse | None:
        """The answer, if it was kept."""
        row = self._file.execute("SELECT answer FROM answers WHERE key = ?", (question.key,)).fetchone()
        if row is None:
            return None
        try:
            return ChatResponse.model_validate_json(row[0])
        except ValidationError:
            # Kept by a version that wrote other documents: asked again, and replaced.
            return None

    def keep(self, question: ChatRequest, answer: ChatResponse, dollars: float | None) -> None:
        """Keep an answer; it is on disk when this returns."""
        row = (question.key, question.purpose, question.model, answer.model_dump_json(), dollars or 0.0)
        self._write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
        self.ledger.paid(question.purpose, answer.usage, dollars)

    def lose(self, question: ChatRequest, dollars: float | None) -> None:
        """Note what an answer may cost that never came."""
        row = (question.purpose, dollars or 0.0)
        self._write(
            "INSERT INTO lost VALUES (?, ?) ON CONFLICT DO UPDATE SET dollars = dollars + excluded.dollars", row
        )
        self.ledger.owed(question.purpose, dollars)

    def _write(self, statement: str, row: tuple[str | float, ...]) -> None:
        try:
            self._file.execute(statement, row)
        except sqlite3.Error as cause:
            raise ModelError(f"{self.path} cannot hold one more answer: {cause}") from cause

    def _accounts(self) -> Ledger:
        ledger = Ledger()
        for purpose, answer, dollars in self._file.execute("SELECT purpose, answer, dollars FROM answers ORDER BY key"):
            try:
                ledger.paid(purpose, ChatResponse.model_validate_json(answer).usage, dollars)
            except ValidationError:
                ledger.line(purpose).dollars += dollars
        for purpose, dollars in self._file.execute("SELECT purpose, dollars FROM lost"):
            ledger.line(purpose).dollars += dollars
        return ledger
