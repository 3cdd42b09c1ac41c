"""A bundle is everything a server needs but `mcp`, with the same bytes each time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

import envscaler_mcp
from envscaler_mcp.artifacts import Environment
from envscaler_mcp.cli.program import app
from envscaler_mcp.emit.bundle import bundle_files, vendored, write_bundle, write_mcpb
from envscaler_mcp.emit.server_json import SCHEMA, published_name, server_json
from envscaler_mcp.errors import EmitError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "generated_servers" / "hospital_stays"
PACKAGE = Path(envscaler_mcp.__file__).parent


def rooms(files: list[Path]) -> set[str]:
    return {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in files}


def test_a_bundle_holds_the_rooms_a_server_stands_on_and_no_other() -> None:
    held = rooms(vendored(PACKAGE))
    assert held >= {"__init__", "artifacts", "errors", "launch", "serving"}
    assert not held & {"cli", "emit", "language", "library", "pipeline", "registry", "scenarios", "synthesis"}


def test_two_bundles_of_one_folder_have_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.mcpb", "two.mcpb"):
        write_mcpb(bundle_files(FOLDER, trusted=True), tmp_path / name)
    assert (tmp_path / "one.mcpb").read_bytes() == (tmp_path / "two.mcpb").read_bytes()


def test_the_file_and_the_folder_hold_the_same(tmp_path: Path) -> None:
    files = bundle_files(FOLDER, trusted=True)
    write_mcpb(files, tmp_path / "one.mcpb")
    write_bundle(files, tmp_path / "one")
    with zipfile.ZipFile(tmp_path / "one.mcpb") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    unpacked = {
        path.relative_to(tmp_path / "one").as_posix(): path.read_bytes()
        for path in (tmp_path / "one").rglob("*")
        if path.is_file()
    }
    assert packed == unpacked == files


def test_the_manifest_names_the_server_and_all_its_tools() -> None:
    environment = Environment.read(FOLDER / "environment.json")
    manifest = json.loads(bundle_files(FOLDER, trusted=True)["manifest.json"])
    assert manifest["server"]["entry_point"] in bundle_files(FOLDER, trusted=True)
    assert [tool["name"] for tool in manifest["tools"]] == [tool.name for tool in environment.tools]


def test_uv_is_told_what_to_install_and_the_same_as_the_program_says() -> None:
    files = bundle_files(FOLDER, trusted=True)
    manifest = json.loads(files["manifest.json"])
    assert (manifest["manifest_version"], manifest["server"]["type"]) == ("0.4", "uv")
    project = tomllib.loads(files["pyproject.toml"].decode())["project"]
    (script,) = re.findall(r"^# /// script$\n(.*?)^# ///$", files["server.py"].decode(), re.MULTILINE | re.DOTALL)
    inline = tomllib.loads("".join(line.removeprefix("#").lstrip(" ") for line in script.splitlines(keepends=True)))
    assert project["dependencies"] == inline["dependencies"]
    assert project["requires-python"] == inline["requires-python"]


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_host_with_nothing_but_uv_starts_a_bundle(tmp_path: Path) -> None:
    write_bundle(bundle_files(FOLDER, trusted=True), tmp_path / "bundle")
    venv.create(tmp_path / "tools", with_pip=True)
    await anyio.run_process([tmp_path / "tools" / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"])
    server = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))["server"]["mcp_config"]
    command = StdioServerParameters(
        command=str(tmp_path / "tools" / "bin" / server["command"]),
        args=[word.replace("${__dirname}", str(tmp_path / "bundle")) for word in server["args"]],
        env={**os.environ, "HOME": str(tmp_path), "UV_PYTHON": sys.executable},
        cwd=tmp_path,
    )
    async with Client(command) as client:
        answer = await client.call_tool("list_wards", {})
    assert answer.structured_content is not None
    assert answer.structured_content["success"] is True


def test_the_entry_for_the_public_registry_keeps_its_bounds() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert published_name((ROOT / "README.md").read_text(encoding="utf-8")) == entry["name"]
    assert 3 <= len(entry["name"]) <= 200
    assert 1 <= len(entry["description"]) <= 100
    assert 1 <= len(entry["title"]) <= 100
    (package,) = entry["packages"]
    assert entry["version"] == package["version"] == envscaler_mcp.__version__
    serve, chosen = package["packageArguments"]
    assert serve["value"] == "serve"
    assert chosen["default"] in chosen["choices"]
    assert entry["$schema"] == SCHEMA


def test_a_publisher_writes_a_namespace_of_their_own_into_the_readme_and_a_repository_into_the_project() -> None:
    name = published_name("<!-- mcp-name: com.example.worlds/farm -->\n# Worlds\n")
    entry = server_json(name, "1.2.3", "Worlds.", ["a_world"], "https://github.com/example/worlds")
    assert (entry["name"], entry["packages"][0]["version"]) == ("com.example.worlds/farm", "1.2.3")
    assert entry["repository"] == {"url": "https://github.com/example/worlds", "source": "github"}
    assert "repository" not in server_json(name, "1.2.3", "Worlds.", ["a_world"])
    for readme in ("# Worlds", "<!-- mcp-name: worlds -->", "<!-- mcp-name: a/b -->\n<!-- mcp-name: a/c -->"):
        with pytest.raises(EmitError, match="mcp-name"):
            published_name(readme)


def test_no_path_of_this_machine_gets_into_a_bundle() -> None:
    here = str(ROOT).encode()
    assert [name for name, content in bundle_files(FOLDER, trusted=True).items() if here in content] == []


def test_an_older_bundle_is_replaced_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    files = bundle_files(FOLDER, trusted=True)
    write_bundle(files, tmp_path / "bundle")
    (tmp_path / "bundle" / "stale.txt").write_text("old", encoding="utf-8")
    write_bundle(files, tmp_path / "bundle")
    assert not (tmp_path / "bundle" / "stale.txt").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(EmitError, match="is not a bundle"):
        write_bundle(files, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "precious"


def test_a_folder_that_lacks_a_file_is_named(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "broken")
    (tmp_path / "broken" / "environment.py").unlink()
    with pytest.raises(EmitError, match=r"bundle of 'hospital_stays'.*environment\.py"):
        bundle_files(tmp_path / "broken", trusted=False)


def test_the_command_writes_either_and_says_where(tmp_path: Path) -> None:
    runner = CliRunner()
    folder = runner.invoke(app, ["bundle", "hospital_stays", "--out", str(tmp_path / "one")])
    assert (folder.exit_code, "server.py" in folder.output) == (0, True)
    single = runner.invoke(app, ["bundle", "hospital_stays", "--mcpb", "--out", str(tmp_path / "one.mcpb")])
    assert (single.exit_code, (tmp_path / "one.mcpb").is_file()) == (0, True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_bundle_runs_where_only_mcp_is_installed(tmp_path: Path) -> None:
    write_mcpb(bundle_files(FOLDER, trusted=True), tmp_path / "hospital.mcpb")
    with zipfile.ZipFile(tmp_path / "hospital.mcpb") as archive:
        archive.extractall(tmp_path / "bundle")
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *constraints, "mcp"], check=True)
    missing = (
        "import importlib.util as u; print([u.find_spec(n) for n in ('envscaler_mcp', 'typer', 'yaml', 'openai')])"
    )
    bare = subprocess.run([python, "-c", missing], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert bare.stdout == "[None, None, None, None]\n"
    calls = ["--call", "list_wards", "{}", "--call", "list_wards", '{"surprise": 1}']
    for era, isolation in (("auto", "local"), ("legacy", "auto")):
        told = subprocess.run(
            [
                python,
                ROOT / "clients" / "plain_mcp.py",
                "--era",
                era,
                *calls,
                "--",
                python,
                "bundle/server.py",
                "--isolation",
                isolation,
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"PATH": os.defpath},
        )
        lines = [json.loads(line) for line in told.stdout.splitlines()]
        assert [line.get("refused") for line in lines] == [None, False, True], told.stderr
        assert lines[1]["answer"]["success"] is True


@pytest.mark.conformance
def test_the_maker_of_the_format_accepts_the_manifest(tmp_path: Path) -> None:
    write_bundle(bundle_files(FOLDER, trusted=True), tmp_path / "bundle")
    checked = subprocess.run(
        ["npx", "--yes", "@anthropic-ai/mcpb@2.1.2", "validate", str(tmp_path / "bundle" / "manifest.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
