"""Where the folders of a home are not what its registry says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, digest_of
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.errors import ArtifactError, BlueprintError
from envscaler_mcp.home.folders import ServerFolders, folder_names


@dataclass(frozen=True)
class FolderDifference:
    """One thing in which a folder is not what the registry says."""

    env_id: str
    what: str

    def __str__(self) -> str:
        return f"{self.env_id}: {self.what}"


def differences(registry: Registry, servers: ServerFolders) -> list[FolderDifference]:
    """Where folders and registry disagree; empty when every folder is the one that was registered."""
    differing = [FolderDifference(entry.id, what) for entry in registry.entries for what in _wrong_with(entry, servers)]
    known = {entry.id for entry in registry.entries}
    strangers = sorted(folder_names(servers) - known)
    differing += [FolderDifference(name, "the folder is not in the registry") for name in strangers]
    return differing


def _wrong_with(entry: RegistryEntry, servers: ServerFolders) -> list[str]:
    folder = servers / entry.id
    if not folder.is_dir():
        return ["the folder is missing"]
    try:
        environment = Environment.read_in(folder, "environment.json")
    except ArtifactError as cause:
        return [str(cause)]
    wrong = []
    if environment.digest != entry.digests.environment:
        wrong.append("environment.json is not the one that was registered")
    if tuple(tool.name for tool in environment.tools) != entry.tools:
        wrong.append("the tools are not those that were registered")
    if _digest_of_code(folder) != entry.digests.code:
        wrong.append("environment.py is not the one that was registered")
    if entry.digests.blueprint not in (None, _digest_of_blueprint(folder)):
        wrong.append("blueprint.yaml is not the one that was registered")
    return wrong


def _digest_of_code(folder: Path) -> str | None:
    try:
        return digest_of(read_member_text(folder, "environment.py"))
    except ArtifactError:
        return None


def _digest_of_blueprint(folder: Path) -> str | None:
    # The language is imported here, since most who read the registry never look at a blueprint.
    from envscaler_mcp.language import read_blueprint

    try:
        return read_blueprint(read_member_text(folder, "blueprint.yaml"), "blueprint.yaml").digest
    except (ArtifactError, BlueprintError):
        return None
