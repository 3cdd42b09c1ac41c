"""The contents of server folders, read for counting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, RegistryEntry, Scenario
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.language import check_blueprint
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.trust import blueprint_beside
from envscaler_mcp.trust.blueprint import BLUEPRINT


@dataclass(frozen=True, slots=True)
class Holding:
    """One environment of a farm."""

    environment: Environment
    folder: Path
    model: Model | None
    """None for a written class."""
    speech: Storybook
    scenarios: Sequence[Scenario]


def holdings(entries: Iterable[RegistryEntry], servers: ServerFolders) -> Iterator[Holding]:
    """These environments, in their order."""
    for entry in entries:
        folder = servers / entry.id
        model, speech = None, Storybook()
        environment = Environment.read_in(folder, "environment.json")
        if has_member(folder, BLUEPRINT):
            checked = check_blueprint(blueprint_beside(folder, environment))
            model, speech = checked.sound(), checked.speech
        yield Holding(environment, folder, model, speech, load_scenarios(folder))
