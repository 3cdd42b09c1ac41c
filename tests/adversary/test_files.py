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
from envscaler_mcp.artifacts.members import check_target
from envscaler_mcp.artifacts.names import is_environment_id, is_state_name, state_name
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.cli.program import app
from envscaler_mcp.emit.bundle import bundle_files, write_bundle
from envscaler_mcp.emit.folder import write_folder as write_server_folder
from envscaler_mcp.errors import (
    ArtifactError,
    EmitError,
    EnvScalerError,
    ExportError,
    ModelError,
    RunError,
    SettingsError,
)
from envscaler_mcp.export.dataset_info import enlisted
from envscaler_mcp.launch.opening import own_state
from envscaler_mcp.llm.answers import Answers
from envscaler_mcp.llm.ledger import Spending
from envscaler_mcp.llm.recording import Recording
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.plain_files import read_below
from envscaler_mcp.prompts import Prompts, prompt_names
from envscaler_mcp.registry import read_registry
from envscaler_mcp.runs.rescoring import rescored_folder
from envscaler_mcp.scoring.lines import sealed
from envscaler_mcp.scoring.run_folder import RunFolder, read_plan
from envscaler_mcp.serving.code import read_code
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.settings import Settings
from envscaler_mcp.synthesis.starter import starter_blueprint

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
        write_bundle({"../.mcp.json": b"{}"}, project / "out")
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
        own_state(folder, read_code(folder), "start_9")


@pytest.mark.parametrize("member", ["environment.json", "environment.py", "scenarios.jsonl"])
def test_a_pipe_in_the_place_of_a_file_makes_no_reader_wait(member: str, home: Path) -> None:
    folder = home / "generated_servers" / ENV
    (folder / member).unlink()
    os.mkfifo(folder / member)
    with pytest.raises(ArtifactError, match="not a plain file"):
        read_below(folder, member)
    with pytest.raises(ArtifactError, match="not a plain file"):
        load_scenarios(folder) if member == "scenarios.jsonl" else read_code(folder)


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
        write_bundle({"manifest.json": b"{}"}, tmp_path / "mine")
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "precious"


def mail_of_the_user(tmp_path: Path) -> Path:
    victim = tmp_path / "victim"
    (victim / "inner").mkdir(parents=True)
    (victim / "mail").write_text(CANARY, encoding="utf-8")
    (victim / "inner" / "letter").write_text(CANARY, encoding="utf-8")
    return victim


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("with_card", [False, True])
@pytest.mark.parametrize("linked", ["server", "servers", "inner"])
def test_a_server_folder_that_leads_elsewhere_is_neither_emptied_nor_written(
    linked: str, with_card: bool, tmp_path: Path
) -> None:
    victim, servers = mail_of_the_user(tmp_path), tmp_path / "home" / "generated_servers"
    if linked == "servers":
        (victim / "a_desk").mkdir()
        servers.parent.mkdir()
        servers.symlink_to(victim)
    else:
        servers.mkdir(parents=True)
    if linked == "server":
        (servers / "a_desk").symlink_to(victim)
    if linked == "inner":
        (servers / "a_desk").mkdir()
        (servers / "a_desk" / "states").symlink_to(victim)
    if with_card:
        (servers / "a_desk" / "environment.json").write_text('{"id": "a_desk"}', encoding="utf-8")
    before = contents(victim)
    with pytest.raises(EnvScalerError, match=r"is a link|lies behind one|not empty"):
        write_server_folder(servers / "a_desk", {"environment.json": "{}", "states/mail": "x"})
    assert contents(victim) == before


def test_building_over_a_link_of_a_sent_home_is_refused_before_anything_is_lost(home: Path, tmp_path: Path) -> None:
    victim = mail_of_the_user(tmp_path)
    (tmp_path / "desk.yaml").write_text(starter_blueprint("desk", "other"), encoding="utf-8")
    (home / "generated_servers" / "desk").symlink_to(victim)
    before = contents(victim)
    code, said = envscaler(home, "build", str(tmp_path / "desk.yaml"))
    assert (code, "is a link" in said) == (1, True)
    assert contents(victim) == before


