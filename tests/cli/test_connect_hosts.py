"""A host's own file gets the server and keeps everything else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from envscaler_mcp.emit.hosts import (
    CLIENTS,
    Client,
    HostConnection,
    address_in,
    command_in,
    entry_in,
    format_of,
    headers_in,
    host_file,
    installed,
    is_ours,
    removed,
    server_command,
)
from envscaler_mcp.errors import EmitError


def a_connection(client: Client = "claude-desktop", name: str = "seed_bank") -> HostConnection:
    return HostConnection(client, name, ("/usr/bin/python3", f"/farm/generated_servers/{name}/server.py"))


def install(connection: HostConnection, file: Path) -> Path | None:
    edited = installed(connection, file)
    return edited.write() if edited.changes else None


def remove(connection: HostConnection, file: Path) -> Path | None:
    edited = removed(connection, file)
    return edited.write() if edited.changes else None


def test_a_connection_names_this_interpreter_and_this_program(tmp_path: Path) -> None:
    made = HostConnection("cursor", "seed_bank", server_command("seed_bank", tmp_path))
    server = made.document["mcpServers"]["seed_bank"]
    assert server["command"] == sys.executable
    assert server["args"] == ["-P", "-m", "envscaler_mcp", "--home", str(tmp_path), "serve", "seed_bank"]
    assert is_ours(server, made)


def test_what_uv_runs_out_of_its_cache_is_started_by_uv_again(tmp_path: Path) -> None:
    made = HostConnection("cursor", "seed_bank", server_command("seed_bank", tmp_path, Path("/bin/uv")))
    assert made.command == ("/bin/uv", "tool", "run", "envscaler-mcp", "--home", str(tmp_path), "serve", "seed_bank")
    assert is_ours(made.server, made)


def test_without_a_home_the_shipped_environment_is_named() -> None:
    for uv in (None, Path("/bin/uv")):
        made = HostConnection("cursor", "seed_bank", server_command("seed_bank", None, uv))
        assert made.command[-3:] == ("serve", "--shipped", "seed_bank")
        assert "--home" not in made.command
        assert is_ours(made.server, made)


def test_vs_code_has_a_member_of_its_own_and_names_the_transport() -> None:
    assert list(a_connection("vscode").document) == ["servers"]
    assert a_connection("vscode").server["type"] == "stdio"


@pytest.mark.parametrize("client", CLIENTS)
def test_installing_makes_the_file_where_there_is_none(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "of_host" / host_file(client, tmp_path, tmp_path).name
    connection = a_connection(client)
    assert install(connection, file) is None
    text = file.read_text(encoding="utf-8")
    assert format_of(client).read(text) == connection.document
    assert format_of(client).read(connection.text) == connection.document
    entry = entry_in(installed(connection, file), connection)
    assert is_ours(entry, connection)
    assert command_in(entry) == connection.command


def test_each_host_has_a_file_of_its_own() -> None:
    files = [host_file(client, Path("/project"), Path("/settings")) for client in CLIENTS]
    assert len(set(files)) == len(files)


def test_installing_keeps_what_else_is_there_and_a_copy_of_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    before = '{"theme":"dark", "mcpServers": {"other": {"command": "x", "args": []}}}'
    file.write_text(before, encoding="utf-8")
    file.chmod(0o600)
    backup = install(a_connection(), file)
    assert backup is not None
    assert backup.read_text(encoding="utf-8") == before
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document["theme"] == "dark"
    assert sorted(document["mcpServers"]) == ["other", "seed_bank"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_installing_twice_changes_nothing_the_second_time(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    install(a_connection(), file)
    written = file.stat().st_mtime_ns
    assert install(a_connection(), file) is None
    assert file.stat().st_mtime_ns == written


def test_removing_takes_out_one_server_and_only_once(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    install(a_connection(name="seed_bank"), file)
    install(a_connection(name="chess_club"), file)
    assert remove(a_connection(name="seed_bank"), file) is not None
    assert list(json.loads(file.read_text(encoding="utf-8"))["mcpServers"]) == ["chess_club"]
    assert remove(a_connection(name="seed_bank"), file) is None
    assert remove(a_connection(), tmp_path / "absent.json") is None


def test_a_file_with_a_byte_order_mark_or_nothing_in_it_is_understood(tmp_path: Path) -> None:
    for content in (b"", b"  \n", b'\xef\xbb\xbf{"theme": "dark"}'):
        file = tmp_path / "config.json"
        file.write_bytes(content)
        install(a_connection(), file)
        assert "seed_bank" in json.loads(file.read_text(encoding="utf-8-sig"))["mcpServers"]
        assert file.read_bytes().startswith(content.strip()[:3])


@pytest.mark.parametrize("content", ['{"mcpServers": ["a"]}', '{"mcpServers": null}', "[]", "{", '{"a" 1}'])
def test_a_file_that_would_be_damaged_is_left_as_it_is(content: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(EmitError, match="nothing was changed"):
        install(a_connection(), file)
    assert file.read_text(encoding="utf-8") == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    install(a_connection(), link)
    assert link.is_symlink()
    assert "seed_bank" in json.loads(real.read_text(encoding="utf-8"))["mcpServers"]


URL = "http://127.0.0.1:8765/e/seed_bank/name/mcp"


@pytest.mark.parametrize(
    ("client", "server"),
    [
        ("vscode", {"type": "http", "url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("claude-code", {"type": "http", "url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("lm-studio", {"url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("zed", {"url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": "Bearer t"}}),
        ("gemini", {"httpUrl": URL, "headers": {"Authorization": "Bearer t"}}),
        ("codex", {"url": URL, "http_headers": {"Authorization": "Bearer t"}}),
        (
            "goose",
            {
                "type": "streamable_http",
                "uri": URL,
                "headers": {"Authorization": "Bearer t"},
                "name": "seed_bank",
                "enabled": True,
                "timeout": 300,
            },
        ),
        (
            "claude-desktop",
            {"command": "npx", "args": ["-y", "mcp-remote", URL, "--header", "Authorization: Bearer t"]},
        ),
    ],
)
def test_a_world_of_a_farm_is_named_as_each_host_names_addresses(client: Client, server: object) -> None:
    entry = HostConnection(client, "seed_bank", url=URL, token="t").server
    assert entry == server
    assert (address_in(entry), headers_in(entry)) == (URL, {"Authorization": "Bearer t"}) or client == "claude-desktop"
    assert "Authorization" not in json.dumps(HostConnection(client, "seed_bank", url=URL).server)
