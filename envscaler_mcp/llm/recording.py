"""Whole runs written down, and played again without a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts.canonical import canonical_json, digest_of
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.chat import Answer, ChatModel, Question

ANSWERS, TEXTS = "answers.jsonl", "texts.jsonl"


class RecordingModel:
    """A model whose answers are written into a folder: what was asked, what was answered, each long text once."""

    def __init__(self, model: ChatModel, folder: Path) -> None:
        self.model, self.folder = model, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._texts = {one["digest"] for one in _lines(folder / TEXTS)}
        self._keys = {one["key"] for one in _lines(folder / ANSWERS)}

    async def answer(self, question: Question) -> Answer:
        answer = await self.model.answer(question)
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
        return answer

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
        self._answers = {one["key"]: Answer.model_validate(one["answer"]) for one in lines}

    async def answer(self, question: Question) -> Answer:
        found = self._answers.get(question.key)
        if found is None:
            raise ModelError(
                f"{self.folder} has no answer to this question of {question.purpose}; tasks, options, prompts or "
                "the program are not those of the recording. Record it again with --record"
            )
        return found


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    found = []
    # Not splitlines: a text may hold other signs that end lines.
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            # The last line of a run that was killed while it was written.
            continue
    return found


def _append(path: Path, document: Mapping[str, object]) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(canonical_json(document) + "\n")