@pytest.mark.parametrize("card", [None, "{", "[]", '{"id": "another"}', "[" * 100_000])
def test_a_folder_that_holds_no_server_of_its_name_is_left_alone(card: str | None, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "generated_servers" / "a_desk"
    folder.mkdir(parents=True)
    (folder / "mail").write_text(CANARY, encoding="utf-8")
    if card is not None:
        (folder / "environment.json").write_text(card, encoding="utf-8")
    before = contents(folder)
    with pytest.raises(EmitError, match="is not empty and holds no server"):
        write_server_folder(folder, {"environment.json": "{}"})
    assert contents(folder) == before


def test_a_server_folder_is_emptied_of_links_and_not_of_what_they_lead_to(tmp_path: Path) -> None:
    victim, folder = mail_of_the_user(tmp_path), tmp_path / "home" / "generated_servers" / "a_desk"
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text('{"id": "a_desk"}', encoding="utf-8")
    (folder / "mails").symlink_to(victim)
    (folder / "README.md").symlink_to(victim / "mail")
    before = contents(victim)
    write_server_folder(folder, {"environment.json": '{"id": "a_desk"}', "README.md": "ours"})
    assert {name: data.decode() for name, data in contents(folder).items()} == {
        "environment.json": '{"id": "a_desk"}',
        "README.md": "ours",
    }
    assert contents(victim) == before


def test_a_server_folder_of_endless_depth_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "generated_servers" / "a_desk"
    (folder / "/".join("d" * 200)).mkdir(parents=True)
    with pytest.raises(ArtifactError, match="folders more than"):
        write_server_folder(folder, {"environment.json": "{}"})


RECORD = b'{"id":"one","environment":"desk"}'
A_PLAN = RunPlan(agent="scripted", via="direct", scoring="framed", max_steps=5, max_seconds=5, episodes=())


@pytest.fixture
def private(tmp_path: Path) -> Path:
    file = tmp_path / "private"
    file.write_text(CANARY, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["lock", "plan.json", "episodes-00001.jsonl", "damaged"])
def test_no_link_in_a_run_folder_leads_to_a_file_that_is_written(name: str, private: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    if name == "damaged":
        (folder / "episodes-00001.jsonl").write_bytes(b"torn")
        (tmp_path / "aside").mkdir()
        private = tmp_path / "aside"
    (folder / name).symlink_to(private)
    before = contents(tmp_path)
    with pytest.raises(EnvScalerError, match="is a link"), RunFolder.open(folder, A_PLAN):
        pass
    after = contents(tmp_path)
    assert {path: data for path, data in after.items() if path in before} == before
    assert after.keys() - before.keys() <= {"run/lock", "run/plan.json"}


def test_a_plan_is_written_beside_and_not_through_a_link_of_its_former_temporary_name(
    private: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".plan.json.new").symlink_to(private)
    with RunFolder.open(folder, A_PLAN):
        pass
    assert private.read_text(encoding="utf-8") == CANARY
    assert read_plan(folder) == A_PLAN


def test_a_run_of_another_plan_is_refused_before_its_journal_is_mended(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with RunFolder.open(folder, A_PLAN):
        pass
    shard = folder / "episodes-00001.jsonl"
    shard.write_bytes(sealed(RECORD) + b"torn")
    for plan in (A_PLAN.model_copy(update={"max_steps": 9}), None):
        if plan is None:
            (folder / "plan.json").unlink()
        with pytest.raises(RunError, match=r"holds another run|but no plan"), RunFolder.open(folder, plan or A_PLAN):
            pass
        assert shard.read_bytes() == sealed(RECORD) + b"torn"
        assert not (folder / "damaged").exists()


@pytest.mark.parametrize("name", ["plan.json", "episodes-00001.jsonl", "lock"])
def test_a_pipe_in_a_run_folder_makes_no_reader_and_no_writer_wait(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    if name != "plan.json":
        A_PLAN.write(folder / "plan.json")
    os.mkfifo(folder / name)
    with pytest.raises(EnvScalerError, match="not a plain file"), RunFolder.open(folder, A_PLAN):
        pass
    if name != "lock":
        code, said = envscaler(tmp_path, "runs", "show", str(folder))
        assert (code, "not a plain file" in said) == (1, True)


@pytest.mark.parametrize("end", ["", "-wal", "-journal"])
def test_accounts_of_a_run_lie_behind_no_link(end: str, private: Path, tmp_path: Path) -> None:
    file = tmp_path / "spent.sqlite"
    file.with_name(file.name + end).symlink_to(private)
    for kind in (Spending, Answers):
        with pytest.raises(ModelError, match="not a plain file"):
            kind(file)
    assert private.read_text(encoding="utf-8") == CANARY


def test_a_recording_is_read_and_continued_through_no_link(private: Path, tmp_path: Path) -> None:
    for name in ("texts.jsonl", "answers.jsonl"):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).symlink_to(private)
        with pytest.raises(EnvScalerError, match="is a link"):
            Recording(folder)
    assert private.read_text(encoding="utf-8") == CANARY


def test_a_run_judged_anew_goes_through_no_link_that_lies_beside_it(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    with RunFolder.open(folder, A_PLAN):
        pass
    elsewhere.mkdir()
    rescored_folder(folder, None).symlink_to(elsewhere)
    with pytest.raises(RunError, match="is a link"):
        rescored_folder(folder, None)


def test_a_bundle_goes_where_no_link_of_a_sent_folder_leads_and_waits_for_no_pipe(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / "dist").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(home)
    code, said = envscaler(home, "bundle", ENV)
    assert (code, "is a link" in said) == (1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    os.mkfifo(tmp_path / "pipe")
    code, said = envscaler(home, "bundle", ENV, "--mcpb", "--out", str(tmp_path / "pipe"))
    assert (code, "is not a bundle" in said) == (1, True)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_prompts_of_a_sent_folder_bring_no_file_of_the_user_to_a_model(
    kind: str, private: Path, tmp_path: Path
) -> None:
    private.write_text(f"<!-- system -->\nx\n<!-- user -->\n{CANARY}\n", encoding="utf-8")
    own = tmp_path / "prompts"
    own.mkdir()
    prompt = own / f"{prompt_names()[0]}.md"
    prompt.symlink_to(private) if kind == "link" else os.mkfifo(prompt)
    with pytest.raises(ModelError, match=r"is a link|not a plain file"):
        Prompts(own).render(prompt_names()[0])


def test_a_list_of_data_sets_is_read_through_no_link(private: Path, tmp_path: Path) -> None:
    private.write_text('{"secret": 1}', encoding="utf-8")
    (tmp_path / "dataset_info.json").symlink_to(private)
    with pytest.raises(ExportError, match="is a link"), enlisted(tmp_path / "mine.jsonl", "sharegpt", {}):
        pass
    assert (tmp_path / "dataset_info.json").is_symlink()


def with_settings(home: Path, prices: str) -> None:
    (home / "envscaler.toml").write_text(f"[model]\nprices = {json.dumps(prices)}\n", encoding="utf-8")


@pytest.mark.parametrize("prices", ["/etc/passwd", "../key", "link.yaml", "pipe.yaml"])
def test_prices_of_a_home_lie_in_it_as_a_plain_file(prices: str, home: Path, tmp_path: Path) -> None:
    (home / "link.yaml").symlink_to(tmp_path / "key")
    os.mkfifo(home / "pipe.yaml")
    with_settings(home, prices)
    with pytest.raises(SettingsError, match=r"outside|is a link|not a plain file"):
        Settings.read({"ENVSCALER_HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "none")})


@pytest.mark.parametrize("name", ["registry.json", "envscaler.toml"])
@pytest.mark.parametrize("kind", ["pipe", "link", "sparse"])
def test_a_registry_and_settings_are_plain_files_of_bounded_size(
    kind: str, name: str, home: Path, tmp_path: Path
) -> None:
    (home / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(home / name)
    elif kind == "link":
        (home / name).symlink_to(tmp_path / "key")
    else:
        with (home / name).open("wb") as file:
            file.truncate(6 << 30)
    variables = {"ENVSCALER_HOME": str(home)}
    with pytest.raises(EnvScalerError, match=r"is a link|not a plain file|are allowed") as refused:
        read_registry(home / name) if name == "registry.json" else Settings.read(variables)
    assert CANARY not in str(refused.value)


def test_a_name_of_another_makes_no_line_of_its_own_in_a_message(home: Path) -> None:
    folder = home / "generated_servers" / ENV
    card = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    card["x\nAll is well.\x1b[31m\u2028"] = 1
    (folder / "environment.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ArtifactError) as refused:
        Environment.read_in(folder, "environment.json")
    assert str(refused.value).isprintable()
    (home / "envscaler.toml").write_text('[model]\n"x\\nAll is well." = 1\n', encoding="utf-8")
    with pytest.raises(SettingsError) as unusable:
        Settings.read({"ENVSCALER_HOME": str(home)})
    assert str(unusable.value).isprintable()
