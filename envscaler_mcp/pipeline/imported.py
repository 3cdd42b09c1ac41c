"""What is known of environments and scenarios that came from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ImportedScenario:
    """What is known of one scenario."""

    id: str
    environment: str
    refused: str = ""
    """Why it is not there."""
    checks: int = 0
    silent: tuple[int, ...] = ()
    """Checks that say nothing at the start: they never pass, and keep the reward below one."""
    true_at_start: tuple[int, ...] = ()

    @property
    def gradable(self) -> bool:
        """Whether it has checks, each says something, and one is not true already."""
        return not self.refused and not self.silent and self.checks > len(self.true_at_start)


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
    only_told: tuple[str, ...] = ()
    """Tools that the metadata names and the class does not have."""
    scenarios: tuple[ImportedScenario, ...] = ()


@dataclass(slots=True)
class Imported:
    """What became of two files."""

    environments: list[ImportedEnvironment] = field(default_factory=list)
    homeless: list[ImportedScenario] = field(default_factory=list)
    """Scenarios of environments that are in no file."""

    @property
    def scenarios(self) -> Iterator[ImportedScenario]:
        """All of them."""
        for one in self.environments:
            yield from one.scenarios
        yield from self.homeless
