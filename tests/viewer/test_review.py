"""Episodes are looked up in this home, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.launch.opening import Starts
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.scoring.journal import read_journal
from envscaler_mcp.viewer.review import Review
from tests.runs.home import write_home
from tests.viewer.playing import envscaler


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = write_home(tmp_path_factory.mktemp("home"), tasks=2)
    assert envscaler(home, "run", "--out", home / "run").exit_code == 0
    return home


@pytest.mark.parametrize("name", ["..", ".", "", "lending_library/../lending_library", "x" * 300])
def test_a_record_leads_to_no_folder_but_those_of_environments(home: Path, name: str) -> None:
    record = json.loads(read_journal(home / "run")[0][0])
    with WorldHome.at(home / "generated_servers") as farm:
        found = Review(farm.servers, farm.judge).of(json.dumps({**record, "environment": name}).encode())
        nowhere = Review(home / "nothing", farm.judge).of(json.dumps(record).encode())
    assert found.unsure == f"this home has no environment {name!r}"
    assert nowhere.unsure == "this home has no environment 'lending_library'"


def test_a_world_is_opened_once_for_all_tasks_that_begin_alike(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    session = Starts.session

    def counted(self: Starts, *told: Any) -> Any:
        opened.append(told)
        return session(self, *told)

    monkeypatch.setattr(Starts, "session", counted)
    with WorldHome.at(home / "generated_servers") as farm:
        review = Review(farm.servers, farm.judge)
        assert [len(review.of(record).milestones) for record in read_journal(home / "run")[0]] == [4, 4]
    assert len(opened) == 1
