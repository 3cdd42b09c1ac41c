"""What lies in server folders, read for counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, Scenario
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.model import Model
from envscaler_mcp.serving.tasks import load_scenarios


@dataclass(frozen=True, slots=True)
class Holding:
    """One environment of a farm."""

    environment: Environment
    folder: Path
    model: Model | None
    """Nothing where somebody wrote the class."""
    scenarios: Sequence[Scenario]


def holdings(registry: Registry, servers: Path) -> Iterator[Holding]:
    """Every registered environment, in the order of their ids."""
    for entry in registry.entries:
        folder = servers / entry.id
        blueprint = folder / "blueprint.yaml"
        model = check_blueprint(read_blueprint(blueprint)).sound() if blueprint.is_file() else None
        yield Holding(Environment.read_in(folder, "environment.json"), folder, model, load_scenarios(folder))
