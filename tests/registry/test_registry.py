"""registry.json is read, searched and changed whole, and knows when a folder is not the one it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, Tool, digest_of
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.errors import RegistryError
from envscaler_mcp.home.comparing import differences
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.registry import (
    SearchIndex,
    find_entry,
    read_registry,
    search,
    with_entries,
    without_entry,
)
from envscaler_mcp.synthesis.starter import starter_blueprint

CODE = "class Library:\n    pass\n"


def an_environment(env_id: str, **fields: object) -> Environment:
    tool = Tool(name="find_books", description="Find books.", effect="reads", input_schema={"type": "object"})
    return Environment.model_validate(
        {
            "id": env_id,
            "title": env_id.replace("_", " ").title(),
            "about": "Lends things to people.",
            "sector": "culture",
            "version": "1.0.0",
            "origin": "compiled",
            "class_name": "Library",
            "introduction": "You work here.",
            "rules": (),
            "tools": (tool,),
            "states": ("start",),
            "code_digest": digest_of(CODE),
            **fields,
        }
    )


def an_entry(environment: Environment) -> RegistryEntry:
    return RegistryEntry(
        id=environment.id,
        title=environment.title,
        about=environment.about,
        sector=environment.sector,
        version=environment.version,
        tools=tuple(tool.name for tool in environment.tools),
        digests=RegistryDigests(environment=environment.digest, code=environment.code_digest),
        command=("{python}", f"generated_servers/{environment.id}/server.py"),
    )


def a_registry(*ids: str) -> Registry:
    return with_entries(Registry(), (an_entry(an_environment(env_id)) for env_id in ids))


def write_folder(servers: Path, environment: Environment) -> Path:
    folder = servers / environment.id
    environment.write(folder / "environment.json")
    (folder / "environment.py").write_text(CODE, encoding="utf-8")
    return folder


def test_entries_are_kept_sorted_and_a_newer_one_takes_the_older_ones_place() -> None:
    registry = a_registry("seed_bank", "chess_club", "tool_library")
    assert [entry.id for entry in registry.entries] == ["chess_club", "seed_bank", "tool_library"]
    renewed = with_entries(registry, [an_entry(an_environment("seed_bank", version="2.0.0"))])
    assert [entry.version for entry in renewed.entries] == ["1.0.0", "2.0.0", "1.0.0"]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    registry = a_registry("seed_bank", "chess_club")
    registry.write(tmp_path / "registry.json")
    assert read_registry(tmp_path / "registry.json") == registry


def test_an_entry_can_be_taken_out_once() -> None:
    registry = without_entry(a_registry("seed_bank", "chess_club"), "seed_bank")
    assert [entry.id for entry in registry.entries] == ["chess_club"]
    with pytest.raises(RegistryError, match="There is no environment 'seed_bank'"):
        without_entry(registry, "seed_bank")


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("ches_club", "did you mean 'chess_club'"),
        ("chess", "did you mean 'chess_club'"),
        ("zzz", "`envscaler list`"),
        ("", "`envscaler list`"),
    ],
)
def test_an_unknown_id_is_answered_with_what_may_have_been_meant(asked: str, hint: str) -> None:
    with pytest.raises(RegistryError, match=hint):
        find_entry(a_registry("seed_bank", "chess_club"), asked)


def test_a_missing_registry_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"envscaler build --all"):
        read_registry(tmp_path / "registry.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entries": 3}', '{"surprise": 1}', "\udc80"])
def test_a_broken_registry_stops_the_program_with_its_path(tmp_path: Path, text: str) -> None:
    file = tmp_path / "registry.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RegistryError, match=r"registry\.json.*build --all"):
        read_registry(file)


def test_unsorted_and_doubled_entries_are_refused(tmp_path: Path) -> None:
    document = json.loads(a_registry("chess_club", "seed_bank").to_text())
    for entries in (document["entries"][::-1], document["entries"][:1] * 2):
        (tmp_path / "registry.json").write_text(json.dumps({**document, "entries": entries}), encoding="utf-8")
        with pytest.raises(RegistryError, match="sorted"):
            read_registry(tmp_path / "registry.json")


def test_a_search_puts_those_with_the_most_words_first_and_of_them_the_best_match() -> None:
    registry = with_entries(
        Registry(),
        (
            an_entry(an_environment("bike_rental", about="Rents bikes by the day.", sector="leisure")),
            an_entry(an_environment("boat_rental", about="Rents boats; a bike rack is free.", sector="leisure")),
            an_entry(an_environment("hospital_stays", about="Beds and stays.", sector="health")),
        ),
    )
    every = {"bike_rental": 0, "boat_rental": 0, "hospital_stays": 0}
    for words, matches in (
        ("bike", {"bike_rental": 1, "boat_rental": 1}),
        ("Bikes RENTAL", {"bike_rental": 2, "boat_rental": 2}),
        ("boat leisure", {"boat_rental": 2, "bike_rental": 1}),
        ("hospital boats leisure", {"boat_rental": 2, "hospital_stays": 1, "bike_rental": 1}),
        ("hosp", {"hospital_stays": 1}),
        ("find books", dict.fromkeys(every, 2)),
        ("bike bike submarine", {"bike_rental": 1, "boat_rental": 1}),
        ("submarine", {}),
        ("  ", every),
    ):
        assert [(entry.id, many) for entry, many in search(registry, words)] == list(matches.items()), words
    index = SearchIndex(registry.entries)
    assert [entry.id for entry in index.search("boat leisure")] == ["boat_rental"]
    assert index.search("bike submarine") == ()
    assert len(index.search("")) == len(every)


def test_a_folder_that_was_not_touched_has_no_difference(tmp_path: Path) -> None:
    write_folder(tmp_path, an_environment("seed_bank"))
    assert differences(a_registry("seed_bank"), tmp_path) == []


def test_a_blueprint_with_another_meaning_is_not_the_registered_one_and_one_with_another_comment_is(
    tmp_path: Path,
) -> None:
    folder = write_folder(tmp_path, an_environment("seed_bank"))
    text = starter_blueprint("seed_bank", "culture")
    registered = read_blueprint(text).digest
    digests = an_entry(an_environment("seed_bank")).digests.model_copy(update={"blueprint": registered})
    registry = with_entries(Registry(), [an_entry(an_environment("seed_bank")).model_copy(update={"digests": digests})])
    found = {}
    for name, written in (
        ("same", text),
        ("comment", "# mine\n" + text),
        ("meaning", text.replace("for_days: int(1..14)", "for_days: int(1..7)")),
        ("broken", "["),
    ):
        (folder / "blueprint.yaml").write_text(written, encoding="utf-8")
        found[name] = [difference.what for difference in differences(registry, tmp_path)]
    wrong = ["blueprint.yaml is not the one that was registered"]
    assert found == {"same": [], "comment": [], "meaning": wrong, "broken": wrong}


def test_every_way_in_which_a_folder_is_not_the_registered_one_is_named(tmp_path: Path) -> None:
    registry = a_registry("gone", "recoded", "redescribed", "unreadable")
    recoded = write_folder(tmp_path, an_environment("recoded"))
    (recoded / "environment.py").write_text(CODE + "# by hand\n", encoding="utf-8")
    write_folder(tmp_path, an_environment("redescribed", title="Other"))
    unreadable = write_folder(tmp_path, an_environment("unreadable"))
    (unreadable / "environment.json").write_text("{", encoding="utf-8")
    write_folder(tmp_path, an_environment("unknown"))
    found = {difference.env_id: difference.what for difference in differences(registry, tmp_path)}
    assert found["gone"] == "the folder is missing"
    assert found["recoded"] == "environment.py is not the one that was registered"
    assert found["redescribed"] == "environment.json is not the one that was registered"
    assert "environment.json is not a Environment" in found["unreadable"]
    assert found["unknown"] == "the folder is not in the registry"
