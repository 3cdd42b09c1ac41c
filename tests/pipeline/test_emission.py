"""From the library to server folders and the registry: equal inputs, equal bytes, and nothing else in them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.pipeline.building import blueprint_of, build
from envscaler_mcp.pipeline.emission import emit_environments
from envscaler_mcp.serving.code import read_code
from envscaler_mcp.serving.world import open_unread_world
from envscaler_mcp.synthesis.starter import starter_blueprint

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two small blueprints, quickly built."""
    folder = tmp_path_factory.mktemp("blueprints")
    found = [folder / "boat_rental.yaml", folder / "tool_rental.yaml"]
    for path in found:
        path.write_text(starter_blueprint(path.stem, "leisure"), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def emitted(paths: list[Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, int, int]]]:
    """A home in which both were emitted once, and what was told meanwhile."""
    home = tmp_path_factory.mktemp("emitted")
    told: list[tuple[str, int, int]] = []
    emit_environments(
        paths, home / "generated_servers", home / "registry.json", progress=lambda *done: told.append(done)
    )
    return home, told


@pytest.fixture
def home(emitted: tuple[Path, object], tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(emitted[0], tmp_path / "home")


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_the_same_blueprint_is_built_to_the_same_bytes() -> None:
    made, ships = build(blueprint_of("lift_service")).files, ROOT / "generated_servers" / "lift_service"
    assert {name: text.encode() for name, text in made.items()} == {name: (ships / name).read_bytes() for name in made}


def test_emitting_twice_changes_nothing_and_check_agrees(paths: list[Path], home: Path) -> None:
    servers, registry = home / "generated_servers", home / "registry.json"
    before = files_of(home)
    again = emit_environments(paths, servers, registry, check=True)
    assert again.differences == {}
    assert emit_environments(paths, servers, registry).differences == {}
    assert files_of(home) == before


def test_a_hand_in_an_emitted_file_is_noticed_and_undone(paths: list[Path], home: Path) -> None:
    servers, registry = home / "generated_servers", home / "registry.json"
    before = files_of(home)
    names = ("README.md", "environment.json", "environment.py", "states/start.json")
    for name in names:
        touched = servers / "boat_rental" / name
        touched.write_text(touched.read_text() + " ")
    (servers / "boat_rental" / "notes.txt").write_text("mine")
    found = emit_environments(paths[:1], servers, registry, check=True).differences["boat_rental"]
    assert set(found) == {*(f"{name} is not what would be emitted" for name in names), "notes.txt would not be emitted"}
    emit_environments(paths[:1], servers, registry)
    assert files_of(home) == before


def test_check_writes_nothing(paths: list[Path], tmp_path: Path) -> None:
    found = emit_environments(paths[:1], tmp_path / "generated_servers", tmp_path / "registry.json", check=True)
    assert set(found.differences) == {"boat_rental", "registry.json"}
    assert files_of(tmp_path) == {}


def test_emitting_one_keeps_the_others_in_the_registry(paths: list[Path], tmp_path: Path) -> None:
    servers, registry = tmp_path / "generated_servers", tmp_path / "registry.json"
    emit_environments(paths[:1], servers, registry)
    emit_environments(paths[1:], servers, registry)
    assert [entry.id for entry in Registry.read(registry).entries] == ["boat_rental", "tool_rental"]


def test_emitting_all_names_a_folder_that_no_blueprint_makes(paths: list[Path], home: Path) -> None:
    servers, registry = home / "generated_servers", home / "registry.json"
    found = emit_environments(paths[:1], servers, registry, check=True, all_of_them=True)
    assert found.differences["tool_rental"] == ["no blueprint of the library emits it"]


def test_progress_is_told_as_each_is_done(emitted: tuple[Path, list[tuple[str, int, int]]]) -> None:
    assert emitted[1] == [("boat_rental", 1, 2), ("tool_rental", 2, 2)]


def test_every_tool_has_a_worked_call_that_works(home: Path) -> None:
    folder = home / "generated_servers" / "boat_rental"
    code = read_code(folder)
    content = json.loads((folder / "states" / "start.json").read_text())["content"]
    page = (folder / "README.md").read_text()
    for section in page.split("### `")[1:]:
        tool, _, rest = section.partition("`")
        world = open_unread_world(code, content, 0)
        calls = [line.split("`")[1::2] for line in rest.splitlines() if line.startswith("After `")]
        for earlier, arguments in calls:
            assert world.call(earlier, json.loads(arguments)).kind == "done"
        arguments = rest.split("```json\n")[1].splitlines()[0]
        assert world.call(tool, json.loads(arguments)).kind == "done"


def test_an_unknown_blueprint_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BlueprintError, match="did you mean 'bank_accounts'"):
        blueprint_of("bank_account")


def test_an_author_is_told_of_calls_that_a_rule_refused(tmp_path: Path) -> None:
    gym = (Path(__file__).parent.parent / "blueprints" / "gym.yaml").read_text()
    guard = "      - course.taken < course.places | {course.name} is full.\n"
    assert guard in gym
    path = tmp_path / "gym.yaml"
    path.write_text(gym.replace(guard, ""))
    (report,) = check_blueprints([path])
    assert report.sound
    (told,) = [problem for problem in report.problems if problem.place == "operation book_place"]
    assert "calls that passed every guard were refused: 'A course never has more members than places.'" in told.message


def test_a_file_that_is_no_blueprint_is_a_report_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("id: broken\nentities: {A: {b: ref(X}}\n")
    (report,) = check_blueprints([path])
    assert not report.sound
    assert str(report.problems[0]).startswith("broken.yaml:2: 'ref(X' has an open bracket")
