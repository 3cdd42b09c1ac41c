"""A home, a server folder or a run that came from anywhere names no file outside of itself."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Environment, Registry, State
from envscaler_mcp.artifacts.members import check_target, read_member
from envscaler_mcp.artifacts.names import is_environment_id, is_state_name, state_name
from envscaler_mcp.cli.program import app
from envscaler_mcp.emit.bundle import bundle_files, write_folder
from envscaler_mcp.emit.folder import write_folder as write_server_folder
from envscaler_mcp.errors import ArtifactError, EmitError, EnvScalerError
from envscaler_mcp.launch.opening import own_state
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.serving.code import load_code
from envscaler_mcp.serving.tasks import load_scenarios

ROOT = Path(__file__).resolve().parents[2]
ENV = "hospital_stays"
CANARY = "PRIVATE KEY CANARY"
WAYS_OUT = ("../evil", "../../evil", "/etc/passwd", "a/b", "a\\b", ".", "..", "", ".hidden", "a\nb", "a\0b", "a" * 81)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    shutil.copytree(ROOT / "generated_servers" / ENV, made / "generated_servers" / ENV)
    document = json.loads((ROOT / "registry.json").read_text(encoding="utf-8"))
    document["entries"] = [entry for entry in document["entries"] if entry["id"] == ENV]
    (made / "registry.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "key").write_text(CANARY, encoding="utf-8")
    return made


def envscaler(home: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["--home", str(home), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output + done.stderr


def with_state(folder: Path, name: str) -> None:
    card = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    card["states"].append(name)
    (folder / "environment.json").write_text(json.dumps(card), encoding="utf-8")


@pytest.mark.parametrize("name", WAYS_OUT)
def test_no_card_registry_state_or_task_is_read_whose_names_lead_elsewhere(name: str, home: Path) -> None:
    folder = home / "generated_servers" / ENV
    card = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    registry = json.loads((home / "registry.json").read_text(encoding="utf-8"))
    state = json.loads((folder / "states" / "start.json").read_text(encoding="utf-8"))
    task = (folder / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()[0]
    registry["entries"][0]["id"] = name
    for kind, document in (
        (Environment, {**card, "id": name}),
        (Environment, {**card, "states": [name]}),
        (Registry, registry),
        (State, {**state, "name": name}),
        (State, {**state, "environment": name}),
    ):
        with pytest.raises(ArtifactError):
            kind.from_text(json.dumps(document), "it")
    (folder / "scenarios.jsonl").write_text(json.dumps({**json.loads(task), "state": name}) + "\n", encoding="utf-8")
    with pytest.raises(ArtifactError):
        load_scenarios(folder)


@given(st.text(max_size=100))
def test_a_name_that_is_allowed_is_one_step_and_any_text_has_an_allowed_one_near(text: str) -> None:
    for allowed in (is_environment_id(text), is_state_name(text)):
        if allowed:
            assert Path("/home", text).parent == Path("/home")
            assert text not in {".", ".."}
            assert text.isprintable()
    assert is_state_name(state_name(text))


@given(st.lists(st.sampled_from(["..", ".", "a", "states", "", "/", "\\", "\0", "b.json"]), max_size=6).map("/".join))
def test_a_path_that_is_written_stays_inside_its_folder(name: str) -> None:
    try:
        target = check_target(Path("/nowhere/folder"), name)
    except ArtifactError:
        return
    assert Path(os.path.normpath(target)).is_relative_to("/nowhere/folder")


@pytest.mark.parametrize("member", ["README.md", "environment.py", "environment.json", "states/start.json"])
def test_a_bundle_takes_no_file_that_is_a_link(member: str, home: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / member).rename(folder / "moved")
    (folder / member).symlink_to(folder / "moved")
    with pytest.raises(EnvScalerError, match="is a link"):
        bundle_files(folder, trusted=False)


def test_a_bundle_takes_nothing_through_a_folder_that_is_a_link(home: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / "states").rename(home / "states")
    (folder / "states").symlink_to(home / "states")
    with pytest.raises(EnvScalerError, match="lies behind one"):
        bundle_files(folder, trusted=False)


def test_a_key_behind_a_link_gets_into_no_bundle(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(tmp_path / "key")
    for option in ((), ("--mcpb",)):
        code, said = envscaler(home, "bundle", ENV, "--out", str(tmp_path / "out"), *option)
        assert code == 1
        assert "is a link" in said
        assert not (tmp_path / "out").exists()


def test_a_bundle_writes_nothing_beside_its_folder(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / "d1/d2/d3/d4/d5").mkdir(parents=True)
    (folder / "states/l").symlink_to(folder / "d1/d2/d3/d4/d5")
    (folder / "d1/.mcp.json").write_text("{}", encoding="utf-8")
    with_state(folder, "l/../../../../.mcp")
    project = tmp_path / "project"
    project.mkdir()
    code, said = envscaler(home, "bundle", ENV, "--out", str(project / "out"))
    assert code == 1
    assert "is no name of a state" in said
    assert list(project.iterdir()) == []
    with pytest.raises(EnvScalerError, match="outside"):
        write_folder({"../.mcp.json": b"{}"}, project / "out")
    assert list(project.iterdir()) == []


def test_a_bundle_is_written_through_no_link_and_over_no_other_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    code, said = envscaler(home, "bundle", ENV, "--out", str(tmp_path / "out"))
    assert (code, "is a link" in said) == (1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    code, said = envscaler(home, "bundle", ENV, "--mcpb", "--out", str(tmp_path / "key"))
    assert (code, "is not a bundle" in said) == (1, True)
    assert (tmp_path / "key").read_text(encoding="utf-8") == CANARY
    assert envscaler(home, "bundle", ENV, "--mcpb", "--out", str(tmp_path / "one.mcpb"))[0] == 0
    assert envscaler(home, "bundle", ENV, "--mcpb", "--out", str(tmp_path / "one.mcpb"))[0] == 0
    assert zipfile.is_zipfile(tmp_path / "one.mcpb")


@pytest.mark.parametrize("command", ["show", "call", "bundle", "check", "prove", "stats"])
def test_a_registered_id_that_leads_out_is_refused_by_every_command(command: str, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "generated_servers" / ENV, tmp_path / "evil")
    registry = json.loads((home / "registry.json").read_text(encoding="utf-8"))
    registry["entries"][0]["id"] = "../../evil"
    (home / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    code, said = envscaler(home, command, *([] if command == "stats" else ["../../evil"]))
    assert code == 1
    assert "is no id" in said


def test_a_server_folder_that_is_a_link_is_refused(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    code, said = envscaler(home, "bundle", ENV, "--out", str(tmp_path / "out"))
    assert (code, "is a link" in said) == (1, True)


def test_a_task_begins_at_no_file_outside_of_its_folder(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    shutil.copy(folder / "states" / "start.json", tmp_path / "start_9")
    with pytest.raises(EnvScalerError, match="There is no state 'start_9'"):
        own_state(folder, load_code(folder), "start_9")


@pytest.mark.parametrize("member", ["environment.json", "environment.py", "scenarios.jsonl"])
def test_a_pipe_in_the_place_of_a_file_makes_no_reader_wait(member: str, home: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / member).unlink()
    os.mkfifo(folder / member)
    with pytest.raises(ArtifactError, match="not a plain file"):
        read_member(folder, member)
    with pytest.raises(ArtifactError, match="not a plain file"):
        load_scenarios(folder) if member == "scenarios.jsonl" else load_code(folder)


def test_a_server_folder_is_written_through_no_link(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    shutil.rmtree(folder / "states")
    (tmp_path / "elsewhere").mkdir()
    (folder / "states").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvScalerError, match="is a link"):
        write_server_folder(folder, {"states/start.json": "{}"})
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_imported_folder_names_no_state_outside_of_itself(home: Path, tmp_path: Path) -> None:
    folder = home / "generated_servers" / ENV
    shutil.copy(folder / "states" / "start.json", home / "secret.json")
    kept = {"key": 0, "environment": {}, "scenarios": [{"place": 0, "item": {}, "state": "../../../secret"}]}
    (folder / "upstream.json").write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(EnvScalerError, match="outside"):
        export_upstream([folder], tmp_path / "environments.json", tmp_path / "scenarios.json")
    assert not (tmp_path / "scenarios.json").exists()


def test_what_lies_in_the_way_of_a_bundle_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious", encoding="utf-8")
    with pytest.raises(EmitError):
        write_folder({"manifest.json": b"{}"}, tmp_path / "mine")
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "precious"
