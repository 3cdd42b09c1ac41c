"""The lines by which a host program finds a server, and their place in the host's own file."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from envscaler_mcp.errors import EmitError

Client = Literal["claude-desktop", "claude-code", "vscode", "cursor"]
CLIENTS: tuple[Client, ...] = get_args(Client)


@dataclass(frozen=True)
class Connection:
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
        return "servers" if self.client == "vscode" else "mcpServers"

    @property
    def server(self) -> dict[str, Any]:
        """What the host's file says about the server."""
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
        headers = {"headers": {"Authorization": f"Bearer {self.token}"}} if self.token else {}
        server: dict[str, Any] = {"url": self.url, **headers}
        return server if self.client == "cursor" else {"type": "http", **server}

    @property
    def document(self) -> dict[str, Any]:
        """The whole file, for a host that has none yet."""
        return {self.key: {self.name: self.server}}


def connection(client: Client, env_id: str, command: Sequence[str], home: Path) -> Connection:
    """How `client` starts a registered server: `{python}` becomes this interpreter, relative paths absolute ones."""

    def absolute(word: str) -> str:
        path = home / word
        return str(path) if path.exists() and not word.startswith("-") else word

    words = [sys.executable if word == "{python}" else absolute(word) for word in command]
    return Connection(client, env_id, tuple(words))


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


def install(connection: Connection, file: Path) -> Path | None:
    """Add or replace the server in a host's file, all else kept; the copy of the file as it was, if there was one."""
    document = _read(file)
    servers = document.setdefault(connection.key, {})
    if not isinstance(servers, dict):
        raise EmitError(f"{str(file)!r}: {connection.key!r} is not an object; nothing was changed")
    if servers.get(connection.name) == connection.server:
        return None
    servers[connection.name] = connection.server
    return _replace(file, document)


def remove(connection: Connection, file: Path) -> Path | None:
    """Take the server out of a host's file; None when it was not in it."""
    document = _read(file)
    servers = document.get(connection.key)
    if not isinstance(servers, dict) or connection.name not in servers:
        return None
    del servers[connection.name]
    return _replace(file, document)


def _read(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        document = json.loads(file.read_text(encoding="utf-8-sig") or "{}")
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as cause:
        # VS Code and Cursor let people write comments here; a rewrite would lose them
        raise EmitError(
            f"{str(file)!r} is not plain JSON ({cause}); add the lines by hand, nothing was changed"
        ) from cause
    if not isinstance(document, dict):
        raise EmitError(f"{str(file)!r} does not hold a JSON object; nothing was changed")
    return document


def _replace(file: Path, document: dict[str, Any]) -> Path | None:
    """Write the file in one step with the rights it had; people link such files, so the link's target is written."""
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if file.exists():
        backup = file.with_name(f"{file.name}.before-envscaler")
        shutil.copy2(file, backup)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(document, stream, ensure_ascii=False, indent=2)
            stream.write("\n")
        if backup:
            shutil.copymode(backup, temporary)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return backup
