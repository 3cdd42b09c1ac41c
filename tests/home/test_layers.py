"""A home of the user's own adds to the worlds that ship, and wins over them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import RegistryError
from envscaler_mcp.home import LayeredFolders, folder_names, read_home, read_shipped
from envscaler_mcp.home.comparing import differences
from envscaler_mcp.runs import WorldHome
from tests.home.shipping import add_world, settings, shipped


def test_in_a_folder_without_a_home_the_shipped_worlds_are_found(tmp_path: Path) -> None:
    home = read_home(settings(tmp_path / "anywhere", shipped(tmp_path, "oak_shelf", "pine_shelf")))
    assert [entry.id for entry in home.registry.entries] == ["oak_shelf", "pine_shelf"]
    assert {home.layer("oak_shelf"), home.layer("pine_shelf")} == {"shipped"}
    assert Environment.read_in(home.servers / "oak_shelf", "environment.json").id == "oak_shelf"
    assert not (tmp_path / "anywhere").exists()
    assert differences(home.registry, home.servers) == []


def test_a_home_of_the_users_own_adds_worlds_and_wins_over_shipped_ones(tmp_path: Path) -> None:
    add_world(tmp_path / "own", "elm_shelf")
    add_world(tmp_path / "own", "oak_shelf", "My shelf")
    home = read_home(settings(tmp_path / "own", shipped(tmp_path, "oak_shelf", "pine_shelf")))
    titles = {entry.id: entry.title for entry in home.registry.entries}
    assert titles == {"elm_shelf": "A shelf", "oak_shelf": "My shelf", "pine_shelf": "A shelf"}
    assert {name: home.layer(name) for name in titles} == {
        "elm_shelf": "own",
        "oak_shelf": "own",
        "pine_shelf": "shipped",
    }
    assert differences(home.registry, home.servers) == []
    with WorldHome.at(home.servers, home.registry) as worlds:
        assert worlds.code("oak_shelf").environment.title == "My shelf"
        assert worlds.code("pine_shelf").environment.title == "A shelf"


def test_what_ships_is_found_whatever_a_home_holds(tmp_path: Path) -> None:
    add_world(tmp_path / "own", "elm_shelf")
    add_world(tmp_path / "own", "oak_shelf", "Not the shipped one")
    home = read_shipped(settings(tmp_path / "own", shipped(tmp_path, "oak_shelf")))
    assert [(entry.id, entry.title) for entry in home.registry.entries] == [("oak_shelf", "A shelf")]
    assert Environment.read_in(home.servers / "oak_shelf", "environment.json").title == "A shelf"
    with pytest.raises(RegistryError, match="--home"):
        read_shipped(settings(tmp_path / "own", None))


def test_a_world_whose_folder_was_removed_is_not_replaced_by_the_shipped_one(tmp_path: Path) -> None:
    add_world(tmp_path / "own", "oak_shelf")
    worlds = shipped(tmp_path, "oak_shelf")
    (tmp_path / "own" / "generated_servers").rename(tmp_path / "elsewhere")
    home = read_home(settings(tmp_path / "own", worlds))
    assert [str(difference) for difference in differences(home.registry, home.servers)] == [
        "oak_shelf: the folder is missing"
    ]


def test_a_folder_that_no_registry_names_takes_the_place_of_nothing(tmp_path: Path) -> None:
    add_world(tmp_path / "own", "elm_shelf")
    add_world(tmp_path / "other", "oak_shelf", "Not registered")
    worlds = shipped(tmp_path, "oak_shelf")
    (tmp_path / "other" / "generated_servers" / "oak_shelf").rename(
        tmp_path / "own" / "generated_servers" / "oak_shelf"
    )
    home = read_home(settings(tmp_path / "own", worlds))
    assert Environment.read_in(home.servers / "oak_shelf", "environment.json").title == "A shelf"


def test_in_a_checkout_nothing_stands_behind_the_home(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="no registry"):
        read_home(settings(tmp_path / "empty", None))
    add_world(tmp_path / "own", "elm_shelf")
    home = read_home(settings(tmp_path / "own", None))
    assert (home.servers, home.layer("elm_shelf")) == (tmp_path / "own" / "generated_servers", "own")


@given(st.frozensets(st.sampled_from(["a", "b", "c"])), st.sampled_from(["a", "b", "c", "d"]))
def test_every_world_has_one_folder_and_other_processes_find_the_same(behind: frozenset[str], name: str) -> None:
    folders = LayeredFolders(Path("/own"), Path("/shipped"), behind)
    assert folders / name == Path("/shipped" if name in behind else "/own") / name
    assert pickle.loads(pickle.dumps(folders)) == folders
    assert folder_names(folders) == behind
