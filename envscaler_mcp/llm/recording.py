"""Whole runs written down, and played again without a model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts.canonical import canonical_json, digest_of
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.chat import ChatRequest, ChatResponse
from envscaler_mcp.plain_files import PlainFolder, read_below

_LARGEST = 4 << 30
"""Bytes of a recording's file, which grows with the run."""
ANSWERS, TEXTS = "answers.jsonl", "texts.jsonl"


class Recording:
    """A folder with what was asked and what was answered, each long text once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (TEXTS, ANSWERS):
            _mend(folder, name)
        self._texts = {line["digest"] for line in _lines(folder / TEXTS)}
        self._keys = {line["key"] for line in _lines(folder / ANSWERS)}

    def note(self, question: ChatRequest, answer: ChatResponse) -> None:
        """Write down a question and its answer, unless they are there."""
        if question.key not in self._keys:
            self._keys.add(question.key)
            asked = question.model_dump(mode="json", exclude_defaults=True)
            asked["messages"] = [
                {**message, "content": self._text(message.get("content", ""))} for message in asked["messages"]
            ]
            line = {
                "key": question.key,
                "question": asked,
                "answer": answer.model_dump(mode="json", exclude_defaults=True),
            }
            _append(self.folder / ANSWERS, line)

    def _text(self, text: str) -> str:
        digest = digest_of(text)
        if digest not in self._texts:
            self._texts.add(digest)
            _append(self.folder / TEXTS, {"digest": digest, "text": text})
        return digest


class ReplayedModel:
    """Answers as they were recorded; what was never asked is an error."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        lines = _lines(folder / ANSWERS)
        if not lines:
            raise ModelError(f"{folder} holds no recorded answers; record a run with --record")
        self._answers = {line["key"]: ChatResponse.model_validate(line["answer"]) for line in lines}

    async def answer(self, question: ChatRequest) -> ChatResponse:
        answer = self._answers.get(question.key)
        if answer is None:
            raise ModelError(
                f"{self.folder} has no answer to this question of {question.purpose}; tasks, options, prompts or "
                "the program are not those of the recording. Record it again with --record"
            )
        return answer


def _lines(path: Path) -> list[dict[str, Any]]:
    if not has_member(path.parent, path.name):
        return []
    documents = []
    # Not splitlines: a text may hold other signs that end lines. Not decoded: the last sign may be torn as well.
    for line in read_below(path.parent, path.name, _LARGEST).split(b"\n"):
        try:
            documents.append(json.loads(line))
        except ValueError:
            # The last line of a run that was killed while it was written.
            continue
    return documents


def _mend(path: Path, name: str) -> None:
    """Cut off a last line that is torn, or the next one would be lost with it."""
    with PlainFolder.at(path, make=True) as folder:
        written = folder.read(name, _LARGEST) if folder.has(name) else b""
        last = written.rpartition(b"\n")[2]
        if not last:
            return
        with os.fdopen(folder.open_file(name, os.O_RDWR), "r+b") as file:
            file.seek(len(written))
            try:
                json.loads(last)
                file.write(b"\n")
            except ValueError:
                file.truncate(len(written) - len(last))


def _append(path: Path, document: Mapping[str, object]) -> None:
    with (
        PlainFolder.at(path.parent) as folder,
        os.fdopen(folder.open_file(path.name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file,
    ):
        file.write((canonical_json(document) + "\n").encode("utf-8"))
