"""Scenarios wait on the disk, and come back as they were or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.export.spool import waiting_scenarios


def test_scenarios_are_found_by_environment_and_the_others_are_the_rest(tmp_path: Path) -> None:
    scenarios: list[Any] = [{"env_id": "a", "n": 1}, {"env_id": "b"}, 7, {"env_id": "a", "n": 2}, {"env_id": 5}]
    (tmp_path / "s.json").write_text(json.dumps(scenarios))
    with waiting_scenarios([tmp_path / "s.json"]) as waiting:
        assert waiting.of("a") == [(0, scenarios[0]), (3, scenarios[3])]
        assert waiting.of("5") == [(4, scenarios[4])]
        assert waiting.of("a") == []
        assert waiting.rest() == [(1, scenarios[1]), (2, {})]


def waited(path: Path, levels: int) -> str:
    path.write_text(f'[{{"deep": {"[" * levels}{"]" * levels}}}]')
    try:
        with waiting_scenarios([path]) as waiting:
            return f"{len(waiting.rest())} came back"
    except ArtifactError as error:
        return str(error)


def test_what_is_nested_too_deeply_is_told_wherever_the_depth_runs_out(tmp_path: Path) -> None:
    told = [waited(tmp_path / "s.json", levels) for levels in (10, *range(900, 1000), 100_000)]
    assert told[0] == "1 came back"
    assert all("recursion" in one for one in told if one != told[0])
    assert "cannot be read as JSON" in told[-1]
