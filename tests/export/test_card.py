"""The data set card of an export: what it says is what the rows hold."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.cli.program import app
from envscaler_mcp.export.card import RowCounts, card_text, of_library
from envscaler_mcp.serving.tasks import load_scenarios
from tests.export.test_episodes import play
from tests.farm.farms import ROOT
from tests.runs.home import write_home


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = write_home(tmp_path_factory.mktemp("home"), tasks=3)
    play(home, home / "runs", repeat=2)
    return home


def export(home: Path, out: Path, card: Path) -> Result:
    words = ["--home", home, "export", home / "runs", "--format", "trl", "--out", out, "--card", card]
    return CliRunner().invoke(app, list(map(str, words)))


def test_a_card_counts_what_is_in_the_rows(played: Path, tmp_path: Path) -> None:
    assert export(played, tmp_path / "rows.jsonl", tmp_path / "README.md").exit_code == 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    turns = [message for row in rows for message in row["messages"] if message["role"] == "assistant"]
    card = (tmp_path / "README.md").read_text()
    counts = dict(re.findall(r"^\| ([a-z ]+) \| ([\d,.]+) \|$", card, re.MULTILINE))
    assert (counts["rows"], counts["turns of the agent"]) == (str(len(rows)), str(len(turns)))
    assert counts["tool calls"] == str(sum(len(turn.get("tool_calls") or ()) for turn in turns))
    assert counts["duplicate"] == "3", "the oracle plays a task the same way again"
    assert f"**split**: train {len(rows)}" in card
    head = yaml.safe_load(card.split("---")[1])
    assert head["license"] == "other", "the environment is none of the library"
    assert head["size_categories"] == ["n<1K"]


def counted(task: Scenario) -> RowCounts:
    environments = Counter({(task.environment, task.code_digest): 1})
    return RowCounts(episodes=1, environments=environments, tasks={task.environment: {task.digest}})


def test_code_and_tasks_of_the_library_come_with_its_licence(tmp_path: Path) -> None:
    folder = tmp_path / "tool_crib"
    shutil.copytree(ROOT / "generated_servers" / "tool_crib", folder)
    task = load_scenarios(folder)[0]
    assert of_library(tmp_path, counted(task)) == {"tool_crib"}
    assert of_library(tmp_path / "gone", counted(task)) == set()
    other = task.model_copy(update={"task": "What another author wrote."})
    assert of_library(tmp_path, counted(other)) == set(), "a fresh task, or one of another home"
    assert of_library(tmp_path, counted(task.model_copy(update={"code_digest": "sha256:0"}))) == set()
    for file, more in (("scenarios.jsonl", other.model_dump_json() + "\n"), ("environment.py", "# Mine.\n")):
        released = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(released + more, encoding="utf-8")
        assert of_library(tmp_path, counted(task)) == of_library(tmp_path, counted(other)) == set()
        (folder / file).write_text(released, encoding="utf-8")
    assert of_library(tmp_path, counted(task)) == {"tool_crib"}


def test_a_file_that_is_no_card_is_left_alone_and_a_card_is_replaced(played: Path, tmp_path: Path) -> None:
    mine = tmp_path / "README.md"
    mine.write_text("My own words.\n")
    refused = export(played, tmp_path / "rows.jsonl", mine)
    assert refused.exit_code == 1
    assert "no card that an export wrote" in refused.output
    assert mine.read_text() == "My own words.\n"
    assert not (tmp_path / "rows.jsonl").exists()
    for _ in range(2):
        assert export(played, tmp_path / "rows.jsonl", tmp_path / "CARD.md").exit_code == 0


def test_what_a_run_says_is_no_markup_in_a_card(played: Path, tmp_path: Path) -> None:
    hostile = "x | <img src=x> `a` [link](http://there)\n# head"
    counts = RowCounts(episodes=1, by={"agent": Counter({hostile: 1})}, environments=Counter({(hostile, "sha"): 1}))
    card = card_text(Path("rows.jsonl"), "trl", 1, counts, (), {})
    assert "<img" not in card.replace("\\<img", "")
    assert "\n# head" not in card
    assert not re.search(
        r"(?<!\\)[\[`]", card.split("# rows")[1].replace("`envscaler export --format trl`", "").replace("`sha`", "")
    )
