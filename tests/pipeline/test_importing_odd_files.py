"""Published files that nobody would write on purpose: what can be used is there, the rest is told, nothing is half there."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.registry import read_registry
from tests.pipeline.published import GONE, environment, scenario

NOTES = '''
class Notes:
    def __init__(self, init_config: dict):
        self.notes = init_config["notes"]

    def add(self, key: str, text: str) -> dict:
        """Add a note."""
        self.notes[key] = {"text": text}
        return {"success": True, "message": "Added."}
'''
STATE = {"notes": {"N-1": {"text": "one"}}}
HALF = "\ud83d"
"""Half of a character, which JSON can hold and UTF-8 cannot."""
DEEP: Any = json.loads("[" * 300 + "]" * 300)


def notes(**more: Any) -> dict[str, Any]:
    return environment("notes", "Notes", NOTES) | more


def task(task_id: Any, config: Any = STATE, **more: Any) -> dict[str, Any]:
    return scenario("notes", task_id, config, {"Has it gone?": GONE}, **more)


def imported(home: Path, environments: Any, scenarios: Any = ()) -> Imported:
    home.mkdir(exist_ok=True)
    (home / "e.json").write_text(json.dumps(environments), encoding="utf-8")
    (home / "s.json").write_text(json.dumps(list(scenarios)), encoding="utf-8")
    return import_upstream(home / "e.json", [home / "s.json"], home / "generated_servers", home / "registry.json")


def only(home: Path, whole: dict[str, Any], scenarios: Any = ()) -> ImportedEnvironment:
    (found,) = imported(home, [whole], scenarios).environments
    assert not found.refused
    return found


def exported(home: Path) -> tuple[Any, Any]:
    folders = [home / "generated_servers" / entry.id for entry in read_registry(home / "registry.json").entries]
    export_upstream(folders, home / "written_e.json", home / "written_s.json")
    return json.loads((home / "written_e.json").read_text()), json.loads((home / "written_s.json").read_text())


@pytest.mark.parametrize(
    "tools",
    [7, "[", [None, 7, []], [{}, {"function": None}, {"function": []}], [{"function": {"name": ["add"]}}], {"a": 1}],
)
def test_tools_of_no_known_shape_tell_nothing(tmp_path: Path, tools: Any) -> None:
    assert only(tmp_path, notes(tools=tools)).only_told == ()


def test_what_is_nested_beyond_reading_is_told(tmp_path: Path) -> None:
    deep = "[" * 100_000
    assert only(tmp_path, notes(tools=deep, constraints_rules=deep)).tools == 1
    (tmp_path / "e.json").write_text(f'[{{"env_id": {deep}')
    with pytest.raises(ArtifactError, match=r"e\.json cannot be read as JSON: .*recursion"):
        import_upstream(tmp_path / "e.json", [], tmp_path / "generated_servers", tmp_path / "registry.json")


def test_half_a_character_hurts_nothing_but_a_state(tmp_path: Path) -> None:
    odd = notes(
        environment_summary=f"Notes {HALF}",
        constraints_rules=[HALF],
        tools=[{"function": {"name": f"add{HALF}"}}],
        env_class_code=NOTES.replace("Added.", f"Added {HALF}"),
        **{f"extra {HALF}": HALF},
    )
    scenarios = [
        task(f"task {HALF}", task=f"Do it {HALF}", **{HALF: HALF}),
        task("task_2", {"notes": {HALF: {}}}),
    ]
    found = only(tmp_path, odd, scenarios)
    assert (found.title, found.only_told, found.replayable) == (r"Notes \ud83d", (r"add\ud83d",), True)
    assert [(one.id, bool(one.refused)) for one in found.scenarios] == [(r"task \ud83d", False), ("task_2", True)]
    assert exported(tmp_path) == ([odd], scenarios)


@pytest.mark.parametrize("config", [{"notes": {"N-1": {"size": float("nan")}}}, {"notes": DEEP}, {"notes": HALF}])
def test_a_state_that_cannot_be_written_leaves_out_its_scenario_alone(tmp_path: Path, config: Any) -> None:
    found = only(tmp_path, notes(), [task("odd", config), task("plain")])
    assert found.states == 1
    assert [(one.id, one.refused != "") for one in found.scenarios] == [("odd", True), ("plain", False)]


def test_a_world_that_cannot_be_opened_is_there_and_said_to_be_not_replayable(tmp_path: Path) -> None:
    found = only(tmp_path, notes(), [task("odd", {})])
    assert (found.replayable, found.states) == (False, 1)
    assert "KeyError" in found.scenarios[0].refused


def test_scenarios_of_one_name_are_told_apart_from_all_others(tmp_path: Path) -> None:
    found = only(tmp_path, notes(), [task("a"), task("a"), task("a-2")])
    assert len({one.id for one in found.scenarios}) == 3


def test_names_that_are_numbers_are_names(tmp_path: Path) -> None:
    found = only(tmp_path, notes(env_id=7), [task(8) | {"env_id": 7}, task(["no name"]) | {"env_id": 7}])
    assert (found.id, [one.id for one in found.scenarios]) == ("7", ["8", "scenario 2"])


def test_a_name_that_no_folder_can_have_is_told(tmp_path: Path) -> None:
    found, other = imported(tmp_path, [notes(), notes(env_id="n" * 300)]).environments
    assert (found.refused, "80 at most" in other.refused) == ("", True)


def test_an_environment_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    replace = os.replace

    def full(new: str, old: str, **folders: int) -> None:
        if old == "server.py":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(new, old, **folders)

    with patch.object(os, "replace", full):
        (found,) = imported(tmp_path, [notes()]).environments
    assert "No space left" in found.refused
    assert list((tmp_path / "generated_servers").iterdir()) == []
    only(tmp_path, notes())


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def like(whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Anything, or what should stand there with something else in one place."""
    return ANY | st.builds(lambda key, value: {**whole, key: value}, st.sampled_from(sorted(whole)), ANY)


@settings(max_examples=25, deadline=None)
@given(odd=like(notes()), other=like(task("odd")))
def test_anything_in_the_place_of_an_entry_is_imported_or_told(
    tmp_path_factory: pytest.TempPathFactory, odd: Any, other: Any
) -> None:
    home = tmp_path_factory.mktemp("odd")
    found = imported(home, [odd], [other, task("plain")])
    assert len(list(found.scenarios)) == 2
    if not found.environments[0].refused:
        assert json.dumps(exported(home)[0]) == json.dumps([odd])


def test_ids_of_scenarios_are_cut_to_their_bound_and_stay_different(tmp_path: Path) -> None:
    found = only(tmp_path, notes(), [task("t" * 5_000), task("t" * 5_000 + "other")])
    assert [each.id for each in found.scenarios] == ["t" * 100, "t" * 100 + "-2"]
    assert not any(each.refused for each in found.scenarios)
