"""A build that was stopped goes on where it was; what was touched since, or is to be otherwise, is built again."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from envscaler_mcp.pipeline import emission
from envscaler_mcp.pipeline.building import Built, blueprint_of, build
from envscaler_mcp.pipeline.emission import Emission, emit_environments
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.synthesis.starter import starter_blueprint

NAMES = ("lift_service", "beekeeping")
"""Two of the library that are built in about a second each."""


def small(folder: Path, name: str = "boat_rental") -> Path:
    """A blueprint that is built in half of that."""
    path = folder / f"{name}.yaml"
    path.write_text(starter_blueprint(name, "leisure"), encoding="utf-8")
    return path


def emit(home: Path, many: int = 10, check: bool = False, more: tuple[Path, ...] = ()) -> Emission:
    paths = [home / "boat_rental.yaml", *more]
    return emit_environments(
        paths, home / "generated_servers", home / "registry.json", many=many, resume=True, check=check
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a small one is finished."""
    home = tmp_path_factory.mktemp("finished")
    small(home)
    emit(home)
    return home


@pytest.fixture
def home(finished: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(finished, tmp_path / "home")


def kept(emission: Emission) -> dict[str, bool]:
    return {one.environment.id: one.reused for one in emission.built}


def test_what_was_finished_is_kept_and_only_the_rest_is_built(home: Path) -> None:
    registered = (home / "registry.json").read_bytes()
    again = emit(home, more=(small(home, "tool_rental"),))
    assert kept(again) == {"boat_rental": True, "tool_rental": False}
    assert again.differences.keys() == {"tool_rental", "registry.json"}
    emit(home)
    assert (home / "registry.json").read_bytes() != registered


@pytest.mark.parametrize(
    "touched",
    [
        "environment.py",
        ".built.json",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("scenarios.jsonl", "states/start.json")),
    ],
)
def test_what_was_touched_is_built_again(home: Path, touched: str) -> None:
    file = home / "generated_servers" / "boat_rental" / touched
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace("a", "b", 1) if touched != ".built.json" else "{", encoding="utf-8")
    assert kept(emit(home)) == {"boat_rental": False}
    assert file.read_text(encoding="utf-8") == before


def test_what_an_author_changes_while_it_is_built_is_built_again(tmp_path: Path) -> None:
    path = small(tmp_path)
    servers, registry = tmp_path / "generated_servers", tmp_path / "registry.json"

    def built_slowly(path: Path, many: int) -> Built:
        found = build(path, many)
        path.write_text(path.read_text(encoding="utf-8").replace("two weeks", "three weeks"), encoding="utf-8")
        return found

    with patch.object(emission, "build", built_slowly):
        emit_environments([path], servers, registry, resume=True)
    again = emit_environments([path], servers, registry, resume=True)
    assert kept(again) == {"boat_rental": False}
    assert "three weeks" in (servers / "boat_rental" / "blueprint.yaml").read_text(encoding="utf-8")


def test_more_scenarios_begin_with_those_that_ship_and_lie_beside_them(home: Path) -> None:
    folder = home / "generated_servers" / "boat_rental"
    ten = load_scenarios(folder)
    assert kept(emit(home, 13)) == {"boat_rental": False}
    assert load_scenarios(folder)[:10] == ten
    assert len(load_scenarios(folder)) == 13
    assert len((folder / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()) == 10
    found = emit(home, check=True)
    assert (found.differences, kept(found)) == ({}, {"boat_rental": True})
    emit(home)
    assert load_scenarios(folder) == ten


def test_a_blueprint_that_cannot_be_built_keeps_no_other_from_being_built(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("id: broken\ntitle: Broken\n", encoding="utf-8")
    paths = [broken, small(tmp_path)]
    for workers in (1, 2):
        found = emit_environments(
            paths, tmp_path / "generated_servers", tmp_path / "registry.json", workers=workers, all_of_them=True
        )
        assert list(found.failures) == [str(broken)]
        assert [one.environment.id for one in found.built] == ["boat_rental"]


@pytest.mark.slow
def test_one_worker_and_two_write_the_same_bytes(tmp_path: Path) -> None:
    paths = [blueprint_of(name) for name in NAMES]
    written = []
    for workers in (1, 2):
        home = tmp_path / str(workers)
        emit_environments(paths, home / "generated_servers", home / "registry.json", workers=workers, many=12)
        written.append({p.relative_to(home): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()})
    assert written[0] == written[1]
