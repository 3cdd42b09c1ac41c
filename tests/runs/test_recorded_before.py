"""A run that was recorded before episodes could have several servers is read, replayed, scored and exported as ever."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.scoring.run_folder import read_plan, read_trajectories
from tests.export.dialogues import rows_in
from tests.runs.home import write_home

RECORDED = Path(__file__).parent.parent / "recordings" / "run_before_servers"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = write_home(tmp_path_factory.mktemp("home"), tasks=2)
    shutil.copytree(RECORDED, home / "run")
    return home


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


def test_its_documents_read_and_write_as_they_are_and_keep_their_digests() -> None:
    text = (RECORDED / "plan.json").read_text()
    assert read_plan(RECORDED).to_text() == text
    # As it was told when the run was recorded: what was made from a run names it so.
    assert read_plan(RECORDED).digest == "sha256:e9b1468374f99efc6532b90dc25318cb07127b3d0b9e3ab8d0479250ce6e4c86"
    records = (RECORDED / "episodes-00001.jsonl").read_text()
    for episode in read_trajectories(RECORDED):
        assert episode.model_dump_json() in records


def test_it_is_shown_replayed_scored_and_exported(home: Path, tmp_path: Path) -> None:
    assert envscaler(home, "runs", "show", home / "run").exit_code == 0
    assert "2 of 2 episodes are identical" in envscaler(home, "runs", "replay", home / "run").output
    assert envscaler(home, "runs", "rescore", home / "run", "--out", tmp_path / "again").exit_code == 0
    assert [episode.verdict.solved for episode in read_trajectories(tmp_path / "again")] == [True, True]
    assert envscaler(home, "export", home / "run", "--format", "trl", "--out", tmp_path / "rows.jsonl").exit_code == 0
    assert len(list(rows_in(tmp_path / "rows.jsonl"))) == 2
    # The command that began it finds it done.
    assert envscaler(home, "run", "--out", home / "run").exit_code == 0
