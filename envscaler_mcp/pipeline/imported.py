"""What an importer is, and what it reports of the environments and scenarios that it read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from envscaler_mcp.plugins import PlugIns


@dataclass(frozen=True, slots=True)
class ImportedScenario:
    """What is known of one scenario."""

    id: str
    environment: str
    refused: str = ""
    """Why it is not there."""
    checks: int = 0
    broken: tuple[int, ...] = ()
    """Checks that cannot run, whatever an agent does: they mask every episode that does not solve the rest."""
    raising: tuple[int, ...] = ()
    """Checks that raise at the start, or answer with neither True nor False; where they do so at the end, they failed."""
    unanswered: tuple[int, ...] = ()
    """Checks that a limit of time, memory or output ends at the start; where one does so at the end, they failed."""
    true_at_start: tuple[int, ...] = ()
    otherwise: tuple[str, ...] = ()
    """What is otherwise here than in the published runtime, for this scenario."""

    @property
    def gradable(self) -> bool:
        """Whether it has checks, each can run and comes to an end, and one is not true already."""
        return not self.refused and not self.broken and not self.unanswered and self.checks > len(self.true_at_start)


@dataclass(frozen=True, slots=True)
class ImportedEnvironment:
    """What is known of one environment."""

    id: str
    title: str = ""
    refused: str = ""
    """Why it is not there, and its scenarios neither."""
    tools: int = 0
    states: int = 0
    replayable: bool = False
    """Whether drawn calls, made twice, answered and ended the same both times."""
    faithful: bool = False
    """Whether it is run as published."""
    added: bool = False
    """Whether it was here before, and only scenarios came."""
    only_told: tuple[str, ...] = ()
    """Tools that the metadata names and the class does not have."""
    otherwise: tuple[str, ...] = ()
    """What is otherwise here than in the published runtime."""
    scenarios: tuple[ImportedScenario, ...] = ()


@dataclass(slots=True)
class Imported:
    """What became of the files."""

    environments: list[ImportedEnvironment] = field(default_factory=list)
    homeless: list[ImportedScenario] = field(default_factory=list)
    """Scenarios of environments that are in no file and were not imported before."""

    @property
    def scenarios(self) -> Iterator[ImportedScenario]:
        """All of them."""
        for environment in self.environments:
            yield from environment.scenarios
        yield from self.homeless


@runtime_checkable
class Importer(Protocol):
    """Reads files of one format and writes server folders and their registry; a plug-in of `envscaler.importers`."""

    def __call__(
        self,
        environments: Path | None,
        scenarios: Sequence[Path],
        servers: Path,
        registry_file: Path,
        progress: Callable[[str, int], None],
        *,
        faithful: bool,
    ) -> Imported:
        """Import what the files hold; `progress` gets the name of each environment that is done, and its number."""


IMPORTERS = PlugIns(
    "envscaler.importers",
    Importer,  # type: ignore[type-abstract]
    {"envscaler": "envscaler_mcp.pipeline.importing:import_upstream"},
)
"""By the name of the format."""
