"""The lines by which a host program finds a server, and their place in the host's own file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from envscaler_mcp.config import choices
from envscaler_mcp.emit.edited_file import EditedFile
from envscaler_mcp.emit.host_formats import JSONC, TOML, YAML, FormatError, HostFormat
from envscaler_mcp.emit.jsonc import JsoncError
from envscaler_mcp.errors import EmitError
from envscaler_mcp.processes import installed_program

Client = choices.HostProgram
CLIENTS: tuple[Client, ...] = get_args(Client)


@dataclass(frozen=True)
class HostConnection:
    """One server as one host is told about it."""

    client: Client
    name: str
    command: tuple[str, ...] = ()
    """Program and arguments with absolute paths: a host starts them from a folder of its own, with hardly a PATH."""
    url: str = ""
    """The address of a world that a farm serves, where no program is started."""
    token: str = ""
    """What the farm asks for, if it asks for anything."""

    @property
    def key(self) -> str:
        """The member of the host's file under which it looks for servers."""
        return _KEYS.get(self.client, "mcpServers")

    @property
    def server(self) -> dict[str, Any]:
        """What the host's file says about the server."""
        if self.client == "goose":
            return self._goose
        if self.url:
            return self._remote
        server: dict[str, Any] = {"command": self.command[0], "args": list(self.command[1:])}
        return {"type": "stdio", **server} if self.client in ("vscode", "claude-code") else server

    @property
    def _remote(self) -> dict[str, Any]:
        header = f"Authorization: Bearer {self.token}"
        if self.client == "claude-desktop":
            # Its file knows programs only; this one of the protocol's own carries a stream to an address.
            more = ["--header", header] if self.token else []
            return {"command": "npx", "args": ["-y", "mcp-remote", self.url, *more]}
        named = "http_headers" if self.client == "codex" else "headers"
        headers = {named: {"Authorization": f"Bearer {self.token}"}} if self.token else {}
        server: dict[str, Any] = {_ADDRESS.get(self.client, "url"): self.url, **headers}
        return {"type": "http", **server} if self.client in ("vscode", "claude-code", "json") else server

    @property
    def _goose(self) -> dict[str, Any]:
        common = {"name": self.name, "enabled": True, "timeout": 300}
        if not self.url:
            return {"type": "stdio", "cmd": self.command[0], "args": list(self.command[1:]), **common}
        headers = {"headers": {"Authorization": f"Bearer {self.token}"}} if self.token else {}
        return {"type": "streamable_http", "uri": self.url, **headers, **common}

    @property
    def document(self) -> dict[str, Any]:
        """The whole file, for a host that has none yet."""
        return {self.key: {self.name: self.server}}

    @property
    def text(self) -> str:
        """The same as the host writes it."""
        return format_of(self.client).with_member("", (self.key, self.name), self.server)


_KEYS: dict[str, str] = {"vscode": "servers", "zed": "context_servers", "codex": "mcp_servers", "goose": "extensions"}
_ADDRESS: dict[str, str] = {"windsurf": "serverUrl", "gemini": "httpUrl"}
"""Under which name a host has the address of streamable HTTP; `url` means something older to these."""


def format_of(client: Client) -> HostFormat:
    """How the file of a host is written."""
    return {"codex": TOML, "goose": YAML}.get(client, JSONC)


def server_command(env_id: str, home: Path | None, uv: Path | None = None) -> tuple[str, ...]:
    """The program of this installation that serves an environment of a home; without one, the shipped environment.

    A host may start it in any folder, which may be a home of another person: so either the home or `--shipped` is named.
    Where `uv` runs it out of its cache, uv is asked to do so again: the cache may have been cleaned by then. It is never what a registry or a folder names: those may come from anywhere. Without -P, a folder in which a host
    starts it could put another package in the place of this one.
    """
    words = ("serve", "--shipped", env_id) if home is None else ("--home", str(home), "serve", env_id)
    if uv is not None:
        return (str(uv), "tool", "run", "envscaler-mcp", *words)
    return installed_program(*words)


def registered_command(env_id: str) -> tuple[str, ...]:
    """What a registry that was built here says of the environment."""
    return ("{python}", f"generated_servers/{env_id}/server.py")


