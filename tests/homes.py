"""Homes, server folders and environment code for tests, made without the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, Scenario, State, digest_of
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.serving import EnvironmentCode, tool_table
from envscaler_mcp.serving.tools import environment_class, parse
from envscaler_mcp.trust import remember

SERVER = '''"""Serves this folder."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
'''


def written(source: str, env_id: str = "written", **card: Any) -> EnvironmentCode:
    """The code of a source, with a card that says of it what its text says; unread unless `origin` is `compiled`."""
    class_name = environment_class(parse(source)).name
    described: dict[str, Any] = {
        "title": env_id.replace("_", " ").title(),
        "about": "Written for a test.",
        "sector": "test",
        "version": "1.0.0",
        "origin": "written",
        "introduction": "You work here.",
        "rules": (),
        "states": ("start",),
    }
    environment = Environment(
        id=env_id,
        class_name=class_name,
        tools=tool_table(source, class_name),
        code_digest=digest_of(source),
        **described | card,
    )
    return EnvironmentCode.of(environment, source)


def start_state(content: dict[str, Any], env_id: str = "written", seed: int = 7) -> State:
    return State(environment=env_id, name="start", seed=seed, content=content)


def write_server(
    folder: Path, code: EnvironmentCode, state: State, scenarios: Iterable[Scenario] = ()
) -> RegistryEntry:
    """Write a server folder, which this installation takes for its compiler's own where the card says `compiled`.

    Its registry entry is returned.
    """
    card = code.environment
    if code.journaled:
        remember(card, code.source, "compiled")
    card.write(folder / "environment.json")
    write_text(folder / "environment.py", code.source)
    write_text(folder / "server.py", SERVER)
    state.write(folder / "states" / f"{state.name}.json")
    if lines := "".join(scenario.to_line() for scenario in scenarios):
        write_text(folder / "scenarios.jsonl", lines)
    return RegistryEntry(
        id=card.id,
        title=card.title,
        about=card.about,
        sector=card.sector,
        version=card.version,
        tools=tuple(tool.name for tool in card.tools),
        digests=RegistryDigests(environment=card.digest, code=card.code_digest),
        command=("{python}", f"generated_servers/{card.id}/server.py"),
    )


def register(home: Path, *entries: RegistryEntry) -> Path:
    """Add entries to the registry of a home."""
    file = home / "registry.json"
    known = Registry.read(file).entries if file.is_file() else ()
    Registry(entries=tuple(sorted((*known, *entries), key=lambda entry: entry.id))).write(file)
    return home
