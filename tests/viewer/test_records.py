"""Whoever looks sees one attempt of each episode."""

from __future__ import annotations

import json
from pathlib import Path

from envscaler_mcp.scoring.journal import Journal
from envscaler_mcp.scoring.run_folder import RunFolder
from envscaler_mcp.viewer.records import by_environment
from tests.scoring.test_run_folder import PLAN


def attempt(name: str, number: int, owner: str | None = None, environment: str = "b") -> bytes:
    verdict = {"reward": 0.0, "solved": False, "masked": False, "owner": owner, "reason": ""}
    told = {"id": name, "environment": environment, "agent": "noop", "attempt": number, "steps": [], "ended": "steps"}
    return json.dumps({**told, "verdict": verdict}).encode()


def test_environments_come_one_after_the_other_and_a_limit_takes_the_first(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, PLAN):
        pass
    with Journal.open(tmp_path) as journal:
        journal.append([attempt("b1", 1), attempt("a1", 1, environment="a"), attempt("b0", 1), attempt("a0", 1)])
    assert [place.episode for place in by_environment(tmp_path)] == ["a1", "b1", "b0", "a0"]
    assert [place.episode for place in by_environment(tmp_path, 3)] == ["a1", "b1", "b0"]
