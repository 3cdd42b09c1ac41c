"""A published file goes out in the form in which it came in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.registry import read_registry
from tests.pipeline.published import environment

NOTES = """
class Notes:
    def __init__(self):
        self.notes = {}

    def add(self, key: str, text: str) -> dict:
        self.notes[key] = {"text": text}
        return {"success": True}
"""
ITEMS = [environment(name, "Notes", NOTES) for name in ("zebra", "ant", "bee")]
OBJECT = {f"env_{number}": item for number, item in enumerate(ITEMS)}


def imported(home: Path, *documents: Any) -> list[Path]:
    """Folders of all, in the order of their names."""
    servers, registry = home / "generated_servers", home / "registry.json"
    for document in documents:
        (home / "e.json").write_text(json.dumps(document))
        found = import_upstream(home / "e.json", [], servers, registry)
        assert not any(one.refused for one in found.environments)
    return [servers / entry.id for entry in read_registry(registry).entries]


def exported(folders: list[Path], home: Path) -> Any:
    export_upstream(folders, home / "out.json", home / "s.json")
    return json.loads((home / "out.json").read_text())


@pytest.mark.parametrize("document", [ITEMS, OBJECT])
def test_a_list_goes_out_as_that_list_and_an_object_as_that_object(tmp_path: Path, document: Any) -> None:
    assert exported(imported(tmp_path, document), tmp_path) == document


def test_what_came_in_both_forms_goes_out_as_an_object(tmp_path: Path) -> None:
    found = exported(imported(tmp_path, ITEMS[:2], {"third": ITEMS[2]}), tmp_path)
    assert found == {"zebra": ITEMS[0], "ant": ITEMS[1], "third": ITEMS[2]}


def test_two_lists_are_one_list(tmp_path: Path) -> None:
    found = exported(imported(tmp_path, ITEMS[:2], ITEMS[2:]), tmp_path)
    assert sorted(one["env_id"] for one in found) == ["ant", "bee", "zebra"]


def test_two_of_one_key_are_never_one(tmp_path: Path) -> None:
    folders = imported(tmp_path, {"env": ITEMS[0]}, {"env": ITEMS[1]})
    with pytest.raises(ArtifactError, match="Two environments were published as 'env'"):
        exported(folders, tmp_path)