def host_file(client: Client, project: Path, client_settings: Path) -> Path:
    """The file in which the host looks: of this project where it has such a file, else of this user."""
    match client:
        case "claude-desktop":
            return client_settings / "Claude" / "claude_desktop_config.json"
        case "claude-code":
            return project / ".mcp.json"
        case "vscode":
            return project / ".vscode" / "mcp.json"
        case "cursor":
            return Path.home() / ".cursor" / "mcp.json"
        case "windsurf":
            return Path.home() / ".codeium" / "windsurf" / "mcp_config.json"
        case "zed":
            return _plain_settings(client_settings) / "zed" / "settings.json"
        case "codex":
            return Path.home() / ".codex" / "config.toml"
        case "gemini":
            return Path.home() / ".gemini" / "settings.json"
        case "goose":
            return _plain_settings(client_settings) / "goose" / "config.yaml"
        case "lm-studio":
            return Path.home() / ".lmstudio" / "mcp.json"
        case "json":
            return project / "mcp.json"


def _plain_settings(client_settings: Path) -> Path:
    """Where programs keep their settings that do so on macOS as they do on Linux."""
    return Path.home() / ".config" if sys.platform == "darwin" else client_settings


def check_host_file(file: Path, project: Path) -> None:
    """Refuse a file of the project that a link leads out of it: the project may come from another person."""
    if not file.is_relative_to(project):
        return
    try:
        leads_to = file.resolve()
    except (OSError, RuntimeError) as cause:
        # Python 3.11 has RuntimeError for links that lead back to themselves.
        raise EmitError(f"{str(file)!r} leads nowhere: {cause}; nothing was changed") from cause
    if not leads_to.is_relative_to(project.resolve()):
        raise EmitError(
            f"{str(file)!r} leads out of this folder, to {str(leads_to)!r}; nothing was changed. "
            "Name the file with --file if it is meant"
        )


def installed(connection: HostConnection, file: Path) -> EditedFile:
    """A host's file with the server in it, added or replaced, and all else as it was."""
    path, how = (connection.key, connection.name), format_of(connection.client)
    return EditedFile.of(
        file, lambda text: _understood(file, how, lambda: how.with_member(text, path, connection.server))
    )


def removed(connection: HostConnection, file: Path) -> EditedFile:
    """A host's file without the server."""
    path, how = (connection.key, connection.name), format_of(connection.client)
    return EditedFile.of(file, lambda text: _understood(file, how, lambda: how.without_member(text, path)))


def entry_in(file: EditedFile, connection: HostConnection) -> Any:
    """What the file says of a server of that name until now; None where it says nothing."""
    text, how = (file.before or b"").decode("utf-8-sig"), format_of(connection.client)
    servers = how.read(text).get(connection.key)
    return servers.get(connection.name) if isinstance(servers, dict) else None


def command_in(entry: object) -> tuple[str, ...]:
    """The program and the arguments that an entry names, where it names a program."""
    if not isinstance(entry, dict):
        return ()
    words = [entry.get("command", entry.get("cmd")), *(entry["args"] if isinstance(entry.get("args"), list) else [])]
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


def address_in(entry: object) -> str:
    """The address that an entry names, where it names one."""
    given = [entry.get(key) for key in _ADDRESSES] if isinstance(entry, dict) else []
    return next((address for address in given if isinstance(address, str)), "")


def headers_in(entry: object) -> dict[str, str]:
    """The headers that a host would send to the address of an entry."""
    given = entry.get("headers", entry.get("http_headers")) if isinstance(entry, dict) else None
    texts = given.items() if isinstance(given, dict) else ()
    return {name: value for name, value in texts if isinstance(name, str) and isinstance(value, str)}


def is_ours(entry: object, connection: HostConnection) -> bool:
    """Whether an entry is one that `connect` wrote for this environment, here or in another home, and nothing besides."""
    if not isinstance(entry, dict) or not entry.keys() <= _OUR_KEYS:
        return False
    words = [*entry["args"]] if isinstance(entry.get("args"), list) else []
    if not all(isinstance(word, str) for word in words):
        return False
    name = connection.name
    serving = words[-2:] == ["serve", name] or words[-3:] == ["serve", "--shipped", name]
    serves = serving and not {"envscaler_mcp", "envscaler-mcp"}.isdisjoint(words)
    folder = len(words) == 1 and words[0].endswith(f"/generated_servers/{name}/server.py")
    address = any(f"/e/{name}/" in str(word) for word in (*(entry.get(key, "") for key in _ADDRESSES), *words))
    return serves or folder or address


_ADDRESSES = ("url", "serverUrl", "httpUrl", "uri")
_OUR_KEYS = {"type", "command", "cmd", "args", "headers", "http_headers", "name", "enabled", "timeout", *_ADDRESSES}


def _understood(file: Path, how: HostFormat, edit: Callable[[], str]) -> str:
    try:
        return edit()
    except (JsoncError, FormatError) as cause:
        raise EmitError(f"{str(file)!r} is not {how.name} that can be edited ({cause}); nothing was changed") from cause
