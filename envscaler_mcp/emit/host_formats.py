"""The files of hosts in their three formats, edited in place: what is not edited keeps every byte."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.emit.jsonc import node_value, parse_jsonc
from envscaler_mcp.emit.jsonc import with_member as with_json_member
from envscaler_mcp.emit.jsonc import without_member as without_json_member
from envscaler_mcp.errors import EnvScalerError

Path = tuple[str, str]
"""The table of servers in a file, and a server in it."""


class FormatError(EnvScalerError):
    """A text that is not what its format says, or is written so that it cannot be edited in place."""


@dataclass(frozen=True)
class HostFormat:
    """How the file of a host is read and changed."""

    name: str
    read: Callable[[str], dict[str, Any]]
    with_member: Callable[[str, Path, Mapping[str, Any]], str]
    """The text with a server added or replaced."""
    without_member: Callable[[str, Path], str]


def _read_json(text: str) -> dict[str, Any]:
    root = parse_jsonc(text)
    value = {} if root is None else node_value(text, root)
    return value if isinstance(value, dict) else {}


# TOML


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        raise FormatError(str(cause)) from cause


def _with_toml(text: str, path: Path, server: Mapping[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{path[0]}.{_toml_key(path[1])}]", *(f"{key} = {_toml(value)}" for key, value in server.items())]
    table = newline.join(lines) + newline
    first, last = _toml_table(text, path)
    if first is None:
        before = text if not text or text.endswith("\n") else text + newline
        gap = newline if before.strip() else ""
        return _checked(text, before + gap + table, path, server, _read_toml)
    return _checked(text, text[:first] + table + text[last:], path, server, _read_toml)


def _without_toml(text: str, path: Path) -> str:
    servers = _read_toml(text).get(path[0])
    if not isinstance(servers, dict) or path[1] not in servers:
        return text
    first, last = _toml_table(text, path)
    if first is None:
        raise FormatError(f"{path[1]!r} stands there in another way than as a table of its own")
    return _checked(text, text[:first] + text[last:], path, None, _read_toml)


_HEADER = re.compile(r"^[ \t]*\[+[^\n]*$", re.MULTILINE)


def _toml_table(text: str, path: Path) -> tuple[int | None, int]:
    """Where the table of a server begins and ends, with the tables inside it; comments after its last value stay."""
    names = {path[1], f'"{path[1]}"', f"'{path[1]}'"}
    own = re.compile(rf"\s*\[\s*{re.escape(path[0])}\s*\.\s*(?:{'|'.join(map(re.escape, sorted(names)))})\s*([].])")
    headers = list(_HEADER.finditer(text))
    first: int | None = None
    last = len(text)
    for header in headers:
        if own.match(header[0]):
            first = header.start() if first is None else first
        elif first is not None:
            last = header.start()
            break
    if first is None:
        return None, 0
    table = text[first:last]
    while (shorter := re.sub(r"(?:^[ \t]*(?:#[^\n]*)?\r?\n?)\Z", "", table, flags=re.MULTILINE)) != table:
        table = shorter
    return first, first + len(table)


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _toml(value: Any) -> str:
    """A value of one line; the texts of TOML have the escapes of JSON."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml_key(key)} = {_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007F")


# YAML


def _read_yaml(text: str) -> dict[str, Any]:
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise FormatError("it has aliases")
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as cause:
        raise FormatError(" ".join(str(cause).split())) from cause
    if not isinstance(value, dict | None):
        raise FormatError("it is no mapping")
    return value or {}


def _with_yaml(text: str, path: Path, server: Mapping[str, Any]) -> str:
    servers = _read_yaml(text).get(path[0])
    newline = "\r\n" if "\r\n" in text else "\n"
    if not servers:
        text = re.sub(
            rf"^{re.escape(path[0])}:[ \t]*(?:\{{[ \t]*\}}|null|~)?[ \t]*$\r?\n?", "", text, flags=re.MULTILINE
        )
        before = text if not text or text.endswith("\n") else text + newline
        return _checked(
            text, f"{before}{path[0]}:{newline}{_yaml(path[1], server, 2, newline)}", path, server, _read_yaml
        )
    if not isinstance(servers, dict):
        raise FormatError(f"{path[0]!r} is no mapping")
    column, lines = _yaml_children(text, path[0])
    span = _yaml_entry(lines, column, path)
    start, end = span or (_after_key(lines, path[0]),) * 2
    entry = _yaml(path[1], server, column, newline)
    return _checked(text, "".join(lines[:start]) + entry + "".join(lines[end:]), path, server, _read_yaml)


