"""The folder of one server: what makes it this environment and no other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Scenario, State
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.emit.readme import WorkedCall, origin_of, readme
from envscaler_mcp.errors import ArtifactError, EmitError
from envscaler_mcp.language.text import within_docstring
from envscaler_mcp.plain_files import PlainFolder, read_below

_CARD = "environment.json"

_SERVER = '''"""Serves {title}. {origin}"""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
'''


def folder_files(
    environment: Environment,
    source: str,
    blueprint_text: str,
    states: Sequence[State],
    scenarios: Sequence[Scenario],
    calls: Mapping[str, WorkedCall],
) -> dict[str, str]:
    """Every file of the folder by its path inside; equal inputs give equal texts."""
    files = {
        "environment.json": environment.to_text(),
        "environment.py": source,
        "server.py": _SERVER.format(title=docstring_title(environment), origin=origin_of(environment)),
        "README.md": readme(environment, calls, scenarios),
    }
    if environment.origin == "compiled":
        files["blueprint.yaml"] = blueprint_text
    if scenarios:
        files["scenarios.jsonl"] = "".join(scenario.to_line() for scenario in scenarios)
    for state in states:
        files[f"states/{state.name}.json"] = state.to_text()
    return dict(sorted(files.items()))


def docstring_title(environment: Environment) -> str:
    """The title for the first line of a program: a title may come from an unknown author."""
    return within_docstring(" ".join(environment.title.split()))


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Make the folder hold exactly these files; one that holds others and no server of this name is left alone."""
    with server_folder(folder, make=True) as opened:
        present = opened.files()
        if present and not _is_server(opened):
            raise EmitError(
                f"{folder} is not empty and holds no server {folder.name!r}; move it away, and give the command again"
            )
        # The card first: a folder that was half written is then known as ours.
        for name in sorted(files, key=lambda name: (name != _CARD, name)):
            if not _is_text(opened, name, files[name]):
                opened.write(name, files[name].encode("utf-8"))
        for name in present:
            if name not in files:
                opened.remove(name)


def write_member(folder: Path, name: str, text: str) -> None:
    """Write one file of a server folder whole or not at all."""
    with server_folder(folder, make=True) as opened:
        opened.write(name, text.encode("utf-8"))


@contextmanager
def server_folder(folder: Path, *, make: bool = False) -> Iterator[PlainFolder]:
    """A server folder held open; neither it nor the folder of all servers may be a link."""
    servers = folder.parent
    with PlainFolder.at(servers.parent, *([servers.name] if servers.name else []), folder.name, make=make) as opened:
        yield opened


def folder_differences(folder: Path, files: Mapping[str, str], besides: Sequence[str] = ()) -> list[str]:
    """What would be written, in words; nothing when the folder is what would be emitted, besides what may lie there."""
    differences = [
        f"{name} is missing" if not has_member(folder, name) else f"{name} is not what would be emitted"
        for name, text in files.items()
        if not _holds(folder, name, text)
    ]
    present = _present(folder)
    return [
        *differences,
        *(f"{name} would not be emitted" for name in present if name not in files and name not in besides),
    ]


def _holds(folder: Path, name: str, text: str) -> bool:
    """Whether the plain file of that name holds the text."""
    try:
        return read_below(folder, name) == text.encode("utf-8")
    except ArtifactError:
        return False


def _present(folder: Path) -> list[str]:
    if not os.path.lexists(folder):
        return []
    with server_folder(folder) as opened:
        return opened.files()


def _is_text(opened: PlainFolder, name: str, text: str) -> bool:
    try:
        return opened.read(name) == text.encode("utf-8")
    except ArtifactError:
        return False


def _is_server(opened: PlainFolder) -> bool:
    """Whether a card lies there that names this folder, were it one of another version of this package."""
    try:
        card = json.loads(opened.read(_CARD, Environment.MOST_BYTES))
    except (ArtifactError, ValueError, RecursionError):
        return False
    return isinstance(card, dict) and card.get("id") == opened.path.name
