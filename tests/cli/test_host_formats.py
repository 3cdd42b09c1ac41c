"""TOML and YAML of hosts are edited in place: what an edit does not mean stays as it was, or the edit is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.emit.host_formats import TOML, YAML, FormatError, HostFormat
from envscaler_mcp.emit.hosts import HostConnection
from envscaler_mcp.emit.install_links import button, install_link

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ("uvx", "envscaler-mcp", "serve", "seed_bank")

CODEX = """# my settings
model = "gpt"   # the usual one

[mcp_servers.other]
command = "x"
args = [
  "a", # first
]

# about the seed bank
[mcp_servers.seed_bank]
command = "old"

[mcp_servers.seed_bank.env]
A = "1"

# about profiles
[profiles.fast]
model = "small"
"""
GOOSE = """# my settings
GOOSE_MODEL: gpt  # the usual one
extensions:
  # built in
  developer:
    enabled: true
    type: builtin
  seed_bank:
    enabled: false
    cmd: old
    args:
    - a

  # about memory
  memory:
    enabled: true
other: 1
"""
FILES: list[tuple[HostFormat, str, str]] = [(TOML, "mcp_servers", CODEX), (YAML, "extensions", GOOSE)]
SERVER = {"command": "uvx", "args": ["a b", 'c"d', "e\\f", "ž"], "enabled": True, "timeout": 300, "headers": {"A": "b"}}


@pytest.mark.parametrize(("how", "key", "text"), FILES)
def test_a_replaced_server_leaves_every_other_line(how: HostFormat, key: str, text: str) -> None:
    after = how.with_member(text, (key, "seed_bank"), SERVER)
    assert how.read(after)[key]["seed_bank"] == SERVER
    gone = set(text.splitlines()) - set(after.splitlines())
    assert not [line for line in gone if "#" in line]
    assert how.with_member(after, (key, "seed_bank"), SERVER) == after


@pytest.mark.parametrize(("how", "key", "text"), FILES)
def test_a_removed_server_leaves_every_other_line(how: HostFormat, key: str, text: str) -> None:
    after = how.without_member(text, (key, "seed_bank"))
    before = how.read(text)
    assert before[key].pop("seed_bank")
    assert how.read(after) == before
    assert [line for line in text.splitlines() if "#" in line] == [line for line in after.splitlines() if "#" in line]
    assert how.without_member(after, (key, "seed_bank")) == after


@pytest.mark.parametrize(("how", "key", "text"), FILES)
def test_an_added_server_leaves_all_that_was_there(how: HostFormat, key: str, text: str) -> None:
    after = how.with_member(text, (key, "chess_club"), SERVER)
    assert set(text.splitlines()) <= set(after.splitlines())
    assert how.read(after)[key]["chess_club"] == SERVER
    assert how.without_member(after, (key, "chess_club")).rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("how", "key", "text"),
    [
        (TOML, "mcp_servers", 'mcp_servers = { seed_bank = { command = "x" } }\n'),
        (TOML, "mcp_servers", 'mcp_servers.seed_bank.command = "x"\n'),
        (TOML, "mcp_servers", 'text = """\n[mcp_servers.seed_bank]\n"""\nmcp_servers.seed_bank.command = "x"\n'),
        (TOML, "mcp_servers", "a ="),
        (TOML, "mcp_servers", "mcp_servers = 5\n"),
        (YAML, "extensions", "extensions: {seed_bank: {cmd: x}}\n"),
        (YAML, "extensions", "a: &a {b: 1}\nextensions:\n  seed_bank: *a\n"),
        (YAML, "extensions", "extensions:\n  ? seed_bank\n  : cmd: x\n"),
        (YAML, "extensions", "extensions: [a]\n"),
        (YAML, "extensions", "[a]\n"),
        (YAML, "extensions", "a: b: c\n"),
    ],
)
def test_a_file_written_in_another_way_is_refused(how: HostFormat, key: str, text: str) -> None:
    with pytest.raises(FormatError):
        how.with_member(text, (key, "seed_bank"), SERVER)


VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-99, 99), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
SETTINGS = st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=3)
SERVERS = st.dictionaries(
    st.from_regex(r"\A[a-z_]{1,8}\Z"),
    st.dictionaries(st.from_regex(r"\A[a-z]{1,6}\Z"), VALUES, min_size=1, max_size=3),
    max_size=3,
)


@settings(deadline=None)
@given(SETTINGS, SERVERS, st.integers(1, 4))
def test_any_yaml_keeps_its_meaning_or_is_refused(others: dict[str, Any], servers: dict[str, Any], indent: int) -> None:
    before = {**others, **({"extensions": servers} if servers else {})}
    text = yaml.safe_dump(before, indent=indent, allow_unicode=True, sort_keys=False) if before else ""
    try:
        # Not all that PyYAML writes is what it reads.
        before = YAML.read(text)
        servers = before.get("extensions", {})
        after = YAML.with_member(text, ("extensions", "seed_bank"), SERVER)
        without = YAML.without_member(after, ("extensions", "seed_bank"))
    except FormatError:
        return
    assert YAML.read(after) == {**before, "extensions": {**servers, "seed_bank": SERVER}}
    rest = {name: server for name, server in servers.items() if name != "seed_bank"}
    assert YAML.read(without) == {**before, "extensions": rest}


@settings(deadline=None)
@given(SETTINGS, SERVERS)
def test_any_toml_keeps_its_meaning_or_is_refused(others: dict[str, Any], servers: dict[str, Any]) -> None:
    text = "".join(f"{json.dumps(name)} = {json.dumps(str(value))}\n" for name, value in others.items())
    try:
        for name, server in servers.items():
            text = TOML.with_member(text, ("mcp_servers", name), server)
        before = TOML.read(text)
        after = TOML.with_member(text, ("mcp_servers", "seed_bank"), SERVER)
        without = TOML.without_member(after, ("mcp_servers", "seed_bank"))
    except FormatError:
        return
    assert TOML.read(after)["mcp_servers"] == {**servers, "seed_bank": SERVER}
    rest = {name: server for name, server in servers.items() if name != "seed_bank"}
    assert TOML.read(without).get("mcp_servers", {}) == rest
    assert {name: value for name, value in before.items() if name != "mcp_servers"} == {
        name: str(value) for name, value in others.items() if name != "mcp_servers"
    }


@pytest.mark.parametrize("client", ["vscode", "cursor", "lm-studio", "goose"])
def test_an_install_link_carries_what_the_file_would_say(client: Any) -> None:
    connection = HostConnection(client, "seed_bank", COMMAND)
    link = install_link(connection)
    query = parse_qs(urlsplit(link).query)
    if client == "vscode":
        assert json.loads(unquote(link.partition("?")[2])) == {"name": "seed_bank", **connection.server}
    elif client == "goose":
        assert (query["cmd"], query["arg"]) == (["uvx"], [*COMMAND[1:]])
    else:
        assert query["name"] == ["seed_bank"]
        assert json.loads(base64.b64decode(query["config"][0])) == connection.server


def test_a_link_never_carries_a_token() -> None:
    for client in ("vscode", "cursor", "lm-studio", "goose"):
        assert not install_link(HostConnection(client, "seed_bank", url="http://x/e/seed_bank/w/mcp", token="t"))


def test_the_buttons_in_the_readme_install_the_published_program() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for client in ("vscode", "cursor", "lm-studio"):
        assert button(client, "hospital_stays") in readme
