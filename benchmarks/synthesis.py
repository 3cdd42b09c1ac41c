"""What environments and scenarios take that a model writes: calls and tokens of the recorded runs, beside the paper's formula."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Benchmark, Figure, Peer, Scale

RECORDINGS = Path(__file__).parents[1] / "tests" / "recordings"
_TOPICS = {"judge_tasks", "name_topic", "embed"}
_SCENARIOS = {"word_task", "write_task", "solve_task", "find_words", "write_checks"}
_TESTED = 64
"""The paper's pipeline asks T + 64 times for an environment of T operations, if every answer can be used at once."""
_CHECKS = 15.8
"""It asks 3 + K times for a scenario with K checks, and this is the mean K of the published ones."""


@dataclass(frozen=True, slots=True)
class Tape:
    """What was asked in one run: by stage, how often and how many tokens in and out."""

    name: str
    calls: Counter[str]
    tokens: Counter[str]
    tools: int
    scenarios: int


def measure(_scale: Scale) -> list[Figure]:
    """Every recorded run; tokens are counted as one for four characters, the same for all."""
    figures: list[Figure] = []
    for folder in sorted(path.parent for path in RECORDINGS.glob("*/tape")):
        tape = _read(folder)
        paper = Peer("paper, T + 64", tape.tools + _TESTED)
        figures += [
            Figure(
                f"{tape.name}: calls for an environment",
                tape.calls["environment"],
                "",
                paper,
                note=f"{tape.tokens['environment']:,} tokens",
            ),
            Figure(
                f"{tape.name}: calls for a scenario",
                tape.calls["scenarios"] / tape.scenarios,
                "",
                Peer("paper, 3 + K", 3 + _CHECKS),
                note=f"{tape.tokens['scenarios'] / tape.scenarios:,.0f} tokens",
            ),
        ]
    return figures


def _read(folder: Path) -> Tape:
    texts = {one["digest"]: one["text"] for one in _lines(folder / "tape" / "texts.jsonl")}
    calls, tokens = Counter[str](), Counter[str]()
    tools, told = 0, set[str]()
    for line in _lines(folder / "tape" / "answers.jsonl"):
        purpose = line["question"]["purpose"]
        stage = "topics" if purpose in _TOPICS else "scenarios" if purpose in _SCENARIOS else "environment"
        usage = line["answer"].get("usage", {})
        calls[stage] += 1
        tokens[stage] += usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
        if purpose == "pick_calls":
            tools = len(
                re.findall(r"(?m)^\* \w+ \((?:reads|writes)\)", texts[line["question"]["messages"][1]["content"]])
            )
        if purpose in ("word_task", "write_checks"):
            told.add(line["question"]["messages"][1]["content"])
    return Tape(folder.name.replace("_", " "), calls, tokens, tools, len(told))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


BENCHMARK = Benchmark("synthesis", "Environments written by a model, as recorded", measure)
