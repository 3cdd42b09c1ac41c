"""registry.json: which servers there are; read, searched, and saved whole."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, digest_of
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.errors import ArtifactError, BlueprintError, RegistryError


def read_registry(path: Path) -> Registry:
    """The registry in a file."""
    if not path.is_file():
        raise RegistryError(f"There is no registry at {str(path)!r}; `envscaler build --all` makes the shipped servers")
    try:
        return Registry.read(path)
    except ArtifactError as cause:
        raise RegistryError(f"{cause}; `envscaler build --all` makes it anew") from cause


def with_entries(registry: Registry, entries: Iterable[RegistryEntry]) -> Registry:
    """The registry with these entries added, each in place of an older one of its id."""
    by_id = {entry.id: entry for entry in (*registry.entries, *entries)}
    return Registry(entries=tuple(by_id[id_] for id_ in sorted(by_id)), provenance=registry.provenance)


def without_entry(registry: Registry, env_id: str) -> Registry:
    """The registry without one entry, which must have been there."""
    gone = find_entry(registry, env_id)
    return Registry(entries=tuple(e for e in registry.entries if e is not gone), provenance=registry.provenance)


def find_entry(registry: Registry, env_id: str) -> RegistryEntry:
    """The entry of that id; a near miss is told what it may have meant."""
    ids = [entry.id for entry in registry.entries]
    if env_id in ids:
        return registry.entries[ids.index(env_id)]
    near = difflib.get_close_matches(env_id, ids, n=1) or [i for i in ids if env_id and env_id in i][:1]
    hint = f"did you mean {near[0]!r}?" if near else "`envscaler list` shows which there are."
    raise RegistryError(f"There is no environment {env_id!r}; {hint}")


def search(registry: Registry, words: str) -> tuple[RegistryEntry, ...]:
    """Entries in which every word occurs, the best match first; all of them when there are no words.

    A word counts where another begins with it, and more in an id or title than in the text or among the tools.
    """
    wanted = _words_of(words)
    ranked = [(score, entry) for entry in registry.entries if (score := _score(entry, wanted)) is not None]
    return tuple(entry for _, entry in sorted(ranked, key=lambda pair: (-pair[0], pair[1].id)))


def _score(entry: RegistryEntry, wanted: list[str]) -> int | None:
    fields = (
        (8, _words_of(f"{entry.id} {entry.title}")),
        (4, _words_of(entry.sector)),
        (2, _words_of(entry.about)),
        (1, _words_of(" ".join(entry.tools))),
    )
    total = 0
    for word in wanted:
        best = max((weight * _match(word, words) for weight, words in fields), default=0)
        if not best:
            return None
        total += best
    return total


def _match(word: str, words: list[str]) -> int:
    """2 for the word itself (or its plural), 1 for a word that begins with it, 0 for neither."""
    if word in words or f"{word}s" in words or (word.endswith("s") and word[:-1] in words):
        return 2
    return int(any(other.startswith(word) for other in words))


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


@dataclass(frozen=True)
class Difference:
    """One thing in which a folder is not what the registry says."""

    env_id: str
    what: str

    def __str__(self) -> str:
        return f"{self.env_id}: {self.what}"


def differences(registry: Registry, servers: Path) -> list[Difference]:
    """Where folders and registry disagree; empty when every folder is the one that was registered."""
    found = [Difference(entry.id, what) for entry in registry.entries for what in _wrong_with(entry, servers)]
    known = {entry.id for entry in registry.entries}
    folders = sorted(path.parent.name for path in servers.glob("*/environment.json"))
    found += [Difference(name, "the folder is not in the registry") for name in folders if name not in known]
    return found


def _wrong_with(entry: RegistryEntry, servers: Path) -> list[str]:
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