def _without_yaml(text: str, path: Path) -> str:
    servers = _read_yaml(text).get(path[0])
    if not isinstance(servers, dict) or path[1] not in servers:
        return text
    column, lines = _yaml_children(text, path[0])
    span = _yaml_entry(lines, column, path)
    if span is None:
        raise FormatError(f"{path[1]!r} stands there in another way than on lines of its own")
    empty = len(servers) == 1
    if empty:
        key = _after_key(lines, path[0]) - 1
        lines[key] = lines[key].replace(":", ": {}", 1)
    return _checked(text, "".join(lines[: span[0]] + lines[span[1] :]), path, None, _read_yaml)


def _yaml_children(text: str, key: str) -> tuple[int, list[str]]:
    """The indentation of what stands under a key at the margin, and all lines."""
    lines = text.splitlines(keepends=True)
    for line in lines[_after_key(lines, key) :]:
        if line.strip() and not line.lstrip().startswith("#"):
            return len(line) - len(line.lstrip(" ")), lines
    raise FormatError(f"{key!r} is empty")


def _after_key(lines: list[str], key: str) -> int:
    for number, line in enumerate(lines):
        if re.fullmatch(rf"{re.escape(key)}:[ \t]*(?:#.*)?", line.rstrip("\r\n")):
            return number + 1
    raise FormatError(f"{key!r} stands there in another way than on a line of its own")


def _yaml_entry(lines: list[str], column: int, path: Path) -> tuple[int, int] | None:
    """The first line of an entry and the one after its last; blank lines and comments at its end stay."""
    begins = re.compile(
        rf" {{{column}}}(?:{re.escape(path[1])}|\"{re.escape(path[1])}\"|'{re.escape(path[1])}')[ \t]*:"
    )
    for start in range(_after_key(lines, path[0]), len(lines)):
        if begins.match(lines[start]):
            end = start + 1
            for number in range(start + 1, len(lines)):
                bare = lines[number].strip()
                if bare and len(lines[number]) - len(lines[number].lstrip(" ")) <= column:
                    break
                end = number + 1 if bare and not bare.startswith("#") else end
            return start, end
        if lines[start].strip() and not lines[start].startswith((" ", "#")):
            return None
    return None


def _yaml(name: str, server: Mapping[str, Any], column: int, newline: str) -> str:
    """An entry, each value on its line as JSON, which is YAML too."""
    values = [f"{' ' * 2 * column}{key}: {json.dumps(value)}" for key, value in server.items()]
    return newline.join([f"{' ' * column}{name}:", *values]) + newline


def _checked(
    before: str, after: str, path: Path, server: Mapping[str, Any] | None, read: Callable[[str], dict[str, Any]]
) -> str:
    """The text after an edit, if it says what it said before but for this server."""
    wanted = read(before)
    servers = wanted.get(path[0]) or {}
    if not isinstance(servers, dict):
        raise FormatError(f"{path[0]!r} is no table")
    others = {name: value for name, value in servers.items() if name != path[1]}
    wanted = {**wanted, path[0]: others if server is None else {**others, path[1]: dict(server)}}
    said = read(after)
    if {**said, path[0]: said.get(path[0]) or {}} != wanted:
        raise FormatError("it is written in a way that cannot be edited in place; add the lines by hand")
    return after


JSONC = HostFormat("JSON", _read_json, with_json_member, without_json_member)
TOML = HostFormat("TOML", _read_toml, _with_toml, _without_toml)
YAML = HostFormat("YAML", _read_yaml, _with_yaml, _without_yaml)
