"""A host's own file is changed as a careful editor would, or left as it is with a sentence."""

from __future__ import annotations

import json
import os
import pty
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from envscaler_mcp.emit.edited_file import EditedFile
from envscaler_mcp.emit.hosts import HostConnection, installed
from envscaler_mcp.errors import EmitError

ROOT = Path(__file__).resolve().parents[2]
ENV = "hospital_stays"
OTHER = '{"servers": {"github": {"command": "gh", "env": {"TOKEN": "x"}}}}'


def connect(file: Path, *words: str, home: Path = ROOT) -> tuple[int, str]:
    given = ("--home", str(home), "connect", ENV, "--client", "vscode", "--file", str(file), *words)
    done = CliRunner().invoke(app, given)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output + done.stderr


def test_every_change_keeps_a_copy_and_none_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(OTHER, encoding="utf-8")
    texts = [OTHER]
    for option in ("--install", "--remove", "--install"):
        assert connect(file, option)[0] == 0
        texts.append(file.read_text(encoding="utf-8"))
    backups = [tmp_path / f"mcp.json.before-envscaler{end}" for end in ("", ".2", ".3")]
    assert [backup.read_text(encoding="utf-8") for backup in backups] == texts[:3]


@pytest.mark.parametrize(
    "entry", ['{"command": "my-own"}', '"mine"', '{"command": "x", "env": {"KEY": "secret"}}', "1"]
)
def test_an_entry_of_another_is_replaced_or_removed_by_force_only(entry: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    text = f'{{"servers": {{"{ENV}": {entry}}}}}'
    file.write_text(text, encoding="utf-8")
    for option in ("--install", "--remove"):
        code, said = connect(file, option)
        assert code == 1
        assert "has another entry called" in said
        assert file.read_text(encoding="utf-8") == text
        assert list(tmp_path.iterdir()) == [file]
    assert connect(file, "--install", "--force")[0] == 0
    assert json.loads(file.read_text(encoding="utf-8"))["servers"][ENV]["type"] == "stdio"


def test_an_entry_of_ours_is_replaced_unasked(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    older = {"command": "/old/python", "args": [f"/old/generated_servers/{ENV}/server.py"]}
    file.write_text(json.dumps({"servers": {ENV: older}}), encoding="utf-8")
    assert connect(file, "--install")[0] == 0
    assert json.loads(file.read_text(encoding="utf-8"))["servers"][ENV] != older


def test_a_dry_run_shows_what_would_change_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{\n  "servers": {}\n}\n', encoding="utf-8")
    code, said = connect(file, "--install", "--dry-run")
    assert code == 0
    assert f'+    "{ENV}": {{' in said
    assert file.read_text(encoding="utf-8") == '{\n  "servers": {}\n}\n'
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("command", [["sh", "-c", "id"], ["{python}", "elsewhere/server.py"], []])
def test_a_program_that_a_registry_names_is_never_installed(command: list[str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(ROOT / "generated_servers" / ENV, home / "generated_servers" / ENV)
    registry = json.loads((ROOT / "registry.json").read_text(encoding="utf-8"))
    registry["entries"] = [{**entry, "command": command} for entry in registry["entries"] if entry["id"] == ENV]
    (home / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    file = tmp_path / "mcp.json"
    code, said = connect(file, "--install", home=home)
    assert code == 1
    assert "another program" in said
    assert not file.exists()
    assert connect(file, "--install", "--force", home=home)[0] == 0
    server = json.loads(file.read_text(encoding="utf-8"))["servers"][ENV]
    assert server["args"] == ["-P", "-m", "envscaler_mcp", "--home", str(home), "serve", ENV]


def make_pipe(file: Path) -> None:
    os.mkfifo(file)


def make_folder(file: Path) -> None:
    file.mkdir()


def make_loop(file: Path) -> None:
    file.symlink_to(file)


def make_link_to_nothing(file: Path) -> None:
    file.symlink_to(file.with_name("nowhere"))


def make_read_only(file: Path) -> None:
    file.write_text(OTHER, encoding="utf-8")
    file.chmod(0o444)


def make_hard_link(file: Path) -> None:
    file.write_text(OTHER, encoding="utf-8")
    os.link(file, file.with_name("other"))


def make_deep(file: Path) -> None:
    file.write_text('{"servers": {}, "x": ' + "[" * 20_000 + "]" * 20_000 + "}", encoding="utf-8")


def make_other_encoding(file: Path) -> None:
    file.write_bytes(OTHER.encode("utf-16"))


@pytest.mark.parametrize(
    "make",
    [
        make_pipe,
        make_folder,
        make_loop,
        make_link_to_nothing,
        make_read_only,
        make_hard_link,
        make_deep,
        make_other_encoding,
    ],
)
@pytest.mark.parametrize("option", ["--install", "--remove"])
def test_what_cannot_be_edited_carefully_is_refused_with_a_sentence(make: object, option: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    make(file)  # type: ignore[operator]
    there = {path.name: path.lstat() for path in tmp_path.iterdir()}
    code, said = connect(file, option)
    assert code == 1
    assert "nothing was changed" in said
    assert {path.name: (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in tmp_path.iterdir()} == {
        name: (about.st_mtime_ns, about.st_ino) for name, about in there.items()
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write as another user")
def test_an_ordinary_user_is_refused_in_a_folder_that_is_not_theirs() -> None:
    # Folders of pytest's own are closed to other users.
    with tempfile.TemporaryDirectory() as folder:
        _refused_as_another_user(Path(folder))


def _refused_as_another_user(folder: Path) -> None:
    folder.chmod(0o755)
    file = folder / "mcp.json"
    file.write_text(OTHER, encoding="utf-8")
    file.chmod(0o666)
    child = os.fork()
    if child == 0:
        os.setresgid(54321, 54321, 54321)
        os.setresuid(54321, 54321, 54321)
        try:
            installed(HostConnection("vscode", ENV, ("x",)), file).write()
        except EmitError as error:
            os._exit(0 if "cannot be written to" in str(error) else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert file.read_text(encoding="utf-8") == OTHER


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_keeps_its_owner_and_rights(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(OTHER, encoding="utf-8")
    file.chmod(0o640)
    os.chown(file, 54321, 54322)
    assert connect(file, "--install")[0] == 0
    for path in (file, tmp_path / "mcp.json.before-envscaler"):
        about = path.stat()
        assert (about.st_uid, about.st_gid, about.st_mode & 0o777) == (54321, 54322, 0o640)


def test_a_file_that_another_program_changes_meanwhile_is_left_to_it(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(OTHER, encoding="utf-8")
    edited = EditedFile.of(file, lambda text: text + "\n")
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(EmitError, match="another program"):
        edited.write()
    assert file.read_text(encoding="utf-8") == "{}"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "replaced"), [("y\n", True), ("n\n", False)])
def test_at_a_terminal_it_is_shown_and_asked_before_the_entry_of_another_is_replaced(
    typed: str, replaced: bool, tmp_path: Path
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(f'{{"servers": {{"{ENV}": {{"command": "my-own"}}}}}}', encoding="utf-8")
    words = ["--home", str(ROOT), "connect", ENV, "--client", "vscode", "--file", str(file), "--install"]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "envscaler_mcp", *words])
    said = b""
    while b"Go on?" not in said:
        said += os.read(terminal, 4096)
    assert b"my-own" in said
    os.write(terminal, typed.encode())
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass
    assert (os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0) is replaced
    os.close(terminal)
    assert ("my-own" not in file.read_text(encoding="utf-8")) is replaced


@pytest.mark.parametrize(
    ("client", "link", "leads_to"),
    [
        ("claude-code", ".mcp.json", "settings.json"),
        ("vscode", ".vscode", "vscode"),
        ("vscode", ".vscode/mcp.json", "settings.json"),
    ],
)
@pytest.mark.parametrize("option", ["--install", "--remove", "--dry-run"])
def test_a_project_that_was_sent_leads_to_no_file_of_the_user(
    client: str, link: str, leads_to: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / link).parent.mkdir(parents=True)
    (tmp_path / "vscode").mkdir()
    settings = tmp_path / "settings.json"
    for file in (settings, tmp_path / "vscode" / "mcp.json"):
        file.write_text('{"secret": "canary"}', encoding="utf-8")
    (project / link).symlink_to(tmp_path / leads_to)
    monkeypatch.chdir(project)
    done = CliRunner().invoke(app, ["--home", str(ROOT), "connect", ENV, "--client", client, option])
    said = " ".join((done.output + done.stderr).split())
    assert (done.exit_code, "leads out of this folder" in said, "canary" in said) == (1, True, False)
    for file in (settings, tmp_path / "vscode" / "mcp.json"):
        assert file.read_text(encoding="utf-8") == '{"secret": "canary"}'
    if client == "claude-code":
        named = ["--home", str(ROOT), "connect", ENV, "--client", client, "--install", "--file", ".mcp.json"]
        assert CliRunner().invoke(app, named).exit_code == 0
        assert "mcpServers" in json.loads(settings.read_text(encoding="utf-8"))


def test_a_link_inside_of_a_project_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared.json").write_text("{}", encoding="utf-8")
    (tmp_path / ".mcp.json").symlink_to("shared.json")
    monkeypatch.chdir(tmp_path)
    words = ["--home", str(ROOT), "connect", ENV, "--client", "claude-code", "--install"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / ".mcp.json").is_symlink()
    assert ENV in json.loads((tmp_path / "shared.json").read_text(encoding="utf-8"))["mcpServers"]
