"""Scenarios come in several files, as JSON or JSONL, and later than their environment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.export.items import items
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.pipeline.imported import Imported
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.pipeline.proving import write_scenarios
from envscaler_mcp.registry import read_registry
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.serving.tasks import load_scenarios
from tests.adversary import desk
from tests.pipeline.published import ENVIRONMENTS, SCENARIOS


def written(path: Path, entries: Iterable[Any]) -> Path:
    listed = list(entries)
    text = json.dumps(listed) if path.suffix == ".json" else "\n".join(map(json.dumps, listed)) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def imported(home: Path, environments: Path | None, *scenarios: Path, faithful: bool = False) -> Imported:
    return import_upstream(environments, scenarios, home / "servers", home / "registry.json", faithful=faithful)


def ids(home: Path, env_id: str = "desk") -> list[str]:
    return [one.id for one in load_scenarios(home / "servers" / env_id)]


def test_several_files_are_imported_together(tmp_path: Path) -> None:
    environments = written(tmp_path / "e.jsonl", [desk.ENVIRONMENT])
    first = written(tmp_path / "a.json", desk.TWELVE[:2])
    second = written(tmp_path / "b.jsonl", desk.TWELVE[2:5])
    found = imported(tmp_path, environments, first, second)
    assert [one.id for one in found.scenarios] == [f"task_{n}" for n in range(5)]
    assert ids(tmp_path) == [f"task_{n}" for n in range(5)]
    export_upstream([tmp_path / "servers" / "desk"], tmp_path / "e2.json", tmp_path / "s2.json")
    assert json.loads((tmp_path / "s2.json").read_text()) == desk.TWELVE[:5]
    assert json.loads((tmp_path / "e2.json").read_text()) == [desk.ENVIRONMENT]


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("again", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_scenarios_are_added_later(tmp_path: Path, again: bool, faithful: bool) -> None:
    environments = written(tmp_path / "e.json", [desk.ENVIRONMENT])
    imported(tmp_path, environments, written(tmp_path / "a.json", desk.TWELVE[:2]), faithful=faithful)
    other = desk.scenario("elsewhere", [desk.CHECKS[2]], init_config={"tickets": {"OLD": {"status": "new"}}})
    more = written(tmp_path / "b.json", [*desk.TWELVE[:3], other])
    (added,) = imported(tmp_path, environments if again else None, more).environments
    assert (added.added, added.refused, added.faithful) == (True, "", faithful)
    assert [one.id for one in added.scenarios] == ["task_2", "elsewhere"]
    assert ids(tmp_path) == ["task_0", "task_1", "task_2", "elsewhere"]
    (entry,) = read_registry(tmp_path / "registry.json").entries
    assert entry.scenarios == 4
    with WorldHome.at(tmp_path / "servers") as farm, closing(farm.open("desk", scenario="elsewhere")) as session:
        assert session.state()["tickets"] == {"OLD": {"status": "new"}}
    export_upstream([tmp_path / "servers" / "desk"], tmp_path / "e2.json", tmp_path / "s2.json")
    assert json.loads((tmp_path / "s2.json").read_text()) == [*desk.TWELVE[:3], other]


def test_what_was_made_here_stays_where_scenarios_are_added(tmp_path: Path) -> None:
    environments = written(tmp_path / "e.json", [ENVIRONMENTS["env_1_rl"]])
    imported(tmp_path, environments, written(tmp_path / "a.json", SCENARIOS[:1]))
    folder = tmp_path / "servers" / "env_1_rl"
    made = write_scenarios(folder, many=1)
    (folder / "quality.json").write_text("{}")
    imported(tmp_path, None, written(tmp_path / "b.json", SCENARIOS[3:4]))
    assert ids(tmp_path, "env_1_rl") == ["task_1", "task_4", *(one.id for one in made)]
    assert (folder / "quality.json").read_text() == "{}"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["env_1_rl"]


def test_another_document_of_the_same_name_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    imported(tmp_path, written(tmp_path / "e.json", [desk.ENVIRONMENT]), written(tmp_path / "a.json", desk.TWELVE[:1]))
    other = written(tmp_path / "e.json", [{**desk.ENVIRONMENT, "environment_summary": "Another"}])
    (found,) = imported(tmp_path, other, written(tmp_path / "b.json", desk.TWELVE[1:2])).environments
    assert "its document is another one" in found.refused
    assert ids(tmp_path) == ["task_0"]
    (found,) = imported(
        tmp_path, written(tmp_path / "e.json", [desk.ENVIRONMENT]), tmp_path / "b.json", faithful=True
    ).environments
    assert "was imported without --faithful" in found.refused
    assert Environment.read(tmp_path / "servers" / "desk" / "environment.json").origin == "written"


def test_a_folder_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(tmp_path, written(tmp_path / "e.json", [desk.ENVIRONMENT]), written(tmp_path / "a.json", desk.TWELVE[:1]))

    def full(*_: Any, **__: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        (found,) = imported(tmp_path, None, written(tmp_path / "b.json", desk.TWELVE[1:2])).environments
    assert "No space left" in found.refused
    assert ids(tmp_path) == ["task_0"]
    assert [path.name for path in (tmp_path / "servers").iterdir()] == ["desk"]


def test_lines_are_entries_whatever_the_file_is_called(tmp_path: Path) -> None:
    entries = [{"a": 1}, {"b": [1, {"c": "\n"}]}]
    for name in ("x.jsonl", "x.ndjson", "x.json", "x"):
        (tmp_path / name).write_text("\n".join(map(json.dumps, entries)) + "\n\n")
        assert list(items(tmp_path / name)) == [(0, entries[0]), (1, entries[1])]
    (tmp_path / "one.jsonl").write_text(json.dumps(entries[0]))
    assert list(items(tmp_path / "one.jsonl")) == [(0, entries[0])]
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(ArtifactError, match="entry 2 stands on a line of its own and is no JSON"):
        list(items(tmp_path / "bad.jsonl"))


@pytest.mark.parametrize("text", ['{"a": {"b": 1}}', '{"a":\n {"b": 1}}', '{\n"a": {"b": 1}}', '\n{"a": {"b": 1}}\n'])
def test_an_object_on_one_line_is_an_object(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    assert list(items(tmp_path / "x.json")) == [("a", {"b": 1})]
